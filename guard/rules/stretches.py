"""Which effects started while a window lacked a fact, as sets."""

from __future__ import annotations

from bisect import bisect_right

from guard.answers import Fact
from guard.edits import Performed
from guard.order import Position
from guard.state import State
from guard.subset import Subset
from guard.timeline import Timeline


class Stretches:
    """The starts of all effects, branch by branch, against what each window held."""

    def __init__(self, state: State) -> None:
        on_branch: dict[str, list[tuple[int, int]]] = {}
        for effect, total in zip(state.ledger.all, state.appraisal.rows, strict=True):
            if total.began is not None:
                bit = state.appraisal.names.rank[effect.index]
                on_branch.setdefault(effect.first.branch, []).append((total.began, bit))
        self._starts = {branch: Timeline(starts) for branch, starts in on_branch.items()}
        self._all = 0
        for starts in self._starts.values():
            self._all |= starts.all
        self._turns: dict[Fact, list[tuple[Timeline, list[Position]]]] = {}
        """Fact -> when it came and went, for each branch that ever held it."""
        asked = {fact for edit in state.edits.all for fact in edit.elided}
        for branch, starts in self._starts.items():
            turns = state.windows.seen(branch).turns
            for fact in asked & turns.keys():
                self._turns.setdefault(fact, []).append((starts, turns[fact]))
        self._without: dict[Fact, int] = {}

    def lacked(self, edit: Performed, effects: Subset) -> bool:
        """Whether a fact of the edit was lacking at the start of one of the effects.

        Of an edit of which it is not known what left, nothing is seen to lack (`semantics.md` 3.9).
        """
        if edit.vague:
            return False
        return any(self.started_without(fact, effects) for fact in edit.elided)

    def started_without(self, fact: Fact, effects: Subset) -> int:
        """Those of the effects, as a set, that started while their window lacked the fact."""
        return effects.bits & self._started_without(fact)

    def _started_without(self, fact: Fact) -> int:
        found = self._without.get(fact)
        if found is None:
            held = 0
            for starts, turns in self._turns.get(fact, ()):
                held |= _while_held(starts, turns)
            found = self._without[fact] = self._all & ~held
        return found


def _while_held(starts: Timeline, turns: list[Position]) -> int:
    """What started while a window held a fact: from an odd turn to the next one, or for good."""
    low, high = bisect_right(turns, starts.first), bisect_right(turns, starts.last)
    if low == high:
        return starts.all if low % 2 else 0
    sets = [0, *map(starts.before, turns[low:high]), starts.all]
    came, went = sets[1 - low % 2 :: 2], sets[2 - low % 2 :: 2]
    held = 0
    for before, after in zip(came, went, strict=False):
        held |= after & ~before
    return held
