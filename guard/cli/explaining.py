"""The page of one rule: its claim, why it matters, an example, what to do, and its source."""

from __future__ import annotations

import argparse
import sys

from guard.errors import GuardError
from guard.rules import RULES


def arguments(parser: argparse.ArgumentParser) -> None:
    """CODE, in any case."""
    parser.add_argument("code", metavar="CODE", help="such as JG101")


def run(args: argparse.Namespace) -> int:
    """0. Raises `GuardError` when there is no such rule."""
    for rule in RULES:
        if rule.code == args.code.upper():
            sys.stdout.write(f"# {rule.code}: {rule.page}\n")
            return 0
    raise GuardError(f"no rule {args.code}; `guard rules` lists them")
