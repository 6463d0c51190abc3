"""What a rollback of each single edit would be now, for all edits at once (`semantics.md` 6.9).

An edit none of whose intervals has ended is operative from its own number until now, on its branch
and on every branch that was forked since. So all that tells two such edits of one branch apart is
where they start. The answer for a unit is a step function of that start, with steps at the unit's
own positions and at forks; edits are asked in order, and units are counted in and out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from guard.answers import Interval, Soundness
from guard.appraisal import Appraisal, Operative
from guard.edits import Performed
from guard.order import Position, at
from guard.soundness import Doubt, Total, alone, overlapping, soundness
from guard.units import Unit
from guard.worlds import HARMLESS, Cover, Value


class Hypotheses:
    """For every edit, by index: the writes that it overlaps, and its rollback alone, now."""

    def __init__(self, appraisal: Appraisal, doubt: Doubt) -> None:
        self.appraisal = appraisal
        self.doubt = doubt
        prefix = appraisal.prefix
        self.overlaps = [0] * len(prefix.edits.all)
        self.soundness: list[Soundness | None] = [None] * len(prefix.edits.all)
        """None where the edit is undone on its own branch."""
        unended: dict[str, list[Performed]] = {}
        for edit in prefix.edits.all:
            if edit.index in prefix.intervals.closed or len(prefix.edits.by_id[edit.id]) > 1:
                self._ask(edit)
            else:
                unended.setdefault(edit.branch, []).append(edit)
        ways = Ways(appraisal)
        for branch, edits in unended.items():
            self._sweep(Row(branch, edits, ways, appraisal))

    def _ask(self, edit: Performed) -> None:
        """An edit with an end somewhere, or with a namesake, is asked by itself."""
        prefix = self.appraisal.prefix
        self.overlaps[edit.index] = overlapping(prefix.intervals.of(edit), self.appraisal)
        if prefix.edits.stands(edit, self.appraisal.now):
            asked = alone(edit, prefix)
            hidden = self.doubt.about(asked.intervals)
            self.soundness[edit.index] = soundness(asked, self.appraisal, hidden)

    def _sweep(self, row: Row) -> None:
        appraisal, prefix = self.appraisal, self.appraisal.prefix
        for edit, total, overlaps in row.totals():
            self.overlaps[edit.index] = overlaps
            hidden = None
            if self.doubt.possible:
                hidden = self.doubt.about(prefix.intervals.of(edit))
            watch = overlaps & appraisal.unsettled
            self.soundness[edit.index] = total.answer(hidden, watch, appraisal.names)


class Ways:
    """How edits of one branch reach another one: through which forks."""

    def __init__(self, appraisal: Appraisal) -> None:
        intervals = appraisal.prefix.intervals
        self.lives = intervals.lives
        self._entries = intervals.entries()
        self._of_branch = intervals.of_branch

    def into(self, source: str, branch: str) -> Iterator[tuple[int, int]]:
        """(last fork that leads there, start of the life that it leads to)."""
        for life in self._of_branch.get(branch, ()):
            forks = self._entries[life].get(source)
            if forks:
                yield max(forks), self.lives[life].start

    def reached(self, source: str) -> Iterator[str]:
        """Branches that edits of a branch may reach, itself included."""
        yield source
        for branch, lives in self._of_branch.items():
            if branch != source and any(source in self._entries[life] for life in lives):
                yield branch


"""+"""


class Row:
    """The edits of one branch none of whose intervals has ended, in order."""

    def __init__(
        self, branch: str, edits: Sequence[Performed], ways: Ways, appraisal: Appraisal
    ) -> None:
        self.branch = branch
        self.edits = edits
        self.ways = ways
        self.appraisal = appraisal
        self.starts = [edit.position for edit in edits]
        self.reached = tuple(ways.reached(branch))
        self._ways_into: dict[str, list[tuple[int, int]]] = {}

    def totals(self) -> Iterator[tuple[Performed, Total, int]]:
        """Each edit with what its units add up to, and the writes that it overlaps, as bits."""
        steps, leaving = self._steps(), self._leaving()
        overlaps = sum(leaving) & self.appraisal.writes
        running = Running(self.appraisal)
        for place, edit in enumerate(self.edits):
            overlaps &= ~leaving[place]
            for unit, value in steps[place]:
                running.put(unit.index, value)
            yield edit, self._with_gates(edit, running), overlaps

    def _place(self, position: Position) -> int:
        """The first edit that does not start before a position."""
        return bisect_left(self.starts, position)

    def _steps(self) -> list[list[tuple[Unit, Value]]]:
        """For each edit, the units whose value is another one from it on."""
        steps: list[list[tuple[Unit, Value]]] = [[] for _ in self.edits]
        for unit in self.appraisal.units.on(self.reached):
            before: Value | None = None
            for place in self._borders(unit):
                value = self.appraisal.worth(unit, self._operative(unit, self.edits[place].seq))
                if value != before and (before is not None or value.can_be_harmful):
                    steps[place].append((unit, value))
                    before = value
        return steps

    def _borders(self, unit: Unit) -> list[int]:
        """The edits from which on a unit's value may be another one."""
        places = {0}
        for branch, points in unit.points.items():
            if branch == self.branch:
                places.update(map(self._place, points))
            places.update(self._place(at(fork)) for fork, _ in self._into(branch))
        places.discard(len(self.edits))
        return sorted(places)

    def _operative(self, unit: Unit, start: int) -> Operative:
        """Where an edit that starts here is operative, on the branches of a unit."""
        found: dict[str, list[Interval]] = {}
        for branch in unit.points:
            if branch == self.branch:
                found[branch] = [Interval(branch, start, None)]
            for fork, begin in self._into(branch):
                if start < fork:
                    found.setdefault(branch, []).append(Interval(branch, begin, None))
        return found

    def _into(self, branch: str) -> list[tuple[int, int]]:
        found = self._ways_into.get(branch)
        if found is None:
            found = self._ways_into[branch] = list(self.ways.into(self.branch, branch))
        return found

    def _leaving(self) -> list[int]:
        """For each edit, the effects that touch after the one before it, but not after it."""
        last: dict[int, int] = {}
        for branch in self.reached:
            forks = self._into(branch)
            for number, effect in self.appraisal.ledger.touches.get(branch, ()):
                place = self._place(at(number)) if branch == self.branch else 0
                for fork, begin in forks:
                    place = max(place, self._place(at(fork)) if begin < number else 0)
                last[effect] = max(place, last.get(effect, 0))
        leaving = [0] * (len(self.edits) + 1)
        for effect, place in last.items():
            leaving[place] |= self.appraisal.bit(effect)
        return leaving

    def _with_gates(self, edit: Performed, running: Running) -> Total:
        """The total for one edit, with the units that its gates name asked anew."""
        anew: dict[int, Value] = {}
        for unit in self.appraisal.gated_units_of(edit):
            cover = Cover([(0, self._operative(unit, edit.seq))])
            anew[unit.index] = self.appraisal.judge(unit, cover, (edit,))
        return running.total(anew)


