"""Sets of effects or edits as bits, so that thousands of sets take little room.

A set of named things is a number in which bit n stands for the n-th of all names, sorted. The
order of bits is the order in which a report lists ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import TypeVar, overload

T = TypeVar("T")

_FLAGS = tuple(bytes(byte >> bit & 1 for bit in range(8)) for byte in range(256))
_SPARSE = 64


class Names:
    """All names that subsets are taken from, sorted. Two things may share a name."""

    __slots__ = ("_numbers", "_shared", "all", "rank")

    def __init__(self, names: Sequence[str], numbers: Sequence[int]) -> None:
        """`numbers`: where each thing stands in the journal; 0 for a place without a number."""
        order = sorted(range(len(names)), key=lambda index: (names[index], index))
        self.all = [names[index] for index in order]
        self.rank = {index: rank for rank, index in enumerate(order)}
        """Index of a thing -> its bit."""
        self._numbers = [numbers[index] for index in order]
        self._shared = len(set(names)) < len(names)

    def subset(self, bits: int) -> Subset:
        return Subset(bits, self)

    def chosen(self, bits: int) -> list[str]:
        """The names of some things, in order, without repeats."""
        found = chosen(bits, self.all)
        return list(dict.fromkeys(found)) if self._shared else list(found)

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

    def listed(self) -> list[str]:
        return self.names.chosen(self.bits)

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


def chosen(bits: int, values: Sequence[T]) -> Iterable[T]:
    """The values at the places of a number's bits, in order."""
    if bits.bit_count() <= _SPARSE:
        return (values[place] for place in places(bits))
    flags = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
    return compress(values, b"".join(map(_FLAGS.__getitem__, flags)))


def set_of(flags: Iterable[bool]) -> int:
    """The number whose bits, from the lowest on, are so many flags."""
    return int("0" + "".join("1" if flag else "0" for flag in flags)[::-1], 2)


def places(bits: int) -> Iterator[int]:
    """The places of a number's bits, rising."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
