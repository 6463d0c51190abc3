"""How often a fault is made: a few times on every run, all of them with `FAULTS=all`."""

from __future__ import annotations

import os


def times(few: int, every: int) -> int:
    """`few`, or `every` one of them when all were asked for."""
    return every if os.environ.get("FAULTS") == "all" else few
