"""Database clients: where they connect, and the text they send."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal

import msgspec

from guard.effects.code.scripts import sites_of
from guard.effects.commands import Command, Machine, Running
from guard.effects.globs import globs
from guard.effects.model import Part, opaque, read
from guard.effects.options import Argv
from guard.effects.places import file_part
from guard.effects.sql.parts import sql_parts
from guard.effects.tables import table
from guard.effects.targets import (
    Reach,
    class_of,
    names_live,
    reach_of_host,
    reach_of_url,
    reached,
    worst,
)

_HOST_IN_TEXT = re.compile(r"\bhost(?:addr)?\s*=\s*'?([^\s']+)")
_GEXEC = re.compile(r"\\gexec\b")
_GSEND = re.compile(r"\\(?:g|gx|gset|crosstabview|gdesc|watch)\b[^\n;]*")
_MOST_TEXT = 40_000


class Client(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How one client is told where to connect and what to send; options by `|`.

    `words`: what its positionals are, in their order (`url`, `database`, `file`, `code`).
    `reach`: where it connects when nothing is said.
    """

    dialect: str
    code: str = ""
    file: str = ""
    host: str = ""
    url: str = ""
    words: str = ""
    env: str = ""
    reach: Reach = "hidden"
    meta: Literal["", "psql", "sqlite"] = ""
    saves: str = ""


@cache
def _clients() -> dict[str, Client]:
    return {name: msgspec.convert(raw, Client) for name, raw in table("clients").items()}


def client(run: Running) -> list[Part]:
    """An SQL client of any name: psql, mysql, sqlite3, bq and the others of `clients.toml`."""
    name = run.command.name.rsplit("/", 1)[-1]
    spec = _clients()[name]
    where = list(_reaches(spec, run.command, run.argv))
    reach = worst(where) if where else spec.reach
    parts = [
        part
        for text in _texts(spec, run.command, run.argv)
        for part in _sent(text, spec, reach, run.command, run.machine)
    ]
    if _is_memory(spec, run.argv):
        parts = [read("a database in memory", name, summary=run.command.text)] if parts else parts
    if run.argv.values(*_names(spec.file)) or (
        not parts and run.command.stdin.sort in {"pipe", "file"}
    ):
        why = "the SQL stands elsewhere; its text would make it known"
        parts.append(opaque(why, f"{name}: file", "database", run.command.text))
    saved = [path for path in run.argv.values(*_names(spec.saves)) if path != "-"]
    if saved:
        parts.append(file_part(saved, "writes what it gets into a file", f"{name} -o"))
    if not parts:
        why = "what is sent is not on record"
        parts.append(opaque(why, f"{name}: no text", "database", run.command.text))
    return parts


def _names(options: str) -> list[str]:
    return options.split("|") if options else []


def _placed(spec: Client, argv: Argv, sort: str) -> list[str]:
    kinds = spec.words.split()
    return [
        word
        for at, word in enumerate(argv.positionals)
        if kinds and kinds[min(at, len(kinds) - 1)] == sort
    ]


def _reaches(spec: Client, command: Command, argv: Argv) -> Iterator[Reach]:
    for host in argv.values(*_names(spec.host)):
        yield reach_of_url(host) if "://" in host else reach_of_host(host)
    places = [*argv.values(*_names(spec.url)), *_placed(spec, argv, "url")]
    for place in places:
        if "://" in place or place.startswith("$"):
            yield reach_of_url(place)
        elif found := _HOST_IN_TEXT.search(place):
            yield reach_of_host(found[1])
        elif "@" in place:
            yield reach_of_host(place.rsplit("@", 1)[-1].split("/")[0])
        if names_live(place) and spec.reach != "local":
            yield "remote"
    for variable in spec.env.split():
        if variable in command.env:
            text = command.env[variable]
            live = names_live(text) and variable.endswith("SERVICE")
            yield "remote" if live else reach_of_url(text) if "://" in text else reach_of_host(text)


def _texts(spec: Client, command: Command, argv: Argv) -> list[str]:
    texts = [*argv.values(*_names(spec.code)), *_placed(spec, argv, "code")]
    if not texts and command.stdin.sort == "text":
        texts = [command.stdin.text]
    return texts


def _is_memory(spec: Client, argv: Argv) -> bool:
    if spec.meta != "sqlite":
        return False
    files = _placed(spec, argv, "file")
    return not files or files[0] in {":memory:", "", ":memory"}


def _sent(text: str, spec: Client, reach: Reach, command: Command, machine: Machine) -> list[Part]:
    sql: list[str] = []
    parts: list[Part] = []
    for line in text.split("\n") if spec.meta else [text]:
        own = line.lstrip().startswith("\\" if spec.meta == "psql" else ".") and bool(spec.meta)
        if own:
            parts.extend(_own_command(line.strip(), spec, reach, machine))
        else:
            sql.append(line)
    rest = "\n".join(sql)
    if spec.meta == "psql" and _GEXEC.search(rest):
        parts.append(opaque("\\gexec runs what the query prints", "psql \\gexec", "database"))
    rest = _GSEND.sub(";", rest) if spec.meta == "psql" else rest
    if rest.strip():
        parts.extend(sql_parts(rest, spec.dialect, reach, summary=command.text))
    return parts


