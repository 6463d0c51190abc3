"""Effects as rows: one for each logical effect of the report."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from dashboard import clean
from dashboard.derive.rows import listed
from dashboard.models import EffectRow
from guard.answers import Authorization
from guard.edits import Performed
from guard.events import Effect
from guard.ledger import Logical
from guard.order import Position
from guard.state import State

BEGUN = {"started", "committed", "unknown"}
ENDED = {"committed", "failed"}
GRAVE = {"irreversible", "deferred"}
OPEN = {"planned", "held", "started", "unknown"}
MAX_EDITS = 100
MAX_FACTS = 100
MAX_EARLIER = 20


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
        classed_by=clean.name(str(_last(steps, "classed_by") or "")),
        lacking=_lacking(state, effect),
        authorization=answer.verdict,
        stands_in_way=edits,
        at=clean.instant(_last(steps, "at")),
    )
    row.why = _why(row)
    row.danger = _is_danger(row, answer)
    return row


def _lacking(state: State, effect: Logical) -> list[list[str]]:
    """The facts that edits had taken and its window did not hold when it started."""
    total = state.appraisal.rows[effect.index]
    if total.began is None or not total.is_write:
        return []
    found = (
        [clean.name(edit.id), *map(clean.text, _name(fact))]
        for edit in _looked_at(state, effect, total.began)
        for fact in state.lacking(edit, effect.first.branch, total.began)
    )
    return list(islice(found, MAX_FACTS))


def _looked_at(state: State, effect: Logical, began: Position) -> Iterator[Performed]:
    """The edits in its way; if none is, for example by an approval, the last ones before it."""
    in_way = listed(state.authorization(effect).edits, MAX_EDITS)
    if in_way:
        found = (edit for name in in_way if (edit := state.edits.first(name)) is not None)
    else:
        earlier = bisect_left(state.edits.all, began, key=_position)
        found = iter(state.edits.all[max(0, earlier - MAX_EARLIER) : earlier])
    return (edit for edit in found if edit.elided and not edit.vague)


def _position(edit: Performed) -> Position:
    return edit.position


def _name(fact: tuple[str, str]) -> tuple[str, str, str]:
    scope, _, key = fact[0].rpartition(":")
    return scope.partition("#")[0], key, fact[1]


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
