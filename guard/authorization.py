"""May an effect start under the edits that hide what it may rest on? (`semantics.md` 9.2)"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from msgspec import Struct

from guard.answers import Authorization, EffectVerdict, Integrity
from guard.appraisal import Appraisal
from guard.course import Sum
from guard.ledger import Logical
from guard.order import Position, at, number_at, room
from guard.rooms import TooOpen, arrangements, last_room
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

    def __init__(self, appraisal: Appraisal, veil: Veil, integrity: Integrity) -> None:
        self.appraisal = appraisal
        self.prefix = appraisal.prefix
        self.veil = veil
        self.integrity = integrity
        refused = sorted(self._refusals())
        self._refused_at = [position for position, _ in refused]
        self._refused = [0]
        for _, edits in refused:
            self._refused.append(self._refused[-1] | edits)

    def _refusals(self) -> Iterable[tuple[Position, int]]:
        gates = self.prefix.gates
        for edit_id in gates.about:
            number = gates.refused_from(edit_id)
            if number is not None:
                yield at(number), self.veil.named(edit_id)

    def standpoints(self, logical: Logical) -> list[Standpoint]:
        """Every way in which an effect may stand (9.2.4)."""
        sums: Iterable[Sum] = (self.appraisal.numbered[logical.index],)
        if logical.loose:
            try:
                sums = arrangements(logical, self.prefix.at, self._marks(logical))
            except TooOpen:
                sums = (self.appraisal.rows[logical.index],)
        return [self._standpoint(total) for total in sums]

    def _standpoint(self, total: Sum) -> Standpoint:
        position = self.appraisal.now if total.began is None else total.began
        return Standpoint((total.branch, position), total)

    def _marks(self, logical: Logical) -> set[Position]:
        """Positions of numbers between which it makes no difference where an effect starts."""
        gates = self.appraisal.gates_naming(logical)
        marks = {
            mark for gate in gates for mark in self.prefix.gates.marks(gate, self.prefix.edits)
        }
        marks.update(at(event.seq or 0) for event in logical.steps)
        marks.update(at(first) for first in self.prefix.numbers.holes.firsts[:1])
        low = min(room(event.after) for _, event in logical.loose)
        high = max(last_room(event, self.prefix.at) for _, event in logical.loose)
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
        gates = self.appraisal.gates_naming(logical)
        if not gates:
            return 0
        bound = self.appraisal.binding(logical, point.total)
        found = 0
        for gate in gates:
            edit_id = gate.requested.edit if gate.requested else None
            state = self.prefix.gates.state(gate, point.where[1], self.prefix.edits, edit_id, bound)
            found |= self.veil.named(edit_id or "") if state == "valid" else 0
        return found

    def earliest(self, logical: Logical) -> Standpoint:
        """Its start or now, with unnumbered events at their earliest rooms."""
        return self._standpoint(self.appraisal.rows[logical.index])

    def answer(self, logical: Logical, named: Named, lacking: int) -> Authorization:
        """`lacking`: the edits that lack a fact at the earliest start."""
        edits = named.refusing | named.gating
        began = self.appraisal.rows[logical.index].began
        return Authorization(
            verdict=named.verdict,
            edits=self.veil.names.subset(edits),
            started=began is not None,
            start=None if began is None else number_at(began),
            lacking=bool(edits & lacking),
        )


def authorizations(bench: Bench) -> list[Authorization]:
    """The verdict on every logical effect."""
    logicals = bench.prefix.ledger.all
    points = [bench.standpoints(logical) for logical in logicals]
    firsts = [bench.earliest(logical) for logical in logicals]
    places = (point.where for standing in (*points, firsts) for point in standing)
    under = bench.veil.under(places)
    found = []
    for logical, standing, first in zip(logicals, points, firsts, strict=True):
        named = Named()
        for point in standing:
            named.add(bench.judge(logical, point, under[point.where]))
        found.append(bench.answer(logical, named, under[first.where].lacking))
    return found
