"""The arrangements of an effect's unnumbered events, without listing them all (`semantics.md` 7.3).

Rooms that lie between the same marks are alike but for the order of the events in them. So of each
such stretch a few rooms stand for all, and arrangements are built up event by event, as a set of
sums (`guard.course`): what means the same is kept once, however many arrangements there are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from guard.course import Place, Sum, both, sum_of
from guard.events import Effect
from guard.ledger import Logical
from guard.order import Position, at, room

Under: TypeAlias = Callable[[str, Position], int]
"""(branch, position) -> the edits of a question that are operative there, as bits."""

MOST_ROOMS = 27
"""An arrangement is decided by at most 13 events (the first or the latest of something). Whatever
lies between two of them may as well lie in one room: 13 rooms and the 14 around them are enough."""

MOST_SUMS = 50_000
"""Beyond this, an effect is given up as not known."""

ANYWHERE: Place = (0, 0)


class TooOpen(Exception):
    """One effect has too many arrangements that mean different things."""


def nowhere(branch: str, position: Position) -> int:  # noqa: ARG001
    """The question that is about no edit."""
    return 0


def numbered(logical: Logical, under: Under = nowhere) -> Sum:
    """The sum of the numbered events."""
    placed = [((at(event.seq or 0), rank), event) for rank, event in enumerate(logical.steps)]
    touched = 0
    if under is not nowhere:
        for (position, _), event in placed:
            touched |= _touch(event, position, under)
    return sum_of(placed, touched)


def _touch(event: Effect, position: Position, under: Under) -> int:
    return 0 if event.state == "failed" else under(event.branch, position)


def earliest(logical: Logical) -> Sum:
    """The sum with every unnumbered event in its earliest room (`report-format.md` 5.5)."""
    total = numbered(logical)
    for rank, event in logical.loose:
        total = both(total, sum_of([((room(event.after), rank), event)]))
    return total


def arrangements(
    logical: Logical, highest: int, marks: Iterable[Position] = (), under: Under = nowhere
) -> frozenset[Sum]:
    """All sums that the effect may have, as far as the order among `marks` goes.

    Marks are positions of numbers. Raises `TooOpen`.
    """
    total = numbered(logical, under)
    if not logical.loose:
        return frozenset((total,))
    alike = Likeness(logical)
    stops = sorted({*marks, *_own_marks(logical, highest)} if alike.ordered else {*marks})
    most = min(len(logical.loose), MOST_ROOMS) if alike.ordered else 1
    reached = frozenset((alike.reduce(total),))
    idle: frozenset[Sum] | None = None
    for (_, event), rank in zip(logical.loose, alike.ranks, strict=True):
        options = frozenset(
            alike.reduce(sum_of([((position, rank), event)], _touch(event, position, under)))
            for position in _rooms(event, highest, stops, most)
        )
        if options == idle:
            continue
        grown = frozenset(both(one, other) for one in reached for other in options)
        if len(grown) > MOST_SUMS:
            raise TooOpen
        idle = options if grown == reached else None
        reached = grown
    return reached


class Likeness:
    """Which features of an effect's sums no verdict can depend on, given all of its events."""

    __slots__ = ("branches", "fixed", "ordered", "plans", "ranks", "states")

    def __init__(self, logical: Logical) -> None:
        loose = [event for _, event in logical.loose]
        events = [*logical.steps, *loose]
        self.states = {event.state for event in events}
        self.branches = {event.branch for event in events}
        self.plans = {event.body for event in events if event.state in {"planned", "held"}} - {None}
        self.fixed = {
            field
            for field in ("reversibility", "inverse", "write", "partial", "compensates")
            if len({getattr(event, field) for event in events} - {None}) <= 1
        }
        self.ranks = list(_dense(loose))
        self.ordered = not self._any_order()

    def _any_order(self) -> bool:
        """Whether the order of the events among themselves decides nothing."""
        if len(self.fixed) < 5 or len(self.plans) > 1 or len(self.branches) > 1:
            return False
        if "committed" in self.states:
            return "unknown" not in self.states
        tried = self.states - {"planned", "held"}
        return len(self.states) == 1 or (len(tried) == 1 and "failed" not in tried)

    def reduce(self, total: Sum) -> Sum:
        """The same sum, less what decides nothing."""
        done = "committed" in self.states
        begun = done or not self.states.isdisjoint({"started", "unknown"})
        changes: dict[str, object] = {
            field: (ANYWHERE, said[1])
            for field in self.fixed
            if (said := getattr(total, field)) is not None
        }
        if len(self.branches) == 1 and total.first is not None:
            changes["first"] = (ANYWHERE, total.first[1])
        if len(self.plans) == 1 and total.plan is not None:
            changes["plan"] = (ANYWHERE, total.plan[1])
        if done:
            changes |= {"tried": None, "ready": None, "part": None, "failed": None}
        elif begun:
            changes |= {"doubt": None, "part": None, "failed": None}
        return replace(total, **changes)


def _dense(events: Sequence[Effect]) -> Iterable[int]:
    """Ranks in which neighbours that say the same have the same rank."""
    rank = 0
    for place, event in enumerate(events):
        if place and _said(event) != _said(events[place - 1]):
            rank += 1
        yield rank


def _said(event: Effect) -> tuple[object, ...]:
    return (
        event.state,
        event.branch,
        event.body,
        event.reversibility,
        event.inverse,
        event.write,
        event.partial,
        event.compensates,
    )


def _own_marks(logical: Logical, highest: int) -> Iterable[Position]:
    for event in logical.steps:
        yield at(event.seq or 0)
    for _, event in logical.loose:
        yield from (at(event.after), at(min(event.before or highest + 1, highest + 1)))


def last_room(event: Effect, highest: int) -> Position:
    """The latest room that an unnumbered event may lie in."""
    return room(min((event.before or highest + 1) - 1, highest))


def _rooms(event: Effect, highest: int, stops: Sequence[Position], most: int) -> Iterable[Position]:
    """The first few rooms between each two marks, of those that an event may lie in."""
    low, high = at(event.after), last_room(event, highest) + 1
    inner = stops[bisect_right(stops, low) : bisect_left(stops, high)]
    for begin, end in zip((low, *inner), (*inner, high), strict=True):
        yield from range(begin + 1, min(end, begin + 1 + 2 * most), 2)
