"""The sweeper: at start and every 30 s it does what a lost message or a dead worker left undone."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, connection

from dashboard import (
    alerts,
    celery,
    clock,
    gates,
    ingest,
    jobs,
    ledger,
    notifications,
    retention,
)
from dashboard.models import IdempotentAnswer, LoginFailure

log = logging.getLogger(__name__)
# Bells beyond this would only pile up in front of workers that are busy or away.
MAX_BELLS = 500
ANSWERS_KEPT = timedelta(days=7)


def sweep() -> int:
    """Quarantine, expire, alert, checkpoint, ring for what waits; the number of bells."""
    ingest.withdraw_quarantined(jobs.quarantine_dead())
    gates.expire_due()
    gates.warn_expiring()
    alerts.look()
    retention.delete_due()
    notifications.requeue()
    ledger.keep()
    forget_old()
    waiting = celery.depth()
    if waiting is None or waiting >= MAX_BELLS:
        return 0
    return jobs.ring_for(jobs.waiting(), MAX_BELLS - waiting)


def forget_old() -> None:
    """Answers kept for retries, and failed sign-ins that count no more."""
    now = clock.now()
    IdempotentAnswer.objects.filter(at__lt=now - ANSWERS_KEPT).delete()
    window = timedelta(minutes=settings.LOGIN_WINDOW_MINUTES)
    LoginFailure.objects.filter(at__lt=now - window).delete()


class Sweeper(threading.Thread):
    """Sweeps until the process ends. A database that is away is tried again at the next turn."""

    def __init__(self) -> None:
        super().__init__(name="sweeper", daemon=True)
        self._ended = threading.Event()

    def run(self) -> None:
        while True:
            try:
                sweep()
            except DatabaseError as error:
                log.warning("sweep failed, next turn in %s s: %s", settings.SWEEP_EVERY_S, error)
            finally:
                connection.close()
            if self._ended.wait(settings.SWEEP_EVERY_S):
                return

    def stop(self) -> None:
        self._ended.set()
