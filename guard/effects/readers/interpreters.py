"""Interpreters: text on the command line is read, a script file is content not on record (E9)."""

from __future__ import annotations

import re

from guard.effects.code.python import python_parts
from guard.effects.code.scripts import script_parts
from guard.effects.commands import Command, Machine, Running
from guard.effects.model import Part, opaque, read
from guard.effects.options import Argv
from guard.effects.places import file_part
from guard.effects.tables import table

_LANGUAGES = {
    "node": "javascript",
    "nodejs": "javascript",
    "deno": "javascript",
    "bun": "javascript",
}
_TEXTS = ("-e", "-E", "--eval", "-p", "-pe", "--print", "-r")
_FRAMEWORKS = {"artisan": "artisan", "bin/console": "symfony-console", "bin/rails": "rails"}
_DJANGO = re.compile(r"(?:^|/)(manage\.py|django-admin(?:\.py)?)$")


def python(run: Running) -> list[Part]:
    """`python -c TEXT`, `-m MODULE`, `SCRIPT`, `-` or a pipe."""
    text = run.argv.value("-c")
    if text is not None:
        return python_parts(text, run.command, run.machine)
    module = run.argv.value("-m")
    if module is not None:
        return _module(module, run.command, run.machine)
    script = next(iter(run.argv.positionals), "-")
    if _DJANGO.search(script):
        return run.machine.run_words(["django-admin", *run.argv.after(1)], run.command)
    if script != "-":
        known = run.machine.text_in(script)
        return (
            [_script(script, run.command)]
            if known is None
            else python_parts(known, run.command, run.machine)
        )
    match run.command.stdin.sort:
        case "text":
            return python_parts(run.command.stdin.text, run.command, run.machine)
        case _:
            return [
                opaque("runs a text that is not on record", "python -", summary=run.command.text)
            ]


def _module(module: str, command: Command, machine: Machine) -> list[Part]:
    at = next(
        n
        for n, word in enumerate(command.words)
        if word in {"-m", f"-m{module}"} or word.endswith("m")
    )
    glued = command.words[at] != "-m" and command.words[at].endswith(module)
    rest = command.words[at + (1 if glued else 2) :]
    known = table("code")["modules"].get(module)
    if known is None:
        why = f"module {module} is not in the table"
        return [opaque(why, "python -m", summary=command.text)]
    folder = command.name.rpartition("/")[0]
    program = f"{folder}/{known}" if folder else known
    return machine.run_words([program, *rest], command)


def _script(script: str, command: Command) -> Part:
    dry = next(
        (w for w in command.words[1:] if w in {"--dry-run", "--help", "--version", "--check"}), None
    )
    if dry is not None:
        return read(f"the program's own word: {dry}", "script: dry flag", "possible", command.text)
    why = f"{script} is not on record; its text would make it known"
    return opaque(why, f"{command.name} SCRIPT", summary=command.text)


def script(run: Running) -> list[Part]:
    """node, ruby, perl, php, lua, deno, bun: text by option, else a file or a pipe."""
    name = run.command.name.rsplit("/", 1)[-1].rstrip("0123456789.")
    language = _LANGUAGES.get(name, "lua" if name.startswith("lua") else name)
    texts = [text for text in run.argv.values(*_TEXTS) if text]
    text = "\n".join(texts) if texts else None
    if run.argv.positionals[:1] == ["eval"] and len(run.argv.positionals) > 1:
        text = run.argv.positionals[1]
    if text:
        return _in_place(run.argv, run.command) or script_parts(
            language, text, run.command, run.machine
        )
    if run.argv.has("-c") or run.argv.has("--check") or run.argv.has("-l"):
        return [read("checks the syntax only", f"{name} -c", summary=run.command.text)]
    if run.argv.positionals and run.argv.positionals[0] != "-":
        known = _FRAMEWORKS.get(run.argv.positionals[0].removeprefix("./"))
        if known is not None:
            return run.machine.run_words([known, *run.argv.after(1)], run.command)
        return [_script(run.argv.positionals[0], run.command)]
    if run.command.stdin.sort == "text":
        return script_parts(language, run.command.stdin.text, run.command, run.machine)
    return [opaque("runs a text that is not on record", f"{name} -", summary=run.command.text)]


def _in_place(argv: Argv, command: Command) -> list[Part]:
    """`perl -pi -e`, `ruby -i`: every file named is rewritten."""
    flags = [
        name for name in argv.options if name.startswith("-i") or re.fullmatch(r"-[pnl]+i.*", name)
    ]
    if not flags:
        return []
    why = "changes files in place"
    return [
        file_part(
            argv.positionals, why, f"{command.name} -i", cwd=command.cwd, summary=command.text
        )
    ]
