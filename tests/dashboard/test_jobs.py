"""Jobs: nothing is lost, nothing is done twice, and what kills its worker is put aside."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from dashboard import celery, derive, ingest, jobs, ledger, sweeping, working
from dashboard.embedded import Worker
from dashboard.models import Chunk, EditRow, Job, Run, Source, Verdict
from tests.conftest import ROOT
from tests.dashboard.making import incident

State = Job.State


def send(source: Source, name: str = "run-7") -> Job:
    receipt = ingest.receive(source, name, f"{name}.ndjson", 0, incident(name))
    return Job.objects.get(pk=receipt.job_id)


def wait_for(condition: Any, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.django_db
class TestALease:
    def test_a_job_is_taken_once(self, source: Source) -> None:
        job = send(source)
        assert jobs.take(job.pk) is not None
        assert jobs.take(job.pk) is None
        assert working.work_on(job.pk) is False

    def test_an_attempt_counts_before_the_work_begins(self, source: Source) -> None:
        job = send(source)
        jobs.take(job.pk)
        job.refresh_from_db()
        assert (job.state, job.attempts) == (State.LEASED, 1)

    def test_a_lease_that_ran_out_is_free(self, source: Source) -> None:
        job = send(source)
        jobs.take(job.pk)
        expire(job)
        assert list(jobs.waiting()) == [job]
        assert working.work_on(job.pk)
        job.refresh_from_db()
        assert (job.state, job.attempts) == (State.DONE, 2)

    def test_a_worker_that_lost_its_lease_ends_nothing(self, source: Source) -> None:
        job = send(source)
        first = jobs.take(job.pk)
        assert first is not None
        with first:
            expire(job)
            second = jobs.take(job.pk)
        job.refresh_from_db()
        assert second is not None
        assert job.state == State.LEASED

    def test_one_run_is_not_judged_by_two_workers_at_once(self, source: Source) -> None:
        first = send(source)
        assert jobs.take(first.pk) is not None
        second = ingest.receive(source, "run-7", "run-7.ndjson", len(incident()), b"\n")
        assert second.job_id != first.pk
        assert jobs.take(second.job_id) is None

    def test_what_came_meanwhile_is_one_more_job(self, source: Source) -> None:
        send(source)
        for number in range(3):
            ingest.receive(source, "run-7", "run-7.ndjson", len(incident()) + number, b" ")
        assert Job.objects.count() == 1

    def test_a_job_that_is_done_is_never_done_again(self, source: Source) -> None:
        job = send(source)
        assert working.work_on(job.pk)
        assert not working.work_on(job.pk)
        assert not working.work_on(10**9)


def expire(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


@pytest.mark.django_db
class TestFailure:
    @pytest.fixture
    def poison(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError("poison")

        monkeypatch.setattr(derive, "judged", fail)

    def test_three_failures_put_a_job_aside_and_the_error_is_shown(
        self, source: Source, poison: None
    ) -> None:
        job = send(source)
        for attempt in (1, 2, 3):
            with pytest.raises(ZeroDivisionError):
                working.work_on(job.pk)
            job.refresh_from_db()
            assert job.attempts == attempt
        assert job.state == State.QUARANTINED
        assert job.error == "ZeroDivisionError: poison"
        verdict = Verdict.objects.get(run=job.run, current=True)
        assert verdict.soundness == "unknown"
        assert "poison" in verdict.worst
        assert not jobs.waiting().exists()

    def test_three_dead_workers_put_a_job_aside(self, source: Source) -> None:
        job = send(source)
        for _ in range(3):
            assert jobs.take(job.pk) is not None
            expire(job)
        assert jobs.take(job.pk) is None
        sweeping.sweep()
        job.refresh_from_db()
        assert job.state == State.QUARANTINED
        assert "died in each of 3 attempts" in job.error
        assert Verdict.objects.get(run=job.run).closure == "unknown"

    def test_new_bytes_give_a_run_a_new_chance(self, source: Source, poison: None) -> None:
        job = send(source)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                working.work_on(job.pk)
        again = ingest.receive(source, "run-7", "run-7.ndjson", len(incident()), b" ")
        assert Job.objects.get(pk=again.job_id).state == State.PENDING

    def test_leases_of_processes_that_are_gone_are_ended(self, source: Source) -> None:
        job = send(source)
        jobs.take(job.pk)
        assert jobs.free_leases_of_the_dead() == 0
        gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                              capture_output=True, check=True, text=True)  # fmt: skip
        mine = Job.objects.get(pk=job.pk).leased_by
        dead = mine.replace(f":{os.getpid()}:", f":{gone.stdout.strip()}:")
        Job.objects.filter(pk=job.pk).update(leased_by=dead)
        assert jobs.free_leases_of_the_dead() == 1
        assert list(jobs.waiting()) == [job]


@pytest.mark.django_db(transaction=True)
class TestTheBell:
    def test_bytes_are_accepted_while_the_queue_is_down(
        self, source: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise OperationalError("connection refused")

        monkeypatch.setattr(celery.app, "send_task", refuse)
        job = send(source)
        assert job.state == State.PENDING
        monkeypatch.undo()
        rung: list[int] = []
        monkeypatch.setattr(celery, "depth", lambda: 0)
        monkeypatch.setattr(jobs, "ring", lambda job_id: rung.append(job_id) or True)
        assert sweeping.sweep() == 1
        assert rung == [job.pk]

    def test_a_message_carries_a_job_id_and_nothing_else(
        self, source: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sent: list[Any] = []
        monkeypatch.setattr(
            celery.app, "send_task", lambda *args, **more: sent.append((args, more))
        )
        job = send(source)
        assert sent == [((celery.JUDGE,), {"args": [job.pk]})]

    def test_nothing_rings_for_what_was_rolled_back(
        self, source: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rung: list[int] = []
        monkeypatch.setattr(jobs, "ring", rung.append)
        monkeypatch.setattr(ledger, "append", _fail)
        with pytest.raises(ZeroDivisionError):
            send(source)
        assert (rung, Chunk.objects.count(), Job.objects.count()) == ([], 0, 0)


def _fail(*_: object) -> None:
    raise ZeroDivisionError


@pytest.mark.django_db(transaction=True)
class TestWorkers:
    @pytest.mark.skipif(bool(os.environ.get("REDIS_URL")), reason="the queue is not in memory")
    def test_the_embedded_worker_judges_what_comes_and_what_was_left(
        self, source: Source, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        celery.app.control.purge()
        monkeypatch.setattr(jobs, "ring", lambda _job_id: True)
        left = send(source, "left-behind")
        monkeypatch.undo()
        worker = Worker()
        worker.start()
        try:
            wait_for(lambda: Job.objects.get(pk=left.pk).state == State.DONE)
            new = send(source, "new")
            wait_for(lambda: Job.objects.get(pk=new.pk).state == State.DONE)
        finally:
            worker.stop()
        assert Verdict.objects.filter(current=True, soundness="unsound").count() == 2

    def test_workers_that_race_give_one_result_for_a_head(self, source: Source) -> None:
        job = send(source)
        done: list[bool] = []

        def work() -> None:
            try:
                done.append(working.work_on(job.pk))
            finally:
                connection.close()

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(done) == [False] * 7 + [True]
        assert (Verdict.objects.count(), EditRow.objects.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_the_same_bytes_from_many_senders_are_stored_once(source: Source) -> None:
    receipts: list[Any] = []

    def send_often() -> None:
        try:
            receipts.extend(
                ingest.receive(source, "run-7", "run-7.ndjson", 0, incident()) for _ in range(12)
            )
        finally:
            connection.close()

    threads = [threading.Thread(target=send_often) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(receipts) == 96
    assert len({receipt.receipt for receipt in receipts}) == 1
    assert sum(not receipt.duplicate for receipt in receipts) == 1
    assert (Chunk.objects.count(), Job.objects.count(), Run.objects.count()) == (1, 1, 1)
    assert ledger.verify().bad_seq is None


@pytest.mark.slow
class TestTheServer:
    """`manage.py serve` as a person starts it: one process, its own data folder."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in SERVICES}
        environment = kept | {"GUARD_DATA": str(tmp_path), "PORT": str(_free_port())}
        self.manage(environment, "migrate", "--verbosity", "0")
        return environment

    def manage(self, environment: dict[str, str], *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def serve(self, environment: dict[str, str]) -> subprocess.Popen[bytes]:
        serving = subprocess.Popen(
            [sys.executable, "manage.py", "serve"], cwd=ROOT, env=environment
        )
        wait_for(lambda: _answers(environment["PORT"]))
        return serving

    def call(self, environment: dict[str, str], path: str, secret: str, data: Any = None) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{environment['PORT']}/api/v1{path}",
            data=data,
            headers={"Authorization": f"Bearer {secret}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def test_killed_and_started_again_it_has_lost_nothing(self, folder: dict[str, str]) -> None:
        sender = self.manage(folder, "token", "lab", "--scope", "ingest")
        reader = self.manage(folder, "token", "lab", "--scope", "read")
        names = [f"run-{number}" for number in range(20)]
        serving = self.serve(folder)
        for name in names:
            self.call(folder, f"/runs/{name}/chunks", sender, incident(name))
        serving.kill()
        serving.wait()
        serving = self.serve(folder)
        try:
            for name in names:
                wait_for(lambda n=name: self.call(folder, f"/runs/{n}", reader)["judged"])
            told = self.call(folder, "/runs", reader)["runs"]
            assert {run["worst"] for run in told} == {"soundness: unsound"}
        finally:
            serving.send_signal(signal.SIGINT)
        assert serving.wait(timeout=30) == 0


SERVICES = {"DATABASE_URL", "REDIS_URL"}


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _answers(port: str) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).close()
    except OSError:
        return False
    return True
