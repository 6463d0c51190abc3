"""A house of processes for each fault; where a service is missing the test says so."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.house import House


@pytest.fixture
def house(services: None, transactional_db: None, tmp_path: Path) -> Iterator[House]:
    if shutil.which("redis-server") is None:
        pytest.skip("skipped: redis-server not found")
    made = House(tmp_path)
    try:
        yield made
    finally:
        made.close()
