"""A real server for tests: a process of its own, its own data folder or database, a free port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import URLError

ROOT = Path(__file__).parent.parent.parent
PASSWORD = "a long enough password"
START_S = 60.0

PEOPLE = f"""
from django.contrib.auth.models import User
from dashboard.models import Membership, Source
every = ["reviewer", "investigator", "lead", "admin"]
for name, roles in (("reviewer", every), ("owner", ["lead"])):
    user = User.objects.create_user(name, name + "@example.org", "{PASSWORD}")
    for role in roles:
        Membership.objects.create(user=user, source=None, role=role)
Source.objects.create(slug="lab", name="Lab", owner=User.objects.get(username="owner"))
"""


def environment(data: Path, **more: str) -> dict[str, str]:
    """This environment without services, its data in `data`."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in {"DATABASE_URL", "REDIS_URL", "PORT", "DEBUG"}
    }
    return {**inherited, "GUARD_DATA": str(data), "PYTHONUNBUFFERED": "1", **more}


def manage(env: dict[str, str], *command: str) -> str:
    """Run `manage.py` to its end and return what it printed; a failure fails the test."""
    done = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def prepare(env: dict[str, str]) -> None:
    """Tables, a reviewer, an owner and a source."""
    manage(env, "migrate", "--verbosity", "0")
    manage(env, "shell", "--verbosity", "0", "-c", PEOPLE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(env: dict[str, str], *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """`manage.py COMMAND` while the block runs; its whole group ends with the block."""
    with subprocess.Popen(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=env, start_new_session=True
    ) as running:
        try:
            yield running
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGTERM)
            try:
                running.wait(timeout=15)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)


@contextmanager
def server(env: dict[str, str]) -> Iterator[str]:
    """`manage.py serve` on a free port; yields its address once it answers."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with process({**env, "PORT": str(port)}, "serve") as running:
        wait_for(f"{address}/healthz", running)
        yield address


def wait_for(url: str, running: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        assert running.poll() is None, "the server ended while it started"
        with suppress(URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(url, timeout=2)
            return
        time.sleep(0.1)
    raise AssertionError(f"{url} did not answer in {START_S:.0f} s")
