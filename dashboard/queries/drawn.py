"""The rows that figures are drawn from: places, numbers, safe labels and words of closed sets.

No journal text and no model reaches a figure. `key` is `kind-seq`, by which a click finds the row;
`said` is the hover text, made of labels, numbers, words and times; `count` is the number of things
that one mark stands for. Places (`x`) are in units of the axis: sequence numbers, or seconds.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

Axis = Literal["order", "time"]
EditLook = Literal["quiet", "crossing", "maybe", "unsafe", "lost", "asked"]
GateLook = Literal["open", "approved", "closed", "bad"]


class View(Struct, frozen=True, kw_only=True):
    """What part of the axis is drawn, and on how many pixels.

    `first`, `last` are sequence numbers, `x0`, `x1` the same ends on the axis, `total` the highest
    number there is. A tick is a place and its text.
    """

    axis: Axis
    first: int
    last: int
    total: int
    x0: float
    x1: float
    width_px: int
    ticks: list[tuple[float, str]] = field(default_factory=list)
    idle: list[tuple[float, str]] = field(default_factory=list)
    seqs: list[tuple[float, int]] = field(default_factory=list)
    """On the time axis: places with the numbers that stand there, in order."""

    @property
    def narrow(self) -> bool:
        """Whether the figure has a phone's width: no gutter, only labels of danger."""
        return self.width_px < 600

    @property
    def per_px(self) -> float:
        """Axis units on one pixel."""
        return max(self.x1 - self.x0, 1e-9) / max(self.width_px, 1)


class Drop(Struct, frozen=True, kw_only=True):
    """The window shrank. `recorded` is false when no edit accounts for it."""

    x: float
    top: float
    low: float
    recorded: bool


class Band(Struct, frozen=True, kw_only=True):
    """One epoch, or `count` epochs too narrow to tell apart."""

    x0: float
    x1: float
    name: str
    key: str
    said: str
    parity: int
    count: int = 1


class Bar(Struct, frozen=True, kw_only=True):
    """An edit in force, or `count` quiet ones too narrow to tell apart."""

    x0: float
    x1: float
    row: int
    label: str
    long_label: str
    key: str
    said: str
    look: EditLook
    count: int = 1


class Mark(Struct, frozen=True, kw_only=True):
    """An effect. `danger` = irreversible and committed under an edit, never binned away."""

    x: float
    row: int
    reversibility: str
    state: str
    label: str
    key: str
    said: str
    danger: bool = False
    count: int = 1


class Hexagon(Struct, frozen=True, kw_only=True):
    """A gate; an open one is never binned away."""

    x: float
    look: GateLook
    label: str
    key: str
    said: str
    count: int = 1


class Hole(Struct, frozen=True, kw_only=True):
    """Missing numbers, never binned away."""

    x0: float
    x1: float
    label: str
    key: str
    said: str
    count: int = 1


class Verdict(Struct, frozen=True, kw_only=True):
    """What a rollback to any point of this stretch would be."""

    x0: float
    x1: float
    soundness: str
    label: str
    short: str
    said: str


class Timeline(Struct, frozen=True, kw_only=True):
    """Everything one timeline draws. `tokens` are (x, thousands of tokens), in order of x."""

    view: View
    tokens: list[tuple[float, float]] = field(default_factory=list)
    limit: float | None = None
    drops: list[Drop] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    swaps: list[tuple[float, str, int]] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)
    washes: list[tuple[float, float]] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    hexagons: list[Hexagon] = field(default_factory=list)
    holes: list[Hole] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    paper: tuple[float, float] | None = None
    empty: str = ""

    @property
    def dangers(self) -> int:
        """How many dangers the marks stand for, clusters counted."""
        return (
            sum(mark.count for mark in self.marks if mark.danger)
            + sum(bar.count for bar in self.bars if bar.look in {"unsafe", "lost"})
            + sum(hexagon.count for hexagon in self.hexagons if hexagon.look == "open")
            + sum(hole.count for hole in self.holes)
            + sum(count for _, _, count in self.swaps)
        )


class Trend(Struct, frozen=True, kw_only=True):
    """A small chart: names of steps, and series by name, as long as the steps.

    `now` is the number beside the title; `limit` a dashed line with its text; `empty` says why
    there is nothing to draw.
    """

    steps: list[str]
    series: dict[str, list[float | None]]
    now: str = ""
    limit: tuple[float, str] | None = None
    empty: str = ""
