"""Epochs, rollbacks, proposals, gates of the journal, and gaps as rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dashboard import clean
from dashboard.derive.rows import listed
from dashboard.models import EpochRow, GapRow, JournalGateRow, ProposalRow, RollbackRow
from guard import report
from guard.events import AnyEvent, Gap, Gate, Policy, Proposal, Rollback
from guard.state import State

MAX_GAPS = 1000


def epoch_rows(run_id: int, state: State, events: Sequence[AnyEvent]) -> list[EpochRow]:
    times = {event.seq: event.at for event in events if isinstance(event, Policy)}
    return [
        EpochRow(
            run_id=run_id,
            policy=clean.name(row["policy"]),
            from_seq=row["from"],
            to_seq=row["to"],
            at=clean.instant(times.get(row["from"])),
        )
        for row in report.epoch_rows(state)
    ]


def rollback_rows(run_id: int, state: State, events: Sequence[AnyEvent]) -> list[RollbackRow]:
    first: dict[str, Rollback] = {}
    for event in events:
        if isinstance(event, Rollback):
            first.setdefault(event.id, event)
    return [
        RollbackRow(
            run_id=run_id,
            rollback_id=clean.name(row["id"]),
            seq=first[row["id"]].seq or 0,
            soundness=row["soundness"]["verdict"],
            blame=listed(row["soundness"]["blame"]),
            residue=listed(row["soundness"]["residue"]),
            watch=listed(row["soundness"]["watch"]),
            mode=row["mode"],
            retention=row["retention"]["verdict"],
            missing=clean.json(row["retention"]["missing"]),
            extra=clean.json(row["retention"]["extra"]),
            changed=clean.json(row["retention"]["changed"]),
            at=clean.instant(first[row["id"]].at),
        )
        for row in report.rollback_rows(state)
    ]


def proposal_rows(run_id: int, state: State, events: Sequence[AnyEvent]) -> list[ProposalRow]:
    last = {event.id: event for event in events if isinstance(event, Proposal)}
    return [
        ProposalRow(
            run_id=run_id,
            edit_id=clean.name(row["edit"]),
            seq=last[row["edit"]].seq or 0,
            verdict=row["verdict"],
            rules=row["rules"],
            at=clean.instant(last[row["edit"]].at),
        )
        for row in report.proposal_rows(state)
    ]


def gate_rows(run_id: int, state: State, events: Sequence[AnyEvent]) -> list[JournalGateRow]:
    times = {(event.id, event.seq): event.at for event in events if isinstance(event, Gate)}
    rows = sorted(state.gates.all.values(), key=lambda gate: (gate.seq, gate.id))
    return [
        JournalGateRow(
            run_id=run_id,
            gate_id=clean.name(gate.id),
            seq=gate.seq,
            edit=clean.name(gate.requested.edit if gate.requested else None),
            state=state.gate_state(gate),
            at=clean.instant(times.get((gate.id, gate.seq))),
        )
        for gate in rows
    ]


def gap_rows(run_id: int, events: Sequence[AnyEvent]) -> list[GapRow]:
    """Numbers that no event carries, and holes that the journal reports itself."""
    said = [event for event in events if isinstance(event, Gap)]
    rows = [*_holes(run_id, events, said), *_reported(run_id, said)]
    return sorted(rows, key=lambda row: row.first_seq)[:MAX_GAPS]


def _holes(run_id: int, events: Iterable[AnyEvent], said: Sequence[Gap]) -> Iterator[GapRow]:
    expected = 1
    for number in sorted({event.seq for event in events if event.seq is not None}):
        if number > expected:
            about = next((gap for gap in said if _explains(gap, expected, number - 1)), None)
            yield GapRow(
                run_id=run_id,
                first_seq=expected,
                last_seq=number - 1,
                what=clean.text(about.what if about else ""),
                consequence=clean.text(about.consequence if about else ""),
            )
        expected = number + 1


def _explains(gap: Gap, first: int, last: int) -> bool:
    return gap.first_seq is not None and first <= gap.first_seq <= last


def _reported(run_id: int, said: Sequence[Gap]) -> Iterator[GapRow]:
    for gap in said:
        if gap.first_seq is None:
            yield GapRow(
                run_id=run_id,
                first_seq=gap.seq or 0,
                last_seq=gap.seq or 0,
                what=clean.text(gap.what),
                consequence=clean.text(gap.consequence),
            )
