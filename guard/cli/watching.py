"""Follow session files and send what is new, until it is stopped. Without PATH: the usual folders
of every runtime that is known here. Only new bytes are sent; it may be stopped and started at will.

As a service of systemd, in ~/.config/systemd/user/guard-watch.service:

    [Unit]
    Description=Send the sessions of agents to Journal Guard
    After=network-online.target

    [Service]
    ExecStart=%h/.local/bin/guard watch --server https://guard.example.org \\
        --token-file %h/.config/journal-guard/token
    Restart=always
    RestartSec=5
    MemoryMax=512M
    NoNewPrivileges=yes
    ProtectSystem=strict
    ProtectHome=read-only
    ReadWritePaths=%h/.local/state/journal-guard
    PrivateTmp=yes

    [Install]
    WantedBy=default.target

then: mkdir -p ~/.local/state/journal-guard && systemctl --user enable --now guard-watch
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from guard.cli import sending
from guard.client import ServerAway
from guard.shipping import places
from guard.shipping.follower import Follower
from guard.shipping.shipper import Shipped

EVERY_S = 0.25
SHARE = 4


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to follow, where to send it, and how often to look."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="file, folder or glob")
    sending.arguments(parser)
    parser.add_argument("--every", type=float, default=EVERY_S, help="seconds between two looks")


def run(args: argparse.Namespace) -> int:
    """0 when it was asked to stop. Raises what keeps it from starting."""
    signal.signal(signal.SIGTERM, _stop)
    client, marks = sending.client(args)
    with marks:
        follower = Follower(client, marks, _say_news)
        sys.stdout.write(f"following {', '.join(map(str, _paths(args.paths))) or 'nothing yet'}\n")
        sys.stdout.flush()
        try:
            _follow(follower, args.paths, args.every)
        except KeyboardInterrupt:
            return 0
    return 0


def _follow(follower: Follower, paths: list[str], every_s: float) -> None:
    patience = sending.Patience()
    while True:
        begun = time.monotonic()
        try:
            follower.turn(_paths(paths))
        except ServerAway as away:
            patience.after(away)
        else:
            patience.end()
        # A look that takes long is followed by a longer pause: at most a fifth of a core.
        time.sleep(max(every_s, SHARE * (time.monotonic() - begun)))


def _paths(said: list[str]) -> list[Path]:
    """A runtime that is installed later has its folder later."""
    return [Path(path).absolute() for path in said] or places.usual()


def _say_news(path: str, told: Shipped) -> None:
    if told.outcome != "here already":
        sending.say(path, told)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