class Running:
    """The values of units that are counted in, added up."""

    def __init__(self, appraisal: Appraisal) -> None:
        self.appraisal = appraisal
        self.standing: dict[int, Value] = {}
        self.unsound = self.open = self.given_up = 0
        self.blame = 0

    def put(self, unit: int, value: Value) -> None:
        """Count a unit with a value, and no longer with the one before."""
        before = self.standing.get(unit)
        if before is not None:
            self._count(before, -1)
        self.standing[unit] = value
        self._count(value, 1)

    def _count(self, value: Value, change: int) -> None:
        self.unsound += change * (not value.can_be_harmless)
        self.open += change * value.can_be_harmful
        self.given_up += change * value.given_up
        self.blame ^= self.appraisal.bits(value.blame)

    def total(self, anew: dict[int, Value]) -> Total:
        """All of them, some with another value."""
        kept = {unit: self.standing[unit] for unit in anew if unit in self.standing}
        for unit, value in anew.items():
            self.put(unit, value)
        total = Total(
            unsound=self.unsound > 0,
            open=self.open > 0,
            given_up=self.given_up > 0,
            blame=self.blame,
            residue=self.appraisal.bits(e for value in anew.values() for e in value.residue),
        )
        for unit in anew:
            self.put(unit, kept.get(unit, HARMLESS))
        return total
