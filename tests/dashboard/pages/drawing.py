"""Rows for figures, and the paint that `chart.js` puts on them, so that plotly can validate."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from dashboard.queries.drawn import Band, Bar, Drop, Hexagon, Hole, Mark, Timeline, View

ROOT = Path(__file__).parent.parent.parent.parent
TOKENS = dict(
    re.findall(
        r"--([\w-]+):\s*light-dark\((#\w{6}), #\w{6}\)",
        (ROOT / "static/css/tokens.css").read_text(),
    )
)


def paint(value: Any) -> Any:
    """Token names replaced by the light theme's colours. An unknown token is a KeyError."""
    if isinstance(value, str):
        return TOKENS[value[2:]] if value.startswith("--") else value
    if isinstance(value, dict):
        return {name: paint(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [paint(inner) for inner in value]
    return value


def view(width_px: int = 900, **changes: Any) -> View:
    fields = {
        "axis": "order",
        "first": 1,
        "last": 100,
        "total": 100,
        "x0": 1.0,
        "x1": 100.0,
        "width_px": width_px,
        "ticks": [(1.0, "1"), (50.0, "50")],
    }
    return View(**{**fields, **changes})


def bar(name: str, x0: float, x1: float, look: str, row: int = 0) -> Bar:
    return Bar(
        x0=x0,
        x1=x1,
        row=row,
        label=name,
        long_label=f"{name} 100 → 10",
        key=f"edit-{x0:.0f}",
        said=name,
        look=look,
    )


def mark(
    name: str, x: float, kind: str, state: str, *, danger: bool = False, count: int = 1
) -> Mark:
    return Mark(
        x=x,
        row=0 if kind == "irreversible" else 1,
        reversibility=kind,
        state=state,
        label=name,
        key=f"effect-{x:.0f}",
        said=name,
        danger=danger,
        count=count,
    )


def everything(width_px: int = 900) -> Timeline:
    """One of each thing that a timeline can draw."""
    classes = ("reversible", "irreversible", "deferred", "unknown")
    states = ("committed", "held", "failed", "unknown")
    marks = [
        mark(f"x{n}{m}", 5 + n * 20 + m * 5, kind, state)
        for n, kind in enumerate(classes)
        for m, state in enumerate(states)
    ]
    gate = {"x": 40.0, "key": "gate-40", "said": "gate"}
    return Timeline(
        view=view(width_px),
        tokens=[(1, 10.0), (30, 60.0), (31, 20.0), (100, 50.0)],
        limit=100.0,
        drops=[
            Drop(x=31, top=60, low=20, recorded=True),
            Drop(x=80, top=50, low=20, recorded=False),
        ],
        bands=[
            Band(x0=1, x1=50, name="P1", key="epoch-1", said="P1", parity=0),
            Band(x0=50, x1=100, name="P2  swap 50", key="epoch-50", said="P2", parity=1),
        ],
        swaps=[(50.0, "epoch-50", 1)],
        bars=[
            bar("e1", 10, 30, "quiet"),
            bar("e2", 40, 60, "unsafe"),
            bar("e3", 45, 50, "lost", 1),
            bar("e4", 60, 70, "crossing"),
            bar("e5", 70, 80, "maybe"),
            bar("e6", 90, 100, "asked"),
        ],
        washes=[(40.0, 60.0)],
        marks=[*marks, mark("f7", 52, "irreversible", "committed", danger=True, count=3)],
        hexagons=[
            Hexagon(look=look, label=look, **gate) for look in ("open", "approved", "closed", "bad")
        ],
        holes=[Hole(x0=82, x1=84, label="3 missing", key="gap-82", said="gap")],
    )
