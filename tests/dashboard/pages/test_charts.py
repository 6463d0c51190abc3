"""Figures: plain dicts that plotly accepts, with nothing of a journal in them but ids."""

from __future__ import annotations

import json
from pathlib import Path

import plotly.graph_objects as go
import pytest

from dashboard.charts import CHARTS
from dashboard.charts.overview import overview
from dashboard.charts.style import points
from dashboard.charts.timeline import timeline
from dashboard.queries.drawn import Timeline, Trend, Verdict
from dashboard.visible import label
from tests.dashboard.pages.drawing import everything, mark, paint, view

GOLDEN = Path(__file__).parent / "golden" / "timeline.json"
TREND_NAMES = {
    "summaries": ("clean", "unknown", "unsound"),
    "dropped": ("share",),
    "irreversible": ("effects",),
    "deciding": ("median", "95th percentile"),
    "refusals": ("findings",),
    "lag": ("median", "highest"),
}
STRIP = [
    Verdict(x0=1, x1=40, soundness="unsound", label="UNSOUND · linear", short="UNSOUND", said="a"),
    Verdict(x0=40, x1=80, soundness="sound", label="sound · linear", short="sound", said="b"),
    Verdict(x0=80, x1=100, soundness="none", label="nothing to undo", short="no-op", said="c"),
]


def trend(name: str, empty: str = "") -> Trend:
    names = TREND_NAMES[name]
    return Trend(
        steps=["20:00", "21:00", "22:00"],
        series={series: [1.0, 0.0, 7.0 if name != "dropped" else None] for series in names},
        empty=empty,
    )


@pytest.mark.parametrize("width_px", [900, 350])
@pytest.mark.parametrize("paper", [False, True])
def test_plotly_accepts_a_timeline_with_one_of_everything(width_px: int, paper: bool) -> None:
    rows = everything(width_px)
    if paper:
        rows = Timeline(
            **{name: getattr(rows, name) for name in rows.__struct_fields__}
            | {"verdicts": STRIP, "paper": (50.0, 90.0)}
        )
    go.Figure(paint(timeline(rows)))


@pytest.mark.parametrize("name", sorted(TREND_NAMES))
def test_plotly_accepts_each_small_chart(name: str) -> None:
    go.Figure(paint(CHARTS[name](trend(name))))


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_an_empty_figure_says_why_it_is_empty(name: str) -> None:
    why = "Nothing of this kind happened."
    rows = trend(name, why) if name in TREND_NAMES else Timeline(view=view(), empty=why)
    figure = CHARTS[name](rows)
    assert figure["data"] == []
    assert [note["text"] for note in figure["layout"]["annotations"]] == [why]
    go.Figure(paint(figure))


def test_the_timeline_is_the_golden_one() -> None:
    drawn = json.loads(json.dumps(timeline(everything())))
    assert drawn == json.loads(GOLDEN.read_text())


def test_dangers_lie_on_top_and_carry_their_count() -> None:
    data = timeline(everything())["data"]
    danger = [trace for trace in data if trace.get("meta") == "danger"]
    assert [row[2] for trace in danger for row in trace["customdata"]] == [3]
    last_marks = [trace for trace in data if trace.get("yaxis") == "y4" and "customdata" in trace]
    assert last_marks[-1] is danger[0]


def test_an_unsafe_window_is_red_hatched_and_labelled() -> None:
    traces = [t for t in timeline(everything())["data"] if t.get("yaxis") == "y3"]
    red = [t for t in traces if "base" in t and t["marker"]["color"] == "--danger-fill"]
    unsafe = red[0]
    assert unsafe["marker"]["pattern"]["shape"] == "/"
    assert "e2" in unsafe["text"][0]


def test_every_danger_is_counted_whatever_it_is() -> None:
    assert everything().dangers == 3 + 1 + 1 + 1 + 1 + 1


def test_on_a_phone_only_dangers_and_open_gates_have_labels() -> None:
    data = timeline(everything(350))["data"]
    texts = {
        text for t in data if t.get("mode") == "text" and t["yaxis"] == "y4" for text in t["text"]
    }
    assert all("f7" in text for text in texts)


@pytest.mark.parametrize(
    ("identifier", "shown"),
    [
        ("e3", "e3"),
        ("sha256:abcd", "abcd"),
        ("<b onclick=x>", "·b·onclick·x·"),
        ("$\\href{javascript:alert(1)}{x}$", "··href·jav…1··"),
        ("a\u202eb\u200b", "a·b·"),
        ("toolu_01AbCdEfGhIjKl", "toolu_01A…IjKl"),
    ],
)
def test_an_id_in_a_figure_is_harmless_and_short(identifier: str, shown: str) -> None:
    safe = label(identifier)
    assert len(safe) <= 14
    assert not set(safe) & set("<>&$\\{}\"'")
    if identifier.startswith("$"):
        return
    assert safe == shown


def test_many_marks_stay_below_the_limit() -> None:
    marks = [mark(f"f{n}", n / 10, "irreversible", "committed") for n in range(1_000)]
    figure = timeline(Timeline(view=view(), marks=marks))
    assert points(figure) <= 10_000


def test_stems_of_one_place_are_counted_not_dropped() -> None:
    drawn = overview([(1, 10), (50, 20)], [(10, 1), (10, 1), (90, 5)], 100)
    assert drawn.dangers == 7
    assert len(drawn.stems) == 2
