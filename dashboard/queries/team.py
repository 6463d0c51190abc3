"""What needs a person, first; then whether we ourselves keep up."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Sum
from msgspec import Struct

from dashboard.models import (
    EditRow,
    FindingRow,
    Gate,
    Job,
    Note,
    RollbackRow,
    Source,
    Verdict,
)
from dashboard.queries.gates import GateLine, lines
from dashboard.queries.scope import Scope, in_scope, runs_in

LISTED = 6
BROKEN = ("tampered", "fork", "tail_lost")
SILENT = timedelta(hours=12)
BEHIND = timedelta(minutes=5)


class Waiting(Struct, frozen=True):
    """Open gates: the oldest first, how many there are, and which runs out next."""

    lines: list[GateLine]
    count: int
    oldest: datetime | None
    next_end: datetime | None
    unclaimed: int


class Matters(Struct, frozen=True):
    """Counts of the four tiles and the lists behind them."""

    runs: int
    summaries: int
    unsound: int
    unsound_new: int
    unsound_rows: list[EditRow]
    violated: int
    violated_rows: list[FindingRow]
    whole_closures: int
    broken: int
    broken_rows: list[Verdict]
    checked: int
    last_check: datetime | None


def waiting(found: Scope, reader: User) -> Waiting:
    gates = Gate.objects.filter(
        state=Gate.State.PENDING,
        expires_at__gt=found.until,
        run__source__in=[source.pk for source in found.chosen],
    )
    counted = gates.aggregate(
        n=Count("pk"),
        oldest=Min("created_at"),
        ends=Min("expires_at"),
        free=Count("pk", filter=Q(claimed_by=None) | Q(claim_until__lt=found.until)),
    )
    rows = gates.select_related("run", "owner", "claimed_by").order_by("created_at")[:LISTED]
    return Waiting(
        lines=lines(rows, reader, found.until),
        count=counted["n"],
        oldest=counted["oldest"],
        next_end=counted["ends"],
        unclaimed=counted["free"],
    )


def matters(found: Scope) -> Matters:
    """One pass over the verdicts in force, one list each for what stands out."""
    verdicts = Verdict.objects.filter(in_scope(found, "run__"), current=True)
    counted = verdicts.aggregate(
        checked=Count("pk"),
        violated=Count("pk", filter=Q(closure="violated")),
        closed=Count("pk", filter=Q(closure="closed")),
        broken=Count("pk", filter=Q(integrity__in=BROKEN)),
        last=Max("judged_at"),
        summaries=Sum("summaries"),
    )
    unsound = _with_notes(_unsound(found))
    bad = unsound.aggregate(n=Count("pk"), new=Count("pk", filter=Q(noted=False)))
    rows = list(unsound.select_related("run").order_by("-at", "-pk")[:LISTED]) if bad["n"] else []
    some = counted["violated"] > 0
    return Matters(
        runs=runs_in(found).count(),
        summaries=counted["summaries"] or 0,
        unsound=bad["n"],
        unsound_new=bad["new"],
        unsound_rows=rows,
        violated=counted["violated"],
        violated_rows=list(_violated(found)) if some else [],
        whole_closures=counted["closed"],
        broken=counted["broken"],
        broken_rows=_broken(verdicts) if counted["broken"] else [],
        checked=counted["checked"],
        last_check=counted["last"],
    )


def _unsound(found: Scope) -> QuerySet[EditRow]:
    """Edits that could not be undone soundly now, and those whose rollback was unsound."""
    undone_by = RollbackRow.objects.filter(
        run=OuterRef("run"), seq=OuterRef("end_seq"), soundness="unsound"
    )
    # The light of such a run is unsound, and few runs have it: nothing else is looked at.
    runs = Verdict.objects.filter(current=True, soundness="unsound").values("run")
    rows = EditRow.objects.filter(in_scope(found, "run__"), run__in=runs)
    rows = rows.filter(Q(soundness="unsound") | Q(status="undone") & Exists(undone_by))
    return rows.defer("overlaps", "elided", "lacking", "taken", "operative")


def _with_notes(rows: QuerySet[EditRow]) -> QuerySet[Any]:
    notes = Note.objects.filter(run=OuterRef("run"), subject=OuterRef("edit_id"))
    return rows.annotate(noted=Exists(notes))


def _violated(found: Scope) -> QuerySet[Any]:
    """The first finding of each violated closure says which record is not there."""
    rows = FindingRow.objects.filter(in_scope(found, "run__"), code__in=("JG201", "JG205"))
    notes = Note.objects.filter(
        run=OuterRef("run"), code=OuterRef("code"), subject=OuterRef("subject")
    )
    rows = rows.annotate(noted=Exists(notes)).select_related("run")
    return rows.order_by("-first_seen_at", "pk")[:LISTED]


def _broken(verdicts: QuerySet[Verdict]) -> list[Verdict]:
    rows = verdicts.filter(integrity__in=BROKEN).select_related("run").defer("report")
    return list(rows.order_by("-judged_at")[:LISTED])


class Health(Struct, frozen=True):
    """How a source keeps up. `lag` is from received to judged, of the latest judgement."""

    source: Source
    lag: timedelta | None
    queue: int
    oldest: datetime | None
    judged_at: datetime | None
    quarantined: int
    state: str


def health(found: Scope) -> list[Health]:
    """One line for each chosen source: three grouped questions, however many sources."""
    waits = Q(state__in=(Job.State.PENDING, Job.State.LEASED))
    chosen = Job.objects.filter(run__source__in=[source.pk for source in found.chosen])
    jobs = {
        row["run__source"]: row
        for row in chosen.exclude(state=Job.State.DONE)
        .values("run__source")
        .annotate(
            queue=Count("pk", filter=waits),
            oldest=Min("created_at", filter=waits),
            quarantined=Count("pk", filter=Q(state=Job.State.QUARANTINED)),
        )
    }
    done = dict(
        chosen.filter(state=Job.State.DONE)
        .values_list("run__source")
        .annotate(last=Max("pk"))
        .values_list("run__source", "last")
    )
    last = {job.pk: job for job in Job.objects.filter(pk__in=done.values())}
    return [
        _health(source, jobs.get(source.pk), last.get(done.get(source.pk)), found.until)
        for source in found.chosen
    ]


def _health(source: Source, row: Any, last: Job | None, until: datetime) -> Health:
    queue = row["queue"] if row else 0
    oldest = row["oldest"] if row else None
    quarantined = row["quarantined"] if row else 0
    ended = last.finished_at if last else None
    if quarantined:
        state = "quarantined"
    elif oldest and until - oldest > BEHIND:
        state = "behind"
    elif ended is None:
        state = "nothing yet"
    else:
        state = "silent" if until - ended > SILENT else "current"
    lag = ended - last.created_at if last and ended else None
    return Health(source, lag, queue, oldest, ended, quarantined, state)
