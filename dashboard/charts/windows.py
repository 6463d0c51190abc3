"""The lanes of what the model read: size of the window, policy epochs, edits, the wash.

A bar has no dashed edge, so proposed edits and missing records are five-point lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dashboard.charts.style import CLEAR, Trace, hatch, text_px
from dashboard.charts.traces import BOLD, FLAT, SAID, bars, labels, scatter, spaced
from dashboard.queries.drawn import Band, Bar, Drop, View


def wash(axes: Iterable[str], rows: list[tuple[float, float]]) -> list[Trace]:
    """Pale red in each lane where an unsafe window is: for more windows than shapes can draw."""
    return [_stretches(axis, rows) for axis in axes]


def wash_stripes(rows: list[tuple[float, float]]) -> Trace:
    """Stripes over the effects of unsafe windows: the sign that is not a colour."""
    stripes = {
        "shape": "/",
        "size": 8,
        "solidity": 0.12,
        "bgcolor": CLEAR,
        "fgcolor": "--danger-fill",
    }
    marker = {"color": "--surface", "line": FLAT, "pattern": stripes}
    return {**_stretches("y4", rows), "marker": marker, "opacity": 0.35}


def _stretches(axis: str, rows: list[tuple[float, float]]) -> Trace:
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": axis,
        "base": [x0 for x0, _ in rows],
        "x": [x1 - x0 for x0, x1 in rows],
        "y": [0] * len(rows),
        "width": 2_000_000,
        "marker": {"color": "--danger-fill", "line": FLAT},
        "opacity": 0.09,
        "hoverinfo": "skip",
    }


def tokens(rows: list[tuple[float, float]], limit: float | None, view: View) -> list[Trace]:
    """Size of the window as steps over an area; the limit dashed."""
    out: list[Trace] = [
        {
            "type": "scatter",
            "mode": "lines",
            "yaxis": "y",
            "x": [x for x, _ in rows],
            "y": [y for _, y in rows],
            "line": {"shape": "hv", "width": 1.5, "color": "--t-line"},
            "fill": "tozeroy",
            "fillcolor": "--t-fill",
            "hovertemplate": "%{y:.1f}k tokens<extra></extra>",
        }
    ]
    if limit:
        dashed = {"dash": "dash", "width": 1, "color": "--text-3"}
        out.append(
            {
                "type": "scatter",
                "mode": "lines",
                "yaxis": "y",
                "x": [view.x0, view.x1],
                "y": [limit, limit],
                "line": dashed,
                "hoverinfo": "skip",
            }
        )
    return out


def drops(rows: list[Drop], swaps: list[float], view: View) -> list[Trace]:
    """Drops of the window: thick where an edit accounts for it, dashed and grey where none does."""
    out = []
    named = set(map(id, spaced(sorted(rows, key=lambda row: not row.recorded), view, _drop_px)))
    for recorded, dash, width in ((True, "solid", 3), (False, "dot", 1.5)):
        part = [row for row in rows if row.recorded is recorded]
        if not part:
            continue
        line = {"dash": dash, "width": width, "color": "--t-line" if recorded else "--text-3"}
        x = [x for row in part for x in (row.x, row.x, None)]
        y = [y for row in part for y in (row.top, row.low, None)]
        trace = {"type": "scatter", "mode": "lines", "yaxis": "y", "x": x, "y": y, "line": line}
        out.append({**trace, "hoverinfo": "skip"})
        shown = [row for row in part if id(row) in named]
        ink = "--text" if recorded else "--text-3"
        ends = [*swaps, view.x1]
        late = [any(row.x < x < row.x + _drop_px(row) * view.per_px for x in ends) for row in shown]
        top = max(row.top for row in rows)
        sides = [_drop_side(row, top, end) for row, end in zip(shown, late, strict=True)]
        texts = [_drop_text(row) for row in shown]
        out.append(labels("y", texts, ink, bold=recorded) | {"textposition": sides})
    return out


def _drop_side(row: Drop, top: float, late: bool) -> str:
    """Beside the drop, below its upper end; where it is too small for that, above the line."""
    tall = row.top - row.low > top / 4
    return f"{'bottom' if tall else 'top'} {'left' if late else 'right'}"


def _drop_px(row: Drop) -> float:
    return 70 if row.recorded else 120


def _drop_text(row: Drop) -> tuple[float, float, str]:
    odd = "" if row.recorded else ", no edit"
    return row.x, row.top, f" −{row.top - row.low:.0f}k{odd} "


def epochs(rows: list[Band], view: View) -> list[Trace]:
    """Policy epochs as bands of two greys, the policy's name inside where it fits."""
    out = []
    for parity, colour in enumerate(("--t-epoch-a", "--t-epoch-b")):
        part = [row for row in rows if row.parity == parity]
        texts = [_name(row, view) for row in part]
        if part:
            inside = {"color": "--text", "size": 11}
            out.append(bars("y2", part, colour, texts, width=1, insidetextfont=inside))
    return out


