"""What one gate says to each effect that it may be about (`report-format.md` 5.9).

A gate about an edit in force has a row for every later write, and there may be thousands of such
gates. So effects are told apart as sets, and the text of a row is made once for each (effect,
state): what is left for each row is to copy it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import Raw

from guard.answers import GateState, Interval
from guard.appraisal import binding
from guard.bits import chosen
from guard.edits import Performed
from guard.events import Gate
from guard.gates import Opened
from guard.ledger import Logical
from guard.order import Position, at, room
from guard.reach import merged
from guard.rooms import TooOpen, arrangements, last_room
from guard.state import State
from guard.timeline import Timeline


class Asking:
    """All gates of a state, asked one after the other."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.appraisal = state.appraisal
        starts = self.appraisal.starts
        self._starts = Timeline((start, bit) for bit, start in enumerate(starts))
        self._names = [msgspec.json.encode(name) for name in self.appraisal.names.all]
        self._texts: dict[GateState, list[bytes]] = {}
        self._under: dict[int, int] = {}
        self._drifting = self.appraisal.bits(
            each.index for each in self.appraisal.loose if not _starts_earliest(each)
        )
        self._loose: dict[str, list[tuple[Position, Position, int]]] = {}
        """Branch -> (first room, last room, bit) of every unnumbered event that may touch."""
        for logical in self.appraisal.loose:
            for _, event in logical.loose:
                if event.state != "failed":
                    rooms = (room(event.after), last_room(event, state.at))
                    found = (*rooms, self.appraisal.bit(logical.index))
                    self._loose.setdefault(event.branch, []).append(found)

    def rows(self, gate: Opened) -> Raw:
        """A row for each write that its request names, or that touches inside Op of its edit."""
        asked = gate.requested
        if asked is None:
            return Raw(b"[]")
        said = self._said(gate, asked)
        head = b'{"edit":' + msgspec.json.encode(asked.edit) + b',"effect":'
        text = (b"," + head).join(self._rows(said))
        return Raw(b"[" + head + text + b"]") if text else Raw(b"[]")

    def _rows(self, said: dict[GateState, int]) -> list[bytes]:
        """The rows of some effects, in the order of their names, without the edit."""
        if not said:
            return []
        bits = 0
        for part in said.values():
            bits |= part
        most = max(said, key=lambda state: said[state].bit_count())
        texts = self._texts_of(most)
        if len(said) > 1:
            texts = texts.copy()
            for state in said.keys() - {most}:
                own = self._texts_of(state)
                for place in chosen(said[state], range(len(texts))):
                    texts[place] = own[place]
        return list(chosen(bits, texts))

    def _texts_of(self, state: GateState) -> list[bytes]:
        found = self._texts.get(state)
        if found is None:
            end = b',"state":"' + state.encode() + b'"}'
            found = self._texts[state] = [name + end for name in self._names]
        return found

    def _said(self, gate: Opened, asked: Gate) -> dict[GateState, int]:
        """The states of a gate, each with the effects to which it says so."""
        named = {
            effect
            for attempt in asked.effects
            for effect in self.state.ledger.by_attempt.get(attempt, ())
        }
        edit = self.state.edits.first(asked.edit or "")
        bits = self.appraisal.bits(named) | (0 if edit is None else self._touching(edit))
        bits &= self.appraisal.writes
        alone = bits & (self.appraisal.bits(named) | self._drifting)
        found = self._unbound(gate, asked, bits & ~alone)
        for effect in chosen(alone, self.appraisal.by_id):
            state = self._state_for(gate, asked, effect)
            found[state] = found.get(state, 0) | self.appraisal.bit(effect.index)
        return found

    def _unbound(self, gate: Opened, asked: Gate, bits: int) -> dict[GateState, int]:
        """The states for effects that the request does not name: none is ever let through, so
        each is asked at its earliest start."""
        marks = sorted({0, *self.state.gates.marks(gate, self.state.edits)})
        found: dict[GateState, int] = {}
        for mark, end in zip(marks, (*marks[1:], None), strict=True):
            before = bits if end is None else bits & self._starts.before(end)
            if before:
                state = self._at(gate, asked, mark, False)
                found[state] = found.get(state, 0) | before
                bits &= ~before
        return found

    def _at(self, gate: Opened, asked: Gate, position: Position, bound: bool) -> GateState:
        gates, edits = self.state.gates, self.state.edits
        return gates.state(gate, position, edits, asked.edit, lambda _: bound)

    def _touching(self, edit: Performed) -> int:
        """Effects that touch inside Op of an edit, or may."""
        found = self._under.get(edit.index)
        if found is None:
            found = self.state.hypotheses.overlaps[edit.index]
            if self._loose:
                for branch, start, end in merged(self.state.operative(edit)):
                    for bit in self._may_touch(Interval(branch, start, end)):
                        found |= bit
            self._under[edit.index] = found
        return found

    def _may_touch(self, interval: Interval) -> Iterator[int]:
        for first, last, bit in self._loose.get(interval.branch, ()):
            if last > at(interval.start) and (interval.end is None or first < at(interval.end)):
                yield bit

    def _state_for(self, gate: Opened, asked: Gate, effect: Logical) -> GateState:
        """The state at its start, or now; with several possible starts, the earliest that fails.

        Where there are too many ways to start, the gate is not known to bind the effect.
        """
        if effect.loose:
            states = self._loose_states(gate, asked, effect)
            return next((state for state in states if state != "valid"), "valid")
        total = self.appraisal.numbered[effect.index]
        position = self.appraisal.now if total.began is None else total.began
        return self._at(gate, asked, position, binding(effect, total)(asked))

    def _loose_states(self, gate: Opened, asked: Gate, effect: Logical) -> list[GateState]:
        marks = sorted({0, *self.state.gates.marks(gate, self.state.edits)})
        try:
            sums = arrangements(effect, self.state.at, marks)
        except TooOpen:
            start = self.appraisal.starts[self.appraisal.names.rank[effect.index]]
            return [self._at(gate, asked, start, False)]
        starts = {
            (self.appraisal.now if total.began is None else total.began, total) for total in sums
        }
        return [
            self._at(gate, asked, position, binding(effect, total)(asked))
            for position, total in sorted(starts, key=lambda start: start[0])
        ]


def _starts_earliest(effect: Logical) -> bool:
    """Whether it starts earliest when its unnumbered events stand in their earliest rooms.

    Only where nothing but failures may be the start it depends on which of them is the latest.
    """
    states = {event.state for event in effect.events()}
    return "failed" not in states or not states.isdisjoint({"started", "committed", "unknown"})
