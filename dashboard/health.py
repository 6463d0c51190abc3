"""For machines that watch us: alive, ready, and the numbers for Prometheus, documented here."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import DatabaseError, connection
from django.db.models import Count, Max, Min
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from dashboard import celery, clock
from dashboard.models import (
    AlertFiring,
    AlertStep,
    Chunk,
    Decision,
    Entry,
    FindingRow,
    Gate,
    Job,
    Run,
    Tombstone,
    Verdict,
)


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


@require_safe
def readyz(_request: HttpRequest) -> JsonResponse:
    """503 without the database. A queue that is down only delays verdicts, and is said."""
    queue = "down" if celery.depth() is None else "ok"
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"database": "down", "queue": queue}, status=503)
    return JsonResponse({"database": "ok", "queue": queue})


@require_safe
def metrics(_request: HttpRequest) -> HttpResponse:
    """Everything is counted in the database, so each process gives the same numbers."""
    registry = CollectorRegistry()
    registry.register(Numbers())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class Numbers(Collector):
    """The metrics and their meaning; none is named after a team, a run or a person.

    `ops/README.md` lists them, `ops/grafana.json` draws them.
    """

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from self._received()
        yield from self._judged()
        yield from self._people()
        depth = celery.depth()
        yield _one("guard_queue_up", "1 when the queue answers.", int(depth is not None))
        yield _one("guard_queue_messages", "Messages that wait in the queue.", depth or 0)

    def _received(self) -> Iterator[GaugeMetricFamily]:
        yield _one("guard_runs", "Runs that were received.", Run.objects.count())
        yield _one("guard_chunks", "Chunks that were received.", Chunk.objects.count())
        yield _one("guard_ledger_entries", "Entries of the ledger.", Entry.objects.count())
        yield _one("guard_tombstones", "Runs whose bytes were deleted.", Tombstone.objects.count())
        yield _by("guard_jobs", "Jobs by state.", "state", Job.objects)
        yield _one(
            "guard_oldest_waiting_job_seconds",
            "Age of the oldest job that waits or is worked on.",
            _age(Job.objects.filter(state__in=[Job.State.PENDING, Job.State.LEASED])),
        )

    def _judged(self) -> Iterator[GaugeMetricFamily]:
        current = Verdict.objects.filter(current=True)
        yield _by("guard_runs_soundness", "Judged runs by soundness.", "soundness", current)
        yield _by("guard_runs_closure", "Judged runs by closure.", "closure", current)
        yield _by("guard_runs_integrity", "Judged runs by integrity.", "integrity", current)
        yield _by("guard_findings", "Findings that stand, by code.", "code", FindingRow.objects)
        last = current.aggregate(at=Max("judged_at"))["at"]
        yield _one(
            "guard_last_judged_seconds",
            "Age of the latest judgement, and so of the last closure check.",
            0.0 if last is None else (clock.now() - last).total_seconds(),
        )

    def _people(self) -> Iterator[GaugeMetricFamily]:
        yield _by("guard_gates", "Gates by state.", "state", Gate.objects)
        yield _by("guard_decisions", "Decisions by answer.", "answer", Decision.objects)
        yield _one(
            "guard_oldest_open_gate_seconds",
            "Age of the oldest open gate.",
            _age(Gate.objects.filter(state=Gate.State.PENDING)),
        )
        ended = AlertStep.objects.filter(kind=AlertStep.Kind.ENDED).values("firing")
        lasting = AlertFiring.objects.exclude(pk__in=ended).count()
        yield _one("guard_alerts_lasting", "Alerts that have not ended.", lasting)


def _one(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, text, value=value)


def _by(name: str, text: str, field: str, rows: object) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=[field])
    counted = rows.order_by().values_list(field).annotate(count=Coalesce(Count("pk"), 0))
    for value, count in counted:
        family.add_metric([value], count)
    return family


def _age(rows: object) -> float:
    oldest = rows.aggregate(at=Min("created_at"))["at"]
    return 0.0 if oldest is None else (clock.now() - oldest).total_seconds()
