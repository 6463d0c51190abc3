"""The lanes of what happened outside: effects, gates, gaps, and what a rollback would be."""

from __future__ import annotations

from typing import Any

from dashboard.charts.style import Trace, text_px
from dashboard.charts.traces import SAID, bars, labels, scatter, spaced
from dashboard.queries.drawn import Hexagon, Hole, Mark, Verdict, View

SYMBOLS = {
    "reversible": "circle",
    "irreversible": "diamond",
    "deferred": "square",
    "unknown": "triangle-up",
}
COLOURS = {
    "reversible": "--ok",
    "irreversible": "--text-2",
    "deferred": "--text-2",
    "unknown": "--warn",
}


def effects(rows: list[Mark], view: View) -> list[Trace]:
    """Effects: shape = class, fill = outcome. Dangers come last, so they lie on top."""
    styles: dict[tuple[str, str], list[Mark]] = {}
    for row in rows:
        if not row.danger:
            styles.setdefault((row.reversibility, fill(row.state)), []).append(row)
    out = [_style(cls, state, part) for (cls, state), part in sorted(styles.items())]
    failed = [(row.x, -row.row) for row in rows if not row.danger and fill(row.state) == "crossed"]
    if failed:
        out.append(_crosses("y4", failed, "--surface"))
    if not view.narrow:
        named = [row for row in rows if not row.danger and row.label]
        for level in (0, 1):
            part = _roomy([row for row in named if row.row == level], rows, view)
            if part:
                out.append(labels("y4", part, "--text-2"))
    return [*out, *_dangers([row for row in rows if row.danger], rows, view)]


def fill(state: str) -> str:
    """The three fills: solid, hollow, crossed."""
    if state in {"planned", "held"}:
        return "hollow"
    return "crossed" if state == "failed" else "solid"


def _style(reversibility: str, state: str, rows: list[Mark]) -> Trace:
    colour = COLOURS.get(reversibility, "--warn")
    shape = SYMBOLS.get(reversibility, "triangle-up")
    line = {"width": 1.75, "color": colour}
    symbol = f"{shape}-open" if state == "hollow" else shape
    sizes = [10 + min(row.count - 1, 8) * 0.5 for row in rows]
    return scatter(
        "y4",
        [row.x for row in rows],
        [-row.row for row in rows],
        colour,
        marker={"symbol": symbol, "color": colour, "size": sizes, "opacity": 1, "line": line},
        customdata=[[row.key, row.said, row.count] for row in rows],
        hovertemplate=SAID,
    )


def _crosses(axis: str, places: list[tuple[float, float]], colour: str) -> Trace:
    """A thin × on marks: failed, expired, rejected."""
    line = {"width": 1.75, "color": colour}
    marker = {"symbol": "x-thin-open", "size": 5, "color": colour, "line": line}
    x, y = [x for x, _ in places], [y for _, y in places]
    return scatter(axis, x, y, colour, marker=marker, hoverinfo="skip")


PAD = "\u00a0\u00a0\u00a0"


def _roomy(rows: list[Mark], everything: list[Mark], view: View) -> list[tuple[float, float, str]]:
    out = []
    places = {level: sorted(mark.x for mark in everything if mark.row == level) for level in (0, 1)}
    for row in rows:
        after = next((x for x in places[row.row] if x > row.x), float("inf"))
        room = (min(after, view.x1) - row.x) / view.per_px
        if room > text_px(row.label) + 12:
            out.append((row.x, -row.row, f"{PAD}{row.label}"))
    return out


def _dangers(rows: list[Mark], everything: list[Mark], view: View) -> list[Trace]:
    if not rows:
        return []
    x, y = [row.x for row in rows], [-row.row for row in rows]
    ring = {
        "symbol": "diamond-open",
        "size": 18,
        "color": "--danger-fill",
        "line": {"width": 1.5, "color": "--danger-fill"},
    }
    core = {"symbol": "diamond", "size": 9, "color": "--danger-fill"}
    named = spaced(rows, view, lambda row: text_px(_counted(row)) + 30)
    return [
        scatter("y4", x, y, "--danger-fill", marker=ring, hoverinfo="skip"),
        scatter(
            "y4",
            x,
            y,
            "--danger-fill",
            marker=core,
            customdata=[[row.key, row.said, row.count] for row in rows],
            hovertemplate=SAID,
            meta="danger",
        ),
        _danger_labels(named, everything, view),
    ]


def _counted(row: Mark) -> str:
    return f"{row.label} +{row.count - 1}" if row.count > 1 else row.label


def _danger_labels(rows: list[Mark], everything: list[Mark], view: View) -> Trace:
    """Ids beside danger marks, on a side where no other mark stands; in a crowd none."""
    texts, sides = [], []
    places = [mark.x for mark in everything if mark.row == 0]
    for row in rows:
        text = _counted(row)
        room = (text_px(text) + 16) * view.per_px
        right = row.x + room < view.x1 and not any(row.x < x < row.x + room for x in places)
        left = row.x - room > view.x0 and not any(row.x - room < x < row.x for x in places)
        if right or left:
            sides.append("middle right" if right else "middle left")
            texts.append((row.x, -row.row, f"{PAD} {text}" if right else f"{text}{PAD} "))
    return labels("y4", texts, "--danger", bold=True) | {"textposition": sides}


