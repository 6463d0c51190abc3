"""The small charts of the team page. Each is one question; its table is a click away."""

from __future__ import annotations

from typing import Any

from dashboard.charts.style import FONT, Figure, Trace, base_layout, empty, hatch
from dashboard.queries.drawn import Trend

MARGIN = {"l": 34, "r": 6, "t": 12, "b": 20}


def _axes(rows: Trend, top: float, unit: str, most: int = 4) -> dict[str, Any]:
    every = max(1, -(-len(rows.steps) // most))
    places = list(range(0, len(rows.steps), every))
    return {
        "xaxis": {
            "fixedrange": True,
            "tickvals": places,
            "ticktext": [rows.steps[at] for at in places],
            "tickfont": {"size": 10, "color": "--text-3"},
            "showgrid": False,
            "zeroline": False,
            "showline": True,
            "linecolor": "--edge",
            "ticklabelshift": 12,
            "range": [-0.5, max(len(rows.steps) - 0.5, 0.5)],
        },
        "yaxis": {
            "fixedrange": True,
            "range": [0, top],
            "tickvals": [0, top / 2, top],
            "ticktext": [f"{value:g}{unit}" for value in (0, top / 2, top)],
            "tickfont": {"size": 10, "color": "--text-3"},
            "gridcolor": "--t-grid",
            "zeroline": False,
        },
    }


def _top(values: list[float | None], least: float = 4) -> float:
    """A round number above all values."""
    most = max([value for value in values if value is not None] or [0])
    top = least
    while top < most * 1.05:
        top *= 2 if str(top)[0] in "145" else 2.5 if str(top)[0] == "2" else 1.25
    return top


def _draw(rows: Trend, data: list[Trace], top: float, unit: str = "") -> Figure:
    layout = base_layout(
        margin=MARGIN, barmode="stack", bargap=0.18, hovermode="x", **_axes(rows, top, unit)
    )
    layout["yaxis"]["range"] = [0, top * 1.12]
    layout["dragmode"] = False
    if rows.limit:
        value, text = rows.limit
        layout["shapes"] = [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": value,
                "y1": value,
                "line": {"dash": "dash", "width": 1, "color": "--text-3"},
            }
        ]
        layout["annotations"] = [
            {
                "text": text,
                "xref": "paper",
                "x": 1,
                "xanchor": "right",
                "y": value,
                "yanchor": "bottom",
                "showarrow": False,
                "font": {"size": 10, "color": "--text-3", "family": FONT},
            }
        ]
    return {"data": data, "layout": layout}


def _bars(name: str, values: list[float | None], colour: str, striped: bool) -> Trace:
    marker: dict[str, Any] = {"color": colour, "line": {"width": 0}}
    if striped:
        marker["pattern"] = hatch(colour)
    return {
        "type": "bar",
        "name": name,
        "x": list(range(len(values))),
        "y": values,
        "marker": marker,
        "hovertemplate": f"{name}: %{{y}}<extra></extra>",
    }


def _line(name: str, values: list[float | None], colour: str, dash: str, unit: str) -> Trace:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(range(len(values))),
        "y": values,
        "line": {"width": 1.75, "color": colour, "dash": dash},
        "marker": {"size": 4, "color": colour},
        "connectgaps": False,
        "hovertemplate": f"{name}: %{{y:.1f}}{unit}<extra></extra>",
    }


def summaries(rows: Trend) -> Figure:
    """Summaries by verdict of an effect under them."""
    if rows.empty:
        return empty(rows.empty)
    totals = [sum(step or 0 for step in parts) for parts in zip(*rows.series.values(), strict=True)]
    looks = {
        "clean": ("--t-edit", False),
        "unknown": ("--gate", True),
        "unsound": ("--danger-fill", True),
    }
    data = [_bars(name, rows.series[name], *look) for name, look in looks.items()]
    return _draw(rows, data, _top(list(totals)))


def dropped(rows: Trend) -> Figure:
    """Share of summaries that dropped a gating fact."""
    if rows.empty:
        return empty(rows.empty)
    values = rows.series["share"]
    line = _line("share", values, "--t-line", "solid", "%")
    return _draw(rows, [line], min(100.0, _top(values, 8)), "%")


def irreversible(rows: Trend) -> Figure:
    """Irreversible effects under a summary; the number stands on each bar."""
    if rows.empty:
        return empty(rows.empty)
    values = rows.series["effects"]
    bar = _bars("irreversible under a summary", values, "--danger-fill", True)
    texts = [str(int(value)) if value else "" for value in values]
    ink = {"size": 11, "color": "--danger", "weight": 700}
    bar |= {"text": texts, "textposition": "outside", "textangle": 0, "textfont": ink}
    return _draw(rows, [bar], _top(values))


def deciding(rows: Trend) -> Figure:
    """Minutes from question to answer: median and 95th percentile."""
    if rows.empty:
        return empty(rows.empty)
    p50, p95 = rows.series["median"], rows.series["95th percentile"]
    data = [
        _line("median", p50, "--t-line", "solid", " min"),
        _line("95th percentile", p95, "--gate", "dash", " min"),
    ]
    return _draw(rows, data, _top([*p50, *p95], 10))


def refusals(rows: Trend) -> Figure:
    """Findings by rule, the most frequent on top."""
    if rows.empty:
        return empty(rows.empty)
    values = rows.series["findings"]
    names = list(reversed(rows.steps))
    bar: Trace = {
        "type": "bar",
        "orientation": "h",
        "x": list(reversed(values)),
        "y": list(range(len(names))),
        "marker": {"color": "--t-edit", "line": {"width": 0}},
        "text": [f"{value:,.0f}" for value in reversed(values) if value is not None],
        "textposition": "outside",
        "textfont": {"size": 11, "color": "--text", "weight": 600},
        "hovertemplate": "%{x}<extra></extra>",
        "cliponaxis": False,
    }
    layout = base_layout(margin={"l": 196, "r": 34, "t": 6, "b": 4}, bargap=0.35, dragmode=False)
    layout["xaxis"] = {"visible": False, "fixedrange": True, "rangemode": "tozero"}
    layout["yaxis"] = {
        "fixedrange": True,
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "tickfont": {"size": 11, "color": "--text-2"},
        "zeroline": False,
        "showgrid": False,
    }
    return {"data": [bar], "layout": layout}


def lag(rows: Trend) -> Figure:
    """Seconds from received to judged: median and highest."""
    if rows.empty:
        return empty(rows.empty)
    p50, most = rows.series["median"], rows.series["highest"]
    data = [
        _line("median", p50, "--t-line", "solid", " s"),
        _line("highest", most, "--gate", "dash", " s"),
    ]
    return _draw(rows, data, _top([*p50, *most], 4), "s")
