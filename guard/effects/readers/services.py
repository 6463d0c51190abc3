"""SQL and commands sent through a service's own tool, and the code consoles of frameworks."""

from __future__ import annotations

import msgspec

from guard.effects.code.python import python_parts
from guard.effects.code.scripts import script_parts
from guard.effects.commands import Command, Running, lifted
from guard.effects.http import request
from guard.effects.model import Part, opaque, read
from guard.effects.options import Argv
from guard.effects.sql.parts import sql_parts
from guard.effects.targets import Reach, reach_of

_TEXTS = ("-c", "--command", "--sql", "--query-string", "--query", "-q", "--execute", "-e")


def _sql(command: Command, argv: Argv, reach: Reach, extra: str | None = None) -> list[Part]:
    text = argv.value(*_TEXTS) or extra
    if text is None and command.stdin.sort == "text":
        text = command.stdin.text
    if text is None:
        why = "the SQL is not on record; its text would make it known"
        return [opaque(why, f"{command.name}: sql", "database", command.text)]
    return sql_parts(text, "postgres", reach, summary=command.text)


def remote_sql(run: Running) -> list[Part]:
    """SQL to a store of the service."""
    return _sql(run.command, run.argv, "remote")


def settings_sql(run: Running) -> list[Part]:
    """SQL to the database that the project's settings name."""
    last = run.argv.positionals[-1] if len(run.argv.positionals) > 2 else None
    return _sql(run.command, run.argv, reach_of(run.command, run.argv), last)


def d1(run: Running) -> list[Part]:
    """`wrangler d1 execute`: local unless `--remote`."""
    return _sql(run.command, run.argv, "remote" if run.argv.has("--remote") else "local")


def heroku_run(run: Running) -> list[Part]:
    """`heroku run WORDS`: they run on another machine; the tool's own options are not theirs."""
    words = run.argv.positionals[1:]
    if not words:
        return [opaque("a shell there", "heroku run", "network", run.command.text)]
    parts = (
        run.machine.run_text(words[0])
        if len(words) == 1
        else run.machine.run_words(words, run.command)
    )
    return lifted(parts)


def az_rest(run: Running) -> list[Part]:
    """`az rest --method M --url U`."""
    method = run.argv.value("-m", "--method") or "GET"
    part = request(method, run.argv.value("-u", "--url", "--uri") or "", summary=run.command.text)
    far = part.write and part.domain == "network"
    return [msgspec.structs.replace(part, domain="cloud") if far else part]


def netcat(run: Running) -> list[Part]:
    """`nc HOST PORT` fed with text: a request line says what it is."""
    host = run.argv.positionals[0] if run.argv.positionals else "$HOST"
    first = run.command.stdin.text.split(" ", 1)[0].upper()
    if first in {
        "GET",
        "HEAD",
        "OPTIONS",
        "QUIT",
        "STAT",
        "STATS",
        "INFO",
        "PING",
        "RUOK",
        "VERSION",
    }:
        return [read("asks by its first word", "nc", "possible", run.command.text)]
    return [request("SEND", host, summary=run.command.text)]


def django_shell(run: Running) -> list[Part]:
    """`manage.py shell -c TEXT`: Python with the project's models."""
    text = run.argv.value("-c", "--command")
    text = run.command.stdin.text if text is None and run.command.stdin.sort == "text" else text
    if text is None:
        return [opaque("Python that is not on record", "django shell", summary=run.command.text)]
    return python_parts(text, run.command, run.machine)


def rails_runner(run: Running) -> list[Part]:
    """`rails runner TEXT`: Ruby with the project's models."""
    text = run.argv.positionals[1] if len(run.argv.positionals) > 1 else None
    text = (
        run.command.stdin.text if text in {None, "-"} and run.command.stdin.sort == "text" else text
    )
    if text is None or text.endswith(".rb"):
        return [opaque("Ruby that is not on record", "rails runner", summary=run.command.text)]
    return script_parts("ruby", text, run.command, run.machine)


def tinker(run: Running) -> list[Part]:
    """`artisan tinker --execute TEXT`: PHP with the project's models."""
    return script_parts("php", run.argv.value("--execute") or "", run.command, run.machine)
