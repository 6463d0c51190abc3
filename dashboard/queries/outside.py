"""Gates and missing numbers as marks of the timeline; open gates and gaps are never lost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Count, F, Max, Min, QuerySet, Sum

from dashboard import words
from dashboard.models import GapRow, Gate, JournalGateRow, Run
from dashboard.queries.cells import CELL_PX, MOST_ALONE, cell_of
from dashboard.queries.clock import Clock
from dashboard.queries.drawn import GateLook, Hexagon, Hole, View
from dashboard.queries.places import Counter, Place
from dashboard.visible import label

LOOKS: dict[str, GateLook] = {
    "valid": "approved",
    "approved": "approved",
    "consumed": "approved",
    "pending": "open",
    "self": "bad",
    "nonhuman": "bad",
}


def gates(run: Run, view: View, clock: Clock) -> list[Hexagon]:
    """Gates of the journal and of this product; one that is in both stands once, as ours."""
    ours = run.gates.filter(position__gte=view.first, position__lte=view.last)
    theirs = run.journal_gates.filter(seq__gte=view.first, seq__lte=view.last)
    theirs = theirs.exclude(gate_id__in=run.gates.values("public_id"))
    found = [*_theirs(theirs, view, clock), *_ours(ours, view, clock)]
    return _joined(sorted(found, key=lambda row: row.x), view)


def _theirs(rows: QuerySet[JournalGateRow], view: View, clock: Clock) -> Iterator[Hexagon]:
    named = rows.order_by("seq", "gate_id").values_list("gate_id", "seq", "state")
    found = list(named[: MOST_ALONE + 1])
    if len(found) > MOST_ALONE:
        for state, n, low in _cells(rows, "seq", view, Min("seq")):
            yield _crowd(state, n, str(Place("gate", low)), clock.x(low))
        return
    keys = Counter("gate")
    for name, seq, state in found:
        yield _hexagon(name, seq, state, "journal_gate", keys.key(seq), view, clock)


def _ours(rows: QuerySet[Gate], view: View, clock: Clock) -> Iterator[Hexagon]:
    named = rows.order_by("position").values_list("public_id", "position", "state")
    found = list(named[: MOST_ALONE + 1])
    if len(found) > MOST_ALONE:
        for state, n, low, name in _cells(
            rows, "position", view, Min("position"), Min("public_id")
        ):
            yield _crowd(state, n, name, clock.x(low))
        return
    for name, seq, state in found:
        yield _hexagon(name, seq, state, "gate", name, view, clock)


def _hexagon(
    name: str, seq: int, state: str, table: str, key: str, view: View, clock: Clock
) -> Hexagon:
    word = words.sign(table, state).word
    text = label(name, 12)
    return Hexagon(
        x=clock.x(seq),
        look=LOOKS.get(state, "closed"),
        label=text if view.narrow else f"{text} {word}",
        key=key,
        said=f"gate {text} · seq {seq:,}<br>{word}",
    )


def _cells(rows: QuerySet[Any], field: str, view: View, *wanted: Min) -> list[tuple[Any, ...]]:
    """Gates by cell and state: the state, how many, and what is wanted of them."""
    cells = rows.order_by().annotate(cell=cell_of(view, field)).values("cell", "state")
    return list(cells.annotate(n=Count("id")).values_list("state", "n", *wanted))


def _crowd(state: str, n: int, key: str, x: float) -> Hexagon:
    look, text = LOOKS.get(state, "closed"), f"{n:,} gates"
    return Hexagon(x=x, look=look, label=text, key=key, said=text, count=n)


def _joined(rows: list[Hexagon], view: View) -> list[Hexagon]:
    out: list[Hexagon] = []
    latest: dict[str, int] = {}
    for row in rows:
        at = latest.get(row.look)
        if at is None or row.x - out[at].x > CELL_PX * view.per_px:
            latest[row.look] = len(out)
            out.append(row)
            continue
        count = out[at].count + row.count
        word = "open" if row.look == "open" else "here"
        out[at] = Hexagon(
            x=out[at].x,
            look=row.look,
            label=f"{count:,} gates",
            key=out[at].key,
            said=f"{count:,} gates {word}, near {out[at].label}",
            count=count,
        )
    return out


def holes(run: Run, view: View, clock: Clock) -> list[Hole]:
    """Missing numbers in view; those nearer than a cell are one block with their sum."""
    rows = run.gaps.filter(last_seq__gte=view.first, first_seq__lte=view.last)
    named = rows.order_by("first_seq", "pk").values_list("first_seq", "last_seq")
    found = list(named[: MOST_ALONE + 1])
    if len(found) <= MOST_ALONE:
        alone = [(low, high, high - low + 1, 1) for low, high in found]
        return _blocks(alone, view, clock)
    return _blocks(_counted(rows, view), view, clock)


def _counted(rows: QuerySet[GapRow], view: View) -> list[tuple[int, int, int, int]]:
    cells = rows.order_by().annotate(cell=cell_of(view, "first_seq")).values("cell")
    size = Sum(F("last_seq") - F("first_seq") + 1)
    counted = cells.annotate(low=Min("first_seq"), high=Max("last_seq"), size=size, n=Count("id"))
    return list(counted.order_by("low").values_list("low", "high", "size", "n"))


def _blocks(rows: Iterable[tuple[int, int, int, int]], view: View, clock: Clock) -> list[Hole]:
    """From (first, last, how many numbers, how many gaps), in order."""
    keys = Counter("gap")
    out: list[Hole] = []
    missing = first = 0
    for low, high, size, n in rows:
        key = keys.key(low)
        x0, x1 = clock.x(max(low, view.first)), clock.x(min(high + 1, view.last))
        near = bool(out) and x0 - out[-1].x1 < CELL_PX * view.per_px
        missing, first = (missing + size, first) if near else (size, low)
        hole = Hole(
            x0=out[-1].x0 if near else x0,
            x1=x1,
            label=f"{missing:,} missing",
            key=out[-1].key if near else key,
            said=f"{words.count(missing, 'number')} missing, seq {first:,} to {high:,}",
            count=out[-1].count + n if near else n,
        )
        out[-1:] = [hole] if near else [*out[-1:], hole]
    return out
