"""Send session files to a server: files, folders or globs, sniffed by content, each byte once.

Prints what became of each file. Exit status 0: the server has all of them; 1: some were refused;
2: none was taken, or the server is away (run it again: it goes on where it stopped).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from guard.cli import sending
from guard.cli.visible import visible
from guard.client import ServerAway
from guard.shipping.follower import Follower
from guard.shipping.shipper import Shipped

LONGEST_AWAY_S = 330.0
"""A little more than the five minutes for which a server may ask to wait."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to send, and where to."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="file, folder or glob")
    sending.arguments(parser)


def run(args: argparse.Namespace) -> int:
    """One pass over everything. Raises what stops it before the first file."""
    told: dict[str, Shipped] = {}

    def say(path: str, shipped: Shipped) -> None:
        told[path] = shipped
        sending.say(path, shipped)

    client, marks = sending.client(args)
    with marks:
        follower = Follower(client, marks, say, whole=True)
        away = _pass(follower, [Path(path).absolute() for path in args.paths])
    if not told and away is None:
        sys.stderr.write(f"{visible('no file there: ' + ' '.join(args.paths))}\n")
    refused = [path for path, shipped in told.items() if shipped.outcome == "refused"]
    if away is not None or len(refused) == len(told):
        return 2
    return 1 if refused else 0


def _pass(follower: Follower, paths: list[Path]) -> ServerAway | None:
    """Send until everything was sent; the reason when the server stays away."""
    patience = sending.Patience()
    while True:
        try:
            follower.turn(paths)
        except ServerAway as away:
            if patience.waited_s > LONGEST_AWAY_S:
                sys.stderr.write(f"{visible(str(away))}; run it again, it goes on from here\n")
                return away
            patience.after(away)
        else:
            return None
