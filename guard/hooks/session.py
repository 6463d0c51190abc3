"""What a hook remembers of a window between two events, and where it is told about the server.

Each event starts a new process, several at a time when calls run in parallel, so the memory is one
small file under a lock.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from guard.client import Client, NotAllowed

CONFIG = "GUARD_HOOK_CONFIG"
STATE = "GUARD_HOOK_STATE"
WAIT_S = 3540
"""How long a call is held. Below the time limit of 3,600 s that `guard hook install` sets."""


@dataclass(frozen=True)
class Config:
    """Where the server is, and how long a call may wait for a person."""

    address: str
    token: str
    wait_s: int = WAIT_S
    timeout_s: float = 10.0

    def client(self) -> Client:
        return Client(self.address, self.token, self.timeout_s)


@dataclass
class Memory:
    """`sent_bytes`: of the session file. `compacting_from`: its size when a compaction began,
    until the compaction stands in the file. `under_way`: writes let through and not ended.
    """

    sent_bytes: int = 0
    compacting_from: int | None = None
    digest: str | None = None
    under_way: list[str] = field(default_factory=list)
    blocks: int = 0
    last_blocked: bool = False


def config_path() -> Path:
    """The file that `guard hook install` writes, readable by its owner only."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(os.environ.get(CONFIG) or Path(home) / "journal-guard" / "hook.json")


def config() -> Config:
    """Raises `NotAllowed` when there is none."""
    path = config_path()
    try:
        told = json.loads(path.read_bytes())
        known = {name.name for name in fields(Config)}
        return Config(**{name: value for name, value in told.items() if name in known})
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise NotAllowed(f"no server is configured in {path}; run `guard hook install`") from error


@contextmanager
def memory(host: str, event: dict[str, Any]) -> Iterator[Memory]:
    """The memory of the event's window, locked for the block, kept when the block is left."""
    folder = Path(os.environ.get(STATE) or Path.home() / ".local/state/journal-guard") / host
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    window = "/".join(part for part in (session_of(event), agent_of(event)) if part)
    name = hashlib.sha256(window.encode()).hexdigest()[:32]
    with (folder / f"{name}.json").open("a+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        stream.seek(0)
        held = _read(stream.read())
        try:
            yield held
        finally:
            stream.truncate(0)
            stream.write(json.dumps(asdict(held)).encode())
            stream.flush()


def _read(data: bytes) -> Memory:
    try:
        return Memory(**json.loads(data))
    except (ValueError, TypeError):
        return Memory()


def session_of(event: dict[str, Any]) -> str:
    """The host's name of the session: the id of the run. Raises `NotAllowed` without one."""
    name = event.get("session_id")
    if not isinstance(name, str) or not name:
        raise NotAllowed("the host named no session; update the host, or run the call yourself")
    return name


def agent_of(event: dict[str, Any]) -> str | None:
    """The host's name of the sub-agent that the event is about; None for the main agent."""
    name = event.get("agent_id")
    return name if isinstance(name, str) and name else None
