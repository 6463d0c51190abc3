"""The effect ledger: which events are one logical effect, and what stands open (`semantics.md` 5).

Here are only facts about numbered events, kept up with every event. What an effect *means* once
unnumbered events may lie in several rooms is asked of `guard.course`.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator
from itertools import chain
from typing import Literal, TypeAlias

from msgspec import Struct, to_builtins

from guard.canonical import canonical
from guard.events import Effect, EffectState, Gate
from guard.order import at

LogicalKey: TypeAlias = tuple[str | None, str | None]
"""(`key`, `body`), or (None, `id`) for events without `key` (5.1)."""

Attempt: TypeAlias = tuple[str, str]
"""(attempt id, body), as a gate names it."""


def key_of(event: Effect) -> LogicalKey:
    return (None, event.id) if event.key is None else (event.key, event.body)


class Standing(Struct, frozen=True, gc=False):
    """What the numbered events of one effect say so far, each field by the latest that has it."""

    id: str
    seq: int
    """Number of the first event."""
    write: bool = True
    committed: bool = False
    tried: EffectState | None = None
    """The latest state that is neither `planned` nor `held`."""
    ready: EffectState | None = None
    """`planned` or `held`, when one of them came after `tried`."""
    depends_on: tuple[str, ...] | None = None
    compensates: str | None = None

    @property
    def state(self) -> EffectState:
        """5.4. A retry in preparation does not count while the first try is on its way."""
        if self.committed:
            return "committed"
        if self.ready is not None and self.tried in {None, "failed"}:
            return self.ready
        return self.tried or "planned"

    def after(self, event: Effect) -> Standing:
        ready = event.state in {"planned", "held"}
        return Standing(
            self.id,
            self.seq,
            self.write if event.write is None else event.write,
            self.committed or event.state == "committed",
            self.tried if ready else event.state,
            event.state if ready else None,
            self.depends_on if event.depends_on is None else tuple(event.depends_on),
            event.compensates or self.compensates,
        )


Sort: TypeAlias = Literal["open", "held", "silent", "resting", "none"]
"""How a write stands (9.1). `open`: on its way or planned; `held`: open, and stopped at a gate.
`silent` and `resting`: committed and not compensated; nobody said what it depends on, or it depends
on something named. `none`: it counts for nothing."""


class Tally(Struct, frozen=True):
    """How many writes stand how, by their numbered events so far."""

    open: int
    """Held ones included."""
    held: int
    silent: int
    resting: int


class Stood(Struct, frozen=True):
    """How one effect stands."""

    effect: int
    sort: Sort

    @property
    def open(self) -> bool:
        return self.sort in {"open", "held"}


class Logical:
    """One logical effect: its numbered events in order, and its unnumbered ones."""

    __slots__ = ("index", "key", "loose", "steps")

    def __init__(self, index: int, key: LogicalKey) -> None:
        self.index = index
        self.key = key
        self.steps: list[Effect] = []
        self.loose: list[tuple[int, Effect]] = []
        """(rank, event): of two in one room, the lower rank comes first (journal-format 3.1)."""

    def copy(self) -> Logical:
        other = Logical(self.index, self.key)
        other.steps, other.loose = self.steps.copy(), self.loose.copy()
        return other

    @property
    def first(self) -> Effect:
        """The event that names the effect (5.1)."""
        if self.steps:
            return self.steps[0]
        return min(self.loose, key=lambda ranked: (ranked[1].after, ranked[0]))[1]

    @property
    def id(self) -> str:
        return self.first.id

    def events(self) -> Iterator[Effect]:
        """Numbered events first, then the others by `after`."""
        if not self.loose:
            return iter(self.steps)
        loose = sorted(self.loose, key=lambda ranked: (ranked[1].after, ranked[0]))
        return chain(self.steps, (event for _, event in loose))

    def attempts(self) -> tuple[str, ...]:
        """Ids of all attempts, in the order of first appearance."""
        return tuple(dict.fromkeys(event.id for event in self.events()))

    def until(self, number: int) -> list[Effect]:
        """Its numbered events below a number."""
        return self.steps[: bisect_left(self.steps, number, key=lambda step: step.seq or 0)]


class Ledger:
    """Every logical effect of a prefix."""

    def __init__(self) -> None:
        self.all: list[Logical] = []
        self.unnumbered: tuple[Effect, ...] = ()
        self.loose = 0
        """How many of `unnumbered` belong to the prefix."""
        self.by_key: dict[LogicalKey, int] = {}
        self.by_attempt: dict[str, tuple[int, ...]] = {}
        """Attempt id -> the logical effects that have it."""
        self.standing: dict[int, Standing] = {}
        """Only effects with numbered events."""
        self.named: dict[str, tuple[int, ...]] = {}
        """Id of a first numbered event -> the logical effects that it names."""
        self.sorts: dict[int, Sort] = {}
        self.counts: Counter[Sort] = Counter()
        self.mended: dict[int, int] = {}
        """Effect -> how many committed writes compensate it."""
        self.resting: dict[str, list[int]] = {}
        """Span -> effects that ever said that they depend on it."""
        self.touches: dict[str, list[tuple[int, int]]] = {}
        """Branch -> (number, effect) of every numbered event that touches (5.6), in order."""

    def copy(self) -> Ledger:
        other = Ledger()
        other.all = [logical.copy() for logical in self.all]
        other.unnumbered, other.loose = self.unnumbered, self.loose
        other.by_key, other.by_attempt = self.by_key.copy(), self.by_attempt.copy()
        other.standing, other.named = self.standing.copy(), self.named.copy()
        other.sorts, other.counts = self.sorts.copy(), self.counts.copy()
        other.mended = self.mended.copy()
        other.resting = {span: effects.copy() for span, effects in self.resting.items()}
        other.touches = {branch: found.copy() for branch, found in self.touches.items()}
        return other

    def _logical(self, event: Effect) -> Logical:
        key = key_of(event)
        index = self.by_key.get(key)
        if index is None:
            index = self.by_key[key] = len(self.all)
            self.all.append(Logical(index, key))
        known = self.by_attempt.get(event.id, ())
        if index not in known:
            self.by_attempt[event.id] = (*known, index)
        return self.all[index]

    def await_loose(self, unnumbered: Iterable[Effect]) -> None:
        """All unnumbered events of the journal. They count from when `after` is reached (2.3)."""
        self.unnumbered = tuple(unnumbered)
        self.loose = 0
        for logical in self.all:
            logical.loose = []

    def admit(self, highest: int) -> None:
        """Let those unnumbered events count whose `after` is not beyond the prefix."""
        if self.loose == len(self.unnumbered):
            return
        here = [(rank, e) for rank, e in self._ranked() if e.after <= highest]
        if len(here) == self.loose:
            return
        self.loose = len(here)
        for logical in self.all:
            logical.loose = []
        for rank, event in here:
            insort(self._logical(event).loose, (rank, event), key=lambda ranked: ranked[0])

    def ahead(self, event: Effect, number: int) -> Logical:
        """The effect that one further event belongs to, as it would be with it; nothing changes."""
        key = key_of(event)
        index = self.by_key.get(key)
        found = Logical(len(self.all), key) if index is None else self.all[index].copy()
        found.steps.append(event)
        if self.loose < len(self.unnumbered):
            found.loose = [
                (rank, other)
                for rank, other in self._ranked()
                if other.after <= number and key_of(other) == key
            ]
        return found

    def _ranked(self) -> Iterable[tuple[int, Effect]]:
        """Of two in one room, the lower rank comes first (journal-format.md 3.1)."""
        return enumerate(sorted(self.unnumbered, key=_in_one_room))

    def add(self, event: Effect, number: int) -> None:
        """The next numbered event."""
        logical = self._logical(event)
        logical.steps.append(event)
        if event.state != "failed":
            self.touches.setdefault(event.branch, []).append((number, logical.index))
        for span in spans_of(event.depends_on) if event.depends_on else ():
            self.resting.setdefault(span, []).append(logical.index)
        before = self.standing.get(logical.index)
        if before is None:
            self.named[event.id] = (*self.named.get(event.id, ()), logical.index)
        self._move(logical.index, (before or Standing(event.id, number)).after(event))

    def _move(self, index: int, after: Standing) -> None:
        """Let an effect stand otherwise, and what it compensates with it."""
        before = self.standing.get(index)
        self.standing[index] = after
        self._count(index)
        for target in self.mends(before):
            self.mended[target] -= 1
            self._count(target)
        for target in self.mends(after):
            self.mended[target] = self.mended.get(target, 0) + 1
            self._count(target)

    def mends(self, standing: Standing | None) -> Iterator[int]:
        """The effects that a committed write compensates (5.10)."""
        if standing is None or standing.compensates is None:
            return
        if standing.committed and standing.write:
            for target in self.named.get(standing.compensates, ()):
                if self.standing[target].seq < standing.seq:
                    yield target

    def _count(self, index: int) -> None:
        before, after = self.sorts.get(index), self._sort(index)
        if before != after:
            if before is not None:
                self.counts[before] -= 1
            self.counts[after] += 1
            self.sorts[index] = after

    def _sort(self, index: int) -> Sort:
        standing = self.standing[index]
        if not standing.write:
            return "none"
        if standing.committed:
            if self.mended.get(index):
                return "none"
            depends = standing.depends_on
            return "silent" if depends is None else "resting" if depends else "none"
        state = standing.state
        return "none" if state == "failed" else "held" if state == "held" else "open"

    @property
    def tally(self) -> Tally:
        counts = self.counts
        held = counts["held"]
        return Tally(counts["open"] + held, held, counts["silent"], counts["resting"])

    def resting_on(self, taken: Collection[str], elided: Container[str]) -> tuple[int, ...]:
        """Committed writes without compensation that rest on spans, or on facts of them."""
        said = {index for span in taken for index in self.resting.get(span, ())}
        return tuple(
            index
            for index in sorted(said)
            if self.sorts[index] == "resting"
            and rests(self.standing[index].depends_on or (), taken, elided)
        )

    def stood_by(self, requests: Iterable[Gate | None]) -> tuple[Stood, ...]:
        """How the effects stand that requests name."""
        named = {
            index
            for asked in requests
            if asked is not None
            for attempt in asked.effects
            for index in self.by_attempt.get(attempt, ())
        }
        return tuple(Stood(index, self.sorts.get(index, "none")) for index in sorted(named))


def spans_of(depends_on: Iterable[str]) -> set[str]:
    """The spans that a dependence names; an entry is cut at its first `#` (9.1.1)."""
    return {entry.partition("#")[0] for entry in depends_on}


def rests(depends_on: Iterable[str], taken: Container[str], elided: Container[str]) -> bool:
    """Whether a dependence names what an edit takes: a span, or a fact that is elided (9.1.1)."""
    for entry in depends_on:
        span, cut, name = entry.partition("#")
        if span in taken and (not cut or name in elided):
            return True
    return False


_STEPS = ("planned", "held", "started", "unknown", "failed", "committed")


def _in_one_room(event: Effect) -> tuple[int, bytes]:
    return _STEPS.index(event.state), canonical(to_builtins(event))


def touching(ledger: Ledger, branch: str, start: int, end: int | None) -> Iterator[int]:
    """Effects with a numbered touch inside (start, end) on a branch; with repeats."""
    found = ledger.touches.get(branch, [])
    first = bisect_left(found, (start + 1, -1))
    last = len(found) if end is None else bisect_left(found, (end, -1))
    return (index for _, index in found[first:last])


def position_of(event: Effect) -> int:
    """Position of a numbered event."""
    return at(event.seq or 0)
