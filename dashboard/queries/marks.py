"""Effects as marks of the timeline, binned by pixel; dangers are counted, never left out.

Reads never matter (`semantics.md` 5.9), so they are no marks; the table has them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Min

from dashboard import times, words
from dashboard.models import Run
from dashboard.queries import series
from dashboard.queries.cells import CELL_PX, MOST_ALONE, cell, cells_of
from dashboard.queries.clock import Clock
from dashboard.queries.drawn import Mark, View
from dashboard.queries.places import Counter, Place
from dashboard.queries.series import Look, Writes
from dashboard.visible import label

MOST_DANGERS = 3_000
STEMS = 500


class Danger(NamedTuple):
    """An irreversible write under a summary, or `count` of them from `seq` to `last`."""

    seq: int
    last: int
    count: int
    name: str
    key: str
    state: str
    at: datetime | None


def dangers(run: Run, writes: Writes, first: int, last: int) -> list[Danger]:
    """Every danger of a range, in order; beyond some thousands joined to cells of that range."""
    if writes.dangers(first, last) > MOST_DANGERS:
        return [
            Danger(low, high, n, f"{n:,} effects", str(Place("effect", low)), "", None)
            for n, low, high, _ in writes.cells(first, last, MOST_DANGERS, danger=True)
        ]
    rows = run.effects.filter(danger=True, seq__gte=first, seq__lte=last)
    found = rows.order_by("seq", "effect_id").values_list("seq", "effect_id", "state", "at")
    keys = Counter("effect")
    return [
        Danger(seq, seq, 1, label(name), keys.key(seq), state, at) for seq, name, state, at in found
    ]


def stems(run: Run, total: int) -> list[tuple[int, int]]:
    """Dangers and gaps of the whole run for the strip under the figure: a place, how many there."""
    place = cell("first_seq", 1, total, STEMS)
    gaps = run.gaps.order_by().annotate(cell=place).values("cell")
    holes = gaps.annotate(n=Count("id"), low=Min("first_seq")).values_list("n", "low")
    effects = series.writes(run).cells(1, total, STEMS, danger=True)
    return [(row.low, row.n) for row in effects] + [(low, n) for n, low in holes]


class Places:
    """Dangers by bisection: is there one between two numbers, and which is the first?"""

    def __init__(self, rows: list[Danger]) -> None:
        self.rows = rows
        self._seqs = [row.seq for row in rows]

    def inside(self, low: int, high: int) -> list[Danger]:
        """Dangers with `low` < number < `high`: both ends are outside (`semantics.md` 4.2)."""
        return self.rows[bisect_right(self._seqs, low) : bisect_left(self._seqs, high)]


def danger_marks(run: Run, writes: Writes, known: Places, view: View, clock: Clock) -> list[Mark]:
    """Dangers in view; those nearer than a cell are one mark with their count.

    `known` are those of the whole run. When they are joined already, the view asks for its own.
    """
    joined = any(row.count > 1 for row in known.rows)
    rows = dangers(run, writes, view.first, view.last) if joined else known.rows
    out: list[Mark] = []
    group: list[Danger] = []
    for row in rows:
        if row.last < view.first or row.seq > view.last:
            continue
        if group and clock.x(row.seq) - clock.x(group[0].seq) > CELL_PX * view.per_px:
            out.append(_danger_mark(group, clock))
            group = []
        group.append(row)
    if group:
        out.append(_danger_mark(group, clock))
    return out


def _danger_mark(group: list[Danger], clock: Clock) -> Mark:
    first, count = group[0], sum(row.count for row in group)
    said = f"{first.name} · seq {first.seq:,} · irreversible, under a summary"
    if count > 1:
        last = group[-1].last
        said = f"{count:,} irreversible effects under a summary<br>seq {first.seq:,} to {last:,}"
    elif first.at:
        said += f"<br>{first.state} · {times.stamp(first.at)}"
    return Mark(
        x=clock.x(first.seq),
        row=0,
        reversibility="irreversible",
        state="committed",
        label=first.name,
        key=first.key,
        said=said,
        danger=True,
        count=count,
    )


def quiet_marks(run: Run, writes: Writes, view: View, clock: Clock) -> list[Mark]:
    """All other writes in view: one by one while they fit, else joined to cells."""
    in_view = writes.count(view.first, view.last) - writes.dangers(view.first, view.last)
    if in_view > MOST_ALONE:
        cells = writes.cells(view.first, view.last, cells_of(view), danger=False)
        return [_cell(clock, *row) for row in cells]
    rows = run.effects.filter(
        write=True, danger=False, seq__gte=view.first, seq__lte=view.last
    ).order_by("seq", "effect_id")
    found = rows.values_list("seq", "effect_id", "reversibility", "state", "at")
    keys = Counter("effect")
    return [
        Mark(
            x=clock.x(seq),
            row=0 if reversibility == "irreversible" else 1,
            reversibility=reversibility,
            state=state,
            label="" if reversibility == "reversible" else label(name, 12),
            key=keys.key(seq),
            said=_said(label(name), seq, reversibility, state, at),
        )
        for seq, name, reversibility, state, at in found
    ]


def _said(name: str, seq: int, reversibility: str, state: str, at: datetime | None) -> str:
    kind = words.sign("class", reversibility).word
    outcome = words.sign("outcome", state).word
    return f"{name} · seq {seq:,} · {kind}<br>{outcome} · {times.stamp(at)}"


def _cell(clock: Clock, n: int, low: int, high: int, look: Look) -> Mark:
    reversibility, state, _ = look
    kind = words.sign("class", reversibility).word
    outcome = words.sign("outcome", state).word
    return Mark(
        x=clock.x(low),
        row=0 if reversibility == "irreversible" else 1,
        reversibility=reversibility,
        state=state,
        label="",
        key=str(Place("effect", low)),
        said=f"{words.count(n, 'effect')}, {kind}<br>{outcome} · seq {low:,} to {high:,}",
        count=n,
    )
