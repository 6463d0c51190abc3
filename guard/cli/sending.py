"""What `import` and `watch` have in common: which server, with which token and marks."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from guard.cli.visible import visible
from guard.client import Client, NotAllowed, ServerAway
from guard.errors import GuardError
from guard.hooks import session
from guard.shipping.marks import Marks
from guard.shipping.shipper import Shipped

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
TIMEOUT_S = 60.0


class NoServer(GuardError):
    """Nobody said where the server is, or how to reach it."""

    def __str__(self) -> str:
        return "say --server and --token-file: a file with a token of the scope `ingest`"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Where to send; the hook's own configuration where nothing is said."""
    parser.add_argument("--server", help="https://...; default: what `guard hook install` was told")
    parser.add_argument("--token-file", type=Path, help="a file with a token of the scope `ingest`")
    parser.add_argument("--state", type=Path, help="folder that remembers what was sent")


def client(args: argparse.Namespace) -> tuple[Client, Marks]:
    """The server, and what it has already. Raises `NoServer`, `OSError` and `Busy`."""
    address, token = args.server, args.token_file
    if address is not None and token is not None:
        made = Client(address, token.read_text(encoding="utf-8").strip(), TIMEOUT_S)
    else:
        try:
            known = session.config()
        except NotAllowed as error:
            raise NoServer from error
        address, made = known.address, Client(known.address, known.token, TIMEOUT_S)
    return made, Marks((args.state or _state_folder()) / _name(address))


def _state_folder() -> Path:
    home = os.environ.get("XDG_STATE_HOME")
    return (Path(home) if home else Path.home() / ".local" / "state") / "journal-guard" / "shipped"


def _name(address: str) -> str:
    return hashlib.sha256(address.rstrip("/").encode()).hexdigest()[:16]


def say(path: str, told: Shipped) -> None:
    """One line for a file: what was sent of it, as which run, or why not."""
    where = f" as {told.run}" if told.run else ""
    size = f" {told.size_bytes} bytes" if told.outcome == "sent" else ""
    again = f" (generation {told.mark.generation})" if told.mark.generation > 1 else ""
    reason = f": {told.reason}" if told.reason else ""
    sys.stdout.write(f"{visible(f'{path}: {told.outcome}{size}{where}{again}{reason}')}\n")
    sys.stdout.flush()


class Patience:
    """Waits longer and longer while the server is away, and starts anew when it answers."""

    def __init__(self, pause: Callable[[float], object] = time.sleep) -> None:
        self._pause = pause
        self._pause_s = FIRST_PAUSE_S
        self.waited_s = 0.0

    def after(self, away: ServerAway) -> None:
        """Say it once, and wait."""
        if not self.waited_s:
            sys.stderr.write(f"{visible(str(away))}; nothing is lost, it is tried again\n")
        self._pause(self._pause_s)
        self.waited_s += self._pause_s
        self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)

    def end(self) -> None:
        """The server answers."""
        self._pause_s, self.waited_s = FIRST_PAUSE_S, 0.0
