"""Faults of `trust.md` 5.1, each made on running processes and followed by the audit."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from dashboard import celery, ingest, jobs, sweeping, working
from dashboard.models import Chunk, Entry, Job, Run, Source, Verdict
from tests.browser.serving import free_port
from tests.dashboard.making import EDIT, HEADER, PATCH, RECORD, SPAN, incident, lines
from tests.faults.counts import times
from tests.faults.dying import POISON
from tests.faults.house import House, audit, dies, drained, kill, until

pytestmark = [pytest.mark.services, pytest.mark.slow]


def large(name: str, spans: int = 4000) -> bytes:
    """A journal that takes a moment to judge."""
    more = ({**SPAN, "seq": 4 + n, "id": f"x{n}", "text": "y" * 200} for n in range(spans))
    patch = {**PATCH, "seq": 4 + spans, "state": "committed"}
    undo = {"kind": "rollback", "seq": 5 + spans, "id": "r1", "edits": ["e1"]}
    return lines({**HEADER, "id": name}, SPAN, RECORD, EDIT, *more, patch, undo)


def _judge_and_die(job_id: int, after: Callable[[Any], None]) -> None:
    after(connection)
    working.work_on(job_id)


def _killed(job_id: int, after: Callable[[Any], None]) -> bool:
    """Work on a job in a child of this process; whether it was killed in the middle."""
    # A child must not talk on the connections of this process.
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()
    child = multiprocessing.get_context("fork").Process(target=_judge_and_die, args=[job_id, after])
    child.start()
    child.join()
    assert child.exitcode in {0, -signal.SIGKILL}
    return child.exitcode != 0


def at_statement(number: int) -> Callable[[Any], None]:
    """Die at the n-th statement."""
    count = 0

    def watch(execute: Callable[..., Any], *rest: Any) -> Any:
        nonlocal count
        count += 1
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(*rest)

    return lambda connection: connection.execute_wrappers.append(watch)


def after_seconds(seconds: float) -> Callable[[Any], None]:
    """Die at any moment."""
    die = lambda: os.kill(os.getpid(), signal.SIGKILL)  # noqa: E731
    return lambda _: threading.Timer(seconds, die).start()


@pytest.fixture
def no_queue(services: None, transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Source:
    """Only the job table: what is left over is found there."""
    monkeypatch.setattr(jobs, "ring", lambda _: True)
    monkeypatch.setattr(celery, "depth", lambda: None)
    return Source.objects.create(slug="lab", name="Lab")


def finish() -> None:
    """What a worker does after a death: frees what the dead had, and works on it."""
    jobs.free_leases_of_the_dead()
    sweeping.sweep()
    for job in list(jobs.waiting()):
        assert working.work_on(job.pk)


def test_f01_a_worker_killed_at_any_statement_leaves_nothing_half_done(no_queue: Source) -> None:
    sent, number, step = {}, 1, times(3, 1)
    while True:
        name = f"run-{number}"
        sent[name] = incident(name)
        receipt = ingest.receive(no_queue, name, "a.ndjson", 0, sent[name])
        killed = _killed(receipt.job_id or 0, at_statement(number))
        if not killed:
            break
        finish()
        number += step
    assert number > 20
    audit(sent)


def test_f22_a_worker_killed_in_the_middle_changes_no_verdict(no_queue: Source) -> None:
    chance = random.Random(22)
    sent = {f"run-{number}": large(f"run-{number}") for number in range(times(3, 50))}
    deaths = 0
    for name, data in sent.items():
        receipt = ingest.receive(no_queue, name, "a.ndjson", 0, data)
        deaths += _killed(receipt.job_id or 0, after_seconds(chance.uniform(0.02, 0.4)))
        finish()
    assert deaths
    audit(sent)
    assert Verdict.objects.values("rules_version").distinct().count() == 1


def test_f02_workers_killed_at_any_moment_lose_nothing(house: House) -> None:
    chance = random.Random(2)
    sent = {f"run-{n}": large(f"run-{n}", 400) for n in range(times(12, 200))}
    for name, data in sent.items():
        house.send(name, data)
    for _ in range(times(1, 50)):
        kill(house.worker)
        house.worker = house.start_worker(DIE_AT="poison", GUARD_MAX_ATTEMPTS="1000")
        time.sleep(chance.uniform(1, 4))
    kill(house.worker)
    house.worker = house.start_worker(DIE_AT="poison")
    until(drained)
    audit(sent)


@pytest.mark.parametrize("moment", ["before-commit", "after-commit"])
def test_f03_a_server_killed_around_its_commit_stores_a_batch_once(
    house: House, moment: str
) -> None:
    sent = {}
    for number in range(times(1, 25)):
        name, port = f"run-{number}", free_port()
        sent[name] = incident(name)
        server = house.web(port, DIE_AT=moment)
        with dies():
            house.send(name, sent[name], port)
        server.wait()
        kept = Chunk.objects.filter(file__run__external_id=name)
        assert kept.count() == (1 if moment == "after-commit" else 0)
        assert Run.objects.filter(external_id=name).exists() == kept.exists()
        told = house.send(name, sent[name])
        assert told["duplicate"] is (moment == "after-commit")
        assert told["receipt"] == str(kept.get().receipt)
    until(drained)
    audit(sent)


def test_f04_without_its_queue_everything_is_taken_and_judged_later(house: House) -> None:
    sent = {}
    for turn in range(times(1, 20)):
        for number in range(times(15, 200)):
            name = f"run-{turn}-{number}"
            sent[name] = incident(name)
            if number == times(10, 180):
                kill(house.queue)
            assert house.send(name, sent[name])["duplicate"] is False
        house.redis()
        until(drained)
    audit(sent)


def test_f09_the_same_batch_from_many_senders_is_one(house: House) -> None:
    sent = {f"run-{turn}": incident(f"run-{turn}") for turn in range(times(1, 20))}
    each = times(5, 13)
    for name, data in sent.items():
        with ThreadPoolExecutor(8) as senders:
            answers = list(senders.map(lambda _, of=(name, data): house.send(*of), range(8 * each)))
        assert sum(not answer["duplicate"] for answer in answers) == 1
        bodies = [{**answer, "duplicate": None, "job": None} for answer in answers]
        assert all(body == bodies[0] for body in bodies)
    assert Entry.objects.filter(kind="received").count() == len(sent)
    until(drained)
    audit(sent)


def test_f25_a_batch_that_kills_its_worker_is_set_aside_and_holds_nobody_up(house: House) -> None:
    house.send(POISON, incident(POISON))
    sent = {f"run-{number}": incident(f"run-{number}") for number in range(times(5, 40))}
    for name, data in sent.items():
        house.send(name, data)
    until(lambda: Verdict.objects.filter(run__external_id__in=sent).count() == len(sent), 60)
    until(lambda: Job.objects.filter(state=Job.State.QUARANTINED).exists())
    job = Job.objects.get(state=Job.State.QUARANTINED)
    assert (job.run.external_id, job.attempts) == (POISON, 3)
    until(lambda: Verdict.objects.filter(run=job.run).exists())
    verdict = Verdict.objects.get(run=job.run, current=True)
    assert {verdict.soundness, verdict.integrity, verdict.closure} == {"unknown"}
    until(drained)
    assert not Job.objects.exclude(pk=job.pk).exclude(state=Job.State.DONE).exists()
