"""The product as it runs in earnest: web, workers, PostgreSQL, a Redis of its own; and the audit.

The processes work on the database of the test. Each can be killed with SIGKILL and started again.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import redis
from django.db import connection

from dashboard import journals, ledger, tokens
from dashboard.models import Chunk, Job, Run, Source, Verdict
from guard import journal
from guard.client import Client, ServerAway
from guard.judge import judge
from guard.state import fold
from tests.browser.serving import ROOT, free_port, wait_for

DRAINED_S = 180.0


class House:
    """A queue, a server and a worker that stay, and what a test starts besides and ends."""

    def __init__(self, folder: Path) -> None:
        self._port, self._redis_port = free_port(), free_port()
        self._secret = ""
        self._running: list[subprocess.Popen[bytes]] = []
        self.env = os.environ | {
            "DATABASE_URL": _database_url(),
            "REDIS_URL": f"redis://127.0.0.1:{self._redis_port}/0",
            "GUARD_DATA": str(folder / "data"),
            "GUARD_LEASE_S": "3",
            "GUARD_SWEEP_EVERY_S": "1",
            "GUARD_TOKEN_BATCHES": "1000000",
            "PYTHONPATH": str(ROOT),
        }
        self.redis()
        self.worker = self.start_worker(DIE_AT="poison")
        self.web(self._port)

    def begin(self) -> None:
        """A source and its token, in a database that is empty before every test."""
        source = Source.objects.create(slug="lab", name="Lab")
        self._secret = tokens.issue(source, "t", "ingest")[1]

    def redis(self) -> None:
        """A Redis that keeps nothing on disk."""
        self.queue = self._start(
            *("redis-server", "--port", str(self._redis_port), "--bind", "127.0.0.1"),
            *("--save", "", "--appendonly", "no", "--loglevel", "warning"),
        )
        until(self._queue_answers)

    def _queue_answers(self) -> bool:
        with suppress(redis.ConnectionError), redis.Redis(port=self._redis_port) as queue:
            return bool(queue.ping())
        return False

    def web(self, port: int, **more: str) -> subprocess.Popen[bytes]:
        """A server; with `DIE_AT`, one that kills itself there."""
        started = self._product("serve", {"PORT": str(port), **more})
        wait_for(f"http://127.0.0.1:{port}/healthz", started)
        return started

    def start_worker(self, **more: str) -> subprocess.Popen[bytes]:
        """A worker with its sweeper and two children."""
        return self._product("worker", more)

    def _product(self, command: str, more: Mapping[str, str]) -> subprocess.Popen[bytes]:
        program = "tests/faults/dying.py" if "DIE_AT" in more else "manage.py"
        return self._start(sys.executable, program, command, **more)

    def _start(self, *command: str, **more: str) -> subprocess.Popen[bytes]:
        started = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.env | more,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._running.append(started)
        return started

    def send(self, run: str, data: bytes, port: int = 0) -> dict[str, object]:
        """The receipt of a batch. Raises `ServerAway`, after which nothing is known."""
        client = Client(f"http://127.0.0.1:{port or self._port}", self._secret)
        return client.call("POST", f"/api/v1/runs/{run}/chunks?file=a.ndjson", data)

    def close(self) -> None:
        for process in self._running:
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to a process and all its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def until(condition: Callable[[], bool], seconds: float = DRAINED_S) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds:.0f} s"
        time.sleep(0.1)


def drained() -> bool:
    """Whether no job waits or is worked on."""
    return not Job.objects.filter(state__in=[Job.State.PENDING, Job.State.LEASED]).exists()


@contextmanager
def dies() -> Iterator[None]:
    """The block sends something to a server that dies of it."""
    try:
        yield
    except ServerAway:
        return
    raise AssertionError("the server lived")


def audit(acknowledged: Mapping[str, bytes]) -> None:
    """What must hold after every fault (`trust.md` 5): what was acknowledged is there once and
    whole, nothing else is; the chain holds; verdicts are those of a fresh reading."""
    assert {run.external_id for run in Run.objects.all()} == set(acknowledged)
    for run in Run.objects.all():
        chunks = Chunk.objects.filter(file__run=run).order_by("offset")
        data = b"".join(journals.unpack(chunk.data) for chunk in chunks)
        assert data == acknowledged[run.external_id]
        verdict = Verdict.objects.get(run=run, current=True)
        fresh = b"".join(judge(fold(journal.read(data))).chunks())
        assert journals.unpack(verdict.report) == fresh
    assert ledger.verify().bad_seq is None


def _database_url() -> str:
    settings = connection.settings_dict
    place = f"{settings['HOST']}:{settings['PORT'] or 5432}/{settings['NAME']}"
    password = f":{settings['PASSWORD']}" if settings["PASSWORD"] else ""
    return f"postgresql://{settings['USER']}{password}@{place}"
