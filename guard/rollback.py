"""A rollback on paper: what it would give back, and what it would leave behind. Nothing is done.

Tokens restored and consequences undone are two different things, and stay two (`semantics.md` 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from guard.answers import Mode, Soundness, SoundnessVerdict
from guard.bits import places
from guard.edits import Performed, RolledBack
from guard.errors import GuardError
from guard.events import MAIN, AnyEvent, Edit, EffectState, Out, Reversibility, Rollback, Span
from guard.replay import Step, steps, without_record
from guard.rules.unknowns import Unknowns
from guard.soundness import question, soundness
from guard.state import State

Sizes: TypeAlias = Mapping[tuple[str, str], int]
"""Version (span id, hash) -> its size in tokens."""


class Moved(Struct, frozen=True):
    """Spans that enter or leave the window, and their size as far as it is on record."""

    spans: tuple[str, ...]
    tokens: int
    unsized: int
    """How many of them have no size on record."""


class Owed(Struct, frozen=True):
    """An effect that a rollback leaves behind: to be compensated by a person, or accepted."""

    effect: str
    state: EffectState
    reversibility: Reversibility
    let_through: bool
    """A gate let it through: it is residue, not blame."""
    tool: str | None
    target: str | None
    key: str | None


class Plan(Struct, frozen=True):
    """What a rollback would be if it stood after the last event."""

    at: int
    branch: str
    edits: tuple[str, ...]
    """What it undoes, newest first."""
    mode: Mode
    steps: tuple[Step, ...]
    soundness: SoundnessVerdict
    blame: tuple[str, ...]
    residue: tuple[str, ...]
    watch: tuple[str, ...]
    would_tell: str | None
    """Why an effect that nobody saw is possible, and what would exclude it."""
    restored: Moved
    """Nothing in mode `halt`: it stops before anything is undone."""
    removed: Moved
    lost: tuple[str, ...]
    """Spans that the edits took and that would not be in the window afterwards."""
    voided: tuple[str, ...]
    """Gates with a valid approval given since the first of the edits: it would be void."""
    compensate: tuple[Owed, ...]


def plan(
    state: State,
    *,
    to: int | None = None,
    edits: Sequence[str] | None = None,
    branch: str = MAIN,
    sizes: Sizes | None = None,
) -> Plan:
    """The rollback of some edits, or of all edits of a branch after number `to`, made now.

    Raises `GuardError` unless exactly one of the two is given.
    """
    if (to is None) == (edits is None):
        raise GuardError("a rollback names either edits or the number to go back to")
    named = None if edits is None else list(edits)
    after = state.copy()
    after.apply(Rollback(seq=state.now, id="on paper", edits=named, to=to, branch=branch))
    return _drawn(state, after, after.rollbacks[-1], sizes or {})


def _drawn(state: State, after: State, rolled: RolledBack, sizes: Sizes) -> Plan:
    undone = sorted(rolled.range, key=lambda edit: -edit.seq)
    how, found = state.mode(rolled), on_paper(state, rolled)
    now = state.windows.seen(rolled.branch).spans
    then = now if how == "halt" else after.windows.seen(rolled.branch).spans
    return Plan(
        at=state.at,
        branch=rolled.branch,
        edits=tuple(edit.id for edit in undone),
        mode=how,
        steps=steps(state, how, undone, rolled.absent),
        soundness=found.verdict,
        blame=tuple(found.blame),
        residue=tuple(found.residue),
        watch=tuple(found.watch),
        would_tell=Unknowns(state).soundness(found) if found.verdict == "unknown" else None,
        restored=_moved(then.items() - now.items(), sizes),
        removed=_moved(now.items() - then.items(), sizes),
        lost=_lost(state, undone, then),
        voided=voided(state, undone),
        compensate=tuple(_owed(state, found)),
    )


def sizes_of(events: Iterable[AnyEvent]) -> dict[tuple[str, str], int]:
    """The sizes on record in a journal, for `plan`."""
    found = {}
    for event in events:
        entered = event.out if isinstance(event, Edit) else event
        if isinstance(entered, Span | Out) and entered.tokens is not None:
            found[entered.id, entered.hash] = entered.tokens
    return found


def on_paper(state: State, rolled: RolledBack) -> Soundness:
    """Of a rollback that is not in the journal, as of the last event (6.9)."""
    asked = question(rolled, state)
    hidden = state.doubt.of_range(rolled) or state.doubt.about(asked.intervals)
    return soundness(asked, state.appraisal, hidden)


def _moved(versions: Iterable[tuple[str, str]], sizes: Sizes) -> Moved:
    known = {version: sizes.get(version) for version in versions}
    sized = [tokens for tokens in known.values() if tokens is not None]
    return Moved(tuple(sorted(span for span, _ in known)), sum(sized), len(known) - len(sized))


def _lost(state: State, undone: Sequence[Performed], window: Mapping[str, str]) -> tuple[str, ...]:
    gone = {edit.index for edit in without_record(state, undone)}
    return tuple(
        sorted(
            {
                span
                for edit in undone
                for span, version in edit.taken.items()
                if edit.index in gone or version is None or span not in window
            }
        )
    )


def voided(state: State, undone: Sequence[Performed]) -> tuple[str, ...]:
    """Gates whose approval, given since the first of some edits, their rollback makes void."""
    if not undone:
        return ()
    first = min(edit.seq for edit in undone)
    return tuple(
        sorted(
            gate.id
            for gate in state.gates.all.values()
            if gate.approvals
            and gate.approvals[0] > first
            and state.gate_state(gate) in {"valid", "stale"}
        )
    )


def _owed(state: State, found: Soundness) -> Iterator[Owed]:
    appraisal = state.appraisal
    left = found.blame.bits | found.residue.bits
    of_bit = {appraisal.names.rank[effect.index]: effect for effect in state.ledger.all}
    for bit in places(left):
        effect = of_bit[bit]
        events = list(effect.events())
        yield Owed(
            effect=effect.id,
            state=appraisal.states[effect.index],
            reversibility=appraisal.rows[effect.index].said,
            let_through=not found.blame.bits >> bit & 1,
            tool=_latest(event.tool for event in events),
            target=_latest(event.target for event in events),
            key=effect.key[0],
        )


def _latest(texts: Iterable[str | None]) -> str | None:
    return next((text for text in reversed(list(texts)) if text is not None), None)
