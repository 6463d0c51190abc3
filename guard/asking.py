"""What one gate says to each effect that it may be about (`report-format.md` 5.9)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from guard.answers import GateFor, GateState
from guard.appraisal import binding
from guard.events import Gate
from guard.gates import Opened
from guard.ledger import Logical
from guard.order import Position, at, room
from guard.reach import merged
from guard.rooms import TooOpen, arrangements, last_room
from guard.state import State
from guard.subset import chosen


class Asking:
    """A gate with a request, asked for one effect after the other."""

    def __init__(self, gate: Opened, asked: Gate, state: State) -> None:
        self.gate = gate
        self.asked = asked
        self.state = state
        self.appraisal = state.appraisal
        self._marks = sorted({0, *state.gates.marks(gate, state.edits)})
        self._named = {
            effect
            for attempt in asked.effects
            for effect in state.ledger.by_attempt.get(attempt, ())
        }
        self._unbound = [self._at(mark, False) for mark in self._marks]
        """Its state from each mark on, for an effect that it does not name."""

    def _at(self, position: Position, bound: bool) -> GateState:
        gates, edits = self.state.gates, self.state.edits
        return gates.state(self.gate, position, edits, self.asked.edit, lambda _: bound)

    def rows(self) -> list[GateFor]:
        """A row for each write that the request names or that touches inside Op of its edit."""
        edit, bits = self.asked.edit or "", self._effects()
        effects = list(chosen(bits, self.appraisal.by_id))
        starts = chosen(bits, self.appraisal.starts)
        rows = [
            GateFor(edit, name, self._unbound[bisect_right(self._marks, start) - 1])
            for name, start in zip(chosen(bits, self.appraisal.names.all), starts, strict=True)
        ]
        for place, effect in enumerate(effects):
            if effect.loose or effect.index in self._named:
                rows[place] = GateFor(edit, effect.id, self.state_for(effect))
        return rows

    def _effects(self) -> int:
        bits = self.appraisal.bits(self._named)
        edit = self.state.edits.first(self.asked.edit or "")
        if edit is not None:
            bits |= self.state.hypotheses.overlaps[edit.index]
            if self.appraisal.loose:
                for branch, start, end in merged(self.state.operative(edit)):
                    bits |= self.appraisal.bits(self._loose(branch, start, end))
        return bits & self.appraisal.writes

    def _loose(self, branch: str, start: int, end: int | None) -> Iterator[int]:
        """Effects of which an unnumbered event may touch inside."""
        for logical in self.appraisal.loose:
            for _, event in logical.loose:
                if event.branch != branch or event.state == "failed":
                    continue
                first, last = room(event.after), last_room(event, self.state.at)
                if last > at(start) and (end is None or first < at(end)):
                    yield logical.index

    def state_for(self, effect: Logical) -> GateState:
        """The state at its start, or now; with several possible starts, the earliest that fails."""
        if effect.loose:
            states = self._loose_states(effect)
            return next((state for state in states if state != "valid"), "valid")
        total = self.appraisal.numbered[effect.index]
        position = self.appraisal.now if total.began is None else total.began
        return self._at(position, binding(effect, total)(self.asked))

    def _loose_states(self, effect: Logical) -> list[GateState]:
        try:
            sums = arrangements(effect, self.state.at, self._marks)
        except TooOpen:
            sums = frozenset((self.appraisal.rows[effect.index],))
        starts = {
            (self.appraisal.now if total.began is None else total.began, total) for total in sums
        }
        return [
            self._at(position, binding(effect, total)(self.asked))
            for position, total in sorted(starts, key=lambda start: start[0])
        ]
