"""The job table: who judges what, until when, and how often it was tried.

A job is counted before its work starts, so a worker that is killed has used up an attempt. A lease
that ran out is free for the next worker; after the last attempt the job is quarantined.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import uuid
from datetime import timedelta
from functools import partial
from types import TracebackType

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F, Q, QuerySet

from dashboard import clock
from dashboard.celery import ring
from dashboard.models import Job, Run

log = logging.getLogger(__name__)
State = Job.State
MAX_ERROR = 2000


def enqueue(run: Run, reason: str, *, ring_bell: bool = True) -> Job:
    """The waiting job of the run, made when there is none; its bell rings after the commit."""
    job, _ = Job.objects.get_or_create(run=run, state=State.PENDING, defaults={"reason": reason})
    if ring_bell:
        transaction.on_commit(partial(ring, job.pk))
    return job


def take(job_id: int) -> Lease | None:
    """Lease the job. None when it is done, another worker has it, or its run is being judged."""
    now = clock.now()
    worker = f"{_host()}{os.getpid()}:{uuid.uuid4().hex[:8]}"
    busy = Job.objects.filter(state=State.LEASED, lease_until__gte=now).values("run_id")
    taken = (
        _free(now)
        .filter(pk=job_id, attempts__lt=settings.MAX_ATTEMPTS)
        .exclude(run_id__in=busy)
        .update(
            state=State.LEASED,
            attempts=F("attempts") + 1,
            lease_until=now + timedelta(seconds=settings.LEASE_S),
            leased_by=worker,
        )
    )
    return Lease(Job.objects.select_related("run__source").get(pk=job_id)) if taken else None


class Lease:
    """A job while it is worked on: renewed by a thread, and closed with whatever came of it."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._stop = threading.Event()
        self._renewing = threading.Thread(target=self._renew, daemon=True)

    def __enter__(self) -> Job:
        self._renewing.start()
        return self.job

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._renewing.join()
        if error is None:
            self._finish()
        else:
            self._fail(f"{type(error).__name__}: {error}"[:MAX_ERROR])

    def _mine(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job.pk, state=State.LEASED, leased_by=self.job.leased_by)

    def _renew(self) -> None:
        try:
            while not self._stop.wait(settings.LEASE_S / 3):
                until = clock.now() + timedelta(seconds=settings.LEASE_S)
                self._mine().update(lease_until=until)
        except OperationalError as error:
            log.warning("job %s: lease not renewed: %s", self.job.pk, error)
        finally:
            connection.close()

    def _finish(self) -> None:
        self._mine().update(state=State.DONE, error="", finished_at=clock.now())
        ring_for(Job.objects.filter(run_id=self.job.run_id, state=State.PENDING))

    def _fail(self, error: str) -> None:
        log.error("job %s: attempt %s failed: %s", self.job.pk, self.job.attempts, error)
        with transaction.atomic():
            _give_back(self._mine(), error)


def _give_back(jobs: QuerySet[Job], error: str) -> None:
    """A failed attempt waits again, unless a newer job of the run waits already."""
    for job in jobs.select_for_update():
        newer = Job.objects.filter(run_id=job.run_id, state=State.PENDING).exists()
        job.state = State.DONE if newer else State.PENDING
        job.finished_at = clock.now() if newer else None
        job.error = error
        if job.attempts >= settings.MAX_ATTEMPTS:
            job.state, job.finished_at = State.QUARANTINED, clock.now()
        job.save(update_fields=["state", "error", "finished_at"])


def waiting() -> QuerySet[Job]:
    """Jobs that somebody should work on now: never begun, given back, or left by a dead worker."""
    return _free(clock.now()).filter(attempts__lt=settings.MAX_ATTEMPTS)


def quarantine_dead() -> QuerySet[Job]:
    """Quarantine the jobs whose last attempt ended without an answer; these are the ones."""
    dead = _free(clock.now()).filter(state=State.LEASED, attempts__gte=settings.MAX_ATTEMPTS)
    return Job.objects.filter(pk__in=[job.pk for job in dead if _quarantine(job)])


def ring_for(jobs: QuerySet[Job], most: int = 1) -> int:
    """Ring for the oldest jobs, until the queue does not answer; the number of bells."""
    rung = 0
    for job_id in jobs.order_by("pk").values_list("pk", flat=True)[:most]:
        if not ring(job_id):
            break
        rung += 1
    return rung


def free_leases_of_the_dead() -> int:
    """End the leases of processes of this machine that are gone; the number of them."""
    freed = 0
    for job in Job.objects.filter(state=State.LEASED, leased_by__startswith=_host()):
        if not _lives(int(job.leased_by.removeprefix(_host()).split(":")[0])):
            left = Job.objects.filter(pk=job.pk, leased_by=job.leased_by, state=State.LEASED)
            freed += left.update(lease_until=clock.now() - timedelta(seconds=1))
    return freed


def _host() -> str:
    return f"{socket.gethostname()}:"


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _quarantine(job: Job) -> bool:
    error = f"the worker died in each of {job.attempts} attempts"
    still = Job.objects.filter(pk=job.pk, state=State.LEASED, leased_by=job.leased_by)
    return bool(still.update(state=State.QUARANTINED, error=error, finished_at=clock.now()))


def _free(now: object) -> QuerySet[Job]:
    expired = Q(state=State.LEASED, lease_until__lt=now)
    return Job.objects.filter(Q(state=State.PENDING) | expired)
