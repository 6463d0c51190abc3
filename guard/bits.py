"""Numbers as sets: bit n stands for the n-th of some things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import TypeVar

T = TypeVar("T")

_FLAGS = tuple(bytes(byte >> bit & 1 for bit in range(8)) for byte in range(256))
_SPARSE = 64


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
