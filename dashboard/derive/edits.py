"""Edits as rows: from the state what they are worth, from the events what they did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from dashboard import clean
from dashboard.derive.rows import listed
from dashboard.models import EditRow, EffectRow
from guard.edits import Performed
from guard.events import MAX_INTEGER, AnyEvent, Edit, Policy, Span
from guard.report import facts_row
from guard.state import State


class _Around(Struct, frozen=True):
    """What rows of edits need of the rest of the journal."""

    tokens: dict[str, int]
    policies: list[tuple[int, str]]
    danger: int
    """The effects that are a danger, as bits."""


def performed(state: State) -> list[Performed]:
    """One edit for each id, in the order of the report."""
    return sorted(state.edits.firsts(), key=lambda edit: (edit.seq, edit.id))


def edit_rows(
    run_id: int, state: State, events: Sequence[AnyEvent], effects: Sequence[EffectRow]
) -> list[EditRow]:
    """One row for each edit of the report. `effects`: the rows of `state.effect_rows()`."""
    logical = zip(effects, state.effect_rows(), strict=True)
    danger = state.appraisal.bits(effect.index for row, effect in logical if row.danger)
    around = _Around(_tokens(events), _policies(events), danger)
    return _stacked([_row(run_id, state, edit, around) for edit in performed(state)])


def _row(run_id: int, state: State, found: Performed, around: _Around) -> EditRow:
    edit, undone, overlaps = found.edit, state.if_undone(found), state.overlaps(found)
    soundness = undone.soundness.verdict if undone else ""
    return EditRow(
        run_id=run_id,
        edit_id=clean.name(edit.id),
        seq=found.seq,
        op=edit.op,
        by=edit.by,
        branch=clean.name(found.branch),
        author=clean.name(edit.author),
        policy=clean.name(edit.policy or _in_force(around.policies, found.seq)),
        status=state.status(found),
        end_seq=_end(state, found),
        operative=clean.json(
            [
                {"branch": interval.branch, "from": interval.start, "to": interval.end}
                for interval in state.operative(found)
            ]
        ),
        tokens_before=_before(edit, around.tokens),
        tokens_after=0 if edit.out is None else edit.out.tokens,
        soundness=soundness,
        mode=undone.mode if undone else "",
        blame=listed(undone.soundness.blame) if undone else [],
        overlaps=listed(overlaps),
        overlap_count=overlaps.bits.bit_count(),
        elided=clean.json(facts_row(found.elided)),
        lacking=clean.json(facts_row(state.lacking_now(found))),
        trigger=clean.text(edit.trigger, 120),
        at=clean.instant(edit.at),
        taken=clean.json(edit.in_),
        out_hash=clean.name(edit.out.hash if edit.out else None),
        fidelity=edit.fidelity,
        opaque=edit.out is not None and edit.out.opaque,
        unsafe=soundness == "unsound" or bool(overlaps.bits & around.danger),
    )


def _end(state: State, found: Performed) -> int | None:
    """Where the interval on its own branch ends; its own number when it never was operative."""
    own = [each.end for each in state.operative(found) if each.branch == found.branch]
    if not own:
        return found.seq
    ends = [end for end in own if end is not None]
    return max(ends) if len(ends) == len(own) else None


def _tokens(events: Iterable[AnyEvent]) -> dict[str, int]:
    """Size of each span, as it was last said."""
    sizes = {}
    for event in events:
        if isinstance(event, Span) and event.tokens is not None:
            sizes[event.id] = event.tokens
        elif isinstance(event, Edit) and event.out is not None and event.out.tokens is not None:
            sizes[event.out.id] = event.out.tokens
    return sizes


def _before(edit: Edit, tokens: dict[str, int]) -> int | None:
    """Size of what left, when every span of it has one; else that of the window, if it is said."""
    sizes = [tokens.get(span) for span in edit.in_]
    if sizes and None not in sizes:
        return sum(size for size in sizes if size is not None)
    said = edit.tokens_before
    return said if type(said) is int and 0 <= said <= MAX_INTEGER else None


def _policies(events: Iterable[AnyEvent]) -> list[tuple[int, str]]:
    return [(event.seq or 0, event.digest) for event in events if isinstance(event, Policy)]


def _in_force(policies: Sequence[tuple[int, str]], seq: int) -> str:
    return next((digest for number, digest in reversed(policies) if number < seq), "")


def _stacked(rows: list[EditRow]) -> list[EditRow]:
    """A line for each bar: the first in which the bar before has ended."""
    ends: list[float] = []
    for row in rows:
        end = float("inf") if row.end_seq is None else row.end_seq
        row.depth = next((n for n, taken in enumerate(ends) if taken <= row.seq), len(ends))
        ends[row.depth : row.depth + 1] = [end]
    return rows
