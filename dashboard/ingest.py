"""Bytes in, verdicts out. All derived rows are written here and nowhere else.

`receive` stores what came and a job in one transaction; `judge_run` reads it back, judges it, and
replaces the derived rows in one transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import groupby

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Model, QuerySet
from django.db.models.functions import Greatest

from dashboard import clock, derive, jobs, journals, ledger, receiving
from dashboard.models import (
    Chunk,
    EditRow,
    EffectRow,
    EpochRow,
    FactRow,
    File,
    FindingRow,
    GapRow,
    Job,
    JournalGateRow,
    LineRow,
    ProposalRow,
    Redaction,
    RollbackRow,
    Run,
    SearchRow,
    Series,
    SkipCount,
    Source,
    Tombstone,
    Verdict,
)
from dashboard.receiving import PLAIN, Receipt, Sent, Stored
from guard import RULES_VERSION
from guard.errors import JournalError

REBUILT = (
    EditRow,
    EffectRow,
    EpochRow,
    RollbackRow,
    ProposalRow,
    JournalGateRow,
    GapRow,
    Series,
    LineRow,
    SkipCount,
    SearchRow,
)
BATCH = 1000
HEAVY = {
    EditRow: ("operative", "blame", "overlaps", "elided", "lacking", "taken"),
    EffectRow: ("stands_in_way", "target", "summary", "why"),
}


@transaction.atomic
def receive(
    source: Source,
    external_id: str,
    file_name: str,
    offset: int,
    data: bytes,
    *,
    actor: str = "",
    owner: User | None = None,
    sent: Sent = PLAIN,
) -> Receipt:
    """Store bytes of a file of a run, and a job to judge them. Idempotent by (file, offset).

    Raises `receiving.Refused` or its `Conflict`; then nothing is stored.
    """
    if not data:
        raise receiving.Refused("empty", "empty: a journal begins with its first line")
    receiving.check_name("file name", file_name)
    run = locked_run(source, external_id, owner)
    file = receiving.current_file(run, file_name)
    stored = receiving.store(file, offset, data, sent)
    return note_received(run, stored, actor or source.slug)


@transaction.atomic
def append(
    source: Source,
    external_id: str,
    file_name: str,
    data: bytes,
    *,
    actor: str,
    owner: User | None = None,
) -> Receipt:
    """Store bytes at the end of a file of a run; the same bytes again are the same receipt."""
    run = locked_run(source, external_id, owner)
    file = receiving.current_file(run, file_name)
    stored = receiving.known(file, data) or receiving.store(file, file.size_bytes, data)
    return note_received(run, stored, actor)


def locked_run(source: Source, external_id: str, owner: User | None = None) -> Run:
    """The run of this name, made when there is none, locked until the transaction ends."""
    run = new_run(source, external_id, owner)
    found = Run.objects.select_for_update().get(pk=run.pk)
    if Tombstone.objects.filter(run=found).exists():
        raise receiving.Refused("deleted", f"the bytes of {found} were deleted: start a new run")
    return found


def new_run(source: Source, external_id: str, owner: User | None = None) -> Run:
    """The run of this name, made when there is none."""
    receiving.check_name("run id", external_id, 255)
    run, _ = Run.objects.get_or_create(
        source=source, external_id=external_id, defaults={"owner": owner, "title": external_id}
    )
    return run


def note_received(run: Run, stored: Stored, actor: str) -> Receipt:
    """The receipt of a chunk. A new one moves the head on and leaves a job and an entry."""
    chunk = stored.chunk
    job = None
    if stored.new:
        name = f"{chunk.file.name}:{chunk.file.generation}:{chunk.offset}:{chunk.sha256}"
        extend(run, name, chunk.size_bytes)
        job = jobs.enqueue(run, "received")
        ledger.append("received", actor, _told(stored, run), run)
    return Receipt(
        receipt=chunk.receipt,
        run=run.public_id,
        file=chunk.file.name,
        generation=chunk.file.generation,
        offset=chunk.offset,
        size_bytes=chunk.size_bytes,
        sha256=chunk.sha256,
        duplicate=not stored.new,
        job_id=job and job.pk,
        redacted=sum(stored.redaction.counts.values()) if stored.redaction else 0,
    )


def _told(stored: Stored, run: Run) -> dict[str, object]:
    chunk, redaction = stored.chunk, stored.redaction
    redacted = (
        {
            "redacted": redaction.counts,
            "stored_sha256": redaction.stored_sha256,
        }
        if redaction
        else {}
    )
    return {
        "receipt": str(chunk.receipt),
        "file": chunk.file.name,
        "generation": chunk.file.generation,
        "offset": chunk.offset,
        "size_bytes": chunk.size_bytes,
        "sha256": chunk.sha256,
        "head": run.head,
        **redacted,
    }


def extend(run: Run, name: str, size_bytes: int = 0) -> None:
    """Move the run's head on by what is new. The run must be locked."""
    run.head = hashlib.sha256(f"{run.head}\n{name}".encode()).hexdigest()
    run.last_received_at = clock.now()
    Run.objects.filter(pk=run.pk).update(
        head=run.head,
        last_received_at=run.last_received_at,
        received_bytes=F("received_bytes") + size_bytes,
    )


def judge_run(job_id: int) -> bool:
    """Work on a job; False when it is not free. What goes wrong is kept with the job and raised."""
    lease = jobs.take(job_id)
    if lease is None:
        return False
    try:
        with lease as job:
            judge_snapshot(journals.snapshot(job.run_id))
    finally:
        withdraw_quarantined(Job.objects.filter(pk=job_id))
    return True


