"""Whether effects are harmless in all, some or no possible worlds (`semantics.md` 6.3, 7.1 to 7.7).

Effects share no variables; only `compensates` couples them. So a *unit* is one effect, or a tree of
effects that compensate each other, and units are judged one by one. The cost of a tree is that of
its links, not that of its worlds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from msgspec import Struct

from guard.answers import Interval
from guard.course import Sum
from guard.intervals import inside
from guard.order import Position, at

MOST_WORLDS = 100_000
"""Beyond this, a group of effects that is no tree is given up as not known."""


class Cover:
    """Where the edits of a question are operative: zones of each branch, with edits as bits."""

    __slots__ = ("_inside", "_later", "_points")

    def __init__(self, operative: Iterable[tuple[int, Mapping[str, Iterable[Interval]]]]) -> None:
        """`operative`: (bit, Op(e, r) by branch) of every edit."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for bit, by_branch in operative:
            for branch, intervals in by_branch.items():
                for interval in intervals:
                    begin = at(interval.start) + 1
                    end = -1 if interval.end is None else max(begin, at(interval.end))
                    found.setdefault(branch, []).append((begin, end, bit))
        self._points: dict[str, list[Position]] = {}
        self._inside: dict[str, list[int]] = {}
        self._later: dict[str, list[int]] = {}
        for branch, pieces in found.items():
            self._lay(branch, pieces)

    def _lay(self, branch: str, pieces: list[tuple[int, int, int]]) -> None:
        changes: dict[Position, list[tuple[int, int]]] = {}
        for begin, end, bit in pieces:
            changes.setdefault(begin, []).append((bit, 1))
            if end >= 0:
                changes.setdefault(end, []).append((bit, -1))
        points = sorted(changes)
        depth: Counter[int] = Counter()
        inside, mask = [0], 0
        for point in points:
            for bit, step in changes[point]:
                depth[bit] += step
                mask = mask | 1 << bit if depth[bit] else mask & ~(1 << bit)
            inside.append(mask)
        later = [0]
        for point in reversed(points):
            mask = later[-1]
            for bit, step in changes[point]:
                mask |= 1 << bit if step > 0 else 0
            later.append(mask)
        self._points[branch] = points
        self._inside[branch] = inside
        self._later[branch] = later[::-1]

    def under(self, branch: str, position: Position) -> int:
        """The edits that are operative on a branch at a position."""
        points = self._points.get(branch)
        if points is None:
            return 0
        return self._inside[branch][bisect_right(points, position)]

    def marks(self, branch: str) -> Iterable[Position]:
        """Numbers at which something begins or ends, as positions."""
        return (point & ~1 for point in self._points.get(branch, ()))

    def zones(self, branch: str, first: Position, last: Position) -> Iterable[tuple[int, int]]:
        """For each zone that a moment in [first, last] can reach: the edits that are operative in
        it, and the edits that become operative on the branch only after it."""
        points = self._points.get(branch)
        if points is None:
            return ((0, 0),)
        low, high = bisect_right(points, first), bisect_right(points, last) + 1
        return zip(self._inside[branch][low:high], self._later[branch][low:high], strict=True)


class Case(Struct, frozen=True):
    """One case of one effect: its moment, its class, its gate."""

    inside: int = 0
    """The edits e for which the effect is in E(e, r), as bits (6.1)."""
    gated: int = 0
    """The edits for which a gate is valid at its start."""
    commits: bool = False
    failing: bool = False
    """It stays uncommitted, and its outcome is `failed`, `unknown` or `started` (6.3, rule 3)."""
    reversible: bool = True
    target: str | None = None
    """What it says that it compensates."""


Gated: TypeAlias = Callable[[Sum], int]
"""The edits for which a gate is valid at the start of an effect, as bits."""


def cases(sums: Iterable[Sum], cover: Cover, gated: Gated, now: Position) -> frozenset[Case]:
    """The cases of one effect (7.1), over its arrangements."""
    return frozenset(case for total in sums for case in _cases(total, cover, gated, now))


def _cases(total: Sum, cover: Cover, gated: Gated, now: Position) -> Iterable[Case]:
    if not total.is_write:
        yield Case()
        return
    target = None if total.compensates is None else total.compensates[1]
    moments = total.moments(now)
    if moments is not None:
        reached = {
            inside | (total.touched & ~later)
            for inside, later in cover.zones(total.branch, *moments)
        }
        let_through = gated(total) if any(reached) else 0
        for inside in reached:
            for reversible in total.classes:
                yield Case(inside, inside & let_through, True, False, reversible, target)
    if not total.sure:
        failing = total.outcome in {"failed", "unknown", "started"}
        yield Case(failing=failing, target=target)


class Value(Struct, frozen=True):
    """What was found of one unit, over all of its worlds."""

    can_be_harmless: bool
    can_be_harmful: bool
    blame: frozenset[int] = frozenset()
    """Effects that are harmful in some world."""
    residue: frozenset[int] = frozenset()
    """Effects that a gate lets through in some world."""
    given_up: bool = False
    """There are too many worlds to tell."""


HARMLESS = Value(can_be_harmless=True, can_be_harmful=False)


