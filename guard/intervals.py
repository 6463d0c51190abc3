"""Operative intervals: where a window lacks what an edit took (`semantics.md` 4).

A branch that is forked while edits are operative inherits all of them at once. What it inherits is
therefore kept once for each fork, as a set of edits, and not once for each edit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Literal

from msgspec import Struct

from guard.answers import Interval
from guard.edits import Edits, Performed
from guard.events import Span
from guard.order import Position, at

HOME = 0


class Life(Struct, frozen=True):
    """A branch from one fork on. Edits made on the branch itself belong to its newest life."""

    index: int
    branch: str
    start: int
    """Number of the fork; 0 for a branch that was never forked."""
    parents: tuple[int, ...]
    """The lives of the branch that it was forked from."""


class Change(Struct, frozen=True, gc=False):
    """One line of the log: at `seq`, edits became or ceased to be operative in a life.

    At one number, what ends comes before what is inherited, and that before what opens: an end is
    outside its interval, and so is a start.
    """

    seq: int
    what: Literal["end", "inherit", "open"]
    life: int
    edits: int
    """The edit; for `inherit` all of them, as bits."""


class Intervals:
    """The operative intervals of all edits."""

    def __init__(self) -> None:
        self.lives: list[Life] = []
        self.of_branch: dict[str, tuple[int, ...]] = {}
        self.children: list[list[int]] = []
        """For each life, the lives that were forked from its branch, in order."""
        self.operative: list[int] = []
        """For each life, the edits that are operative in it now, as bits."""
        self.ended: dict[tuple[int, int], int] = {}
        """(edit, life) -> number of the end."""
        self.closed: set[int] = set()
        """Edits with an interval that ended."""
        self.home: list[int] = []
        """For each edit, the life in which it was made."""
        self.log: list[Change] = []
        self.unread: dict[tuple[int, int], AbstractSet[str]] = {}
        """(edit, life) -> spans that were not read again, once one of them was."""

    def copy(self) -> Intervals:
        other = Intervals()
        other.lives, other.of_branch = self.lives.copy(), self.of_branch.copy()
        other.children = [lives.copy() for lives in self.children]
        other.operative, other.ended = self.operative.copy(), self.ended.copy()
        other.closed = self.closed.copy()
        other.home, other.log = self.home.copy(), self.log.copy()
        other.unread = self.unread.copy()
        return other

    def lives_of(self, branch: str) -> tuple[int, ...]:
        """The lives of a branch, the newest last."""
        return self.of_branch.get(branch, ())

    def open(self, performed: Performed) -> None:
        """An edit becomes operative on its branch."""
        life = (self.lives_of(performed.branch) or self._live(performed.branch, 0, ()))[-1]
        self.home.append(life)
        self.operative[life] |= 1 << performed.index
        self.log.append(Change(performed.seq, "open", life, performed.index))

    def fork(self, branch: str, source: str, seq: int, edits: Edits) -> None:
        """A branch inherits what is operative on another one."""
        parents = self.lives_of(source) or self._live(source, 0, ())
        life = self._live(branch, seq, parents)[-1]
        for parent in parents:
            self.operative[life] |= self.operative[parent]
            self.children[parent].append(life)
        for index in edits.undone_on.get(branch, ()):
            if self.operative[life] >> index & 1:
                self.operative[life] &= ~(1 << index)
                self.ended[index, life] = edits.undone[index, branch] // 2
                self.closed.add(index)
        self.log.append(Change(seq, "inherit", life, self.operative[life]))

    def _live(self, branch: str, start: int, parents: tuple[int, ...]) -> tuple[int, ...]:
        life = Life(len(self.lives), branch, start, parents)
        self.lives.append(life)
        self.children.append([])
        self.operative.append(0)
        self.of_branch[branch] = (*self.lives_of(branch), life.index)
        return self.of_branch[branch]

    def read(self, span: Span, seq: int, edits: Edits) -> None:
        """A span is read on a branch: the last one that was missing ends an interval (4.1b)."""
        lives = self.lives_of(span.branch)
        for index in edits.takers.newest_first(span.id):
            edit = edits[index]
            if edit.taken[span.id] != span.hash or edit.vague:
                continue
            for life in lives:
                if self.operative[life] >> index & 1:
                    key = (index, life)
                    left = self.unread.get(key, edit.taken.keys()) - {span.id}
                    self.unread[key] = left
                    if not left:
                        self._end(index, life, seq)

    def undo(self, edit: int, branch: str, seq: int) -> None:
        """An edit is undone on a branch (4.1a)."""
        for life in self.lives_of(branch):
            if self.operative[life] >> edit & 1:
                self._end(edit, life, seq)

    def _end(self, edit: int, life: int, seq: int) -> None:
        self.operative[life] &= ~(1 << edit)
        self.ended[edit, life] = seq
        self.closed.add(edit)
        self.log.append(Change(seq, "end", life, edit))

    def of(self, edit: Performed) -> list[Interval]:
        """Op(e): by start, then branch."""
        found = list(self._grown(edit))
        if len(found) > 1:
            found.sort(key=lambda interval: (interval.start, interval.branch))
        return found

    def _grown(self, edit: Performed) -> Iterator[Interval]:
        waiting = [(self.home[edit.index], edit.seq)]
        seen = {waiting[0]}
        while waiting:
            life, start = waiting.pop()
            end = self.ended.get((edit.index, life))
            yield Interval(self.lives[life].branch, start, end)
            for child in self._inside(life, start, end):
                if (child, self.lives[child].start) not in seen:
                    seen.add((child, self.lives[child].start))
                    waiting.append((child, self.lives[child].start))

    def _inside(self, life: int, start: int, end: int | None) -> Iterator[int]:
        children = self.children[life]
        first = bisect_right(children, start, key=lambda child: self.lives[child].start)
        for child in children[first:]:
            if end is not None and self.lives[child].start >= end:
                break
            yield child

    def entries(self) -> list[dict[str, set[int]]]:
        """For each life and each branch before it: the forks on that branch that lead to it.

        An edit of that branch is operative in the life if it was made before one of these forks,
        and nothing ended in between.
        """
        found: list[dict[str, set[int]]] = []
        for life in self.lives:
            leading: dict[str, set[int]] = {}
            for parent in life.parents:
                leading.setdefault(self.lives[parent].branch, set()).add(life.start)
                if self.lives[parent].start < life.start:
                    for branch, forks in found[parent].items():
                        leading.setdefault(branch, set()).update(forks)
            found.append(leading)
        return found

    def operative_at(self, branch: str, position: Position) -> int:
        """The edits that are operative on a branch at a position, as bits of their indexes."""
        lives = self.lives_of(branch)
        if not self.log or at(self.log[-1].seq) < position:
            return _union(self.operative[life] for life in lives)
        standing = dict.fromkeys(lives, 0)
        for change in self.log:
            if at(change.seq) + (change.what != "end") > position:
                break
            if change.life not in standing:
                continue
            edits = change.edits if change.what == "inherit" else 1 << change.edits
            if change.what == "end":
                standing[change.life] &= ~edits
            else:
                standing[change.life] |= edits
        return _union(standing.values())


def _union(sets: Iterable[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found


def inside(interval: Interval, position: Position) -> bool:
    """Whether a position lies inside (4.2)."""
    return at(interval.start) < position and (interval.end is None or position < at(interval.end))
