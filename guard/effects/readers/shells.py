"""Shells and their own words: `bash -c`, `eval`, `source`, `trap`; PowerShell, cmd."""

from __future__ import annotations

import re

from guard.effects.commands import Command, Machine, Running, doubted
from guard.effects.globs import globs
from guard.effects.model import Part, opaque, read
from guard.effects.powershell.run import powershell_parts
from guard.effects.tables import table

_INPUTS = frozenset({"-", "/dev/stdin", "/proc/self/fd/0"})


def shell(run: Running) -> list[Part]:
    """`bash -c TEXT`, `bash SCRIPT`, `bash` fed from a pipe or a here-document."""
    if run.argv.has("-n") or run.argv.has("--help") or run.argv.has("--version"):
        return [read("checks the syntax only", f"{run.command.name} -n", summary=run.command.text)]
    text = run.argv.value("--command")
    if run.argv.has("-c") and run.argv.positionals:
        text = run.argv.positionals[0]
    if text is not None:
        return run.machine.run_text(text, run.command.stdin, run.argv.positionals[1:])
    script = next(iter(run.argv.positionals), None) if not run.argv.has("-s") else None
    if script is not None and script not in _INPUTS:
        known = run.machine.text_in(script)
        if known is not None:
            return run.machine.run_text(known)
        why = f"{script} is not on record; its text would make it known"
        return [opaque(why, f"{run.command.name} SCRIPT", summary=run.command.text)]
    return fed(run.command, run.machine)


def fed(command: Command, machine: Machine) -> list[Part]:
    """A shell that runs what flows into it."""
    match command.stdin.sort:
        case "text":
            return machine.run_text(command.stdin.text)
        case _:
            why = "a shell whose input is not on record; the text would make it known"
            return [opaque(why, f"{command.name}: input", summary=command.text)]


def evaluate(run: Running) -> list[Part]:
    """`eval WORDS`."""
    parts = run.machine.run_here(" ".join(run.command.words))
    return parts or [read("nothing to run", "eval", summary=run.command.text)]


def source(run: Running) -> list[Part]:
    """`source FILE`: a settings file only sets variables, any other is unknown content (E9)."""
    path = run.command.words[0] if run.command.words else ""
    settings = globs(table("shells")["settings_files"])
    known = run.machine.text_in(path)
    if known is not None:
        return run.machine.run_here(known)
    if settings.fit(path.rsplit("/", 1)[-1]):
        why = f"{path} is a settings file by its name"
        return [read(why, "source: settings", "possible", run.command.text)]
    return [opaque(f"{path or 'the file'} is not on record", "source", summary=run.command.text)]


def trap(run: Running) -> list[Part]:
    """`trap TEXT SIGNALS`: at the end it runs, at a signal it may."""
    words = [word for word in run.command.words if word != "--"]
    if len(words) < 2 or words[0] in {"-", "", "-p", "-l"}:
        return [read("sets or shows traps", "trap", summary=run.command.text)]
    parts = run.machine.run_here(words[0])
    ends = all(signal in {"EXIT", "0"} for signal in words[1:])
    return parts if ends else doubted(parts, "at a signal")


def powershell(run: Running) -> list[Part]:
    """`pwsh -Command TEXT`; a file or an encoded text is content not on record."""
    words = list(run.command.words)
    for at, word in enumerate(words):
        low = word.lower().lstrip("-/")
        if low and "command".startswith(low) and word[0] in "-/":
            return powershell_parts(" ".join(words[at + 1 :]), run.machine)
        if word[:1] in "-/" and low in {"file", "f", "encodedcommand", "enc", "e", "ec"}:
            why = "a script or encoded text that is not on record"
            return [opaque(why, "pwsh -File", summary=run.command.text)]
    rest = [word for word in words if not word.startswith("-")]
    if rest:
        return powershell_parts(" ".join(rest), run.machine)
    if run.command.stdin.sort == "text":
        return powershell_parts(run.command.stdin.text, run.machine)
    return fed(run.command, run.machine)


def cmd(run: Running) -> list[Part]:
    """`cmd /c TEXT`: its words are close enough to a shell's to be read as one."""
    words = list(run.command.words)
    while words and re.fullmatch(r"//?[A-Za-z](:\w+)?", words[0]):
        words.pop(0)
    if not words:
        return [read("a shell with nothing to run", "cmd", "possible", run.command.text)]
    text = " ".join(words).replace("\\", "/").replace(">nul", ">/dev/null")
    return run.machine.run_text(text)
