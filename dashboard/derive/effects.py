"""Effects as rows: one for each logical effect of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard import clean
from dashboard.derive.rows import listed
from dashboard.models import EffectRow
from guard.answers import Authorization
from guard.events import Effect
from guard.ledger import Logical
from guard.state import State

BEGUN = {"started", "committed", "unknown"}
ENDED = {"committed", "failed"}
GRAVE = {"irreversible", "deferred"}
OPEN = {"planned", "held", "started", "unknown"}
MAX_EDITS = 100


def effect_rows(run_id: int, state: State) -> list[EffectRow]:
    """Rows in the order of the report."""
    return [_row(run_id, state, effect) for effect in state.effect_rows()]


def open_writes(rows: Sequence[EffectRow]) -> int:
    """Writes that are not decided yet (`semantics.md` 9.1)."""
    return sum(row.write and row.state in OPEN for row in rows)


def _row(run_id: int, state: State, effect: Logical) -> EffectRow:
    steps, answer = list(effect.events()), state.authorization(effect)
    first, edits = steps[0], listed(answer.edits, MAX_EDITS)
    row = EffectRow(
        run_id=run_id,
        effect_id=clean.name(effect.id),
        seq=first.after if first.seq is None else first.seq,
        start_seq=_number(steps, BEGUN),
        end_seq=_number(steps, ENDED),
        branch=clean.name(first.branch),
        state=state.appraisal.states[effect.index],
        reversibility=state.appraisal.rows[effect.index].said,
        write=state.appraisal.rows[effect.index].is_write,
        tool=clean.text(_last(steps, "tool"), 512),
        target=clean.text(_last(steps, "target")),
        summary=clean.text(_last(steps, "summary")),
        partial=_last(steps, "partial") is True,
        authorization=answer.verdict,
        stands_in_way=edits,
        at=clean.instant(_last(steps, "at")),
    )
    row.why = _why(row)
    row.danger = _is_danger(row, answer)
    return row


def _is_danger(row: EffectRow, answer: Authorization) -> bool:
    """Something that cannot be undone happened, or may have, and no person had let it through."""
    happened = row.state in BEGUN or (row.state == "failed" and row.partial)
    return row.write and happened and row.reversibility in GRAVE and answer.verdict != "proceed"


def _last(steps: Sequence[Effect], name: str) -> Any:
    """A field as the latest step that carries it says."""
    found = [getattr(step, name) for step in steps if getattr(step, name) is not None]
    return found[-1] if found else None


def _number(steps: Sequence[Effect], states: set[str]) -> int | None:
    numbers = [step.seq for step in steps if step.state in states and step.seq is not None]
    return min(numbers, default=None)


def _why(row: EffectRow) -> str:
    """What the authorization rests on, in words."""
    if not row.write:
        return "a read"
    if row.authorization == "proceed":
        return "no edit stood in its way, or a person had let it through"
    if not row.stands_in_way:
        return f"{row.reversibility} write; the journal is not whole before it"
    return f"{row.reversibility} write under {', '.join(row.stands_in_way[:3])}"
