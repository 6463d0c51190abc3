"""A command's words, split into options and positionals by what its table says of its options.

An option whose value is not known to the table counts as a flag: its value becomes a positional,
which can only add words to look at, never hide the verb that comes first.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

_MOST_LETTERS = 24
"""Short options in one word; a longer word is one option that nobody documents."""


class Grammar(msgspec.Struct, frozen=True):
    """How a program reads its words.

    `takes`: options that take the next word. `long`: one dash starts a long option (`-out=x`).
    `stops`: options end at the first positional, which starts an inner command.
    """

    takes: frozenset[str] = frozenset()
    long: bool = False
    stops: bool = False


class Argv(msgspec.Struct):
    """Options by name with their values (`""` for a flag), positionals with their places."""

    words: Sequence[str]
    options: dict[str, list[str]] = {}
    positionals: list[str] = []
    places: list[int] = []
    dashes: int | None = None

    def has(self, name: str) -> bool:
        return name in self.options

    def value(self, *names: str) -> str | None:
        """The last value given under any of these names."""
        found = [value for name in names for value in self.options.get(name, ())]
        return found[-1] if found else None

    def values(self, *names: str) -> list[str]:
        return [value for name in names for value in self.options.get(name, ())]

    def after(self, skip: int, *, dashed: bool = False) -> Sequence[str]:
        """The inner command: from positional `skip` on; `dashed`: after `--` if it is there."""
        if dashed and self.dashes is not None:
            return self.words[self.dashes + 1 :]
        return self.words[self.places[skip] :] if skip < len(self.places) else ()


def parse(words: Sequence[str], grammar: Grammar) -> Argv:
    """Split the words that follow a program's name."""
    argv = Argv(words)
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            argv.dashes = at
            _positionals(argv, at + 1)
            break
        if len(word) > 1 and word[0] == "-":
            at = _option(argv, at, grammar)
            continue
        argv.positionals.append(word)
        argv.places.append(at)
        if grammar.stops:
            _positionals(argv, at + 1)
            break
        at += 1
    return argv


def _positionals(argv: Argv, start: int) -> None:
    argv.positionals.extend(argv.words[start:])
    argv.places.extend(range(start, len(argv.words)))


def _option(argv: Argv, at: int, grammar: Grammar) -> int:
    """Read the option at a place; the place after it and its value."""
    word = argv.words[at]
    if word.startswith("--") or grammar.long:
        name, equals, value = word.partition("=")
        if grammar.long and name.startswith("--"):
            name = name[1:]
        if equals or name not in grammar.takes or at + 1 >= len(argv.words):
            argv.options.setdefault(name, []).append(value)
            return at + 1
        argv.options.setdefault(name, []).append(argv.words[at + 1])
        return at + 2
    return _cluster(argv, at, grammar)


def _cluster(argv: Argv, at: int, grammar: Grammar) -> int:
    """Short options in one word: `-fdx`, `-XDELETE`, `-qam TEXT`; `-name` if it is in the table."""
    word = argv.words[at]
    whole, equals, value = word.partition("=")
    if len(whole) > 2 and whole in grammar.takes:
        known = [value] if equals else list(argv.words[at + 1 : at + 2])
        argv.options.setdefault(whole, []).extend(known or [""])
        return at + (1 if equals else 2)
    for place, letter in enumerate(word[1:_MOST_LETTERS], start=1):
        name = "-" + letter
        rest = word[place + 1 :]
        if name in grammar.takes:
            if rest or at + 1 >= len(argv.words):
                argv.options.setdefault(name, []).append(rest.removeprefix("="))
                return at + 1
            argv.options.setdefault(name, []).append(argv.words[at + 1])
            return at + 2
        argv.options.setdefault(name, []).append("")
    if len(word) > 2:
        argv.options.setdefault(whole, []).append(value)
    return at + 1
