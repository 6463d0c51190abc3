"""Policy epochs as bands of the timeline, and the swaps between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from django.db.models import Count, Max, Min, QuerySet

from dashboard import times
from dashboard.models import EpochRow, Run
from dashboard.queries.cells import MOST_ALONE, cell_of
from dashboard.queries.clock import Clock
from dashboard.queries.drawn import Band, View
from dashboard.queries.places import Counter, Place
from dashboard.visible import label


def bands(run: Run, view: View, clock: Clock, borders: list[int]) -> list[Band]:
    """Epochs in view, narrow ones joined. `borders` are where all but the first of them begin."""
    rows = run.epochs.filter(to_seq__gte=view.first, from_seq__lte=view.last)
    rows = rows.order_by("from_seq", "policy")
    found = list(rows.values_list("from_seq", "to_seq", "policy", "at")[: MOST_ALONE + 1])
    if len(found) > MOST_ALONE:
        return _grouped(rows, view, clock)
    keys, out = Counter("epoch"), []
    for low, high, policy, at in found:
        nth = bisect_right(borders, low)
        name = label(policy, 16) if policy else "no policy"
        swap = f"  swap {low:,}" if nth and low >= view.first else ""
        x0, x1 = clock.x(max(low, view.first)), clock.x(min(high + 1, view.last))
        key = keys.key(low)
        said = f"{name} · seq {low:,} to {high:,}<br>{times.stamp(at)}"
        band = Band(x0=x0, x1=x1, name=f"{name}{swap}", key=key, said=said, parity=nth % 2)
        out.append(band)
    return _joined(out, view)


def _grouped(rows: QuerySet[EpochRow], view: View, clock: Clock) -> list[Band]:
    cells = rows.order_by().annotate(cell=cell_of(view, "from_seq")).values("cell")
    counted = cells.annotate(n=Count("id"), low=Min("from_seq"), high=Max("to_seq"))
    named = counted.order_by("low").values_list("n", "low", "high")
    return [
        Band(
            x0=clock.x(max(low, view.first)),
            x1=clock.x(min(high + 1, view.last)),
            name=f"{n:,} epochs",
            key=str(Place("epoch", low)),
            said=f"{n:,} epochs, seq {low:,} to {high:,}",
            parity=nth % 2,
            count=n,
        )
        for nth, (n, low, high) in enumerate(named)
    ]


def _joined(bands: list[Band], view: View) -> list[Band]:
    out: list[Band] = []
    for band in bands:
        thin = band.x1 - band.x0 < 3 * view.per_px
        if not (thin and out and out[-1].x1 - out[-1].x0 < 12 * view.per_px and len(bands) > 40):
            out.append(band)
            continue
        before, count = out[-1], out[-1].count + band.count
        out[-1] = Band(
            x0=before.x0,
            x1=band.x1,
            name=f"{count} epochs",
            key=before.key,
            said=f"{count} epochs",
            parity=before.parity,
            count=count,
        )
    return out


def borders(run: Run) -> list[int]:
    """Where a policy was swapped: the beginnings of all epochs but the first."""
    return list(run.epochs.order_by("from_seq").values_list("from_seq", flat=True))[1:]


def swaps(borders: list[int], view: View, clock: Clock) -> list[tuple[float, str, int]]:
    """Swaps in view: place, key, and how many stand there within two pixels."""
    out: list[tuple[float, str, int]] = []
    low, high = bisect_left(borders, view.first), bisect_right(borders, view.last)
    for seq in borders[low:high]:
        x = clock.x(seq)
        if out and x - out[-1][0] < 2 * view.per_px:
            out[-1] = (out[-1][0], out[-1][1], out[-1][2] + 1)
        else:
            out.append((x, str(Place("epoch", seq)), 1))
    return out
