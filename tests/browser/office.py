"""A running server, an agent with its hook installed, and a repository that it may push to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from guard.client import API, Client
from tests.browser.serving import ROOT, manage
from tests.dashboard import agent_with_hooks

SCRIPT = Path(agent_with_hooks.__file__)
WAIT_S = 120.0
TOKEN = """
from dashboard import tokens
from dashboard.models import Source
print(tokens.issue(Source.objects.get(slug="lab"), "hook", "propose")[1])
"""
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_NAME": "Agent" for who in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{who}_EMAIL": "agent@example.org" for who in ("AUTHOR", "COMMITTER")},
}


class Office:
    """A server, and a token for the hooks of its agents."""

    def __init__(self, env: dict[str, str], address: str) -> None:
        self.env = env
        self.address = address
        self.token = manage(env, "shell", "--verbosity", "0", "-c", TOKEN).split()[-1]
        self.client = Client(address, self.token)
        self.before = self.pending()

    def pending(self) -> set[str]:
        """The gates that wait for an answer."""
        items = self.client.call("GET", f"{API}/gates?state=pending")["items"]
        return {str(gate["gate"]) for gate in items}

    def gate(self, agent: subprocess.Popen[bytes]) -> str:
        """The gate that the agent waits for."""
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end and agent.poll() is None:
            new = self.pending() - self.before
            if new:
                return new.pop()
            time.sleep(0.1)
        raise AssertionError("the agent did not wait for a gate")

    def begin(self, folder: Path, wait_s: int = 100) -> subprocess.Popen[bytes]:
        """The agent, with its hook installed for this server."""
        env = {
            **os.environ,
            **GIT,
            "PYTHONPATH": str(ROOT),
            "CLAUDE_CONFIG_DIR": str(folder / "claude"),
            "GUARD_HOOK_CONFIG": str(folder / "hook.json"),
            "GUARD_HOOK_STATE": str(folder / "state"),
        }
        _repository(folder, env)
        _install(folder, env, self.address, self.token, wait_s)
        self.before = self.pending()
        return subprocess.Popen([sys.executable, str(SCRIPT), str(folder)], cwd=ROOT, env=env)


def _repository(folder: Path, env: dict[str, str]) -> None:
    """A bare repository that counts its pushes, and a clone with a commit to push."""
    bare, work = folder / "bare.git", folder / "work"
    for command in (
        ["git", "init", "-q", "--bare", "-b", "main", str(bare)],
        ["git", "init", "-q", "-b", "main", str(work)],
        ["git", "-C", str(work), "commit", "-q", "--allow-empty", "-m", "One"],
        ["git", "-C", str(work), "remote", "add", "origin", str(bare)],
    ):
        subprocess.run(command, check=True, env=env)
    counting = bare / "hooks" / "post-receive"
    counting.parent.mkdir(exist_ok=True)
    counting.write_text(f"#!/bin/sh\ncat >> {folder / 'pushes'}\n")
    counting.chmod(0o755)


def _install(folder: Path, env: dict[str, str], address: str, token: str, wait_s: int) -> None:
    secret = folder / "token"
    secret.write_text(token)
    words = ["hook", "install", "claude-code", "--address", address, "--token-file", str(secret)]
    command = [sys.executable, "-m", "guard", *words]
    subprocess.run(command, check=True, env=env, cwd=ROOT, capture_output=True)
    config = folder / "hook.json"
    config.write_text(json.dumps({**json.loads(config.read_bytes()), "wait_s": wait_s}))


def end(agent: subprocess.Popen[bytes], folder: Path) -> dict[str, Any]:
    """What the agent was told, when it has ended."""
    assert agent.wait(WAIT_S) == 0
    told: dict[str, Any] = json.loads((folder / "told.json").read_bytes())
    return told


def pushes(folder: Path) -> int:
    """How often something arrived in the repository."""
    counted = folder / "pushes"
    return counted.read_text().count("\n") if counted.exists() else 0
