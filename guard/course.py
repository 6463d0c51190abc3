"""What the events of one effect mean, in one arrangement of those without a number (5.2 to 5.8).

An arrangement is summed up event by event. Each feature is the first or the latest of something,
so events may be added in any order, and arrangements that mean the same have the same sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

from msgspec import Struct

from guard.events import MAIN, Effect, EffectState, Reversibility
from guard.order import Position

V = TypeVar("V")

Place: TypeAlias = tuple[Position, int]
"""(position, rank among the events that stand there)."""


class Sum(Struct, frozen=True):
    """The features of an arrangement that a verdict may depend on. None: there is no such event."""

    first: tuple[Place, str] | None = None
    """The first event, and its branch."""
    commit: Place | None = None
    """The first `committed`."""
    doubt: Place | None = None
    """The first `unknown`."""
    start: Place | None = None
    """The first `started`, `committed` or `unknown`."""
    part: Place | None = None
    """The first `failed` that says `partial` itself."""
    failed: Place | None = None
    """The first `failed`."""
    tried: tuple[Place, EffectState] | None = None
    """The latest event that is neither `planned` nor `held`."""
    ready: tuple[Place, EffectState] | None = None
    """The latest `planned` or `held`."""
    reversibility: tuple[Place, Reversibility] | None = None
    inverse: tuple[Place, bool] | None = None
    write: tuple[Place, bool] | None = None
    partial: tuple[Place, bool] | None = None
    compensates: tuple[Place, str] | None = None
    plan: tuple[Place, str] | None = None
    """The latest body that was `planned` or `held`."""
    touched: int = 0
    """The edits of the question under which a touch lies, as bits."""

    @property
    def branch(self) -> str:
        """The effect's branch (5.2): that of the event that comes first."""
        return MAIN if self.first is None else self.first[1]

    @property
    def began(self) -> Position | None:
        """The start (5.5): from there on it can no longer be held back."""
        place = self._beginning
        return None if place is None else place[0]

    @property
    def _beginning(self) -> Place | None:
        if self.start is not None:
            return self.start
        return (self.part or self.failed) if self._in_part else None

    @property
    def _in_part(self) -> bool:
        return self.partial is not None and self.partial[1]

    @property
    def state(self) -> EffectState:
        """5.4."""
        if self.commit is None and self.ready is not None and self.tried is not None:
            again = self.tried[1] == "failed" and self.tried[0] < self.ready[0]
            return self.ready[1] if again else self.tried[1]
        return self.outcome

    @property
    def outcome(self) -> EffectState:
        """5.4: a retry that is only planned changes no outcome."""
        if self.commit is not None:
            return "committed"
        decides = self.tried or self.ready
        return "planned" if decides is None else decides[1]

    @property
    def is_write(self) -> bool:
        return self.write is None or self.write[1]

    @property
    def said(self) -> Reversibility:
        """The class as the journal gives it."""
        return "unknown" if self.reversibility is None else self.reversibility[1]

    @property
    def classes(self) -> tuple[bool, ...]:
        """The possible classes (5.8), each as "is it reversible?"."""
        if self.said == "reversible":
            return (True,) if self.inverse is not None and self.inverse[1] else (True, False)
        return (True, False) if self.said == "unknown" else (False,)

    def moments(self, now: Position) -> tuple[Position, Position] | None:
        """First and last possible moment of the commit (5.7); None: never."""
        began = self.began
        if self.commit is not None:
            doubted = self.doubt is not None and self.doubt < self.commit
            return began if doubted and began is not None else self.commit[0], self.commit[0]
        never = self.outcome == "failed" and not self._in_part
        return None if began is None or never else (began, now)

    @property
    def sure(self) -> bool:
        """Whether it commits in every world."""
        return self.commit is not None


def sum_of(placed: Iterable[tuple[Place, Effect]], touched: int = 0) -> Sum:
    """Events in the order of their places. `touched`: the edits under which a touch lies."""
    first = commit = doubt = start = part = failed = tried = ready = None
    reversibility = inverse = write = partial = compensates = plan = None
    for place, event in placed:
        state = event.state
        first = first or (place, event.branch)
        if state in {"planned", "held"}:
            ready = (place, state)
            plan = plan if event.body is None else (place, event.body)
        else:
            tried = (place, state)
        if state in {"started", "committed", "unknown"}:
            start = start or place
            commit = commit or (place if state == "committed" else None)
            doubt = doubt or (place if state == "unknown" else None)
        elif state == "failed":
            failed = failed or place
            part = part or (place if event.partial else None)
        if event.reversibility is not None:
            reversibility = (place, event.reversibility)
        if event.inverse is not None:
            inverse = (place, event.inverse)
        if event.write is not None:
            write = (place, event.write)
        if event.partial is not None:
            partial = (place, event.partial)
        if event.compensates is not None:
            compensates = (place, event.compensates)
    moments = (first, commit, doubt, start, part, failed, tried, ready)
    said = (reversibility, inverse, write, partial, compensates, plan)
    return Sum(*moments, *said, touched)


def both(one: Sum, other: Sum) -> Sum:
    """The sum of all events of two sums."""
    return Sum(
        first=_earliest(one.first, other.first),
        commit=_first(one.commit, other.commit),
        doubt=_first(one.doubt, other.doubt),
        start=_first(one.start, other.start),
        part=_first(one.part, other.part),
        failed=_first(one.failed, other.failed),
        tried=_latest(one.tried, other.tried),
        ready=_latest(one.ready, other.ready),
        reversibility=_latest(one.reversibility, other.reversibility),
        inverse=_latest(one.inverse, other.inverse),
        write=_latest(one.write, other.write),
        partial=_latest(one.partial, other.partial),
        compensates=_latest(one.compensates, other.compensates),
        plan=_latest(one.plan, other.plan),
        touched=one.touched | other.touched,
    )


def _first(one: Place | None, other: Place | None) -> Place | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _earliest(one: tuple[Place, V] | None, other: tuple[Place, V] | None) -> tuple[Place, V] | None:
    if one is None or other is None:
        return other if one is None else one
    return one if one[0] <= other[0] else other


def _latest(one: tuple[Place, V] | None, other: tuple[Place, V] | None) -> tuple[Place, V] | None:
    if one is None or other is None:
        return other if one is None else one
    return one if one[0] > other[0] else other


def body_of(events: Iterable[Effect], total: Sum) -> str | None:
    """The one body of an attempt (5.1); None: nothing binds it.

    `planned` and `held` come before the start: what they carry counts only where nothing else
    carries a body. `total`: the sum of the events.
    """
    sent = {event.body for event in events if event.state not in {"planned", "held"}} - {None}
    if not sent:
        return None if total.plan is None else total.plan[1]
    return sent.pop() if len(sent) == 1 else None
