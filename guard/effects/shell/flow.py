"""How a statement ends as far as its text says, and what that means for the next one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import cache
from typing import Literal

from guard.effects.globs import Globs, globs
from guard.effects.shell.syntax import (
    Chain,
    Check,
    Group,
    Negated,
    Node,
    Pipe,
    Redirect,
    Simple,
    Template,
    Word,
)
from guard.effects.tables import table


class Guard(IntEnum):
    """Why an act might not run."""

    SURE = 0
    AFTER_FAILURE = 1
    CHECKED = 2


Ends = Literal["true", "false", "check", "work"]
"""Always well, always badly, as a check finds things (its purpose), or as its work goes."""

_SHORTEST = 3
"""Shorter printed words are found in any output by chance."""


@cache
def _checks() -> Globs:
    return globs(table("words")["checks"])


def ends(node: Node) -> Ends:
    """How a statement ends."""
    match node:
        case Simple(words=words):
            return _command_ends(words)
        case Check():
            return "check"
        case Negated(inner):
            return _INVERSE[ends(inner)]
        case Pipe(stages):
            return ends(stages[-1])
        case Chain(first, rest):
            state = ends(first)
            for operator, each in rest:
                _, _, state = next_step(state, operator, ends(each))
            return state
        case Group(body) if body.items:
            return ends(body.items[-1])
        case _:
            return "work"


_INVERSE: dict[Ends, Ends] = {"true": "false", "false": "true", "check": "check", "work": "check"}


def _command_ends(words: Sequence[Word]) -> Ends:
    known = [word if isinstance(word, str) else "" for word in words]
    if not known:
        return "work"
    if known[0] in {"true", ":", "false"}:
        return "false" if known[0] == "false" else "true"
    name = known[0].rsplit("/", 1)[-1]
    return "check" if _checks().fit(" ".join([name, *known[1:]])) else "work"


def next_step(state: Ends, operator: Literal["&&", "||"], after: Ends) -> tuple[bool, Guard, Ends]:
    """Whether the next of a chain runs, how sure that is, and how the chain stands."""
    if operator == "&&":
        return _after_and(state, after)
    match state:
        case "true":
            return False, Guard.SURE, "true"
        case "false":
            return True, Guard.SURE, after
        case "check":
            return True, Guard.CHECKED, "true" if after == "true" else "check"
        case "work":
            return True, Guard.AFTER_FAILURE, "true" if after == "true" else "work"


def _after_and(state: Ends, after: Ends) -> tuple[bool, Guard, Ends]:
    match state:
        case "false":
            return False, Guard.SURE, "false"
        case "true":
            return True, Guard.SURE, after
        case "check":
            return True, Guard.CHECKED, "check"
        case "work":
            return True, Guard.SURE, after if after in {"check", "false"} else "work"


def prints(
    node: Node, known: Callable[[Word], str | None], *, into_file: bool = False
) -> str | None:
    """What a statement prints, where its text says so: `echo`, `printf`, `cat` of a here-document.

    `into_file`: what it prints goes into a file, and that is what is asked for.
    """
    if not isinstance(node, Simple) or not node.words:
        return None
    if not into_file and any(_goes(redirect) for redirect in node.redirects):
        return None
    words = [known(word) for word in node.words]
    if any(word is None for word in words):
        return None
    name, *rest = [word for word in words if word is not None]
    match name:
        case "echo":
            return _echo(rest)
        case "printf" if rest:
            return _printf(rest)
        case "which":
            return rest[0] if len(rest) == 1 else None
        case "command":
            return rest[1] if len(rest) == 2 and rest[0] == "-v" else None
        case "cat" if not [word for word in rest if word != "-"]:
            fed = [redirect for redirect in node.redirects if _feeds(redirect)]
            return known(fed[-1].target) if fed else None
        case _:
            return None


def _echo(words: Sequence[str]) -> str:
    flags = [word for word in words if word in {"-n", "-e", "-E", "-ne", "-en"}]
    text = " ".join(word for word in words if word not in flags) + "\n"
    return text.replace("\\n", "\n") if any("e" in flag for flag in flags) else text


def _goes(redirect: Redirect) -> bool:
    return redirect.operator.startswith((">", "&>"))


def _feeds(redirect: Redirect) -> bool:
    return redirect.operator in {"<<", "<<<"}


def _printf(words: Sequence[str]) -> str:
    form, *values = words
    if form == "--" and values:
        form, *values = values
    text = form.replace("\\n", "\n").replace("\\t", "\t")
    if not values:
        return text
    if text.count("%s") + text.count("%b") + text.count("%q") == 1:
        return "".join(_filled(text, value) for value in values)
    for value in values:
        text = _filled(text, value)
    return text


def _filled(text: str, value: str) -> str:
    for sign in ("%s", "%b", "%q"):
        if sign in text:
            return text.replace(sign, value, 1)
    return text


def said(rest: Sequence[tuple[str, Node]], stdout: str) -> bool:
    """Whether the output shows words that only this chain, run to that place, prints."""
    if not stdout:
        return False
    for operator, node in rest:
        if operator != "&&":
            return False
        if isinstance(node, Chain) and said([("&&", node.first), *node.rest], stdout):
            return True
        if isinstance(node, Simple) and node.words[:1] == ("echo",):
            words = node.words[1:]
            if any(isinstance(word, Template) for word in words):
                continue
            text = " ".join(word for word in words if isinstance(word, str)).strip()
            if len(text) >= _SHORTEST and text in stdout:
                return True
    return False
