"""What stands in the window of each branch, and which gating facts it holds (`semantics.md` 3).

A window is a function of what is undone *now*, so undoing an edit changes windows backwards. Each
branch therefore keeps, for every span, the chain of steps that concerned it. What a window holds
now is the newest step whose edit is not undone. Facts remember the positions at which they came
and went, so that a window can be asked about the past without keeping old windows.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable

from msgspec import Struct

from guard.answers import Fact
from guard.edits import EVERYWHERE, Edits, Performed, RolledBack
from guard.order import Position


class Versions:
    """Every version (span id, hash) that was declared, with the facts it first came with (3.1)."""

    def __init__(self) -> None:
        self.latest: dict[str, str] = {}
        self.others: dict[str, frozenset[str]] = {}
        """Hashes of a span that were declared before its latest one, where there are any."""
        self.facts: dict[str, dict[str, tuple[Fact, ...]]] = {}
        """Span -> hash -> facts, only for versions that have some."""

    def copy(self) -> Versions:
        other = Versions()
        other.latest, other.others = self.latest.copy(), self.others.copy()
        other.facts = {span: versions.copy() for span, versions in self.facts.items()}
        return other

    def declare(self, span: str, version: str, facts: dict[str, str]) -> None:
        latest = self.latest.get(span)
        if latest == version:
            return
        self.latest[span] = version
        if latest is not None:
            others = self.others.get(span, frozenset())
            self.others[span] = others | {latest}
            if version in others:
                return
        if facts:
            self.facts.setdefault(span, {})[version] = tuple(facts.items())

    def facts_of(self, span: str, version: str | None) -> tuple[Fact, ...]:
        versions = self.facts.get(span)
        if versions is None or version is None:
            return ()
        return versions.get(version, ())


class Step(Struct, frozen=True, gc=False):
    """One event that put a version of a span into a window, or took the span out of it."""

    position: Position
    version: str | None
    """The hash that enters; None: the span leaves."""
    edit: int | None
    """The edit whose step this is: left out where that edit is undone."""
    before: Step | None


class Line:
    """The steps of one branch since it was forked, and the line that it was forked from."""

    __slots__ = ("base", "branch", "limit", "steps")

    def __init__(self, branch: str, base: Line | None, limit: Position) -> None:
        self.branch = branch
        self.base = base
        self.limit = limit
        """Steps of `base` beyond this position are none of ours."""
        self.steps: dict[str, Step] = {}

    def copy(self) -> Line:
        other = Line(self.branch, self.base, self.limit)
        other.steps = self.steps.copy()
        return other

    def version(self, span: str, edits: Edits, now: Position) -> str | None:
        """The hash of a span in this branch's window at `now`; None when it is not in it."""
        line: Line | None = self
        until = now
        views: list[tuple[str, Position]] = []
        while line is not None:
            views.append((line.branch, until))
            step = line.steps.get(span)
            while step is not None:
                if step.position <= until and not _left_out(step, edits, views):
                    return step.version
                step = step.before
            until = min(line.limit, until)
            line = line.base
        return None


def _left_out(step: Step, edits: Edits, views: list[tuple[str, Position]]) -> bool:
    return step.edit is not None and any(
        edits.is_undone(step.edit, branch, until) for branch, until in views
    )


class Branch:
    """The window of one branch now, and when facts came into it and left it."""

    __slots__ = ("holders", "line", "spans", "turns")

    def __init__(self, line: Line) -> None:
        self.line = line
        self.spans: dict[str, str] = {}
        self.holders: dict[Fact, int] = {}
        """Fact -> how many spans of the window carry it."""
        self.turns: dict[Fact, list[Position]] = {}
        """Fact -> the positions at which it came, went, came again ..."""

    def copy(self) -> Branch:
        other = Branch(self.line.copy())
        other.spans, other.holders = self.spans.copy(), self.holders.copy()
        other.turns = {fact: turns.copy() for fact, turns in self.turns.items()}
        return other

    def put(self, span: str, version: str | None, position: Position, versions: Versions) -> None:
        """Make a span stand in the window with a version, or not at all."""
        old = self.spans.get(span)
        if old == version:
            return
        if version is None:
            del self.spans[span]
        else:
            self.spans[span] = version
        if span in versions.facts:
            going = versions.facts_of(span, old)
            self.exchange(versions.facts_of(span, version), going, position)

    def exchange(
        self, coming: Collection[Fact], going: Collection[Fact], position: Position
    ) -> None:
        """Facts of versions that enter and that leave. What does both is not counted."""
        holders = self.holders
        new = set(coming)
        for fact in going:
            if fact in new:
                new.discard(fact)
                continue
            holders[fact] -= 1
            if not holders[fact]:
                self._turn(fact, position)
        for fact in new:
            held = holders.get(fact, 0)
            holders[fact] = held + 1
            if not held:
                self._turn(fact, position)

    def _turn(self, fact: Fact, position: Position) -> None:
        turns = self.turns.setdefault(fact, [])
        if turns and turns[-1] == position:
            turns.pop()
        else:
            turns.append(position)

    def holds(self, fact: Fact, position: Position) -> bool:
        """Whether the window at a position held a fact."""
        turns = self.turns.get(fact)
        return turns is not None and bisect_right(turns, position) % 2 == 1


