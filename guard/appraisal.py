"""What each unit of effects is worth under a question, asked once per sort of question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from msgspec.structs import replace

from guard.answers import Interval
from guard.course import Sum, body_of
from guard.edits import Performed
from guard.events import EffectState, Gate
from guard.gates import Opened
from guard.ledger import Logical
from guard.order import at, number_at
from guard.prefix import Prefix
from guard.reach import Nearby
from guard.rooms import TooOpen, arrangements, earliest, numbered, possible_states
from guard.subset import Names
from guard.units import Key, Unit, Units
from guard.worlds import (
    Case,
    Cover,
    Gated,
    Plain,
    TooTangled,
    Value,
    cases,
    judge_tangle,
    judge_tree,
)

FEW = 4
"""So many edits, at most, make it worth while to look whether they are alike to a unit."""


Operative: TypeAlias = Mapping[str, Sequence[Interval]]
"""Op(e, r) of one edit, by branch."""


class Question:
    """What a rollback undoes, and where each edit is operative as it sees it: Op(e, r) (4.6)."""

    def __init__(self, edits: Sequence[Performed], operative: Sequence[Sequence[Interval]]) -> None:
        self.edits = edits
        self.intervals = [interval for intervals in operative for interval in intervals]
        self.operative = [by_branch(intervals) for intervals in operative]
        """For each edit."""

    @cached_property
    def cover(self) -> Cover:
        return Cover(enumerate(self.operative))


def by_branch(intervals: Iterable[Interval]) -> Operative:
    found: dict[str, list[Interval]] = {}
    for interval in intervals:
        found.setdefault(interval.branch, []).append(interval)
    return found


class Appraisal:
    """The effects of one prefix, ready to be asked about."""

    def __init__(self, prefix: Prefix) -> None:
        self.prefix = prefix
        self.ledger = prefix.ledger
        self.highest = prefix.at
        self.now = at(prefix.now)
        self.units = Units(self.ledger, self.highest)
        self.numbered = [numbered(logical) for logical in self.ledger.all]
        self.rows = [
            earliest(logical) if logical.loose else self.numbered[logical.index]
            for logical in self.ledger.all
        ]
        """For each effect, the sum in which unnumbered events stand as early as they can."""
        self.names = Names(
            [logical.id for logical in self.ledger.all], [_start(total) for total in self.rows]
        )
        self.by_id = [self.ledger.all[index] for index in self.names.rank]
        """The effects in the order of `names`."""
        self.starts = [
            self.now if (began := self.rows[effect.index].began) is None else began
            for effect in self.by_id
        ]
        """Where each of `by_id` starts; now, where it has not."""
        self.loose = [logical for logical in self.ledger.all if logical.loose]
        self.states = [self._state(logical) for logical in self.ledger.all]
        self.writes = self.bits(i for i, total in enumerate(self.rows) if total.is_write)
        self.unsettled = self.bits(
            i for i, state in enumerate(self.states) if state not in {"committed", "failed"}
        )
        """Effects whose state is neither `committed` nor `failed`."""
        self._known: dict[tuple[int, Key], Value] = {}
        self._plain = dict(self._plain_units())
        drifting = {
            each.effect: self.bit(each.effect) for each in self._plain.values() if each.drifts
        }
        self.nearby = Nearby(self.ledger, self.units, self.numbered, drifting)
        self._gated_by = self._gated_units()

    def _state(self, logical: Logical) -> EffectState:
        """Its state (5.4); `unknown` where unnumbered events leave it open."""
        if not logical.loose:
            return self.numbered[logical.index].state
        states = possible_states(logical, self.highest)
        return states.pop() if len(states) == 1 else "unknown"

    def _plain_units(self) -> Iterator[tuple[int, Plain]]:
        """Units that need no more than one look."""
        for unit in self.units.all:
            effect = unit.effects[0]
            total = self.numbered[effect]
            moments = total.moments(self.now)
            if len(unit.effects) > 1 or unit.loose or not total.is_write or moments is None:
                continue
            touches = tuple(
                (event.branch, at(event.seq or 0))
                for event in self.ledger.all[effect].steps
                if event.state != "failed"
            )
            yield (
                unit.index,
                Plain(
                    effect,
                    total.branch,
                    moments,
                    total.sure,
                    total.classes,
                    touches,
                    drifts=moments[1] == self.now and False in total.classes,
                ),
            )

    def bit(self, effect: int) -> int:
        """The bit of an effect in a set of `names`."""
        return 1 << self.names.rank[effect]

    def bits(self, effects: Iterable[int]) -> int:
        found = 0
        for effect in effects:
            found |= self.bit(effect)
        return found

    def value(self, unit: Unit, asked: Question) -> Value:
        """What a unit is worth."""
        if self.is_gated(unit, asked.edits):
            return self.judge(unit, asked.cover, asked.edits)
        if unit.loose <= 1 and len(asked.edits) <= FEW:
            first, *others = asked.operative
            key = unit.key(first)
            if all(unit.key(operative) == key for operative in others):
                return self.worth(unit, first)
        return self.judge(unit, asked.cover, ())

    def worth(self, unit: Unit, operative: Operative) -> Value:
        """What a unit is worth under one edit that no gate about it names.

        The answer given before holds again where the borders fall into the same gaps.
        """
        plain = self._plain.get(unit.index)
        if plain is not None:
            own = operative.get(plain.branch, ())
            if len(own) <= 1:
                return plain.worth(operative, own[0] if own else None)
        key = (unit.index, unit.key(operative))
        found = self._known.get(key)
        if found is None:
            near = {branch: operative[branch] for branch in unit.points if branch in operative}
            found = self.judge(unit, Cover([(0, near)]), ())
            self._known[key] = found
        return found

    def is_gated(self, unit: Unit, edits: Iterable[Performed]) -> bool:
        """Whether a gate about one of the edits names an effect of the unit."""
        gates = self._gated_by.get(unit.index)
        return gates is not None and not gates.isdisjoint(edit.id for edit in edits)

    def gated_units_of(self, edit: Performed) -> list[Unit]:
        """Units that gates about an edit name."""
        found = {
            self.units.of[effect].index: self.units.of[effect]
            for gate in self.prefix.gates.about.get(edit.id, ())
            if (asked := self.prefix.gates.all[gate].requested) is not None
            for attempt in asked.effects
            for effect in self.ledger.by_attempt.get(attempt, ())
        }
        return list(found.values())

    def _gated_units(self) -> dict[int, set[str]]:
        """Units that gates name, with the ids of the edits that those gates are about."""
        found: dict[int, set[str]] = {}
        for attempt, gates in self.prefix.gates.naming.items():
            for effect in self.ledger.by_attempt.get(attempt, ()):
                edits = found.setdefault(self.units.of[effect].index, set())
                for gate in gates:
                    asked = self.prefix.gates.all[gate].requested
                    edits.add(asked.edit or "" if asked else "")
        return found

    def judge(self, unit: Unit, cover: Cover, gated_for: Sequence[Performed]) -> Value:
        """What a unit is worth, gates about `gated_for` (all edits of the cover) included."""
        try:
            cases_of = {
                effect: self._cases(self.ledger.all[effect], cover, gated_for)
                for effect in unit.effects
            }
            if unit.tangled:
                return judge_tangle(unit.effects, cases_of, self.units.targets)
        except (TooOpen, TooTangled):
            everyone = frozenset(unit.effects)
            return Value(True, True, blame=everyone, given_up=True)
        return judge_tree(list(zip(unit.effects, unit.parents, strict=True)), cases_of)

    def _cases(
        self, logical: Logical, cover: Cover, gated_for: Sequence[Performed]
    ) -> frozenset[Case]:
        gates = self._asked_for(logical, gated_for)
        sums: Iterable[Sum]
        if logical.loose:
            marks = {mark for event in logical.events() for mark in cover.marks(event.branch)}
            for gate, _ in gates:
                marks.update(self.prefix.gates.marks(gate, self.prefix.edits))
            alone = len(self.units.of[logical.index].effects) == 1
            sums = arrangements(logical, self.highest, marks, cover.under, alone=alone)
        else:
            touched = 0
            for event in logical.steps:
                if event.state != "failed":
                    touched |= cover.under(event.branch, at(event.seq or 0))
            sums = (replace(self.numbered[logical.index], touched=touched),)
        return cases(sums, cover, self._gated(logical, gates), self.now)

    def _asked_for(self, logical: Logical, edits: Sequence[Performed]) -> list[tuple[Opened, int]]:
        """Gates that name an effect and are about one of the edits, with those edits as bits."""
        if not edits:
            return []
        about: dict[str, int] = {}
        for place, edit in enumerate(edits):
            about[edit.id] = about.get(edit.id, 0) | 1 << place
        return [
            (gate, about[gate.requested.edit])
            for gate in gates_naming(logical, self.prefix)
            if gate.requested is not None and gate.requested.edit in about
        ]

    def _gated(self, logical: Logical, gates: Sequence[tuple[Opened, int]]) -> Gated:
        def let_through(total: Sum) -> int:
            began = total.began
            if began is None:
                return 0
            bound = binding(logical, total)
            found = 0
            for gate, edits in gates:
                state = self.prefix.gates.state(gate, began, self.prefix.edits, None, bound)
                found |= edits if state == "valid" else 0
            return found

        return let_through


def binding(logical: Logical, total: Sum) -> Callable[[Gate], bool]:
    """Whether a request names an attempt of an effect with its own body (8.2)."""
    body = body_of(logical.events(), total)
    attempts = logical.attempts()
    return lambda asked: (
        body is not None and any(asked.effects.get(attempt) == body for attempt in attempts)
    )


def gates_naming(logical: Logical, prefix: Prefix) -> list[Opened]:
    """Gates whose request names an attempt of an effect."""
    gates = prefix.gates
    found = {gate for id_ in logical.attempts() for gate in gates.naming.get(id_, ())}
    return [gates.all[gate] for gate in sorted(found)]


def _start(total: Sum) -> int:
    """Number of the start event; 0 if no event with a number started the effect."""
    return 0 if total.began is None else number_at(total.began) or 0
