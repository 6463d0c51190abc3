"""How long received bytes are kept. What is deleted leaves a tombstone, never a better verdict.

A run under legal hold, or with a gate that is open or approved and not yet used, is refused. What
was deleted can never be undone again: the status of its edits becomes `irreversible`. The ledger,
the decisions, and what was said of effects stay.
"""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, QuerySet, Sum

from dashboard import access, clock, ingest, ledger
from dashboard.models import (
    Chunk,
    Entry,
    Gate,
    Hold,
    Job,
    Retention,
    Run,
    Source,
    Tombstone,
)

MOST_AT_ONCE = 20
SWEEPER = "sweeper"
NEEDED = (Gate.State.PENDING, Gate.State.APPROVED)
AT_WORK = (Job.State.PENDING, Job.State.LEASED)


@transaction.atomic
def set_days(by: User, source: Source, days: int | None) -> None:
    """Keep the bytes of a source's runs for so many days after the last receipt; None: for ever."""
    if not access.may(by, "configure", source):
        raise PermissionDenied
    if days is None:
        Retention.objects.filter(source=source).delete()
    else:
        Retention.objects.update_or_create(source=source, defaults={"days": days})
    body = {"source": source.slug, "days": days}
    ledger.append("settings.retention", by.get_username(), body)


@transaction.atomic
def hold(by: User, run: Run, reason: str) -> Hold:
    """Put a run under legal hold, once; whoever may write about it may hold it."""
    if not (access.may(by, "note", run.source) or access.may(by, "configure", run.source)):
        raise PermissionDenied
    Run.objects.select_for_update().get(pk=run.pk)
    held = {"reason": reason, "by": by, "at": clock.now()}
    found, new = Hold.objects.get_or_create(run=run, lifted_at=None, defaults=held)
    if new:
        ledger.append("retention.held", by.get_username(), {"reason": reason}, run)
    return found


@transaction.atomic
def lift(by: User, found: Hold) -> None:
    """End a hold; only an administrator may."""
    if not access.may(by, "configure", found.run.source):
        raise PermissionDenied
    lifted = Hold.objects.filter(pk=found.pk, lifted_at=None).update(lifted_at=clock.now())
    if lifted:
        ledger.append("retention.lifted", by.get_username(), {"reason": found.reason}, found.run)


def refusal(run: Run) -> str:
    """Why the bytes of a run must not be deleted now; nothing when they may be."""
    if Hold.objects.filter(run=run, lifted_at=None).exists():
        return "under legal hold"
    if Gate.objects.filter(run=run, state__in=NEEDED).exists():
        return "a gate is open, or approved and not used"
    if Job.objects.filter(run=run, state__in=AT_WORK).exists():
        return "not judged yet"
    return ""


def delete_due() -> int:
    """Delete what its source's retention lets go, some at a time; the number of runs."""
    return sum(_delete_of(rule) for rule in Retention.objects.select_related("source"))


def _delete_of(rule: Retention) -> int:
    old = clock.now() - timedelta(days=rule.days)
    rows = _kept(Run.objects.filter(source=rule.source, last_received_at__lt=old))
    deleted = 0
    for run in rows.order_by("last_received_at").iterator():
        deleted += delete(run, rule.days)
        if deleted == MOST_AT_ONCE:
            break
    return deleted


def _kept(rows: QuerySet[Run]) -> QuerySet[Run]:
    return rows.filter(tombstone=None)


@transaction.atomic
def delete(found: Run, days: int) -> bool:
    """Delete the bytes of a run; False when that is refused. A refusal is logged once."""
    run = Run.objects.select_for_update().get(pk=found.pk)
    reason = refusal(run)
    if reason:
        _log_refusal(run, reason)
        return False
    chunks = Chunk.objects.filter(file__run=run)
    sums = chunks.aggregate(count=Count("pk"), size=Sum("size_bytes"))
    tombstone = Tombstone.objects.create(
        run=run, days=days, chunks=sums["count"], size_bytes=sums["size"] or 0, at=clock.now()
    )
    body = {"days": days, "chunks": sums["count"], "size_bytes": tombstone.size_bytes}
    ledger.append("retention.deleted", SWEEPER, body, run)
    ingest.forget(tombstone)
    return True


def _log_refusal(run: Run, reason: str) -> None:
    last = Entry.objects.filter(run=run, kind__startswith="retention.").order_by("-seq").first()
    if last is None or last.kind != "retention.refused" or last.body.get("reason") != reason:
        ledger.append("retention.refused", SWEEPER, {"reason": reason}, run)
