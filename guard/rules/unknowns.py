"""What would make an unknown verdict known, in one line (`semantics.md` 14.2, O7)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from guard.answers import Soundness
from guard.course import Sum
from guard.edits import Performed
from guard.ledger import Logical
from guard.rules.words import few
from guard.state import State

_LACKING = (
    ("placed", "the place of {}"),
    ("answered", "the outcome of {}"),
    ("timed", "the moment of {}"),
    ("classed", "the class of {}"),
    ("inverted", "an inverse of {}"),
)
"""What an effect may lack, and how to ask for it."""


class Unknowns:
    """What is not known of a folded journal."""

    def __init__(self, state: State) -> None:
        self._state = state

    @cached_property
    def _lacking(self) -> dict[str, int]:
        """What lacks -> the effects, as bits of `Appraisal.names`."""
        appraisal = self._state.appraisal
        size = len(appraisal.rows) // 8 + 1
        flags = {what: bytearray(size) for what, _ in _LACKING}
        for effect, total in zip(self._state.ledger.all, appraisal.rows, strict=True):
            byte, bit = divmod(appraisal.names.rank[effect.index], 8)
            for what in _lacks(effect, total, appraisal.now):
                flags[what][byte] |= 1 << bit
        return {what: int.from_bytes(found, "little") for what, found in flags.items()}

    def soundness(self, found: Soundness) -> str:
        """What would make an unknown soundness known (6.5, 7.4)."""
        names = self._state.appraisal.names
        asked, rest = [], found.blame.bits
        for what, words in _LACKING:
            bits = found.blame.bits & self._lacking[what]
            rest &= ~bits
            if bits:
                asked.append(words.format(few(names.subset(bits))))
        if rest:
            asked.append(f"the outcome of what compensates {few(names.subset(rest))}")
        if found.hidden is not None:
            asked.append(found.hidden)
        return f"{' and '.join(asked)} would tell"

    def status(self, edit: Performed) -> str:
        """What would make the status of an edit known (10.7)."""
        if not self._state.records.good(edit, self._state.at):
            return f"a good record of {edit.id} would tell"
        if edit.vague:
            return f"what {edit.id} took would tell"
        if not self._state.integrity.allows_good:
            return f"{whole_journal(self._state)} would tell"
        return f"a good probe of {edit.id} would tell"

    def effect(self, effect: Logical) -> str:
        """What would make the state or the class of an effect known (5.4, 5.8)."""
        asked = []
        if self._state.appraisal.states[effect.index] == "unknown":
            asked.append("numbers for all its events" if effect.loose else "an answer")
        if self._state.appraisal.rows[effect.index].said == "unknown":
            asked.append("a class on one of its events")
        return f"{' and '.join(asked)} would tell" if asked else ""


def whole_journal(state: State) -> str:
    """What is asked for where the journal allows no good verdict (13.2)."""
    return f"a whole journal (this one: {state.integrity.verdict})"


def _lacks(effect: Logical, total: Sum, now: int) -> Iterator[str]:
    if effect.loose:
        yield "placed"
    moments = total.moments(now)
    if moments is not None and not total.sure:
        yield "answered"
    elif moments is not None and moments[0] != moments[1]:
        yield "timed"
    if total.said == "unknown":
        yield "classed"
    elif len(total.classes) > 1:
        yield "inverted"