class Windows:
    """The windows of all branches (3.3)."""

    def __init__(self) -> None:
        self.versions = Versions()
        self.branches: dict[str, Branch] = {EVERYWHERE: Branch(Line(EVERYWHERE, None, 0))}
        """`EVERYWHERE` is the window of a branch of which nothing was said yet."""

    def copy(self) -> Windows:
        other = Windows()
        other.versions = self.versions.copy()
        other.branches = {name: branch.copy() for name, branch in self.branches.items()}
        return other

    def branch(self, name: str) -> Branch:
        """The window of a branch, for changing it."""
        found = self.branches.get(name)
        if found is None:
            found = self.branches[name] = self.branches[EVERYWHERE].copy()
            found.line.branch = name
        return found

    def seen(self, name: str) -> Branch:
        """The window of a branch, for looking at it."""
        return self.branches.get(name) or self.branches[EVERYWHERE]

    def taken(self, branch: str, spans: Iterable[str]) -> dict[str, str | None]:
        """The versions that an edit made on a branch now would take (3.4)."""
        window = self.seen(branch).spans
        latest = self.versions.latest
        return {span: window.get(span) or latest.get(span) for span in spans}

    def elided(self, taken: dict[str, str | None], written: dict[str, str]) -> tuple[Fact, ...]:
        """Facts of the versions taken, less those that the digest itself carries (3.5)."""
        facts = {
            fact
            for span, version in taken.items()
            for fact in self.versions.facts_of(span, version)
        }
        return tuple(sorted(facts.difference(written.items())))

    def lacking(self, edit: Performed, branch: str, position: Position) -> tuple[Fact, ...]:
        """The part of `elided` that a window did not hold at a position (3.6)."""
        window = self.seen(branch)
        return tuple(fact for fact in edit.elided if not window.holds(fact, position))

    def read(self, branch: str, span: str, version: str, position: Position) -> None:
        """A span enters, or is read again."""
        self._step(self.branch(branch), span, version, position, None)

    def edit(self, performed: Performed) -> None:
        """The ids of `in` leave, the id of `out` enters."""
        window, out = self.branch(performed.branch), performed.edit.out
        position, steps = performed.position, window.line.steps
        going: list[Fact] = []
        for span in performed.taken:
            steps[span] = Step(position, None, performed.index, steps.get(span))
            going += self.versions.facts_of(span, window.spans.pop(span, None))
        coming: tuple[Fact, ...] = ()
        if out is not None:
            steps[out.id] = Step(position, out.hash, performed.index, steps.get(out.id))
            going += self.versions.facts_of(out.id, window.spans.get(out.id))
            coming = self.versions.facts_of(out.id, out.hash)
            window.spans[out.id] = out.hash
        window.exchange(coming, going, position)

    def _step(
        self,
        window: Branch,
        span: str,
        version: str | None,
        position: Position,
        edit: int | None,
    ) -> None:
        steps = window.line.steps
        steps[span] = Step(position, version, edit, steps.get(span))
        window.put(span, version, position, self.versions)

    def fork(
        self, name: str, base: Line, spans: dict[str, str], position: Position, edits: Edits
    ) -> None:
        """A branch starts with the line and the window that another one had just before."""
        window = self.branch(name)
        window.line = Line(name, base, position - 1)
        for span in window.spans.keys() - spans.keys():
            window.put(span, None, position, self.versions)
        for span, version in spans.items():
            window.put(span, version, position, self.versions)
        for index in edits.undone_on.get(name, ()):
            self._renew(window, edits[index].touched, position, edits)

    def roll_back(self, rolled: RolledBack, edits: Edits) -> None:
        """Spans of a partial rollback come back; edits that are undone now are left out."""
        names = tuple(self.branches) if rolled.rollback.all_branches else (rolled.branch,)
        for name in names:
            window = self.branch(name)
            for edit in rolled.range:
                for span in sorted(rolled.partial & edit.taken.keys()):
                    if edit.taken[span] is not None:
                        self._step(window, span, edit.taken[span], rolled.position, None)
            for edit in rolled.range:
                if edits.undone_at(edit.index, name) == rolled.position:
                    self._renew(window, edit.touched, rolled.position, edits)

    def _renew(
        self, window: Branch, spans: Iterable[str], position: Position, edits: Edits
    ) -> None:
        for span in spans:
            window.put(span, window.line.version(span, edits, position), position, self.versions)