def _own_command(line: str, spec: Client, reach: Reach, machine: Machine) -> list[Part]:
    """`\\copy`, `.import` and the other commands of a client itself, by `own_commands`."""
    word, _, rest = line.partition(" ")
    for names, does, why in table("own_commands")[spec.meta]:
        if globs(names.split("|")).fit(word):
            return _own(does, why, rest, line, reach, machine)
    return [opaque(f"{word} is no command of the table", f"{spec.meta}: {word}", "database", line)]


def _own(does: str, why: str, rest: str, line: str, reach: Reach, machine: Machine) -> list[Part]:
    rule = f"client: {line.split(' ', 1)[0]}"
    match does:
        case "read":
            return [read(why, rule, summary=line)]
        case "write":
            return [reached(reach, why, rule, summary=line)]
        case "file":
            paths = rest.split()[:1]
            return [file_part(paths, why, rule, summary=line)] if paths else [read(why, rule)]
        case "shell":
            return machine.run_text(rest)
        case "copy":
            return [_copied(rest, rule, line, reach)]
        case _:
            return [opaque(why, rule, "database", line)]


def _copied(rest: str, rule: str, line: str, reach: Reach) -> Part:
    outside = re.sub(r"\([^()]*\)|'[^']*'", "_", rest).lower().split()
    if "from" in outside:
        return reached(reach, "loads rows", rule, summary=line)
    if "stdout" in outside or "pstdout" in outside:
        return read("prints rows", rule, summary=line)
    return file_part([], "writes rows into a file", rule, summary=line)


def mongo(run: Running) -> list[Part]:
    """mongosh: JavaScript whose methods say what they do."""
    words = run.argv.positionals
    where = [reach_of_url(word) for word in words if "://" in word or word.startswith("$")]
    where += [reach_of_host(host) for host in run.argv.values("--host", "-h")]
    reach = worst(where) if where else "local"
    texts = run.argv.values("--eval")
    if not texts and run.command.stdin.sort == "text":
        texts = [run.command.stdin.text]
    files = run.argv.values("-f", "--file") + [
        word for word in words if word.endswith((".js", ".mongodb"))
    ]
    if files or not texts:
        why = "the script stands elsewhere; its text would make it known"
        return [opaque(why, "mongosh: file", "database", run.command.text)]
    return [_mongo_text(text[:_MOST_TEXT], reach, run.command) for text in texts]


def _mongo_text(text: str, reach: Reach, command: Command) -> Part:
    lists = table("sql")
    calls = sites_of("javascript", text)
    names = [site.name.rsplit(".", 1)[-1] for site in calls]
    acts, runs = globs(lists["mongo_acts"]), globs(lists["mongo_calls"])
    writes = next((n for n in names if n not in lists["mongo_reads"] and acts.fit(n)), None)
    if writes is None and ("$out" in text or "$merge" in text) and "aggregate" in names:
        writes = "aggregate with $out or $merge"
    if writes is not None:
        why = f"{writes} changes documents or collections"
        return reached(reach, why, "mongosh", summary=command.text)
    called = next((name for name in names if runs.fit(name)), None)
    if called is not None or "eval(" in text:
        return opaque(f"{called} runs a command by its text", "mongosh", "database", command.text)
    return read("only asks", "mongosh", summary=command.text)


def redis(run: Running) -> list[Part]:
    """redis-cli: the first word is the command."""
    host = run.argv.value("-h", "-u", "--uri")
    reach: Reach = "local" if host is None else _redis_reach(host)
    if any(
        run.argv.has(name)
        for name in ("--scan", "--bigkeys", "--memkeys", "--stat", "--latency", "--hotkeys")
    ):
        return [read("only looks", "redis-cli --scan", summary=run.command.text)]
    lines = [list(run.argv.positionals)] if run.argv.positionals else []
    if not lines and run.command.stdin.sort == "text":
        lines = [line.split() for line in run.command.stdin.text.splitlines() if line.strip()]
    if not lines or run.argv.has("--eval") or run.argv.has("--pipe"):
        why = "what is sent is not on record"
        return [opaque(why, "redis-cli", "database", run.command.text)]
    return [_redis_line(words, reach, run.command) for words in lines]


def _redis_reach(host: str) -> Reach:
    return reach_of_url(host) if "://" in host else reach_of_host(host)


def _redis_line(words: Sequence[str], reach: Reach, command: Command) -> Part:
    lists = table("sql")
    verb = words[0].lower()
    rule = f"redis: {verb}"
    pair = " ".join(words[:2]).lower()
    if verb in lists["redis_reads"] or pair in lists["redis_reads_of"]:
        return read("only asks", rule, summary=command.text)
    if verb in lists["redis_messages"]:
        sort = class_of(reach)
        return Part(True, sort, "message", "proven", "tells every listener", rule, command.text)
    if verb in lists["redis_calls"] or "$" in verb:
        return opaque("runs code or an unknown command", rule, "database", command.text)
    return reached(reach, f"{verb} changes keys or the server", rule, summary=command.text)
