"""Did anything irreversible happen while an edit was operative? (`semantics.md` 6 and 7)"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from guard.answers import Integrity, Interval, Soundness, SoundnessVerdict
from guard.appraisal import Appraisal, Question
from guard.edits import Performed, RolledBack
from guard.ledger import touching
from guard.order import Cover as Attested
from guard.prefix import Prefix
from guard.reach import merged
from guard.subset import Names
from guard.worlds import Value


def question(rolled: RolledBack, prefix: Prefix) -> Question:
    """What a rollback of the journal asks."""
    found = [_cut(prefix.intervals.of(edit), rolled) for edit in rolled.range]
    return Question(rolled.range, found)


def _cut(operative: list[Interval], rolled: RolledBack) -> list[Interval]:
    """Op(e, r): a partial rollback cuts the intervals on its branch (4.6)."""
    if not rolled.partial:
        return operative
    return [
        Interval(interval.branch, interval.start, rolled.seq)
        if interval.branch == rolled.branch and (interval.end is None or interval.end > rolled.seq)
        else interval
        for interval in operative
        if interval.branch != rolled.branch or interval.start < rolled.seq
    ]


def alone(edit: Performed, prefix: Prefix) -> Question:
    """What is asked of an edit that would be undone alone, on its own branch, now (6.9).

    A rollback that names an id undoes every edit with it (10.4.2).
    """
    edits = prefix.edits.named(edit.id, prefix.now)
    return Question(edits, [prefix.intervals.of(each) for each in edits])


class Doubt:
    """Where an effect that nobody saw is possible (6.5)."""

    def __init__(self, prefix: Prefix, integrity: Integrity) -> None:
        ledger = prefix.header.ledger
        self.integrity = integrity
        self.holes = prefix.numbers.holes
        self.highest = prefix.at
        self.complete = ledger == "complete"
        self.attested = Attested([] if isinstance(ledger, str) else list(ledger))
        self.possible = bool(self.holes) or not self.complete or not integrity.allows_good

    def about(self, intervals: Iterable[Interval]) -> str | None:
        """What would exclude one while the edits were operative; None: none is possible."""
        if not self.possible:
            return None
        for interval in intervals:
            if not self.integrity.allows_good:
                return f"a whole journal (this one: {self.integrity.verdict})"
            before = self.highest + 1 if interval.end is None else interval.end
            if self.holes.between(interval.start, before):
                return f"the numbers missing after {interval.start}"
            end = min(before, self.highest)
            if not self.complete and not self.attested.holds(interval.start, end):
                return f"a ledger that covers {interval.start} to {end}"
        return None

    def of_range(self, rolled: RolledBack) -> str | None:
        """What would tell what a rollback undid, where that is not known (6.5, 6.8)."""
        to = rolled.rollback.to
        if to is not None and self.holes.between(to, rolled.seq):
            return f"the numbers missing after {to}"
        if rolled.absent:
            return f"the edit {rolled.absent[0]}, missing before it,"
        if not rolled.range and not self.integrity.allows_good:
            return f"a whole journal (this one: {self.integrity.verdict})"
        return None


class Total(Struct):
    """Values of units, added up (7.6, 7.7)."""

    unsound: bool = False
    open: bool = False
    blame: int = 0
    residue: int = 0
    given_up: bool = False

    def add(self, value: Value, appraisal: Appraisal) -> None:
        self.unsound |= not value.can_be_harmless
        self.open |= value.can_be_harmful
        self.blame |= appraisal.bits(value.blame)
        self.residue |= appraisal.bits(value.residue)
        self.given_up |= value.given_up

    def answer(self, hidden: str | None, watch: int, names: Names) -> Soundness:
        if hidden is None and self.given_up:
            hidden = "numbers for the events of the blamed effects"
        verdict: SoundnessVerdict = "unknown" if self.open or hidden else "sound"
        return Soundness(
            verdict="unsound" if self.unsound else verdict,
            blame=names.subset(self.blame),
            residue=names.subset(self.residue),
            watch=names.subset(watch),
            hidden=hidden,
        )


def soundness(asked: Question, appraisal: Appraisal, hidden: str | None) -> Soundness:
    """The verdict on a rollback. `hidden`: as in `Soundness`."""
    total = Total()
    units = appraisal.nearby.meeting(asked.intervals)
    gated = {u.index: u for edit in asked.edits for u in appraisal.gated_units_of(edit)}
    for unit in (units | gated).values():
        total.add(appraisal.value(unit, asked), appraisal)
    drifting = appraisal.nearby.drifting(asked.intervals)
    drifting &= ~appraisal.bits(effect for unit in gated.values() for effect in unit.effects)
    total.blame |= drifting
    total.open |= bool(drifting)
    return total.answer(hidden, watched(asked.intervals, appraisal), appraisal.names)


def watched(intervals: Iterable[Interval], appraisal: Appraisal) -> int:
    """Writes that touch inside and are neither committed nor failed (6.7), as bits."""
    return overlapping(intervals, appraisal) & appraisal.unsettled


def overlapping(intervals: Iterable[Interval], appraisal: Appraisal) -> int:
    """Writes that touch inside, by their numbered events, as bits."""
    found: set[int] = set()
    for branch, start, end in merged(intervals):
        found.update(touching(appraisal.ledger, branch, start, end))
    return appraisal.bits(found) & appraisal.writes
