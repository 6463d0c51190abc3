"""The arrangements of an effect's unnumbered events, without listing them all (`semantics.md` 7.3).

Rooms that lie between the same marks are alike but for the order of the events in them. So of each
such stretch a few rooms stand for all, and arrangements are built up event by event, as a set of
sums (`guard.course`): what means the same is kept once, however many arrangements there are.

Cost: for each event, the sums so far times the rooms that may stand for it. Sums grow with the
rooms to the power of the features that the events leave open (at most the first commit and the
first doubt, the start, the latest of each field on which they disagree): a polynomial, and never
the product of the events' rooms. Effects are never combined with each other here. A question that
would cost more than `MOST_MERGES` is not cut short but given up as a whole (`TooOpen`): soundness
is then `unknown` and its finding says what would tell, an effect is held, a gate does not bind.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from guard.course import Place, Sum, both, sum_of
from guard.events import Effect, EffectState
from guard.ledger import Logical
from guard.order import Position, at, room

V = TypeVar("V")

SAID = ("reversibility", "inverse", "write", "partial", "compensates")
"""Fields of which the latest event that carries one decides (5.2)."""

Under: TypeAlias = Callable[[str, Position], int]
"""(branch, position) -> the edits of a question that are operative there, as bits."""

MOST_MERGES = 50_000
"""Beyond this, one question about one effect is given up as not known: some 0.2 s."""

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
    logical: Logical,
    highest: int,
    marks: Iterable[Position] = (),
    under: Under = nowhere,
    *,
    alone: bool = False,
) -> frozenset[Sum]:
    """All sums that the effect may have, as far as the order among `marks` goes.

    Its state is not asked: `started` stands for `unknown` too, and `ready` falls out. Marks are
    positions of numbers. `alone`: no other effect compensates it, nor it another one; then of
    sums that differ in what they touch some are left out (`_telling`). Raises `TooOpen`.
    """
    if not logical.loose:
        return frozenset((numbered(logical, under),))
    zones = sorted({*marks})
    return _build(logical, highest, zones, under, alone)


class Spot(Struct, frozen=True, order=True):
    """Where one event may stand, from its first place to its last."""

    last: Place
    first: Place
    state: EffectState

    def beyond(self, floor: Place) -> Place:
        """Its first place that does not come before another one; it may lie after `last`."""
        if floor <= self.first:
            return self.first
        position, rank = floor[0], self.first[1]
        step = 1 if position % 2 == 0 else 2
        return position + (step if position % 2 == 0 or rank < floor[1] else 0), rank


def possible_states(logical: Logical, highest: int) -> set[EffectState]:
    """Every state that the effect may have (5.4), from where its events may stand.

    What decides is which event comes last of those that are no `planned` or `held`, and whether
    one of these comes after it. One event can be last if no other one has to come after it.
    """
    states = {event.state for event in logical.events()}
    if not logical.loose or "committed" in states or len(states) == 1:
        return {earliest(logical).state}
    spots = list(_spots(logical, highest))
    ready = [spot for spot in spots if spot.state in {"planned", "held"}]
    tried = [spot for spot in spots if spot.state not in {"planned", "held"}]
    if not tried:
        return {spot.state for spot in _possibly_last(ready)}
    found: set[EffectState] = set()
    for spot in _possibly_last(tried):
        if spot.state != "failed" or not ready or spot.last > max(r.first for r in ready):
            found.add(spot.state)
        if spot.state == "failed":
            place = spot.beyond(max(other.first for other in tried))
            found.update(r.state for r in _possibly_last(ready) if r.last > place)
    return found


def _spots(logical: Logical, highest: int) -> Iterator[Spot]:
    for rank, event in enumerate(logical.steps):
        place = (at(event.seq or 0), rank)
        yield Spot(place, place, event.state)
    for rank, event in logical.loose:
        yield Spot((last_room(event, highest), rank), (room(event.after), rank), event.state)


def _possibly_last(spots: Sequence[Spot]) -> list[Spot]:
    floor = max((spot.first for spot in spots), default=(0, 0))
    return [spot for spot in spots if spot.last >= floor]


class Likeness:
    """What a verdict may depend on, given all events of an effect: the rest is left out of sums."""

    def __init__(self, logical: Logical, zones: Sequence[Position]) -> None:
        events = list(logical.events())
        states = {event.state for event in events}
        sent = any(e.body is not None and e.state not in {"planned", "held"} for e in events)
        self.zones = zones
        self.earliest = min(at(event.after) for _, event in logical.loose)
        self.done = "committed" in states
        self.begun = self.done or not states.isdisjoint({"started", "unknown"})
        self.doubted = self.done and "unknown" in states
        self.mixed = not self.done and self.begun and "failed" in states
        self.plans = set() if sent else {event.body for event in events} - {None}
        self.branches = {event.branch for event in events}
        self.open = {
            field for field in SAID if len({getattr(e, field) for e in events} - {None}) > 1
        }
        if self.done:
            self.open.discard("partial")
        self.compared = (
            2 * self.doubted
            + self.mixed
            + len(self.open)
            + (len(self.branches) > 1)
            + (len(self.plans) > 1)
        )
        """How many places are held against others: those of the first or latest of something."""

    def reduce(self, total: Sum) -> Sum:
        """The same sum, less what decides nothing; where only the zone counts, its begin."""
        done, begun = self.done, self.begun
        return Sum(
            first=_unplaced(total.first, len(self.branches) > 1),
            commit=total.commit if self.doubted else self._zone(total.commit),
            doubt=total.doubt if self.doubted else None,
            start=self._zone(total.start),
            part=None if begun else self._zone(total.part),
            failed=None if begun else self._zone(total.failed),
            tried=None if done else _unplaced(_one_open_state(total.tried), self.mixed),
            reversibility=_unplaced(total.reversibility, "reversibility" in self.open),
            inverse=_unplaced(total.inverse, "inverse" in self.open),
            write=_unplaced(total.write, "write" in self.open),
            partial=None if done else _unplaced(total.partial, "partial" in self.open),
            compensates=_unplaced(total.compensates, "compensates" in self.open),
            plan=_unplaced(total.plan, len(self.plans) > 1) if self.plans else None,
            touched=total.touched,
        )

    def _zone(self, place: Place | None) -> Place | None:
        """One place for all rooms between the same two marks."""
        if place is None or place[0] % 2 == 0:
            return place
        mark = bisect_right(self.zones, place[0])
        begin = max(self.zones[mark - 1] if mark else 0, self.earliest)
        return begin + 1, 0


def _one_open_state(tried: tuple[Place, EffectState] | None) -> tuple[Place, EffectState] | None:
    if tried is None or tried[1] == "failed":
        return tried
    return tried[0], "started"


def _unplaced(said: tuple[Place, V] | None, is_placed: bool) -> tuple[Place, V] | None:
    return said if said is None or is_placed else (ANYWHERE, said[1])


def _build(
    logical: Logical,
    highest: int,
    zones: Sequence[Position],
    under: Under,
    alone: bool,
) -> frozenset[Sum]:
    """Sums event by event; an event that changes nothing any more is one that was there before."""
    alike = Likeness(logical, zones)
    compared = alike.compared
    stops = sorted({*zones, *_own_marks(logical, highest)}) if compared else zones
    reached = frozenset((alike.reduce(numbered(logical, under)),))
    idle: set[frozenset[Sum]] = set()
    merges = 0
    for rank, event in _dense(logical.loose, alike):
        options = frozenset(
            alike.reduce(sum_of([((position, rank), event)], _touch(event, position, under)))
            for position in _rooms(event, highest, stops, 2 * compared + 1)
        )
        if options in idle:
            continue
        merges += len(reached) * len(options)
        if merges > MOST_MERGES:
            raise TooOpen
        grown = frozenset(alike.reduce(both(one, other)) for one in reached for other in options)
        if alone:
            grown = _telling(grown)
        if grown == reached:
            idle.add(options)
        reached = grown
    return reached


def _telling(sums: frozenset[Sum]) -> frozenset[Sum]:
    """Of sums that differ only in what they touch: the least ones, and all that any touches.

    An effect that stands alone is harmful when any one edit makes it so, and harmless when none
    does. So the union says as much about harm as all sets, and the least sets about harmlessness.
    """
    families: dict[Sum, set[int]] = {}
    for total in sums:
        families.setdefault(replace(total, touched=0), set()).add(total.touched)
    if len(families) == len(sums):
        return sums
    found: set[Sum] = set()
    for rest, touched in families.items():
        union = 0
        for each in touched:
            union |= each
        least = {t for t in touched if not any(o & t == o for o in touched if o != t)}
        found.update(replace(rest, touched=each) for each in (*least, union))
    return frozenset(found)


def _dense(loose: Iterable[tuple[int, Effect]], alike: Likeness) -> Iterator[tuple[int, Effect]]:
    """Events with ranks in which neighbours that say the same, of what decides, have the same."""
    rank, before = 0, None
    for _, event in loose:
        body = event.body if len(alike.plans) > 1 else None
        said = (event.state, event.branch, body, *(getattr(event, field) for field in alike.open))
        rank += said != before
        before = said
        yield rank, event


def _own_marks(logical: Logical, highest: int) -> Iterable[Position]:
    for event in logical.steps:
        yield at(event.seq or 0)
    for _, event in logical.loose:
        yield from (at(event.after), at(min(event.before or highest + 1, highest + 1)))


def last_room(event: Effect, highest: int) -> Position:
    """The latest room that an unnumbered event may lie in."""
    return room(min((event.before or highest + 1) - 1, highest))


def last_place(event: Effect, highest: int) -> Position:
    """The latest position that an event may have."""
    return last_room(event, highest) if event.seq is None else at(event.seq)


def _rooms(event: Effect, highest: int, stops: Sequence[Position], most: int) -> Iterable[Position]:
    """The first few rooms between each two marks, of those that an event may lie in.

    With n places compared, n rooms and the n + 1 around them are enough: whatever lies between two
    of the events that decide may as well lie in one room.
    """
    low, high = at(event.after), last_room(event, highest) + 1
    inner = stops[bisect_right(stops, low) : bisect_left(stops, high)]
    for begin, end in zip((low, *inner), (*inner, high), strict=True):
        yield from range(begin + 1, min(end, begin + 1 + 2 * most), 2)
