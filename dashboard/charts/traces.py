"""Traces that lanes are made of: bars, marks and texts.

Windows are bars, never shapes: 200 bands added one by one took 3.6 s, the same as bars 4 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dashboard.charts.style import Trace
from dashboard.queries.drawn import View

SAID = "%{customdata[1]}<extra></extra>"
FLAT = {"width": 0}
BOLD = 700


def bars(axis: str, rows: Sequence[Any], colour: str, texts: list[str], **more: Any) -> Trace:
    """Horizontal bars from `x0` to `x1`; each row has a `key` and what is said on hover."""
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": axis,
        "base": [row.x0 for row in rows],
        "x": [row.x1 - row.x0 for row in rows],
        "y": [-getattr(row, "row", 0) for row in rows],
        "width": 0.8,
        "text": texts,
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "constraintext": "none",
        "cliponaxis": True,
        "insidetextfont": {"color": "#ffffff", "size": 11},
        "marker": {"color": colour, "line": FLAT},
        "customdata": [[row.key, row.said, row.count] for row in rows],
        "hovertemplate": SAID,
        **more,
    }


def scatter(axis: str, x: list[Any], y: list[Any], colour: str, **more: Any) -> Trace:
    """Marks without lines."""
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": axis,
        "x": x,
        "y": y,
        "cliponaxis": False,
        "marker": {"color": colour, "size": 10},
        **more,
    }


def labels(
    axis: str, rows: list[tuple[float, float, str]], colour: str, bold: bool = False
) -> Trace:
    """Texts beside marks, as one trace: annotations drawn one by one are slow."""
    return {
        "type": "scatter",
        "mode": "text",
        "yaxis": axis,
        "x": [x for x, _, _ in rows],
        "y": [y for _, y, _ in rows],
        "text": [text for _, _, text in rows],
        "textposition": "middle right",
        "cliponaxis": False,
        "textfont": {"color": colour, "size": 11, **({"weight": BOLD} if bold else {})},
        "hoverinfo": "skip",
    }


def spaced(rows: Sequence[Any], view: View, px: Callable[[Any], float]) -> list[Any]:
    """Rows whose label has room: `px` is its width; those that come first in the list win."""
    kept: list[tuple[Any, float]] = []
    for row in rows:
        wide = px(row)
        apart = ((wide + other) / 2 * view.per_px for _, other in kept)
        if all(abs(row.x - old.x) >= far for (old, _), far in zip(kept, apart, strict=True)):
            kept.append((row, wide))
        if len(kept) > view.width_px / 30:
            break
    return [row for row, _ in kept]
