"""Numbers as sets: bit n stands for the n-th of some things."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import TypeVar

T = TypeVar("T")

_FLAGS = tuple(bytes(byte >> bit & 1 for bit in range(8)) for byte in range(256))
_SPARSE = 64
_DIGITS = b"01" + bytes(254)
_RECENT = 4


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


class Reordering:
    """Sets over one order of things as sets over another.

    Sets that are asked one after the other differ by little from one of the last few: the cost is
    that of what differs.
    """

    def __init__(self, places_of: Sequence[int], count: int) -> None:
        """`places_of`: for each bit, its new place, below `count`."""
        self._places_of = places_of
        self._count = count
        self._recent: deque[tuple[int, int]] = deque([(0, 0)], maxlen=_RECENT)

    def __call__(self, bits: int) -> int:
        """A set in the new order."""
        near = min(self._recent, key=lambda known: (known[0] ^ bits).bit_count())
        changed = near[0] ^ bits
        if changed.bit_count() <= _SPARSE:
            self._recent.remove(near)
        found = near[1] ^ self._moved(changed)
        self._recent.append((bits, found))
        return found

    def _moved(self, changed: int) -> int:
        if changed.bit_count() <= _SPARSE:
            found = 0
            for place in places(changed):
                found |= 1 << self._places_of[place]
            return found
        flags = bytearray(self._count)
        for place in chosen(changed, self._places_of):
            flags[place] = 1
        return int(b"0" + flags.translate(_DIGITS)[::-1], 2)
