"""Everything the timeline of a run draws, binned by pixel on the server.

Two promises: no more than some thousand marks, and every danger is drawn or counted in a mark that
is drawn: irreversible under a summary, missing record, epoch swap, open gate, gap.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from dashboard import times
from dashboard.models import Run
from dashboard.queries import bars, epochs, marks, outside, series
from dashboard.queries.clock import Clock
from dashboard.queries.drawn import Axis, Drop, Timeline, View

MOST_DROPS = 30
MOST_ODD_DROPS = 6
SAMPLES = 100


def timeline(
    run: Run,
    total: int,
    *,
    first: int = 1,
    last: int = 0,
    axis: Axis = "order",
    width_px: int = 900,
    idle: bool = False,
) -> Timeline:
    """Rows of the figure for the numbers `first` to `last` (0 = all) on so many pixels."""
    clock = Clock(series.samples(run), total, axis, compress=idle)
    view = _view(clock, total, first, last or total, width_px)
    if not total:
        return Timeline(view=view, empty="No event was judged yet, so there is nothing to draw.")
    writes = series.writes(run)
    known = marks.Places(marks.dangers(run, writes, 1, total))
    borders = epochs.borders(run)
    edits = bars.Edits(run, view, known, borders)
    sizes = series.usage(run)
    points = tokens(sizes, view, clock)
    return Timeline(
        view=view,
        tokens=points,
        limit=sizes.limit / 1000 if sizes.limit else None,
        drops=drops(sizes, edits, view, clock),
        bands=epochs.bands(run, view, clock, borders),
        swaps=epochs.swaps(borders, view, clock),
        bars=[*edits.bars(clock), *bars.proposals(run, view, clock)],
        washes=edits.washes(clock),
        marks=[
            *marks.quiet_marks(run, writes, view, clock),
            *marks.danger_marks(run, writes, known, view, clock),
        ],
        hexagons=outside.gates(run, view, clock),
        holes=outside.holes(run, view, clock),
    )


def _view(clock: Clock, total: int, first: int, last: int, width_px: int) -> View:
    low = min(max(1, first), max(1, total))
    high = min(max(low + 1, last), max(total, low + 1))
    x0, x1 = clock.x(low), clock.x(high)
    apart_px = 130 if clock.axis == "time" else 60 if width_px < 600 else 90
    most = max(2, width_px // apart_px)
    return View(
        axis=clock.axis if clock.known or clock.axis == "order" else "order",
        first=low,
        last=high,
        total=total,
        x0=x0,
        x1=x1 if x1 > x0 else x0 + 1,
        width_px=width_px,
        ticks=clock.ticks(x0, x1, most),
        idle=[(x, times.lasting(gap)) for x, gap in clock.idle if x0 < x < x1],
        seqs=_samples(clock, x0, x1),
    )


def _samples(clock: Clock, x0: float, x1: float) -> list[tuple[float, int]]:
    if clock.axis == "order" or not clock.known:
        return []
    places = [x0 + (x1 - x0) * n / SAMPLES for n in range(SAMPLES + 1)]
    return [(x, round(clock.seq(x))) for x in places]


def tokens(sizes: series.Usage, view: View, clock: Clock) -> list[tuple[float, float]]:
    """Window size in thousands: at most first, highest and last of each pixel."""
    low = max(0, bisect_right(sizes.seq, view.first) - 1)
    high = bisect_right(sizes.seq, view.last)
    step = max(1, (high - low) // view.width_px)
    out: list[tuple[float, float]] = []
    for start in range(low, high, step):
        part = [
            (seq, size)
            for seq, size in zip(
                sizes.seq[start : min(start + step, high)],
                sizes.window_tokens[start : min(start + step, high)],
                strict=True,
            )
            if size is not None
        ]
        if part:
            keep = {part[0], max(part, key=lambda point: point[1]), part[-1]}
            out += [(max(clock.x(seq), view.x0), size / 1000) for seq, size in sorted(keep)]
    if out:
        out.append((view.x1, out[-1][1]))
    return out


def drops(sizes: series.Usage, edits: bars.Edits, view: View, clock: Clock) -> list[Drop]:
    """The largest drops in view. One without an edit is shown as such, never guessed to be one."""
    top = max((size for size in sizes.window_tokens if size), default=0)
    low, high = bisect_left(sizes.seq, view.first), bisect_right(sizes.seq, view.last)
    found: list[tuple[int, int, int, int]] = []
    for at in range(max(1, low), high):
        before, after = sizes.window_tokens[at - 1], sizes.window_tokens[at]
        if before is not None and after is not None and before - after >= max(0.08 * top, 1):
            found.append((after - before, before, sizes.seq[at - 1], sizes.seq[at]))
    largest = sorted(found)[: 2 * MOST_DROPS]
    starts = edits.starts([(since, until) for _, _, since, until in largest])
    out = []
    for change, before, since, until in largest:
        recorded = bisect_right(starts, until) > bisect_left(starts, since)
        x, low_k = clock.x(until), (before + change) / 1000
        out.append(Drop(x=x, top=before / 1000, low=low_k, recorded=recorded))
    known = [drop for drop in out if drop.recorded][:MOST_DROPS]
    return known + [drop for drop in out if not drop.recorded][:MOST_ODD_DROPS]
