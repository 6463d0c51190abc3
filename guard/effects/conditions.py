"""The second column of the tables: what must hold of a command's words for a row to fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from guard.effects.commands import Command
from guard.effects.globs import Glob, Globs, globs
from guard.effects.options import Argv

_Sort = Literal[
    "option", "count", "least", "most", "first", "last", "any", "stdin", "glob", "env", "bare"
]
_PLAIN: dict[str, _Sort] = {"stdin": "stdin", "glob": "glob", "bare": "bare"}
_COUNTS: dict[str, _Sort] = {"+": "least", "-": "most"}
_PLACES: dict[str, _Sort] = {"first": "first", "last": "last", "any": "any"}


class Condition(msgspec.Struct, frozen=True):
    """One word of a `when`. `names` are options with the values they must have, if any."""

    sort: _Sort
    negated: bool = False
    names: tuple[tuple[str, Glob | None], ...] = ()
    patterns: Globs = globs(())
    count: int = 0

    def holds(self, command: Command, argv: Argv, verb_words: int) -> bool:
        """Whether it holds; `verb_words` positionals belong to the verb."""
        return self._found(command, argv, argv.positionals[verb_words:]) is not self.negated

    def _found(self, command: Command, argv: Argv, rest: Sequence[str]) -> bool:
        match self.sort:
            case "option":
                return any(_given(argv, name, value) for name, value in self.names)
            case "count":
                return len(rest) == self.count
            case "least":
                return len(rest) >= self.count
            case "most":
                return len(rest) <= self.count
            case "first":
                return bool(rest) and self.patterns.fit(rest[0])
            case "last":
                return bool(rest) and self.patterns.fit(rest[-1])
            case "any":
                return any(self.patterns.fit(word) for word in rest)
            case "stdin":
                return command.stdin.sort != "none"
            case "bare":
                return not command.words
            case "glob":
                return command.globbed or command.supplied
            case "env":
                return any(_set(command, name, value) for name, value in self.names)


def parse_when(text: str) -> tuple[Condition, ...]:
    """The conditions of a row, all of which must hold. Raises `ValueError` for other words."""
    return tuple(_condition(word) for word in text.split())


def _condition(word: str) -> Condition:
    negated = word.startswith("!")
    word = word.removeprefix("!")
    if word in _PLAIN:
        return Condition(_PLAIN[word], negated)
    if word.startswith("#"):
        sort = _COUNTS.get(word[-1], "count")
        return Condition(sort, negated, count=int(word[1:].rstrip("+-")))
    place, tilde, patterns = word.partition("~")
    if tilde and place == "env":
        return Condition("env", negated, names=tuple(map(_name, patterns.split("|"))))
    if tilde and place in _PLACES:
        return Condition(_PLACES[place], negated, patterns=globs(patterns.split("|")))
    if word.startswith(("-", "+", "/")):
        return Condition("option", negated, names=tuple(map(_name, word.split("|"))))
    raise ValueError(f"no condition of ours: {word!r}")


def _name(word: str) -> tuple[str, Glob | None]:
    name, equals, value = word.partition("=")
    return name, Glob(value) if equals else None


def _set(command: Command, name: str, value: Glob | None) -> bool:
    known = command.env.get(name)
    return known is not None and (value is None or value.matches(known))


def _given(argv: Argv, name: str, value: Glob | None) -> bool:
    if "*" in name:
        return any(Glob(name).matches(one) for one in argv.options)
    given = argv.options.get(name)
    if given is None:
        return False
    return value is None or any(value.matches(each) for each in given)
