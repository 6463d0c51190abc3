"""Patterns of literals and `*`: matched left to right by plain search, so in linear time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec


class Glob(msgspec.Struct, frozen=True):
    """A literal text in which `*` stands for any text. There are no other special signs."""

    pattern: str

    def matches(self, text: str) -> bool:
        head, middle, tail = _pieces(self.pattern)
        if tail is None:
            return text == head
        end = len(text) - len(tail)
        if end < len(head) or not text.startswith(head) or not text.endswith(tail):
            return False
        at = len(head)
        for piece in middle:
            found = text.find(piece, at, end)
            if found < 0:
                return False
            at = found + len(piece)
        return True


@lru_cache(maxsize=4096)
def _pieces(pattern: str) -> tuple[str, tuple[str, ...], str | None]:
    """What a text must start with, hold in order, and end with (`None`: equal to the start)."""
    head, *middle = pattern.split("*")
    return (head, tuple(middle[:-1]), middle[-1]) if middle else (head, (), None)


class Globs(msgspec.Struct, frozen=True):
    """Several patterns, one of which must fit: literals, beginnings and endings are one look-up."""

    literals: frozenset[str]
    beginnings: tuple[str, ...]
    endings: tuple[str, ...]
    others: tuple[Glob, ...]

    @property
    def plain(self) -> bool:
        """Whether all of them are literals."""
        return not (self.beginnings or self.endings or self.others)

    def fit(self, text: str) -> bool:
        if text in self.literals or text.startswith(self.beginnings) or text.endswith(self.endings):
            return True
        return bool(self.others) and any(glob.matches(text) for glob in self.others)


def globs(patterns: Iterable[str]) -> Globs:
    """The patterns as one."""
    literals, beginnings, endings, others = [], [], [], []
    for pattern in patterns:
        head, middle, tail = _pieces(pattern)
        if tail is None:
            literals.append(pattern)
        elif not middle and not tail:
            beginnings.append(head)
        elif not middle and not head:
            endings.append(tail)
        else:
            others.append(Glob(pattern))
    return Globs(frozenset(literals), tuple(beginnings), tuple(endings), tuple(others))
