"""From a folded journal to rows: what `ingest.py` stores for the pages. Saves nothing.

The rows of the report say the verdicts; the events say where, when and by what tool. Every derived
table is rebuilt from them whenever a run is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard import clean, journals
from dashboard.derive import others
from dashboard.derive.coverage import coverage
from dashboard.derive.edits import edit_rows
from dashboard.derive.effects import effect_rows, open_writes
from dashboard.derive.facts import with_facts
from dashboard.derive.lights import BAD, MAX_CHANGES, UNKNOWN, changes, lights, said, worst
from dashboard.derive.lines import line_rows, refused_row, skip_rows
from dashboard.derive.rows import Rows
from dashboard.derive.search import search_rows
from dashboard.derive.series import series
from dashboard.facts import Told, Version, told_by
from dashboard.journals import Opened, Snapshot
from dashboard.models import FindingRow
from guard import RULES_VERSION
from guard.errors import JournalError
from guard.events import AnyEvent
from guard.judge import judge
from guard.rules.rule import Finding
from guard.state import fold

__all__ = ["BAD", "MAX_CHANGES", "Rows", "changes", "failed", "judged", "refused", "said"]


def judged(shot: Snapshot, opened: Opened, texts: Mapping[Version, str]) -> Rows:
    """The rows of a journal that could be read; `texts` of its digests and of what has facts."""
    run_id, state = shot.run_id, fold(opened.journal)
    report = judge(state)
    events = [*opened.journal.numbered, *opened.journal.unnumbered]
    effects = effect_rows(run_id, state)
    edits = edit_rows(run_id, state, events, effects)
    rollbacks = others.rollback_rows(run_id, state, events)
    about, findings = _run(opened, events), _findings(run_id, report.findings)
    shown = lights(state.integrity.verdict, state.closure.verdict, edits, rollbacks)
    return Rows(
        verdict=_verdict(shot, shown)
        | {
            "at": state.at,
            "events": state.events,
            "report": journals.pack_all(report.chunks()),
            "open_writes": open_writes(effects),
            "summaries": sum(edit.op == "summarize" for edit in edits),
            "unsafe_windows": sum(edit.unsafe for edit in edits),
        },
        run=about,
        files={part.file_id: opened.adapter for part in shot.parts},
        edits=with_facts(edits, state, _told(events, texts)),
        others=[
            effects,
            rollbacks,
            others.epoch_rows(run_id, state, events),
            others.proposal_rows(run_id, state, events),
            others.gate_rows(run_id, state, events),
            others.gap_rows(run_id, events),
            series(run_id, events, effects),
            line_rows(shot, opened),
            skip_rows(shot, opened),
            [coverage(run_id, opened)],
            search_rows(run_id, about, edits, effects, findings, texts),
        ],
        findings=findings,
    )


def refused(shot: Snapshot, error: JournalError) -> Rows:
    """The rows of a journal that is refused: one line to blame, and nothing is known."""
    return Rows(_nothing_known(shot, f"refused: {error}"), others=[[refused_row(shot, error)]])


def failed(shot: Snapshot, error: str) -> Rows:
    """The rows of a journal that could not be judged: a failure of ours is no verdict."""
    return Rows(_nothing_known(shot, f"not judged: {error}"))


def _told(events: Iterable[AnyEvent], texts: Mapping[Version, str]) -> dict[Version, Told]:
    told: dict[Version, Told] = {}
    for event in events:
        for version, place in told_by(event, texts):
            told.setdefault(version, place)
    return told


def _verdict(shot: Snapshot, shown: dict[str, str]) -> dict[str, Any]:
    return {
        "head": shot.head,
        "rules_version": RULES_VERSION,
        "last_chunk": shot.marks.chunk,
        "last_event": shot.marks.event,
        "worst": worst(shown),
        **shown,
    }


def _nothing_known(shot: Snapshot, why: str) -> dict[str, Any]:
    return {
        **_verdict(shot, UNKNOWN),
        "at": 0,
        "events": 0,
        "report": journals.pack(b""),
        "worst": clean.text(why, 200),
        "open_writes": 0,
        "summaries": 0,
        "unsafe_windows": 0,
    }


def _findings(run_id: int, found: Iterable[Finding]) -> list[FindingRow]:
    return [
        FindingRow(
            run_id=run_id,
            code=finding.code,
            subject=clean.name(finding.subject),
            severity=finding.severity,
            certainty=finding.certainty,
            message=clean.text(finding.message),
            seqs=list(finding.seqs),
            seq=min(finding.seqs, default=0),
        )
        for finding in found
    ]


def _run(opened: Opened, events: Sequence[AnyEvent]) -> dict[str, Any]:
    """What the journal says about its run."""
    header = opened.journal.header
    times = [at for at in (clean.instant(event.at) for event in events) if at is not None]
    return {
        "runtime": clean.text(header.runtime, 80),
        "runtime_version": clean.text(header.runtime_version, 80),
        "agent": clean.text(header.agent, 120),
        "first_at": min(times, default=None),
        "last_at": max(times, default=None),
    }