GATE_STYLES = {
    "approved": ("hexagon", "--gate"),
    "open": ("hexagon-open", "--gate"),
    "closed": ("hexagon-open", "--text-2"),
    "bad": ("hexagon-open", "--danger-fill"),
}


def gates(rows: list[Hexagon], view: View) -> list[Trace]:
    """Gates: solid approved, hollow open with a bold label, crossed expired or rejected."""
    out = []
    first = sorted(rows, key=lambda row: (row.look != "open", row.look != "bad", row.x))
    named = {id(row) for row in spaced(first, view, lambda row: text_px(row.label) + 18)}
    for look in ("approved", "closed", "bad", "open"):
        part = [row for row in rows if row.look == look]
        if not part:
            continue
        symbol, colour = GATE_STYLES[look]
        line = {"width": 1.75, "color": colour}
        x = [row.x for row in part]
        marker = {"symbol": symbol, "size": 13, "color": colour, "line": line}
        said = [[row.key, row.said, row.count] for row in part]
        more: Trace = {"marker": marker, "customdata": said, "hovertemplate": SAID}
        out.append(scatter("y5", x, [0] * len(part), colour, **more))
        if look in {"closed", "bad"}:
            out.append(_crosses("y5", [(row.x, 0) for row in part], colour))
        ink = "--text" if look == "open" else "--text-2"
        shown = [row for row in part if id(row) in named]
        if look == "open" or not view.narrow:
            out.append(_gate_labels(shown, ink, look == "open", view))
    return out


def _gate_labels(rows: list[Hexagon], ink: str, bold: bool, view: View) -> Trace:
    texts, sides = [], []
    for row in rows:
        late = row.x + (text_px(row.label) + 14) * view.per_px > view.x1
        sides.append("middle left" if late else "middle right")
        texts.append((row.x, 0.0, f"{row.label}{PAD}" if late else f"{PAD}{row.label}"))
    return labels("y5", texts, ink, bold) | {"textposition": sides}


def gaps(rows: list[Hole], view: View) -> list[Trace]:
    """Missing numbers as hatched grey blocks, at least 7 px wide, with their count."""
    if not rows:
        return []
    least = 7 * view.per_px
    x = [max(row.x1 - row.x0, least) for row in rows]
    trace = bars("y6", rows, "--unknown", [""] * len(rows), width=1)
    marker = {
        "color": "--sunken",
        "line": {"width": 1, "color": "--edge"},
        "pattern": {
            "shape": "/",
            "solidity": 0.3,
            "size": 5,
            "bgcolor": "--sunken",
            "fgcolor": "--text-3",
        },
    }
    ends = [(row.x0 + width, 0.0, f" {row.label}") for row, width in zip(rows, x, strict=True)]
    far = float("-inf")
    texts = []
    for at, y, text in ends:
        if at >= far:
            texts.append((at, y, text))
            far = at + text_px(text) * view.per_px
    return [{**trace, "x": x, "marker": marker}, labels("y6", texts, "--text", bold=True)]


VERDICT_COLOURS = {
    "sound": ("--ok-bg", "--ok"),
    "unsound": ("--danger-bg", "--danger-fill"),
    "unknown": ("--sunken", "--edge"),
    "none": ("--sunken", "--line"),
}


def verdicts(rows: list[Verdict], view: View) -> list[Trace]:
    """What a rollback to each point would be: the strip under a rollback on paper."""
    return [
        _verdicts(soundness, part, view)
        for soundness in VERDICT_COLOURS
        if (part := [row for row in rows if row.soundness == soundness])
    ]


def _verdicts(soundness: str, rows: list[Verdict], view: View) -> Trace:
    ground, edge = VERDICT_COLOURS[soundness]
    bad = soundness == "unsound"
    marker: dict[str, Any] = {"color": ground, "line": {"width": 1, "color": edge}}
    if bad:
        stripes = {"shape": "/", "solidity": 0.16, "size": 8, "bgcolor": ground, "fgcolor": edge}
        marker["pattern"] = stripes
    return {
        "type": "bar",
        "orientation": "h",
        "yaxis": "y7",
        "base": [row.x0 for row in rows],
        "x": [row.x1 - row.x0 for row in rows],
        "y": [0] * len(rows),
        "width": 1,
        "text": [_verdict_text(row, view) for row in rows],
        "textposition": "inside",
        "insidetextanchor": "start",
        "textangle": 0,
        "constraintext": "none",
        "insidetextfont": {"size": 11, "color": "--danger" if bad else "--text", "weight": 600},
        "marker": marker,
        "customdata": [["", row.said, 1] for row in rows],
        "hovertemplate": SAID,
    }


def _verdict_text(row: Verdict, view: View) -> str:
    room = (row.x1 - row.x0) / view.per_px
    return next((f"\u00a0{t}" for t in (row.label, row.short) if text_px(t) + 4 <= room), "")
