"""How a rollback is to be replayed, step by step, in each of its modes (`semantics.md` 11.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

from msgspec import Struct

from guard.answers import Mode
from guard.edits import Performed
from guard.order import at
from guard.state import State


class Step(Struct, frozen=True):
    """One thing to do."""

    do: Literal["nothing", "stop", "undo", "reconcile", "merge", "observe"]
    text: str
    edits: tuple[str, ...] = ()
    policy: str | None = None
    """The policy that chose these edits; None before the first one."""
    spans: tuple[str, ...] = ()


def steps(
    state: State, mode: Mode, undone: Sequence[Performed], absent: Sequence[str]
) -> tuple[Step, ...]:
    """The steps of a rollback that stands at now. `undone`: newest first."""
    match mode:
        case "noop":
            return (Step("nothing", "no edit is left to undo there"),)
        case "halt":
            return tuple(_halt(state, undone, absent))
        case "epoch":
            return (*_by_epoch(state, undone), _OBSERVE)
        case "merge":
            return (*map(_undo, undone), _merge(state, undone), _OBSERVE)
        case "linear":
            return (*map(_undo, undone), _OBSERVE)


_OBSERVE = Step("observe", "append `observed`: the real window must be equal to the declared one")


def without_record(state: State, undone: Sequence[Performed]) -> list[Performed]:
    """The edits that cannot be undone: nothing good says what they took (10.2)."""
    return [
        edit
        for edit in undone
        if not state.records.good(state.edits.first(edit.id) or edit, state.at)
    ]


def _halt(state: State, undone: Sequence[Performed], absent: Sequence[str]) -> Iterator[Step]:
    for edit_id in absent:
        yield Step("stop", f"edit {edit_id} is not in the journal: nothing to undo", (edit_id,))
    for edit in without_record(state, undone):
        text = f"edit {edit.id} has no good record: read its spans again from their source"
        yield Step("stop", text, (edit.id,), edit.policy, tuple(edit.edit.in_))


def _undo(edit: Performed) -> Step:
    text = f"undo {edit.id} of number {edit.seq} from its record"
    return Step("undo", text, (edit.id,), edit.policy, tuple(edit.edit.in_))


def _by_epoch(state: State, undone: Sequence[Performed]) -> Iterator[Step]:
    newer = state.policies.digest(state.now)
    for policy, group in groupby(undone, key=lambda edit: edit.policy):
        edits = list(group)
        spans = tuple(sorted({span for edit in edits for span in edit.taken}))
        if policy != newer:
            border = f"border from {_named(newer)} back to {_named(policy)}"
            text = f"{border}: log a merge that names every one of these spans that is given up"
            yield Step("reconcile", text, _ids(edits), policy, spans)
        text = f"under {_named(policy)} undo {', '.join(_ids(edits))}, from their records"
        yield Step("undo", text, _ids(edits), policy, spans)
        newer = policy


def _merge(state: State, undone: Sequence[Performed]) -> Step:
    inside = {edit.index for edit in undone}
    first = min(edit.seq for edit in undone)
    later = sorted(
        {
            index
            for edit in undone
            for span in edit.touched
            for index in state.edits.takers.get(span, ())
            if index not in inside and state.edits[index].seq > first
        }
    )
    edits = [
        state.edits[index]
        for index in later
        if state.edits.stands(state.edits[index], at(state.now))
    ]
    text = "their spans were edited again: merge by a new edit with its own record"
    return Step("merge", text, _ids(edits))


def _ids(edits: Sequence[Performed]) -> tuple[str, ...]:
    return tuple(edit.id for edit in edits)


def _named(policy: str | None) -> str:
    return "no policy" if policy is None else f"policy {policy}"
