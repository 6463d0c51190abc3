"""Sets of effects or edits as bits, so that thousands of sets take little room.

A set of named things is a number in which bit n stands for the n-th of all names, sorted. The
order of bits is the order in which a report lists ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import msgspec
from msgspec import Raw

from guard.bits import chosen
from guard.listing import Listing


class Names:
    """All names that subsets are taken from, sorted. Two things may share a name."""

    __slots__ = ("_listing", "_numbers", "_shared", "all", "rank")

    def __init__(self, names: Sequence[str], numbers: Sequence[int]) -> None:
        """`numbers`: where each thing stands in the journal; 0 for a place without a number."""
        order = sorted(range(len(names)), key=lambda index: (names[index], index))
        self.all = [names[index] for index in order]
        self.rank = {index: rank for rank, index in enumerate(order)}
        """Index of a thing -> its bit."""
        self._numbers = [numbers[index] for index in order]
        self._shared = len(set(names)) < len(names)
        self._listing: Listing | None = None

    def subset(self, bits: int) -> Subset:
        return Subset(bits, self)

    def chosen(self, bits: int) -> list[str]:
        """The names of some things, in order, without repeats."""
        found = chosen(bits, self.all)
        return list(dict.fromkeys(found)) if self._shared else list(found)

    def text(self, bits: int) -> Raw:
        """The same as one JSON list."""
        if self._shared:
            return Raw(msgspec.json.encode(self.chosen(bits)))
        if self._listing is None:
            self._listing = Listing([msgspec.json.encode(name) for name in self.all])
        return Raw(b"[" + self._listing.text(bits) + b"]")

    def count(self, bits: int) -> int:
        return len(self.chosen(bits)) if self._shared else bits.bit_count()

    def numbers(self, bits: int) -> tuple[int, ...]:
        """Where some things stand in the journal, rising."""
        return tuple(sorted(set(chosen(bits, self._numbers)) - {0}))


class Subset(Sequence[str]):
    """Names in order, without repeats; made only when somebody looks."""

    __slots__ = ("bits", "names")

    def __init__(self, bits: int, names: Names) -> None:
        self.bits = bits
        self.names = names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names.chosen(self.bits))

    def text(self) -> Raw:
        """A JSON list of them."""
        return self.names.text(self.bits)

    def __bool__(self) -> bool:
        return self.bits != 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """Where these things stand in the journal, rising."""
        return self.names.numbers(self.bits)

    def __len__(self) -> int:
        return self.names.count(self.bits)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self.names.chosen(self.bits)[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Subset) and other.names is self.names:
            return self.bits == other.bits
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(list(self))
