"""Which edits are operative at a position of a branch, and for which a fact is lacking there.

Asking every edit about every effect would cost the product of the two. Instead the positions are
asked in order, and sets of edits are kept up with what begins, ends, comes into the window or
leaves it between one position and the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from guard.answers import Fact
from guard.bits import Reordering, set_of
from guard.edits import Performed
from guard.intervals import Change
from guard.order import Position, at
from guard.prefix import Prefix
from guard.subset import Names

Where: TypeAlias = tuple[str, Position]
"""(branch, position)."""


class Under(Struct, frozen=True, gc=False):
    """The edits at one place, as bits of `Veil.names`."""

    operative: int
    lacking: int
    """All edits, operative or not, that took a fact which the window does not hold (3.6)."""


class Veil:
    """Edits as sets, and what they do at places that are asked together."""

    def __init__(self, prefix: Prefix, edits: Sequence[Performed]) -> None:
        """`edits`: all of them, or those that are operative at the only place that is asked."""
        self.prefix = prefix
        self.edits = edits
        self.names = Names([edit.id for edit in edits], [edit.seq for edit in edits])
        self.bit = {edit.index: 1 << self.names.rank[n] for n, edit in enumerate(edits)}
        self._by_name = sorted(edits, key=lambda edit: self.bit[edit.index])
        self.hosts = self.those(lambda edit: edit.edit.by == "host")
        self.models = self.those(lambda edit: edit.edit.by == "model")
        self.veiled = self.those(lambda edit: edit.veiled)
        self._by_index = Reordering([self.names.rank[n] for n in range(len(edits))], len(edits))
        self._turns: dict[str, list[tuple[Position, Fact]]] = {}
        self._turning: dict[str, list[Position]] = {}

    @cached_property
    def carrying(self) -> dict[Fact, int]:
        """Fact -> the edits that took it away."""
        found: dict[Fact, int] = {}
        for edit in self.edits:
            for fact in edit.elided:
                found[fact] = found.get(fact, 0) | self.bit[edit.index]
        return found

    @cached_property
    def eliding(self) -> list[int]:
        """How many facts each edit took away, as the planes of `_Lacking`."""
        planes: list[int] = []
        for edits in self.carrying.values():
            _add(planes, edits)
        return planes

    def those(self, chosen: Callable[[Performed], bool]) -> int:
        """The edits of which something is so."""
        return set_of(map(chosen, self._by_name))

    def named(self, edit_id: str) -> int:
        """All edits with an id."""
        found = 0
        for index in self.prefix.edits.by_id.get(edit_id, ()):
            found |= self.bit.get(index, 0)
        return found

    def bits(self, by_index: int) -> int:
        """A set of edits whose bits are their indexes."""
        return self._by_index(by_index)

    def at_one_place(self, where: Where) -> Under:
        """What is so where all `edits` are operative, without asking any other place."""
        window = self.prefix.windows.seen(where[0])
        lacking = self.those(
            lambda edit: not all(window.holds(fact, where[1]) for fact in edit.elided)
        )
        return Under((1 << len(self.edits)) - 1, lacking)

    def under(self, places: Iterable[Where]) -> dict[Where, Under]:
        """What is so at many places."""
        asked: dict[str, set[Position]] = {}
        for branch, position in places:
            asked.setdefault(branch, set()).add(position)
        changes = self._changes(asked.keys())
        return {
            (branch, position): under
            for branch, positions in asked.items()
            for position, under in self._sweep(branch, sorted(positions), changes[branch])
        }

    def turning(self, branch: str) -> list[Position]:
        """Positions of numbers at which the answer may change on a branch, rising."""
        found = self._turning.get(branch)
        if found is None:
            points = {position for position, _ in self._turns_of(branch)}
            points |= {at(change.seq) for _, change in self._changes([branch])[branch]}
            found = self._turning[branch] = sorted(points)
        return found

    def _changes(self, branches: Iterable[str]) -> dict[str, list[tuple[Position, Change]]]:
        """The log of each branch, with the position from which each line holds."""
        found: dict[str, list[tuple[Position, Change]]] = {branch: [] for branch in branches}
        lives = self.prefix.intervals.lives
        for change in self.prefix.intervals.log:
            log = found.get(lives[change.life].branch)
            if log is not None:
                log.append((at(change.seq) + (change.what != "end"), change))
        return found

    def _turns_of(self, branch: str) -> list[tuple[Position, Fact]]:
        """When facts that some edit took away came into a window, or left it."""
        found = self._turns.get(branch)
        if found is None:
            turns = self.prefix.windows.seen(branch).turns
            facts = self.carrying.keys() & turns.keys()
            found = [(position, fact) for fact in facts for position in turns[fact]]
            found.sort(key=_position)
            self._turns[branch] = found
        return found

    def _sweep(
        self, branch: str, positions: Iterable[Position], log: list[tuple[Position, Change]]
    ) -> Iterator[tuple[Position, Under]]:
        log.sort(key=lambda line: line[0])
        operative = _Operative(self)
        lacking = _Lacking(self)
        turns = self._turns_of(branch)
        line = turn = 0
        for position in positions:
            while line < len(log) and log[line][0] <= position:
                operative.take(log[line][1])
                line += 1
            while turn < len(turns) and turns[turn][0] <= position:
                lacking.turn(turns[turn][1])
                turn += 1
            yield position, Under(operative.bits(), lacking.bits())


def _position(turn: tuple[Position, Fact]) -> Position:
    return turn[0]


class _Operative:
    """The edits that are operative on a branch, life by life."""

    __slots__ = ("_lives", "_veil")

    def __init__(self, veil: Veil) -> None:
        self._veil = veil
        self._lives: dict[int, int] = {}

    def take(self, change: Change) -> None:
        before = self._lives.get(change.life, 0)
        if change.what == "inherit":
            self._lives[change.life] = before | self._veil.bits(change.edits)
        elif change.what == "open":
            self._lives[change.life] = before | self._veil.bit[change.edits]
        else:
            self._lives[change.life] = before & ~self._veil.bit[change.edits]

    def bits(self) -> int:
        found = 0
        for edits in self._lives.values():
            found |= edits
        return found


class _Lacking:
    """The edits that took a fact which a window does not hold.

    For each edit it is counted how many of its facts are missing, for all edits at once: bit n of
    plane k is bit k of the count of edit n. A fact that comes or goes costs a few operations on
    sets, however many edits took it away.
    """

    __slots__ = ("_carrying", "_held", "_planes")

    def __init__(self, veil: Veil) -> None:
        self._carrying = veil.carrying
        self._planes = veil.eliding.copy()
        self._held: set[Fact] = set()

    def turn(self, fact: Fact) -> None:
        """A fact came into the window, or left it."""
        if fact in self._held:
            self._held.remove(fact)
            _add(self._planes, self._carrying[fact])
        else:
            self._held.add(fact)
            _subtract(self._planes, self._carrying[fact])

    def bits(self) -> int:
        found = 0
        for plane in self._planes:
            found |= plane
        return found


def _add(planes: list[int], edits: int) -> None:
    """Count one more for some edits."""
    for place, plane in enumerate(planes):
        planes[place] = plane ^ edits
        edits &= plane
        if not edits:
            return
    planes.append(edits)


def _subtract(planes: list[int], edits: int) -> None:
    """Count one less for some edits."""
    for place, plane in enumerate(planes):
        planes[place] = plane ^ edits
        edits &= ~plane
        if not edits:
            return
