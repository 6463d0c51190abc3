"""Which effects may matter to an interval, found without looking at all of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from guard.answers import Interval
from guard.course import Sum
from guard.ledger import Ledger, Logical
from guard.order import Position, at, room
from guard.rooms import last_place
from guard.units import Unit, Units

BLOCK = 64
"""A running set is kept for so many members at a time."""


class Reach:
    """The extents of effects on one branch, for asking which of them meet an interval."""

    __slots__ = ("_effects", "_firsts", "_tops")

    def __init__(self, found: Iterable[tuple[Position, Position, int]]) -> None:
        rising = sorted(found)
        self._firsts = [first for first, _, _ in rising]
        self._effects = [effect for _, _, effect in rising]
        self._tops = [[last for _, last, _ in rising]]
        """Level by level, the highest last position of each two below."""
        while len(self._tops[-1]) > 1:
            below = self._tops[-1]
            self._tops.append([max(below[i : i + 2]) for i in range(0, len(below), 2)])

    def meeting(self, low: Position, high: Position) -> Iterator[int]:
        """Effects with a position in the open interval (low, high), perhaps a few more."""
        count = bisect_left(self._firsts, high)
        waiting = [(len(self._tops) - 1, 0)]
        while waiting:
            level, place = waiting.pop()
            tops = self._tops[level]
            if place << level >= count or place >= len(tops) or tops[place] <= low:
                continue
            if level:
                waiting += [(level - 1, 2 * place + 1), (level - 1, 2 * place)]
            else:
                yield self._effects[place]


class Drift:
    """Writes that may commit any time until now, by the last of their own positions.

    An interval that begins after that position has rooms for the commit, whatever else is so.
    """

    __slots__ = ("_bits", "_lasts", "_running")

    def __init__(self, found: Iterable[tuple[Position, int]]) -> None:
        """`found`: (last position, bit of the effect)."""
        rising = sorted(found)
        self._lasts = [last for last, _ in rising]
        self._bits = [bit for _, bit in rising]
        self._running = [0]
        for start in range(0, len(rising), BLOCK):
            self._running.append(self._running[-1] | _union(self._bits[start : start + BLOCK]))

    def before(self, position: Position) -> int:
        """Those whose positions all lie at or before one, as bits."""
        count = bisect_right(self._lasts, position)
        whole = count // BLOCK
        return self._running[whole] | _union(self._bits[whole * BLOCK : count])


def _union(bits: Iterable[int]) -> int:
    found = 0
    for bit in bits:
        found |= bit
    return found


class Nearby:
    """The effects of a prefix, by branch and position."""

    def __init__(
        self, ledger: Ledger, units: Units, numbered: Sequence[Sum], drifting: Mapping[int, int]
    ) -> None:
        """`numbered`: the sum of each effect's numbered events.

        `drifting`: bits of the writes that may commit any time until now, whatever else is so.
        """
        self.units = units
        self.now = at(units.highest + 1)
        self._drifting = drifting
        self._extents: dict[str, list[tuple[Position, Position, int]]] = {}
        self._lasts: dict[str, list[tuple[Position, int]]] = {}
        for logical, total in zip(ledger.all, numbered, strict=True):
            if logical.loose:
                self._spread_loose(logical)
            elif total.is_write:
                self._spread(logical, total)
        self._reach = {branch: Reach(found) for branch, found in self._extents.items()}
        self._drift = {branch: Drift(found) for branch, found in self._lasts.items()}

    def _spread(self, logical: Logical, total: Sum) -> None:
        """First and last position, on each branch, that may put a numbered write into E (6.1)."""
        steps = [(event.branch, at(event.seq or 0)) for event in logical.steps]
        moments = total.moments(self.now) or ()
        if logical.index in self._drifting:
            last = steps[-1][1]
            self._lasts.setdefault(total.branch, []).append((last, self._drifting[logical.index]))
            moments = (steps[0][1], last)
        steps += [(total.branch, moment) for moment in moments]
        for branch in {branch for branch, _ in steps}:
            there = [position for name, position in steps if name == branch]
            self._add(branch, min(there), max(there), logical)

    def _spread_loose(self, logical: Logical) -> None:
        """One with unnumbered events: its first and last place; now, where it may commit later."""
        events = list(logical.events())
        begin = min(room(event.after) if event.seq is None else at(event.seq) for event in events)
        end, states = self.now, {event.state for event in events}
        if "committed" in states or states <= {"planned", "held"}:
            end = max(last_place(event, self.units.highest) for event in events)
        for branch in {event.branch for event in events}:
            self._add(branch, begin, end, logical)

    def _add(self, branch: str, first: Position, last: Position, logical: Logical) -> None:
        self._extents.setdefault(branch, []).append((first, last, logical.index))

    def meeting(self, intervals: Iterable[Interval]) -> dict[int, Unit]:
        """Units, by index, that may have an effect in E for an interval, but for `drifting`."""
        found: dict[int, Unit] = {}
        for branch, start, end in merged(intervals):
            reach = self._reach.get(branch)
            if reach is not None:
                high = self.now + 1 if end is None else at(end)
                for effect in reach.meeting(at(start), high):
                    unit = self.units.of[effect]
                    found[unit.index] = unit
        return found

    def drifting(self, intervals: Iterable[Interval]) -> int:
        """Writes all of whose positions lie before an interval, and that may commit in it."""
        found = 0
        for interval in intervals:
            drift = self._drift.get(interval.branch)
            if drift is not None and (interval.end is None or interval.end > interval.start):
                found |= drift.before(at(interval.start))
        return found


def merged(intervals: Iterable[Interval]) -> Iterator[tuple[str, int, int | None]]:
    """The union of intervals, branch by branch: (branch, start, end)."""
    found: dict[str, list[tuple[int, int | None]]] = {}
    for interval in intervals:
        if interval.end is None or interval.end > interval.start:
            found.setdefault(interval.branch, []).append((interval.start, interval.end))
    for branch, pieces in found.items():
        pieces.sort(key=lambda piece: piece[0])
        start, end = pieces[0]
        for begin, finish in pieces[1:]:
            if end is not None and begin >= end:
                yield branch, start, end
                start, end = begin, finish
            elif end is not None:
                end = None if finish is None else max(end, finish)
        yield branch, start, end
