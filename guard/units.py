"""Effects grouped into units that are judged by themselves (`semantics.md` 7.5), and their borders.

The answer for a unit changes only where a border of an operative interval passes one of the unit's
own positions. So each unit knows these positions, and an answer is kept for each pair of gaps
between them in which an interval begins and ends.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from guard.answers import Interval
from guard.course import Place, Sum
from guard.ledger import Ledger, Logical
from guard.order import Position, at, room
from guard.rooms import TooOpen, arrangements, last_room

Key: TypeAlias = frozenset[tuple[str, int, int]]


class Unit(Struct, eq=False):
    """One effect, or several that compensate each other."""

    index: int
    effects: tuple[int, ...]
    """In the order of their first events; in a tree, parents come before what compensates them."""
    parents: tuple[int | None, ...]
    """For each effect, the one that it compensates."""
    tangled: bool
    """Whether it is open or ambiguous what one of them compensates."""
    points: dict[str, list[Position]]
    """Branch -> the positions that borders are held against."""
    loose: int
    """How many unnumbered events it has."""

    def key(self, operative: Mapping[str, Iterable[Interval]]) -> Key:
        """Between which of its positions the intervals of an edit begin and end."""
        return frozenset(
            (branch, bisect_right(points, at(interval.start)), _before(points, interval))
            for branch, points in self.points.items()
            for interval in operative.get(branch, ())
        )


def _before(points: list[Position], interval: Interval) -> int:
    return -1 if interval.end is None else bisect_left(points, at(interval.end))


class Course(Struct, frozen=True):
    """What can be said of one effect without a question: its first event and its links."""

    first: Place
    """The earliest place of the event that comes first."""
    last: Place
    """The latest place of the event that comes first."""
    targets: frozenset[str | None]
    """What it may say that it compensates."""


def course_of(logical: Logical, highest: int) -> Course:
    numbered = [(at(event.seq or 0), 0) for event in logical.steps[:1]]
    return Course(
        first=min(numbered + [(room(event.after), rank) for rank, event in logical.loose]),
        last=min(numbered + [(last_room(event, highest), rank) for rank, event in logical.loose]),
        targets=_targets(logical, highest),
    )


def _targets(logical: Logical, highest: int) -> frozenset[str | None]:
    said = {event.compensates for event in logical.events()} - {None}
    if not said:
        return frozenset((None,))
    try:
        sums = arrangements(logical, highest)
    except TooOpen:
        return frozenset({None, *said})
    return frozenset(_target(total) for total in sums)


def _target(total: Sum) -> str | None:
    says = total.is_write and total.compensates is not None
    return total.compensates[1] if says and total.compensates is not None else None


class Units:
    """All units of a prefix."""

    def __init__(self, ledger: Ledger, highest: int) -> None:
        self.ledger = ledger
        self.highest = highest
        self.courses = [course_of(logical, highest) for logical in ledger.all]
        self.named: dict[str, list[int]] = {}
        for logical in ledger.all:
            self.named.setdefault(logical.id, []).append(logical.index)
        self.all: list[Unit] = []
        self.of: dict[int, Unit] = {}
        self._on: dict[str, list[Unit]] = {}
        for group in self._groups():
            self._add(group)

    def on(self, branches: Iterable[str]) -> list[Unit]:
        """Units with events on one of some branches."""
        found = {unit.index: unit for name in branches for unit in self._on.get(name, ())}
        return list(found.values())

    def targets(self, effect: int, says: str) -> list[int]:
        """The effects that one compensates when it says so: those that can be earlier (5.10)."""
        mine = self.courses[effect].last
        return [
            other
            for other in self.named.get(says, ())
            if other != effect and self.courses[other].first < mine
        ]

    def _links(self) -> dict[int, list[int]]:
        """Every link that may hold."""
        return {
            effect: [t for says in course.targets if says for t in self.targets(effect, says)]
            for effect, course in enumerate(self.courses)
            if course.targets != {None}
        }

    def _groups(self) -> Iterator[list[int]]:
        """Effects that may be linked, in the order of their first events."""
        group = list(range(len(self.courses)))

        def root(effect: int) -> int:
            while group[effect] != effect:
                group[effect] = group[group[effect]]
                effect = group[effect]
            return effect

        for effect, targets in self._links().items():
            for target in targets:
                group[root(effect)] = root(target)
        found: dict[int, list[int]] = {}
        for effect in sorted(range(len(group)), key=lambda effect: self.courses[effect].first):
            found.setdefault(root(effect), []).append(effect)
        yield from found.values()

    def _add(self, group: list[int]) -> None:
        links = {effect: self._link(effect) for effect in group}
        tangled = any(targets is None for targets in links.values())
        parents = {} if tangled else _forest(group, links)
        ordered = group if tangled else _parents_first(group, parents)
        for part in [ordered] if tangled else _trees(ordered, parents):
            logicals = [self.ledger.all[effect] for effect in part]
            unit = Unit(
                index=len(self.all),
                effects=tuple(part),
                parents=tuple(parents.get(effect) for effect in part),
                tangled=tangled,
                points=_points(logicals, self.highest),
                loose=sum(len(logical.loose) for logical in logicals),
            )
            self.all.append(unit)
            self.of.update(dict.fromkeys(part, unit))
            for branch in unit.points:
                self._on.setdefault(branch, []).append(unit)

    def _link(self, effect: int) -> list[int] | None:
        """What an effect compensates, if anything; None where that is open or ambiguous."""
        targets = self.courses[effect].targets
        found = [self.targets(effect, says) for says in targets if says is not None]
        if not any(found):
            return []
        return found[0] if len(targets) == 1 and len(found[0]) == 1 else None


def _forest(group: Sequence[int], links: dict[int, list[int] | None]) -> dict[int, int | None]:
    """What each effect compensates; a link that would close a circle is ignored (5.10)."""
    parents: dict[int, int | None] = {}
    for effect in group:
        for target in links[effect] or ():
            here: int | None = target
            while here is not None and here != effect:
                here = parents.get(here)
            if here is None:
                parents[effect] = target
    return parents


def _parents_first(group: Sequence[int], parents: dict[int, int | None]) -> list[int]:
    children: dict[int, list[int]] = {}
    ordered = []
    for effect in group:
        parent = parents.get(effect)
        if parent is None:
            ordered.append(effect)
        else:
            children.setdefault(parent, []).append(effect)
    for effect in ordered:
        ordered += children.get(effect, ())
    return ordered


def _trees(ordered: Sequence[int], parents: dict[int, int | None]) -> list[list[int]]:
    """The effects of a forest, tree by tree."""
    trees: dict[int, list[int]] = {}
    root: dict[int, int] = {}
    for effect in ordered:
        parent = parents.get(effect)
        root[effect] = effect if parent is None else root[parent]
        trees.setdefault(root[effect], []).append(effect)
    return list(trees.values())


def _points(logicals: Iterable[Logical], highest: int) -> dict[str, list[Position]]:
    points: dict[str, set[Position]] = {}
    for logical in logicals:
        steps = {at(event.seq or 0) for event in logical.steps}
        found = _near(logical, highest) if logical.loose else steps
        for branch in {event.branch for event in logical.events()}:
            points.setdefault(branch, set()).update(found)
    return {branch: sorted(found) for branch, found in points.items()}


def _near(logical: Logical, highest: int) -> set[Position]:
    """Positions around which the rooms for the unnumbered events of an effect may run short."""
    ends = {at(event.seq or 0) for event in logical.steps}
    for _, event in logical.loose:
        ends |= {at(event.after), last_room(event, highest) + 1}
    reach = 2 * len(logical.loose) + 1
    return {end + step for end in ends for step in range(-reach, reach + 1)}
