"""Positions of a journal as integers, and the numbers that are missing from it.

`semantics.md` 2.2: a position is a number n or a room n½. Here the number n is `2 * n` and the room
after it is `2 * n + 1`, so that all comparisons are comparisons of integers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import TypeAlias

Position: TypeAlias = int


def at(number: int) -> Position:
    """The position of an event that has a number."""
    return 2 * number


def room(number: int) -> Position:
    """The room between a number and the next one."""
    return 2 * number + 1


def number_at(position: Position) -> int | None:
    """The number at a position; None in a room."""
    return None if position % 2 else position // 2


class Holes:
    """The missing numbers of a prefix (`semantics.md` 2.5): rising ranges, both ends included."""

    __slots__ = ("firsts", "lasts")

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.lasts: list[int] = []

    def copy(self) -> Holes:
        other = Holes()
        other.firsts, other.lasts = self.firsts.copy(), self.lasts.copy()
        return other

    def add(self, first: int, last: int) -> None:
        """Numbers beyond those that are known to be missing; saying one twice changes nothing."""
        if first <= last and (not self.lasts or first > self.lasts[-1]):
            self.firsts.append(first)
            self.lasts.append(last)

    def __bool__(self) -> bool:
        return bool(self.firsts)

    def between(self, low: int, high: int) -> bool:
        """Whether a number n with low < n < high is missing."""
        place = bisect_right(self.lasts, low)
        return place < len(self.firsts) and max(self.firsts[place], low + 1) < high

    def before(self, number: int) -> bool:
        """Whether a number below `number` is missing."""
        return bool(self.firsts) and self.firsts[0] < number

    def numbers(self) -> Iterator[int]:
        for first, last in zip(self.firsts, self.lasts, strict=True):
            yield from range(first, last + 1)


class Cover:
    """Attested ranges of numbers, joined where they touch or overlap (`semantics.md` 6.5)."""

    __slots__ = ("firsts", "lasts")

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        for first, last in sorted(ranges):
            if first > last:
                continue
            if self.lasts and first <= self.lasts[-1] + 1:
                self.lasts[-1] = max(self.lasts[-1], last)
            else:
                self.firsts.append(first)
                self.lasts.append(last)

    def holds(self, first: int, last: int) -> bool:
        """Whether one range reaches from `first` or before to `last` or beyond."""
        place = bisect_right(self.firsts, first) - 1
        return place >= 0 and self.lasts[place] >= last
