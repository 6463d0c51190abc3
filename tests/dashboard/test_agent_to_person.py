"""An agent that nobody answers, and the agent of 60 lines; with a person: `browser/test_agent`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.office import WAIT_S, Office, end, pushes
from tests.browser.serving import ROOT, environment, manage, prepare, server
from tests.guard import agent_loop

LOOP = Path(agent_loop.__file__)
APPROVE = """
from django.contrib.auth.models import User
from django.utils import timezone
from dashboard import gates
from dashboard.models import Gate
gate = Gate.objects.get(public_id="{gate}")
gates.decide(gate, User.objects.get(username="reviewer"), "approved", "I have looked.",
    shown_hash=gates.shown(gate).sha256, digest_hash=gate.digest_hash, signed_in_at=timezone.now())
"""


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    env = environment(tmp_path_factory.mktemp("data"))
    prepare(env)
    with server(env) as address:
        yield Office(env, address)


def test_nobody_answers_and_nothing_happens(office: Office, tmp_path: Path) -> None:
    agent = office.begin(tmp_path, wait_s=3)
    told = end(agent, tmp_path)
    assert (told["status"], pushes(tmp_path)) == (2, 0)
    assert "nobody has answered in time; ask again later" in told["stderr"]


def test_the_sixty_lines_agent_acts_once_and_its_journal_says_so(
    office: Office, tmp_path: Path
) -> None:
    outbox = tmp_path / "outbox"
    words = [office.address, office.token, str(tmp_path / "spool"), str(outbox)]
    office.before = office.pending()
    agent = subprocess.Popen(
        [sys.executable, str(LOOP), *words], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    code = APPROVE.format(gate=office.gate(agent))
    manage(office.env, "shell", "--verbosity", "0", "-c", code)
    assert agent.wait(WAIT_S) == 0
    assert outbox.read_text() == f"{agent_loop.PAYLOAD}\n"
    assert not list((tmp_path / "spool").glob("*.ndjson"))
