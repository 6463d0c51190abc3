"""One simple command to its parts: the program, its table, the first row that fits."""

from __future__ import annotations

from collections.abc import Sequence

from guard.effects.commands import Command, Machine, Running, lifted
from guard.effects.labels import Label
from guard.effects.lexicon import act_of, words_of
from guard.effects.model import Part, read
from guard.effects.naming import program_of
from guard.effects.options import Argv, parse
from guard.effects.places import file_part
from guard.effects.readers import READERS
from guard.effects.tables import Row, Tool, tool_of
from guard.effects.targets import database_part
from guard.effects.unknown import unknown_program


def judge(command: Command, machine: Machine) -> list[Part]:
    """What one command does; a program without a table is unknown content (E9)."""
    name = program_of(command.name) or ""
    tool = tool_of(name)
    if tool is None:
        known = machine.text_in(command.name)
        runs = known is not None and (not known.startswith("#!") or "sh" in known.split("\n", 1)[0])
        return machine.run_text(known) if runs and known else [unknown_program(command)]
    if tool.only_looks:
        return [read(tool.only_looks, name, summary=command.text)]
    argv = _argv(tool, command)
    if not tool.own_help and _only_tells(tool, command, argv):
        return [read("prints its help or version", f"{name} --help", summary=command.text)]
    for row in tool.rows(argv.positionals[0] if argv.positionals else ""):
        if _fits(row, command, argv):
            verb = argv.positionals[: len(row.verb)]
            rule = " ".join(filter(None, (name, *verb, row.condition)))
            return _apply(row.label, row.why, rule[:80], len(verb), command, argv, machine)
    return _apply(tool.rest, tool.why, f"{name}: rest", 0, command, argv, machine)


def _argv(tool: Tool, command: Command) -> Argv:
    """The words by the program's grammar, or by the grammar of its verb where that differs."""
    argv = parse(command.words, tool.grammar)
    for length in (2, 1):
        special = tool.verbs.get(" ".join(argv.positionals[:length]))
        if special is not None:
            return parse(command.words, special)
    return argv


def _only_tells(tool: Tool, command: Command, argv: Argv) -> bool:
    alone = len(command.words) == 1 and command.words[0] in {"--version", "-V", "-version"}
    named = bool(tool.by_word) and argv.positionals[:1] == ["help"]
    return alone or named or argv.has("--help") or argv.has("-help")


def _fits(row: Row, command: Command, argv: Argv) -> bool:
    words = argv.positionals[: len(row.verb)]
    if len(words) < len(row.verb):
        return False
    for globs, word in zip(row.verb, words, strict=True):
        if not globs.fit(word):
            return False
    if row.loose and "-" not in words[1] and act_of(words_of(words[0])) == "write":
        return False
    return all(one.holds(command, argv, len(row.verb)) for one in row.when)


def _apply(
    label: Label,
    why: str,
    rule: str,
    verb: int,
    command: Command,
    argv: Argv,
    machine: Machine,
) -> list[Part]:
    match label.kind:
        case "read":
            return [read(why, rule, label.certainty, command.text)]
        case "file":
            paths = _paths(label.arg, argv, verb)
            cwd, sure = command.cwd, label.certainty
            return [file_part(paths, why, rule, cwd=cwd, certainty=sure, summary=command.text)]
        case "db":
            return [database_part(command, argv, why, rule, label.certainty)]
        case "run":
            words = argv.after(verb + label.skip, dashed=label.dashed)
            return _inner(label, _run(words, command, machine), why, rule, command)
        case "text":
            texts = argv.values(*label.arg.split("|"))
            parts = [part for text in texts for part in machine.run_text(text)]
            return _inner(label, parts, why, rule, command)
        case "by":
            return READERS[label.arg](Running(command, argv, machine))
        case "write" | "uncommitted" | "unpinned":
            return [_write(label, why, rule, command, argv, verb)]


def _write(label: Label, why: str, rule: str, command: Command, argv: Argv, verb: int) -> Part:
    lost = label.kind if label.kind in {"uncommitted", "unpinned"} else ""
    rest = argv.positionals[verb:]
    return Part(
        True,
        label.reversibility,
        label.domain,
        label.certainty,
        why,
        rule,
        command.text,
        target=rest[0] if rest else None,
        opaque=label.opaque,
        files=tuple(rest) if label.kind == "uncommitted" else (),
        lost="uncommitted" if lost == "uncommitted" else "unpinned" if lost else "",
    )


def _run(words: Sequence[str], command: Command, machine: Machine) -> list[Part]:
    """Words as a command; one word with spaces in it is a line for a shell (`watch 'git log'`)."""
    if len(words) == 1 and " " in words[0]:
        return machine.run_text(words[0], command.stdin)
    return machine.run_words(words, command)


def _inner(label: Label, parts: list[Part], why: str, rule: str, command: Command) -> list[Part]:
    """The parts of an inner command; without one the wrapper itself only tells something."""
    if not parts:
        return [read(f"{why}; no inner command", rule, summary=command.text)]
    return lifted(parts) if label.remote else parts


def _paths(source: str, argv: Argv, verb: int) -> Sequence[str]:
    rest = argv.positionals[verb:]
    if source == "last":
        return rest[-1:]
    if source.endswith("+") and source[:-1].isdigit():
        return rest[int(source[:-1]) :]
    if source.startswith("-"):
        return argv.values(*source.split("|"))
    return rest