class Plain(Struct, frozen=True, gc=False):
    """A write that is numbered, not linked, and that no gate of the question names (7.2)."""

    effect: int
    branch: str
    moments: tuple[Position, Position]
    sure: bool
    """It commits in every world."""
    classes: tuple[bool, ...]
    touches: tuple[tuple[str, Position], ...]
    drifts: bool
    """It may commit any time until now, and may be irreversible."""

    def worth(self, operative: Mapping[str, Iterable[Interval]], own: Interval | None) -> Value:
        """Its value under one edit. `own`: the only interval on its branch."""
        low, high = self.moments
        touched = any(
            inside(interval, position)
            for branch, position in self.touches
            for interval in operative.get(branch, ())
        )
        if own is None:
            within, before, after = False, False, True
        else:
            begin = at(own.start)
            end = high + 1 if own.end is None else max(begin + 1, at(own.end))
            within = max(low, begin + 1) <= min(high, end - 1)
            before, after = low <= begin, high >= end
        counts = within or (after and touched)
        spared = before or (after and not touched) or not self.sure
        if not counts or False not in self.classes:
            return HARMLESS
        return Value(spared or True in self.classes, True, frozenset((self.effect,)))


Reach: TypeAlias = frozenset[tuple[bool, bool, bool]]
"""(it commits, it is failing, everything in its subtree is harmless), as far as worlds go."""

_NO_CHILDREN: Reach = frozenset({(False, False, True)})


class _Found:
    """Effects that were harmful, or let through, in some world."""

    __slots__ = ("blame", "residue")

    def __init__(self) -> None:
        self.blame: set[int] = set()
        self.residue: set[int] = set()

    def harmless(self, effect: int, case: Case, judged: int, mended: bool, failing: bool) -> bool:
        """Rules 2 to 4 of 6.3. `judged`: the edits for which rule 1 does not hold."""
        if not judged or (case.reversible and (mended or not failing)):
            return True
        if judged & case.gated:
            self.residue.add(effect)
        if judged & ~case.gated:
            self.blame.add(effect)
            return False
        return True

    def value(self, reached: Iterable[bool]) -> Value:
        outcomes = set(reached)
        return Value(
            True in outcomes, False in outcomes, frozenset(self.blame), frozenset(self.residue)
        )


def judge_tree(
    nodes: Sequence[tuple[int, int | None]], cases_of: dict[int, frozenset[Case]]
) -> Value:
    """A tree of compensations (7.5). `nodes`: (effect, what it compensates), parents first."""
    found = _Found()
    reach: dict[tuple[int, int], Reach] = {}
    children: dict[int, list[int]] = {}
    for effect, parent in nodes:
        if parent is not None:
            children.setdefault(parent, []).append(effect)
    for effect, parent in reversed(nodes):
        own = cases_of[effect]
        below = {
            inside: _joined(reach[child, inside] for child in children.get(effect, ()))
            for inside in {case.inside for case in own}
        }
        for exempt in {0} if parent is None else {case.inside for case in cases_of[parent]}:
            reach[effect, exempt] = frozenset(
                (
                    case.commits,
                    case.failing,
                    found.harmless(effect, case, case.inside & ~exempt, mended, failing)
                    and harmless,
                )
                for case in own
                for mended, failing, harmless in below[case.inside]
            )
    return found.value(harmless for _, _, harmless in reach[nodes[0][0], 0])


def _joined(reaches: Iterable[Reach]) -> Reach:
    """Does any of them commit, is any of them failing, are all of them harmless?"""
    joined = _NO_CHILDREN
    for reach in reaches:
        joined = frozenset(
            (one[0] or other[0], one[1] or other[1], one[2] and other[2])
            for one in joined
            for other in reach
        )
    return joined


class TooTangled(Exception):
    """A group of effects has too many worlds."""


Targets: TypeAlias = Callable[[int, str], Iterable[int]]
"""(effect, what it says) -> the effects that it compensates then, if no circle forbids it."""


def judge_tangle(
    effects: Sequence[int], cases_of: dict[int, frozenset[Case]], targets: Targets
) -> Value:
    """A group in which it is open, or ambiguous, what an effect compensates: world by world.

    `effects`: in the order in which links are looked at. Raises `TooTangled`.
    """
    worlds = 1
    for effect in effects:
        worlds *= len(cases_of[effect])
    if worlds > MOST_WORLDS:
        raise TooTangled
    found = _Found()
    return found.value(
        _world_is_harmless(dict(zip(effects, world, strict=True)), targets, found)
        for world in product(*(cases_of[effect] for effect in effects))
    )


def _world_is_harmless(world: dict[int, Case], targets: Targets, found: _Found) -> bool:
    mends = _links(world, targets)
    mended: set[int] = set()
    failing: set[int] = set()
    for effect, mended_by_it in mends.items():
        if world[effect].commits:
            mended.update(mended_by_it)
        if world[effect].failing:
            failing.update(mended_by_it)
    harmless = True
    for effect, case in world.items():
        exempt = 0
        for target in mends[effect]:
            exempt |= world[target].inside
        judged = case.inside & ~exempt
        if not found.harmless(effect, case, judged, effect in mended, effect in failing):
            harmless = False
    return harmless


def _links(world: dict[int, Case], targets: Targets) -> dict[int, list[int]]:
    """What each effect compensates; a link that would close a circle is ignored (5.10)."""
    mends: dict[int, list[int]] = {effect: [] for effect in world}
    for effect, case in world.items():
        for target in () if case.target is None else targets(effect, case.target):
            if target in mends and not _leads(mends, target, effect):
                mends[effect].append(target)
    return mends


def _leads(mends: dict[int, list[int]], start: int, goal: int) -> bool:
    waiting, seen = [start], {start}
    while waiting:
        here = waiting.pop()
        if here == goal:
            return True
        waiting += [there for there in mends[here] if there not in seen]
        seen.update(mends[here])
    return False
