"""May an effect start under the edits that hide what it may rest on? (`semantics.md` 9.2)

All effects are asked together: the edits are swept once, and each effect costs a few operations on
sets. One effect alone costs the edits that are operative where it stands, and no other event.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from guard.answers import Authorization, EffectVerdict, Integrity
from guard.appraisal import Appraisal, binding, gates_naming
from guard.bits import chosen
from guard.course import Sum
from guard.ledger import Logical
from guard.order import Position, at, number_at, room
from guard.prefix import Prefix
from guard.rooms import TooOpen, arrangements, earliest, last_room
from guard.veil import Under, Veil, Where


class Standpoint(Struct, frozen=True):
    """One way in which an effect may stand: where it starts (or now), and as what."""

    where: Where
    total: Sum


class Named(Struct):
    """The edits that stand in the way, from one standpoint or from all of them."""

    refusing: int = 0
    gating: int = 0
    unsure: bool = False
    """The journal allows no `proceed` for this write (9.2.5, 9.2.6)."""

    def add(self, other: Named) -> None:
        self.refusing |= other.refusing
        self.gating |= other.gating
        self.unsure |= other.unsure

    @property
    def verdict(self) -> EffectVerdict:
        if self.refusing:
            return "refuse"
        return "gate" if self.gating or self.unsure else "proceed"


class Bench:
    """Judges effects at their start, or now."""

    def __init__(self, prefix: Prefix, veil: Veil, integrity: Integrity, highest: int) -> None:
        """`highest`: the number up to which is judged."""
        self.prefix = prefix
        self.veil = veil
        self.integrity = integrity
        self.highest = highest
        refused = sorted(self._refusals())
        self._refused_at = [position for position, _ in refused]
        self._refused = [0]
        for _, edits in refused:
            self._refused.append(self._refused[-1] | edits)

    def _refusals(self) -> Iterable[tuple[Position, int]]:
        gates = self.prefix.gates
        for edit_id in gates.about.keys() & {edit.id for edit in self.veil.edits}:
            number = gates.refused_from(edit_id)
            if number is not None:
                yield at(number), self.veil.named(edit_id)

    def standpoints(self, logical: Logical, first: Sum) -> list[Standpoint]:
        """Every way in which an effect may stand (9.2.4); none where there are too many.

        `first`: unnumbered events earliest.
        """
        if not logical.loose:
            return [self.standpoint(first)]
        try:
            sums = arrangements(logical, self.highest, self._marks(logical))
        except TooOpen:
            return []
        return [self.standpoint(total) for total in sums]

    def standpoint(self, total: Sum) -> Standpoint:
        position = at(self.highest + 1) if total.began is None else total.began
        return Standpoint((total.branch, position), total)

    def _marks(self, logical: Logical) -> set[Position]:
        """Positions of numbers between which it makes no difference where an effect starts."""
        gates = gates_naming(logical, self.prefix)
        marks = {
            mark for gate in gates for mark in self.prefix.gates.marks(gate, self.prefix.edits)
        }
        marks.update(at(event.seq or 0) for event in logical.steps)
        marks.update(at(first) for first in self.prefix.numbers.holes.firsts[:1])
        low = min(room(event.after) for _, event in logical.loose)
        high = max(last_room(event, self.highest) for _, event in logical.loose)
        branches = {event.branch for event in logical.events()}
        for turning in (self._refused_at, *map(self.veil.turning, branches)):
            marks.update(turning[bisect_left(turning, low) : bisect_right(turning, high)])
        return marks

    def judge(self, logical: Logical, point: Standpoint, under: Under) -> Named:
        """The verdict from one standpoint."""
        position, total = point.where[1], point.total
        counted = under.operative & ~self.veil.hosts
        refusing = counted & self._refused[bisect_right(self._refused_at, position)]
        if not total.is_write:
            return Named(refusing=refusing)
        asked = counted & ~refusing & ~self._let_through(logical, point)
        gating = asked & (under.lacking | self.veil.veiled)
        if total.classes != (True,):
            gating |= asked & self.veil.models
        return Named(
            refusing=refusing,
            gating=gating,
            unsure=not self.integrity.allows_good or self._after_a_hole(position),
        )

    def _after_a_hole(self, position: Position) -> bool:
        firsts = self.prefix.numbers.holes.firsts
        return bool(firsts) and at(firsts[0]) < position

    def _let_through(self, logical: Logical, point: Standpoint) -> int:
        """Edits for which a gate is valid for the effect there."""
        gates = gates_naming(logical, self.prefix)
        if not gates:
            return 0
        bound = binding(logical, point.total)
        found = 0
        for gate in gates:
            edit_id = gate.requested.edit if gate.requested else None
            state = self.prefix.gates.state(gate, point.where[1], self.prefix.edits, edit_id, bound)
            found |= self.veil.named(edit_id or "") if state == "valid" else 0
        return found

    def answer(
        self,
        logical: Logical,
        points: Sequence[Standpoint],
        first: Sum,
        under: Mapping[Where, Under],
    ) -> Authorization:
        """The strongest of what all standpoints say. `first`: unnumbered events earliest."""
        named, unplaced = Named(), not points
        for point in points or [self.standpoint(first)]:
            named.add(self.judge(logical, point, under[point.where]))
        named.unsure |= unplaced and _may_write(logical)
        edits, began = named.refusing | named.gating, first.began
        lacking = under[self.standpoint(first).where].lacking
        return Authorization(
            verdict=named.verdict,
            edits=self.veil.names.subset(edits),
            started=began is not None,
            start=None if began is None else number_at(began),
            lacking=bool(edits & lacking),
            unplaced=unplaced,
        )


def _may_write(logical: Logical) -> bool:
    return {event.write for event in logical.events()} - {None} != {False}


def authorizations(bench: Bench, appraisal: Appraisal) -> list[Authorization]:
    """The verdict on every logical effect."""
    logicals, firsts = appraisal.ledger.all, appraisal.rows
    points = [
        bench.standpoints(logical, first) for logical, first in zip(logicals, firsts, strict=True)
    ]
    places = {point.where for standing in points for point in standing}
    places.update(bench.standpoint(first).where for first in firsts)
    under = bench.veil.under(places)
    return [
        bench.answer(logical, standing, first, under)
        for logical, standing, first in zip(logicals, points, firsts, strict=True)
    ]


def authorization(
    logical: Logical, prefix: Prefix, integrity: Integrity, highest: int
) -> Authorization:
    """The verdict on one effect alone, which need not be among those of the prefix."""
    first = earliest(logical)
    branch, place = first.branch, at(highest + 1) if first.began is None else first.began
    if logical.loose:
        bench = Bench(prefix, Veil(prefix, prefix.edits.all), integrity, highest)
        points = bench.standpoints(logical, first)
        under = bench.veil.under({bench.standpoint(first).where, *(p.where for p in points)})
        return bench.answer(logical, points, first, under)
    operative = prefix.intervals.operative_at(branch, place)
    edits = list(chosen(operative, prefix.edits.all))
    bench = Bench(prefix, Veil(prefix, edits), integrity, highest)
    points = [bench.standpoint(first)]
    under = {(branch, place): bench.veil.at_one_place((branch, place))}
    return bench.answer(logical, points, first, under)
