"""Hooks of a running agent: answer one event, or put the hook into the settings of its host.

`guard hook claude-code` reads one event from standard input, as `python guard/hook.py` does faster.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from guard import hook
from guard.errors import GuardError
from guard.hooks import settings
from guard.hooks.session import config_path

ACTIONS = ("install", "uninstall", "status")


class NoToken(GuardError):
    """`install` was not told how to reach the server."""

    def __str__(self) -> str:
        return "say --address and --token-file: a file with a token of the scope `propose`"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, for which host."""
    parser.add_argument("action", choices=(*hook.HOSTS, *ACTIONS))
    parser.add_argument("host", choices=hook.HOSTS, nargs="?", default="claude-code")
    parser.add_argument("--address", help="install: where the server is, https://...")
    parser.add_argument("--token-file", type=Path, help="install: a file that holds the token")


def run(args: argparse.Namespace) -> int:
    """0; 1 when `status` or `uninstall` finds no hook; for an event, its own status."""
    match args.action:
        case "install":
            return _install(args.host, args.address, args.token_file)
        case "uninstall":
            was = settings.uninstall(args.host)
            sys.stdout.write(
                f"{'removed from' if was else 'not in'} {settings.path_of(args.host)}\n"
            )
            return 0 if was else 1
        case "status":
            return _status(args.host)
    return hook.run([args.action])


def _install(host: str, address: str | None, token_file: Path | None) -> int:
    if address is not None and token_file is not None:
        _configure(address, token_file.read_text(encoding="utf-8").strip())
    elif not config_path().exists():
        raise NoToken
    warnings = settings.install(host, settings.version_of(host))
    sys.stdout.write(f"installed in {settings.path_of(host)}\n")
    sys.stderr.writelines(f"warning: {text}\n" for text in warnings)
    return 0


def _configure(address: str, token: str) -> None:
    """The token lies in a file of its owner, never in the settings or on a command line."""
    path = config_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as stream:
        os.fchmod(stream.fileno(), 0o600)
        json.dump({"address": address, "token": token}, stream, indent=2)
        stream.write("\n")


def _status(host: str) -> int:
    answered = settings.installed(host)
    missing = [name for name in hook.EVENTS if name not in answered]
    configured = config_path().exists()
    sys.stdout.write(f"{settings.path_of(host)}: {', '.join(answered) or 'no hook'}\n")
    sys.stdout.write(f"server: {'configured' if configured else 'not configured'}\n")
    return 0 if configured and not missing else 1
