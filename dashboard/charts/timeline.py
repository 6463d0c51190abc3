"""The timeline of a run: one x axis, lanes from tokens down to gaps, one plain dict.

`design` of the lanes: tokens, epochs, edits, effects, gates, gaps; a rollback on paper adds the
strip of verdicts. All y axes are fixed, so a zoom only ever moves along the journal.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from dashboard.charts import outside, windows
from dashboard.charts.style import Figure, base_layout, empty
from dashboard.queries.drawn import Timeline, View

WIDE = {
    "y": (0.69, 1.0),
    "y2": (0.605, 0.655),
    "y3": (0.365, 0.58),
    "y4": (0.185, 0.335),
    "y5": (0.085, 0.155),
    "y6": (0.0, 0.055),
}
NARROW = {
    "y": (0.715, 0.965),
    "y2": (0.61, 0.655),
    "y3": (0.385, 0.55),
    "y4": (0.205, 0.325),
    "y5": (0.1, 0.15),
    "y6": (0.0, 0.045),
}
WIDE_PAPER = {
    "y": (0.72, 1.0),
    "y2": (0.645, 0.69),
    "y3": (0.43, 0.62),
    "y4": (0.265, 0.4),
    "y5": (0.175, 0.24),
    "y6": (0.11, 0.15),
    "y7": (0.0, 0.08),
}
NARROW_PAPER = {
    "y": (0.755, 0.965),
    "y2": (0.665, 0.7),
    "y3": (0.47, 0.61),
    "y4": (0.315, 0.415),
    "y5": (0.225, 0.265),
    "y6": (0.14, 0.175),
    "y7": (0.0, 0.075),
}
NAMES = {
    "y": "Tokens",
    "y2": "Policy epoch",
    "y3": "Edits",
    "y4": "Effects",
    "y5": "Gates",
    "y6": "Gaps",
    "y7": "If you stop here",
}
GUTTER_PX = 104
MAX_SHAPES = 50
MOST_WASHES = 15
MOST_IDLE_NAMES = 6


def timeline(rows: Timeline) -> Figure:
    """Draw a timeline. An empty one says why it is empty."""
    if rows.empty:
        return empty(rows.empty)
    view = rows.view
    lanes = _lanes(rows)
    data = [
        *(_anchor(name, view) for name in lanes),
        *(windows.wash(lanes, rows.washes) if len(rows.washes) > MOST_WASHES else []),
        *([windows.wash_stripes(rows.washes)] if rows.washes else []),
        *(windows.tokens(rows.tokens, rows.limit, view) if rows.tokens else []),
        *windows.drops(rows.drops, [x for x, _, _ in rows.swaps], view),
        *windows.epochs(rows.bands, view),
        *windows.edits(rows.bars, view),
        *outside.gaps(rows.holes, view),
        *outside.gates(rows.hexagons, view),
        *outside.effects(rows.marks, view),
        *outside.verdicts(rows.verdicts, view),
        *(windows.paper(rows.paper, view) if rows.paper else []),
    ]
    return {"data": data, "layout": _layout(rows, lanes)}


def _anchor(name: str, view: View) -> dict[str, Any]:
    """An unseen point that keeps an empty lane, its grid and the axis under it."""
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": name,
        "x": [view.x0],
        "y": [0],
        "opacity": 0,
        "hoverinfo": "skip",
    }


def _lanes(rows: Timeline) -> dict[str, tuple[float, float]]:
    if rows.verdicts:
        return NARROW_PAPER if rows.view.narrow else WIDE_PAPER
    return NARROW if rows.view.narrow else WIDE


def _layout(rows: Timeline, lanes: dict[str, tuple[float, float]]) -> dict[str, Any]:
    view = rows.view
    left = 6 if view.narrow else GUTTER_PX
    layout = base_layout(
        barmode="overlay",
        bargap=0,
        hovermode="closest",
        margin={"l": left, "r": 10, "t": 14, "b": 36 if view.axis == "time" else 26},
        xaxis=_xaxis(view, min(lanes, key=lambda name: lanes[name][0])),
        shapes=_shapes(rows, lanes),
        annotations=[
            *(_lane_name(name, lanes[name], view) for name in lanes),
            *([] if view.narrow else [_axis_name(view)]),
            *(_idle_name(x, text) for x, text in view.idle[:MOST_IDLE_NAMES]),
        ],
    )
    for name, domain in lanes.items():
        layout[f"yaxis{name[1:]}"] = _yaxis(name, domain, rows)
    return layout


def _xaxis(view: View, lowest: str) -> dict[str, Any]:
    return {
        "range": [view.x0, view.x1],
        "anchor": lowest,
        "tickvals": [x for x, _ in view.ticks],
        "ticktext": [text for _, text in view.ticks],
        "tickfont": {"size": 11, "color": "--text-3"},
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": "--edge",
        "showline": True,
        "linecolor": "--edge",
        "gridcolor": "--t-grid",
        "zeroline": False,
        "showspikes": True,
        "spikemode": "across",
        "spikesnap": "hovered data",
        "spikethickness": 1,
        "spikedash": "solid",
        "spikecolor": "--text-3",
    }


def _yaxis(name: str, domain: tuple[float, float], rows: Timeline) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "domain": list(domain),
        "range": [-0.6, 0.6],
        "fixedrange": True,
        "showgrid": False,
        "zeroline": False,
        "showticklabels": False,
    }
    if name == "y":
        return axis | _token_axis(rows)
    if name == "y3":
        deepest = max((bar.row for bar in rows.bars), default=0)
        return axis | {"range": [-max(2, deepest) - 0.6, 0.6]}
    if name == "y4":
        return axis | {"range": [-1.7, 0.7]}
    return axis


def _token_axis(rows: Timeline) -> dict[str, Any]:
    top = max([y for _, y in rows.tokens] + [rows.limit or 0, 1])
    half = top / 2
    values = [half] if rows.view.narrow else [0, half, top]
    return {
        "range": [0, top * 1.06],
        "showticklabels": True,
        "tickvals": values,
        "ticktext": [f"{value:.0f}k" if top >= 10 else f"{value:.1f}k" for value in values],
        "tickfont": {"size": 11, "color": "--text-3"},
        "ticklabelposition": "inside top" if rows.view.narrow else "outside",
        "layer": "above traces",
    }


def _lane_name(name: str, domain: tuple[float, float], view: View) -> dict[str, Any]:
    place: dict[str, Any] = (
        {"yanchor": "bottom", "yshift": 1, "x": 0, "xanchor": "left"}
        if view.narrow
        else {"yanchor": "top", "x": 0, "xanchor": "left", "xshift": -GUTTER_PX + 4}
    )
    return {
        "text": NAMES[name],
        "xref": "paper",
        "yref": "paper",
        "y": domain[1],
        "showarrow": False,
        "borderpad": 0,
        "font": {"size": 11, "color": "--text-2", "weight": 500},
        **place,
    }


def _line(x: float, colour: str, dash: str, width: float = 1) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": x,
        "x1": x,
        "y0": 0,
        "y1": 1,
        "line": {"color": colour, "dash": dash, "width": width},
    }


def _axis_name(view: View) -> dict[str, Any]:
    return {
        "text": "Time" if view.axis == "time" else "Journal order",
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "xanchor": "left",
        "xshift": -GUTTER_PX + 4,
        "y": 0,
        "yanchor": "top",
        "yshift": -7,
        "borderpad": 0,
        "showarrow": False,
        "font": {"size": 11, "color": "--text-2", "weight": 500},
    }


def _idle_name(x: float, text: str) -> dict[str, Any]:
    return {
        "text": f"idle {text}",
        "xref": "x",
        "yref": "paper",
        "x": x,
        "xanchor": "left",
        "xshift": 2,
        "y": 1,
        "yanchor": "bottom",
        "borderpad": 0,
        "showarrow": False,
        "font": {"size": 10, "color": "--text-3"},
    }


def _shapes(rows: Timeline, lanes: dict[str, tuple[float, float]]) -> list[dict[str, Any]]:
    """Rules between lanes, washes, swaps through all lanes, edges of washes and idle stretches."""
    few = len(rows.washes) <= MOST_WASHES
    lines = [_line(x, "--text-2", "dot", 1.5) for x, _, _ in rows.swaps]
    lines += [_line(x, "--danger-fill", "dot") for pair in rows.washes for x in pair]
    lines += [_line(x, "--text-3", "dashdot") for x, _ in rows.view.idle]
    return [
        *([] if rows.view.narrow else _rules(lanes, rows.view)),
        *(_wash(*pair) for pair in rows.washes if few),
        *lines[:MAX_SHAPES],
    ]


def _wash(x0: float, x1: float) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": x0,
        "x1": x1,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "fillcolor": "--danger-fill",
        "opacity": 0.09,
        "line": {"width": 0},
    }


def _rules(lanes: dict[str, tuple[float, float]], view: View) -> list[dict[str, Any]]:
    """A thin line above each lane but the first, through the gutter too."""
    domains = sorted(lanes.values(), reverse=True)
    gutter = -GUTTER_PX / max(view.width_px, 1)
    return [
        {
            "type": "line",
            "xref": "paper",
            "yref": "paper",
            "x0": gutter,
            "x1": 1,
            "y0": (above[0] + below[1]) / 2,
            "y1": (above[0] + below[1]) / 2,
            "layer": "below",
            "line": {"color": "--line", "width": 1},
        }
        for above, below in pairwise(domains)
    ]
