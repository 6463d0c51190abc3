"""Every rule in code order: code, severity, certainty, claim."""

from __future__ import annotations

import argparse
import sys

from guard.rules import RULES


def arguments(_parser: argparse.ArgumentParser) -> None:
    """None."""


def run(_args: argparse.Namespace) -> int:
    """0."""
    for rule in RULES:
        sys.stdout.write(f"{rule.code}  {rule.severity:<7}  {rule.certainty:<8}  {rule.claim}\n")
    return 0
