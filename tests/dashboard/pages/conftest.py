"""A judged run, and readers of its pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from dashboard import ingest, working
from dashboard.models import Job, Run, Source
from tests.dashboard.making import incident

Judge = Callable[..., Run]


@pytest.fixture(autouse=True)
def fresh_cache() -> None:
    cache.clear()


@pytest.fixture
def judge(source: Source) -> Judge:
    """Hands over the bytes of a journal and has them judged."""

    def judged(data: bytes, name: str = "run-7", at: Source = source) -> Run:
        ingest.receive(at, name, f"{name}.ndjson", 0, data)
        for job in Job.objects.filter(state=Job.State.PENDING).values_list("pk", flat=True):
            working.work_on(job)
        return Run.objects.get(source=at, external_id=name)

    return judged


@pytest.fixture
def run(judge: Judge) -> Run:
    """The incident: a digest loses a limit, a patch follows, the window is rolled back."""
    return judge(incident())


@pytest.fixture
def reader(member: Callable[..., User]) -> User:
    return member("ann")


@pytest.fixture
def ann(reader: User) -> Client:
    """A reviewer's browser."""
    client = Client()
    client.force_login(reader)
    return client
