"""The worker as a thread of the web process, for a machine without Redis.

`memory://` is a queue of this process only: no second worker, no inspection. The job table makes
up for it: what was queued when the process ended is rung for at the next start.
"""

from __future__ import annotations

import sys
import threading

from celery.worker import WorkController

from dashboard import jobs
from dashboard.celery import app
from dashboard.sweeping import Sweeper

THREADS = 2
TURN_S = 0.001


class Worker:
    """A worker and a sweeper in daemon threads: they end with the process."""

    def __init__(self, threads: int = THREADS) -> None:
        self._controller = WorkController(
            app=app,
            pool_cls="threads",
            concurrency=threads,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        self._working = threading.Thread(target=self._controller.start, name="worker", daemon=True)
        self._sweeper = Sweeper()

    def start(self) -> None:
        # Judging is mostly Python: shorter turns let pages in between.
        sys.setswitchinterval(TURN_S)
        jobs.free_leases_of_the_dead()
        self._working.start()
        self._sweeper.start()

    def stop(self) -> None:
        """Finish what is begun, take nothing new."""
        self._sweeper.stop()
        self._controller.stop()
        self._working.join(timeout=10)
        self._sweeper.join(timeout=10)
