"""Is the journal whole and unchanged? (`semantics.md` 13)"""

from __future__ import annotations

from itertools import islice

from guard.answers import Integrity
from guard.events import AnyEvent, Checkpoint
from guard.order import Holes

LISTED = 1000
"""So many numbers are named at most (`report-format.md` 5.1)."""


class Sequence:
    """The numbers of a prefix: which are here, which are missing, which fail a check."""

    def __init__(self, checkpoint: Checkpoint | None) -> None:
        self.checkpoint = checkpoint
        """The checkpoint that is used; None where it speaks of events beyond the prefix (13.1)."""
        self.lowest = 0
        self.highest = 0
        self.count = 0
        """Numbered events."""
        self.holes = Holes()
        self.forks: list[int] = []
        self.broken: list[int] = []
        self.moved: int | None = None
        """Number of the event at the checkpoint's place, where it has another chain."""

    def copy(self) -> Sequence:
        other = Sequence(self.checkpoint)
        other.lowest, other.highest, other.count = self.lowest, self.highest, self.count
        other.holes, other.moved = self.holes.copy(), self.moved
        other.forks, other.broken = self.forks.copy(), self.broken.copy()
        return other

    def add(self, event: AnyEvent, number: int) -> None:
        """The next event in the order of `seq`."""
        if number != self.highest + 1:
            self._jump(number)
        if not self.count:
            self.lowest = number
        self.highest = number
        self.count += 1
        checkpoint = self.checkpoint
        if checkpoint is not None and self.count == checkpoint.count:
            moved = event.chain is not None and event.chain != checkpoint.hash
            self.moved = number if moved else None

    def _jump(self, number: int) -> None:
        """Numbers are left out, or one comes again."""
        if number > self.highest:
            self.holes.add(self.highest + 1, number - 1)
        elif self.forks[-1:] != [number]:
            self.forks.append(number)


def integrity(sequence: Sequence) -> Integrity:
    """The first line of the table that applies."""
    checkpoint = sequence.checkpoint
    short = checkpoint is not None and sequence.count < checkpoint.count
    if sequence.forks:
        return Integrity("fork", tuple(sequence.forks[:LISTED]))
    if sequence.broken:
        return Integrity("tampered", tuple(sequence.broken[:LISTED]))
    if checkpoint is not None and short and not sequence.holes:
        lost = range(sequence.highest + 1, checkpoint.count + 1)
        return Integrity("tail_lost", tuple(lost[:LISTED]))
    if sequence.moved is not None and not short:
        return Integrity("tampered", (sequence.moved,))
    if sequence.holes:
        return Integrity("gap", tuple(islice(sequence.holes.numbers(), LISTED)))
    return Integrity("ok", ())
