"""Things by where they stand in a journal, asked for thousands of sets of them at once.

A set is a number whose bit n stands for the n-th name (`guard.subset`). An edit in force may have
every later effect in its set, so no question here looks at each member of a set.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

_BLOCK = 32


class Timeline:
    """Things with a place: a number or a position, above 0."""

    def __init__(self, placed: Iterable[tuple[int, int]]) -> None:
        """`placed`: (place, bit) of each thing."""
        line = sorted(placed)
        self._places = [place for place, _ in line]
        self._bits = [bit for _, bit in line]
        self._sums = [0]
        """The sets of the first 0, 32, 64, ... things; the last one holds all."""
        for start in range(0, len(line), _BLOCK):
            self._sums.append(self._sums[-1] | _set_of(self._bits[start : start + _BLOCK]))

    @property
    def first(self) -> int:
        """The lowest place; 0 if there is none."""
        return self._places[0] if self._places else 0

    @property
    def last(self) -> int:
        """The highest place; 0 if there is none."""
        return self._places[-1] if self._places else 0

    @property
    def all(self) -> int:
        """The set of all things that have a place."""
        return self._sums[-1]

    def before(self, place: int) -> int:
        """The set of the things that stand before a place."""
        count = bisect_left(self._places, place)
        whole = count // _BLOCK
        return self._sums[whole] | _set_of(self._bits[whole * _BLOCK : count])


def _set_of(bits: Iterable[int]) -> int:
    found = 0
    for bit in bits:
        found |= 1 << bit
    return found