def judge_snapshot(shot: journals.Snapshot) -> None:
    """Judge exactly this snapshot and store what follows, also when it cannot be read.

    What was judged before its bytes were deleted stands: it cannot be judged again.
    """
    if Tombstone.objects.filter(run=shot.run_id).exists():
        return
    try:
        opened, texts = journals.open_with_texts(shot)
    except JournalError as error:
        _store(shot, derive.refused(shot, error))
        return
    _store(shot, derive.judged(shot, opened, texts))


def withdraw_quarantined(jobs_done: QuerySet[Job]) -> None:
    """A run whose journal cannot be judged has no verdict but `unknown`, with the reason."""
    for job in jobs_done.filter(state=Job.State.QUARANTINED).select_related("run"):
        shot = journals.snapshot(job.run_id)
        known = Verdict.objects.filter(run=job.run, head=shot.head, rules_version=RULES_VERSION)
        if not known.exists():
            _store(shot, derive.failed(shot, job.error))


@transaction.atomic
def _store(shot: journals.Snapshot, rows: derive.Rows) -> bool:
    """Replace the derived rows of a run. False when what stands was made from more than this."""
    run = Run.objects.select_for_update().get(pk=shot.run_id)
    before = Verdict.objects.filter(run=run, current=True).first()
    if before is not None and (before.last_chunk, before.last_event) > shot.marks.position:
        return False
    _write_verdict(run, before, rows)
    _write_rows(run, rows)
    _write_findings(run, rows.findings)
    for file_id, adapter in rows.files.items():
        File.objects.filter(pk=file_id).update(adapter=adapter)
    if rows.run:
        Run.objects.filter(pk=run.pk).update(**rows.run)
    last = Greatest("last_seq", rows.verdict["at"])
    Run.objects.filter(pk=run.pk).update(last_seq=last)
    return True


def _write_verdict(run: Run, before: Verdict | None, rows: derive.Rows) -> None:
    """The verdict of this head and rules; earlier ones stay, with what changed since."""
    told = derive.said(_lights(before), _rows_of(run)) if before is not None else {}
    changed = derive.changes(told, derive.said(rows.verdict, rows.all()))
    Verdict.objects.filter(run=run, current=True).update(current=False)
    found = dict(rows.verdict)
    key = {"run": run, "head": found.pop("head"), "rules_version": found.pop("rules_version")}
    new = {**found, "current": True, "judged_at": clock.now()}
    if not Verdict.objects.filter(**key).update(**new):
        Verdict.objects.create(**key, **new, changes=changed)


def _lights(verdict: Verdict) -> dict[str, str]:
    return {light: getattr(verdict, light) for light in derive.BAD}


def _rows_of(run: Run) -> Iterator[Model]:
    """The rows that carry verdicts, as they stand."""
    for table in (EditRow, EffectRow, RollbackRow, ProposalRow, JournalGateRow):
        yield from table.objects.filter(run=run).defer(*HEAVY.get(table, ()))


def _write_rows(run: Run, rows: derive.Rows) -> None:
    for table in REBUILT:
        table.objects.filter(run=run).delete()
    EditRow.objects.bulk_create([edit for edit, _ in rows.edits], BATCH)
    FactRow.objects.bulk_create(list(_of_edits(rows)), BATCH)
    for group in rows.others:
        for table, members in groupby(group, type):
            table.objects.bulk_create(list(members), BATCH)


def _of_edits(rows: derive.Rows) -> Iterator[FactRow]:
    for edit, facts in rows.edits:
        for fact in facts:
            fact.edit = edit
            yield fact


def _write_findings(run: Run, findings: list[FindingRow]) -> None:
    """A finding that was there before keeps the time at which it was first seen."""
    seen = {
        (row.code, row.subject): row.first_seen_at for row in FindingRow.objects.filter(run=run)
    }
    FindingRow.objects.filter(run=run).delete()
    now = clock.now()
    for finding in findings:
        finding.first_seen_at = seen.get((finding.code, finding.subject), now)
    FindingRow.objects.bulk_create(findings, BATCH)


DELETED = "bytes deleted: nothing can be restored"
UNDOABLE = ("reversible", "merge", "provisional", "unknown")
"""What may be said of undoing an edit while its bytes are here."""


@transaction.atomic
def forget(tombstone: Tombstone) -> None:
    """The bytes of a run are gone: what stands becomes irreversible, and its texts go with them.

    What was said of effects, soundness and integrity stays, as a verdict of its own in the history.
    """
    run = Run.objects.select_for_update().get(pk=tombstone.run_id)
    Chunk.objects.filter(file__run=run).update(data=b"")
    Redaction.objects.filter(chunk__file__run=run).update(raw=None)
    extend(run, f"deleted:{tombstone.pk}")
    edits = EditRow.objects.filter(run=run)
    lost = edits.filter(status__in=UNDOABLE)
    changes = [
        {"what": "status", "subject": edit, "was": status, "now": "irreversible"}
        for edit, status in lost.values_list("edit_id", "status")[: derive.MAX_CHANGES]
    ]
    lost.update(status="irreversible", soundness="", mode="", blame=[])
    edits.update(lacking={}, elided={})
    FactRow.objects.filter(edit__run=run).delete()
    SearchRow.objects.filter(run=run, kind=SearchRow.Kind.TEXT).delete()
    _verdict_without_bytes(run, changes)


def _verdict_without_bytes(run: Run, changes: list[dict[str, str]]) -> None:
    verdict = Verdict.objects.filter(run=run, current=True).first()
    if verdict is None:
        return
    Verdict.objects.filter(pk=verdict.pk).update(current=False)
    verdict.pk, verdict.head, verdict.changes = None, run.head, changes
    verdict.mode, verdict.worst = "halt", DELETED
    verdict.judged_at = clock.now()
    verdict.save(force_insert=True)
