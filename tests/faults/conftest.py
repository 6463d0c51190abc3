"""A house of processes for these faults; where a service is missing the test says so."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

from tests.faults.house import House


@pytest.fixture(scope="module")
def processes(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[House]]:
    """Started by the first test that needs it: what no test kills goes on."""
    made: list[House] = []
    yield made
    for house in made:
        house.close()


@pytest.fixture
def house(
    services: None,
    transactional_db: None,
    processes: list[House],
    tmp_path_factory: pytest.TempPathFactory,
) -> House:
    if shutil.which("redis-server") is None and os.environ.get("REQUIRE_SERVICES") != "1":
        pytest.skip("skipped: redis-server not found")
    if not processes:
        processes.append(House(tmp_path_factory.mktemp("house")))
    processes[0].begin()
    return processes[0]
