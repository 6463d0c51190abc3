"""One plain command in a shell: its words, its redirections, the shell's own commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from guard.effects.commands import Command, Stdin
from guard.effects.model import Part
from guard.effects.places import file_part, place
from guard.effects.shell.flow import Guard, prints
from guard.effects.shell.scope import resolve, substitutions, uses
from guard.effects.shell.syntax import Node, Redirect, Simple, Word

if TYPE_CHECKING:
    from guard.effects.shell.run import Shell

_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_DECLARES = frozenset({"export", "declare", "local", "readonly", "typeset"})


def run(shell: Shell, node: Simple, guard: Guard) -> None:
    """Run one command: what its words substitute, what it redirects, then itself."""
    words = list(_words(shell, node.words, guard))
    assigned = {one.name: _assigned(shell, one.value, guard) for one in node.assigns}
    stdin = redirect(shell, node.redirects, guard) or shell.stdin
    if node.redirects:
        _keep(shell, node)
    if not words or words[0] in _DECLARES:
        shell.scope.variables.update(assigned)
        return
    env = shell.scope.known()
    env.update({name: text for name, text in assigned.items() if text is not None})
    patterns = shell.scope.patterns
    globbed = node.globbed or (bool(patterns) and any(uses(word, patterns) for word in node.words))
    _command(shell, Command(words[0], words[1:], stdin, env, globbed, cwd=shell.scope.cwd), guard)


def _command(shell: Shell, command: Command, guard: Guard) -> None:
    scope = shell.scope
    match command.name:
        case name if name in scope.functions:
            _call(shell, scope.functions[name], command, guard)
        case "exit" | "return":
            shell.leave(guard)
        case "cd" | "pushd" if command.words:
            scope.move(command.words[-1])
        case "set" if command.words[:1] == ["--"]:
            scope.number(command.words[1:])
        case "alias":
            pairs = (word.partition("=") for word in command.words)
            scope.aliases.update({name: text for name, sign, text in pairs if sign})
        case name if name in scope.aliases:
            text = scope.aliases.pop(name)
            shell.emit(shell.run_words([*text.split(), *command.words], command), guard)
            scope.aliases[name] = text
        case "exec" if command.words:
            shell.emit(shell.run_words(command.words, command), guard)
            shell.leave(guard)
        case _:
            if command.name in {"source", "."} and "activate" in " ".join(command.words):
                scope.variables["VIRTUAL_ENV"] = command.words[0]
            shell.emit(shell.judged(command), guard)


def _call(shell: Shell, body: Node, command: Command, guard: Guard) -> None:
    """A function: its arguments are `$1`, `$2`; its `return` ends only itself."""
    if any(body is one for one in shell.scope.running):
        why = "a function that calls itself: without a check it never ends"
        rule = "shell: recursion"
        endless = Part(True, "unknown", "process", "proven", why, rule, command.text)
        shell.emit([endless] if guard is Guard.SURE else [], guard)
        return
    inner = shell.inner(command.stdin)
    inner.scope.running += (body,)
    inner.scope.number(command.words)
    inner.run(body, Guard.SURE)
    shell.emit(inner.parts, guard)


def redirect(shell: Shell, redirects: Sequence[Redirect], guard: Guard) -> Stdin | None:
    """Write what is redirected into files; what is read from, if that is redirected."""
    stdin = None
    for one in redirects:
        text = text_of(shell, one.target, guard)
        match one.operator:
            case "<<" | "<<<":
                stdin = Stdin("text", text)
            case "<":
                stdin = Stdin("none" if text == "/dev/null" else "file", text)
            case sign if sign in _WRITES or (sign == ">&" and not _is_descriptor(text)):
                if not text.startswith(">("):
                    shell.emit(_written(text, sign, shell.scope.cwd), guard)
    return stdin


def _written(path: str, operator: str, cwd: str) -> list[Part]:
    """The file that output goes into; nothing for `/dev/null`."""
    if place(path) == "nowhere":
        return []
    why = "output is redirected into a file"
    return [file_part([path], why, f"shell: {operator}", cwd=cwd, summary=f"{operator} {path}")]


def _is_descriptor(text: str) -> bool:
    return text == "-" or text.rstrip("-").isdigit()


def _keep(shell: Shell, node: Simple) -> None:
    """Remember the text that goes into a file: it may run later in the same call."""
    written = shell.budget.written
    for one in node.redirects:
        path = shell.scope.text(one.target) if one.operator in {">", ">|", ">>"} else None
        if path is None:
            continue
        path = path.removeprefix("./")
        before = written.pop(path, None) if one.operator == ">>" else ""
        text = prints(node, shell.scope.text, into_file=True)
        if text is None or before is None:
            written.pop(path, None)
        else:
            written[path] = before + text


def substitute(shell: Shell, text: str, guard: Guard) -> str | None:
    """Run a substitution; what it prints, where its text says so."""
    inner = shell.inner(shell.stdin)
    script = shell.parsed(text)
    inner.script(script, Guard.SURE)
    shell.emit(inner.parts, guard)
    return prints(script.items[0], shell.scope.text) if len(script.items) == 1 else None


def values(shell: Shell, words: Sequence[Word], guard: Guard) -> list[str | None]:
    """The words a loop goes over; `None` for one that is not known."""
    found: list[str | None] = []
    for word in words:
        text = text_of(shell, word, guard)
        known = text if isinstance(word, str) else shell.scope.text(word)
        found.extend([known] if isinstance(word, str) or known is None else known.split())
    return found


def text_of(shell: Shell, word: Word, guard: Guard) -> str:
    """A word as one text, after running what it substitutes."""
    if isinstance(word, str):
        return word
    return resolve(word, shell.scope, _outputs(shell, word, guard)).text


def _words(shell: Shell, words: Sequence[Word], guard: Guard) -> Iterator[str]:
    for word in words:
        if isinstance(word, str):
            yield word
        else:
            yield from resolve(word, shell.scope, _outputs(shell, word, guard)).words()


def _assigned(shell: Shell, word: Word, guard: Guard) -> str | None:
    text = text_of(shell, word, guard)
    return text if isinstance(word, str) or shell.scope.text(word) is not None else None


def _outputs(shell: Shell, word: Word, guard: Guard) -> dict[str, str | None]:
    return {text: substitute(shell, text, guard) for text in substitutions(word)}
