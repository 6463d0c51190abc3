"""The JSON of long lists that are much like each other.

An edit in force overlaps every later effect, so a report holds lists of tens of thousands of names,
one for each edit. Their sum may be far greater than the journal. A list is therefore put together
from blocks, and a block that was in an earlier list is copied: the cost is that of copying memory.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from guard.bits import Reordering, chosen, places

_BYTES = 32
"""A block holds so many bytes of flags: 256 members."""
_KEPT = 8
"""So many texts of one block are kept."""


class Listing:
    """Lists of members of one sequence. A list is a set of places in it, as bits."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        """`texts`: the JSON of each member."""
        self.texts = texts
        self._width = -(-len(texts) // (8 * _BYTES)) * _BYTES
        self._kept: list[dict[bytes, bytes]] = [{} for _ in range(self._width // _BYTES)]

    def text(self, bits: int) -> bytes:
        """The members of one list, with commas between them and no brackets."""
        flags = bits.to_bytes(self._width, "little")
        found = []
        for start in range(0, (bits.bit_length() + 7) // 8, _BYTES):
            block = flags[start : start + _BYTES]
            kept = self._kept[start // _BYTES]
            text = kept.get(block)
            if text is None:
                if len(kept) == _KEPT:
                    kept.clear()
                text = kept[block] = self._joined(block, 8 * start)
            if text:
                found.append(text)
        return b",".join(found)

    def _joined(self, block: bytes, first: int) -> bytes:
        members = self.texts[first : first + 8 * _BYTES]
        return b",".join(chosen(int.from_bytes(block, "little"), members))


class Numbered:
    """Things with a number in the journal, as sets in the order of their numbers."""

    def __init__(self, placed: Iterable[tuple[int, int]]) -> None:
        """`placed`: (number, bit) of each thing; things without a number are left out."""
        line = sorted(placed)
        self.numbers = [number for number, _ in line]
        places = [0] * (max((bit for _, bit in line), default=-1) + 1)
        self._all = 0
        for place, (_, bit) in enumerate(line):
            places[bit] = place
            self._all |= 1 << bit
        self._in_order = Reordering(places, len(line))
        self._repeats = len(set(self.numbers)) < len(line)
        self._listing = Listing([b"%d" % number for number in self.numbers])

    def arranged(self, bits: int) -> int:
        """A set, in the order of numbers."""
        return self._in_order(bits & self._all)

    def lowest(self, arranged: int) -> int | None:
        """The lowest number of some things; None where there are none."""
        return None if not arranged else self.numbers[next(places(arranged))]

    def listed(self, own: Iterable[int], arranged: int) -> list[int]:
        """The numbers of some things and some further ones, rising, without repeats."""
        return sorted({*own, *chosen(arranged, self.numbers)})

    def text(self, own: Iterable[int], arranged: int) -> bytes:
        """The same as JSON, without brackets."""
        if self._repeats:
            return b",".join(b"%d" % number for number in self.listed(own, arranged))
        between = []
        for number in sorted({*own}):
            place = bisect_left(self.numbers, number)
            if place < len(self.numbers) and self.numbers[place] == number:
                arranged |= 1 << place
            else:
                between.append((number, place))
        found = []
        for number, place in between:
            found += [self._listing.text(arranged & ~(-1 << place)), b"%d" % number]
            arranged = arranged >> place << place
        return b",".join(filter(None, (*found, self._listing.text(arranged))))