def _name(row: Band, view: View) -> str:
    room = (row.x1 - row.x0) / view.per_px
    short = row.name.split(" ")[0]
    return next((f"\u00a0{text}" for text in (row.name, short) if text_px(text) < room), "")


def edits(rows: list[Bar], view: View) -> list[Trace]:
    """Edits from apply to rollback or now; nested ones a row lower."""
    out: list[Trace] = []
    for look, colour, striped in (
        ("quiet", "--t-edit", False),
        ("crossing", "--warn", True),
        ("maybe", "--t-edit", True),
        ("unsafe", "--danger-fill", True),
    ):
        part = [row for row in rows if row.look == look]
        if not part:
            continue
        marker: dict[str, Any] = {"color": colour, "line": FLAT}
        if striped:
            marker["pattern"] = hatch(colour)
        texts = [_fits(row, view) for row in part]
        weight = {"color": "#ffffff", "size": 11, **({"weight": BOLD} if look == "unsafe" else {})}
        out.append(bars("y3", part, colour, texts, marker=marker, insidetextfont=weight))
    for look, colour in (("lost", "--danger-fill"), ("asked", "--gate")):
        out += _boxes([row for row in rows if row.look == look], colour)
    return [*out, *_outside(rows, view)]


def _fits(row: Bar, view: View) -> str:
    room = (row.x1 - row.x0) / view.per_px
    for text in (row.long_label, row.label):
        if text and text_px(text) + 4 <= room:
            return f"\u00a0{text}"
    return ""


def _boxes(rows: list[Bar], colour: str) -> list[Trace]:
    """Dotted boxes, and a mark in each that can be hovered: × for a missing record."""
    if not rows:
        return []
    lost = colour == "--danger-fill"
    marker = {
        "symbol": "x-thin-open" if lost else "square-open",
        "size": 8,
        "opacity": 1 if lost else 0,
        "color": colour,
        "line": {"width": 1.75, "color": colour},
    }
    middle = [(row.x0 + row.x1) / 2 for row in rows]
    said = [[row.key, row.said, row.count] for row in rows]
    more: Trace = {"marker": marker, "customdata": said, "hovertemplate": SAID}
    return [
        _edges(rows, colour),
        scatter("y3", middle, [-row.row for row in rows], colour, **more),
    ]


def _edges(rows: list[Bar], colour: str) -> Trace:
    x, y = [], []
    for row in rows:
        low, high = -row.row - 0.36, -row.row + 0.36
        x += [row.x0, row.x1, row.x1, row.x0, row.x0, None]
        y += [low, low, high, high, low, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "yaxis": "y3",
        "x": x,
        "y": y,
        "line": {"dash": "dot", "width": 1.5, "color": colour},
        "hoverinfo": "skip",
    }


def _outside(rows: list[Bar], view: View) -> list[Trace]:
    """Labels of dangers and proposals whose bar is too short for one."""
    out = []
    for looks, colour in ((("unsafe", "lost"), "--danger"), (("asked",), "--text")):
        named = [row for row in rows if row.look in looks]
        named = [row for row in named if row.look != "unsafe" or not _fits(row, view)]
        places = [_beside(row, view) for row in named]
        if places:
            texts = [place[:3] for place in places]
            sides = [place[3] for place in places]
            out.append(labels("y3", texts, colour, bold=True) | {"textposition": sides})
    return out


def _beside(row: Bar, view: View) -> tuple[float, float, str, str]:
    """Place of a label: in the box of a proposal, else right of the bar, else left of it."""
    wide = text_px(row.label) * view.per_px
    if row.look == "asked" and wide < row.x1 - row.x0:
        return row.x0, -row.row, f"\u00a0{row.label}", "middle right"
    if row.x1 + wide > view.x1:
        return row.x0, -row.row, f"{row.label}\u00a0", "middle left"
    return row.x1, -row.row, f"\u00a0{row.label}", "middle right"


def paper(ends: tuple[float, float], view: View) -> list[Trace]:
    """The window as it would be after a rollback on paper: dashed, from its size now."""
    now, after = ends
    x = view.x1 - 2 * view.per_px
    back = view.x1 - (60 if view.narrow else 130) * view.per_px
    line = {"dash": "dash", "width": 1.5, "color": "--link"}
    text = [(back, after, f"{after:.0f}k on paper ")]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "yaxis": "y",
            "x": [x, x, back],
            "y": [now, after, after],
            "line": line,
            "hoverinfo": "skip",
        },
        labels("y", text, "--text", bold=True) | {"textposition": "middle left"},
    ]
