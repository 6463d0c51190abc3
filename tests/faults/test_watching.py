"""A watcher and its server are killed again and again while an agent writes: nothing is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from dashboard.journals import unpack
from tests.browser.serving import ROOT, environment, free_port, manage, wait_for
from tests.dashboard.making import HEADER
from tests.faults.counts import times

APPENDS, RESTARTS = times(100, 1000), times(3, 20)
LINE_BYTES = 1024
PAUSE_S = 0.05
DRAINED_S = 120.0


def line(number: int) -> bytes:
    """A span event of exactly 1 KB."""
    event = {"kind": "span", "seq": number, "id": f"s{number}", "hash": "h", "text": ""}
    event["text"] = "x" * (LINE_BYTES - 1 - len(json.dumps(event)))
    return json.dumps(event).encode() + b"\n"


def write(path: Path) -> None:
    """What an agent does: a line at a time, now and then in two halves."""
    chance = random.Random(7)
    with path.open("ab", buffering=0) as stream:
        stream.write(json.dumps(HEADER).encode() + b"\n")
        for number in range(1, APPENDS + 1):
            data = line(number)
            cut = chance.choice([0, 300])
            stream.write(data[:cut])
            time.sleep(chance.uniform(0, PAUSE_S))
            stream.write(data[cut:])


class Machine:
    """A server with its data folder and a watcher with its marks, each a process to be killed."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.sessions = folder / "sessions"
        self.sessions.mkdir()
        self._port = free_port()
        self._env = environment(folder / "data", PORT=str(self._port), GUARD_SWEEP_EVERY_S="2")
        manage(self._env, "migrate", "--verbosity", "0")
        token = folder / "token"
        token.write_text(manage(self._env, "token", "lab", "--scope", "ingest"))
        self._watch = [
            *(sys.executable, "-m", "guard", "watch", str(self.sessions), "--every", "0.1"),
            *("--server", f"http://127.0.0.1:{self._port}", "--token-file", str(token)),
            *("--state", str(folder / "state")),
        ]
        self.database = folder / "data" / "guard.sqlite3"
        self.server = self._start([sys.executable, "manage.py", "serve"])
        self.watcher = self._start(self._watch)
        stack.callback(lambda: (self.server.kill(), self.watcher.kill()))

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, cwd=ROOT, env=self._env, stdout=subprocess.DEVNULL)

    def restart_server(self) -> None:
        self.server.send_signal(signal.SIGKILL)
        self.server.wait()
        self.server = self._start([sys.executable, "manage.py", "serve"])
        wait_for(f"http://127.0.0.1:{self._port}/healthz", self.server)

    def restart_watcher(self) -> None:
        self.watcher.send_signal(signal.SIGKILL)
        self.watcher.wait()
        self.watcher = self._start(self._watch)

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """What the server's database says."""
        with closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as database:
            return database.execute(query).fetchall()

    def stored(self) -> bytes:
        rows = self.rows("SELECT data FROM dashboard_chunk ORDER BY offset")
        return b"".join(unpack(data) for (data,) in rows)  # type: ignore[arg-type]


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + DRAINED_S
    while not condition():
        assert time.monotonic() < end, f"not within {DRAINED_S:.0f} s"
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals")
def test_bytes_stored_are_bytes_written_whoever_is_killed_meanwhile(tmp_path: Path) -> None:
    with ExitStack() as stack:
        machine = Machine(tmp_path, stack)
        path = machine.sessions / "run-7.ndjson"
        writer = threading.Thread(target=write, args=[path])
        writer.start()
        for number in range(RESTARTS):
            time.sleep(random.Random(number).uniform(0.2, 1.5))
            machine.restart_watcher()
            machine.restart_server()
        writer.join()
        written = path.read_bytes()
        assert written.count(b"\n") == APPENDS + 1
        until(lambda: len(machine.stored()) == len(written))
        assert machine.stored() == written
        assert machine.rows("SELECT count(*), max(generation) FROM dashboard_file") == [(1, 1)]
        judged = "SELECT events, integrity FROM dashboard_verdict WHERE current"
        until(lambda: machine.rows(judged) == [(APPENDS, "ok")])
