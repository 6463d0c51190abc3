"""The edits that were performed, and where each of them is undone (`semantics.md` 3.2)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from guard.answers import Fact
from guard.events import Edit, Rollback
from guard.order import Position, at


class Performed(Struct, frozen=True, kw_only=True, eq=False):
    """An edit, with what it took. Two edits with one id are two of these (10.4.2)."""

    index: int
    """Place among the performed edits, in the order of the journal."""
    edit: Edit
    seq: int
    policy: str | None
    """The digest that chose it: its own word, or the policy in force (11.2)."""
    taken: dict[str, str | None]
    """Span id -> hash of the version that it took (3.4); None: a version without hash and facts."""
    elided: tuple[Fact, ...]
    """What it took away (3.5), sorted."""

    @property
    def id(self) -> str:
        return self.edit.id

    @property
    def branch(self) -> str:
        return self.edit.branch

    @property
    def position(self) -> Position:
        return at(self.seq)

    @property
    def vague(self) -> bool:
        """What left is not known (3.9)."""
        return self.edit.fidelity in {"count", "unknown"}

    @property
    def veiled(self) -> bool:
        """Its `lacking` counts as not empty, whatever the window holds (3.9, 3.10)."""
        out = self.edit.out
        return self.vague or (out is not None and out.opaque)

    @property
    def touched(self) -> frozenset[str]:
        """Ids of the spans that it took or wrote."""
        out = () if self.edit.out is None else (self.edit.out.id,)
        return frozenset((*self.edit.in_, *out))


class RolledBack(Struct, frozen=True, kw_only=True, eq=False):
    """A rollback, with the edits that it undoes."""

    index: int
    rollback: Rollback
    seq: int
    range: tuple[Performed, ...]
    """The edits undone, in the order named, or newest first (11.1)."""
    absent: tuple[str, ...]
    """Named edits that are not in the journal before it (6.8)."""

    @property
    def id(self) -> str:
        return self.rollback.id

    @property
    def branch(self) -> str:
        return self.rollback.branch

    @property
    def position(self) -> Position:
        return at(self.seq)

    @property
    def partial(self) -> frozenset[str]:
        """The only spans that come back; empty for a rollback of whole edits (3.2)."""
        return frozenset(self.rollback.spans or ())


EVERYWHERE = ""
"""Stands for all branches; no branch has this name."""


class Chains:
    """Span id -> edits, in order. Most spans have one edit: a list for each would cost too much."""

    __slots__ = ("_before", "_latest")

    def __init__(self) -> None:
        self._latest: dict[str, int] = {}
        self._before: dict[tuple[str, int], int] = {}
        """(span, edit) -> the edit before it in the chain of the span."""

    def copy(self) -> Chains:
        other = Chains()
        other._latest, other._before = self._latest.copy(), self._before.copy()
        return other

    def add(self, span: str, edit: int) -> None:
        before = self._latest.get(span)
        if before is not None:
            self._before[span, edit] = before
        self._latest[span] = edit

    def __contains__(self, span: object) -> bool:
        return span in self._latest

    def newest_first(self, span: str) -> Iterator[int]:
        edit = self._latest.get(span)
        while edit is not None:
            yield edit
            edit = self._before.get((span, edit))

    def get(self, span: str, default: Sequence[int] = ()) -> Sequence[int]:
        """The edits of a span, oldest first."""
        return list(self.newest_first(span))[::-1] or default


class Edits:
    """Every performed edit, by index, id, branch and span; where each one is undone."""

    def __init__(self) -> None:
        self.all: list[Performed] = []
        self.by_id: dict[str, list[int]] = {}
        self.takers = Chains()
        """Edits that have a span in `in`."""
        self.writers = Chains()
        """Edits that have a span in `out`."""
        self.taking: list[int] = []
        """Edits that took at least one span, or it is not known which."""
        self.vague: list[int] = []
        """Edits of which it is not known what left (3.9)."""
        self.standing: dict[str, list[int]] = {}
        """Branch -> its edits that are not undone on it, in order."""
        self.undone: dict[tuple[int, str], Position] = {}
        """(edit, branch or everywhere) -> where it is undone there."""
        self.owed: dict[tuple[int, str], frozenset[str]] = {}
        """(edit, branch or everywhere) -> spans that are not given back there yet."""
        self.owing: dict[int, tuple[str, ...]] = {}
        """Edit -> the branches that stand in `owed`."""
        self.undone_on: dict[str, list[int]] = {}
        """Branch -> edits undone on it by a rollback of its own."""

    def copy(self) -> Edits:
        other = Edits()
        other.all = self.all.copy()
        other.by_id = _copied(self.by_id)
        other.takers, other.writers = self.takers.copy(), self.writers.copy()
        other.taking, other.vague = self.taking.copy(), self.vague.copy()
        other.standing, other.undone_on = _copied(self.standing), _copied(self.undone_on)
        other.undone, other.owed = self.undone.copy(), self.owed.copy()
        other.owing = self.owing.copy()
        return other

    def __getitem__(self, index: int) -> Performed:
        return self.all[index]

    def first(self, edit_id: str) -> Performed | None:
        """The edit that rows, gates, records and statuses mean by an id (10.4.2)."""
        found = self.by_id.get(edit_id)
        return self.all[found[0]] if found else None

    def firsts(self) -> Iterator[Performed]:
        """One edit for each id, in order."""
        return (edit for edit in self.all if self.by_id[edit.id][0] == edit.index)

    def named(self, edit_id: str, before: int) -> list[Performed]:
        """All edits with an id and a number below `before`."""
        found = (self.all[index] for index in self.by_id.get(edit_id, ()))
        return [edit for edit in found if edit.seq < before]

    def standing_after(self, branch: str, number: int) -> list[Performed]:
        """Edits of a branch with a higher number that are not undone on it yet, newest first."""
        found = []
        for index in reversed(self.standing.get(branch, ())):
            if self.all[index].seq <= number:
                break
            found.append(self.all[index])
        return found

    def add(self, performed: Performed) -> None:
        self.all.append(performed)
        self.by_id.setdefault(performed.id, []).append(performed.index)
        self.standing.setdefault(performed.branch, []).append(performed.index)
        if performed.vague:
            self.vague.append(performed.index)
        if performed.vague or performed.taken:
            self.taking.append(performed.index)
        for span in performed.taken:
            self.takers.add(span, performed.index)
        if performed.edit.out is not None:
            self.writers.add(performed.edit.out.id, performed.index)

    def undone_at(self, edit: int, branch: str) -> Position | None:
        """Where an edit is undone on a branch, if it is."""
        own = self.undone.get((edit, branch))
        every = self.undone.get((edit, EVERYWHERE))
        if own is None or every is None:
            return every if own is None else own
        return min(own, every)

    def is_undone(self, edit: int, branch: str, position: Position) -> bool:
        """`undone(e, b, n)` of 3.2."""
        where = self.undone_at(edit, branch)
        return where is not None and where <= position

    def stands(self, edit: Performed, position: Position) -> bool:
        """Whether an edit is not undone on its own branch at a position."""
        return not self.is_undone(edit.index, edit.branch, position)

    def give_back(self, edit: Performed, rollback: RolledBack) -> None:
        """Count what one rollback gives back of one edit, on every branch that it reaches."""
        spans = rollback.partial or frozenset(edit.edit.in_)
        if rollback.rollback.all_branches:
            for branch in (EVERYWHERE, *self.owing.get(edit.index, ())):
                self._pay(edit, branch, spans, rollback.position)
        else:
            if (edit.index, rollback.branch) not in self.owed:
                self.owing[edit.index] = (*self.owing.get(edit.index, ()), rollback.branch)
            self._pay(edit, rollback.branch, spans, rollback.position)
        if not self.stands(edit, rollback.position):
            _discard(self.standing.get(edit.branch, []), edit.index)

    def _pay(self, edit: Performed, branch: str, spans: frozenset[str], position: Position) -> None:
        key = (edit.index, branch)
        owed = self.owed.get(key)
        if owed is None:
            owed = self.owed.get((edit.index, EVERYWHERE), frozenset(edit.edit.in_))
        self.owed[key] = owed - spans
        if not self.owed[key] and key not in self.undone:
            self.undone[key] = position
            if branch != EVERYWHERE:
                self.undone_on.setdefault(branch, []).append(edit.index)


def _copied(lists: dict[str, list[int]]) -> dict[str, list[int]]:
    return {key: values.copy() for key, values in lists.items()}


def _discard(rising: list[int], value: int) -> None:
    place = bisect_left(rising, value)
    if place < len(rising) and rising[place] == value:
        del rising[place]


def ids(edits: Iterable[Performed]) -> tuple[str, ...]:
    """Ids, sorted, without repeats."""
    return tuple(sorted({edit.id for edit in edits}))
