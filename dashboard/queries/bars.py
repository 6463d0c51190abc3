"""Edits and proposals as bars of the timeline; which windows are unsafe, and the wash over them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from django.db.models import (
    Case,
    Count,
    Max,
    Min,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Least

from dashboard import times, words
from dashboard.models import EditRow, Run
from dashboard.queries.cells import MOST_ALONE, cell_of
from dashboard.queries.clock import Clock
from dashboard.queries.drawn import Bar, EditLook, View
from dashboard.queries.marks import Danger, Places
from dashboard.queries.places import Counter, Place
from dashboard.visible import label

DEEPEST = 5
LOST_CODES = ("JG201", "JG206")
FIELDS = (
    "edit_id",
    "seq",
    "end_seq",
    "depth",
    "soundness",
    "status",
    "op",
    "by",
    "tokens_before",
    "tokens_after",
    "at",
    "unsafe",
    "lost",
)


class Window(NamedTuple):
    """An edit in force, and what the figure has to know of it."""

    edit_id: str
    seq: int
    end_seq: int | None
    depth: int
    soundness: str
    status: str
    op: str
    by: str
    tokens_before: int | None
    tokens_after: int | None
    at: datetime | None
    unsafe: bool
    lost: bool

    @property
    def look(self) -> EditLook:
        return look_of(self.unsafe, self.lost, self.soundness == "unknown")

    @property
    def tokens(self) -> str:
        if self.tokens_before is None or self.tokens_after is None:
            return ""
        return f"{self.tokens_before:,} → {self.tokens_after:,}"


class Group(NamedTuple):
    """Edits of a crowded view that begin in one cell, look alike and lie on one row."""

    row: int
    look: EditLook
    n: int
    low: int
    high: int
    end: int


def look_of(unsafe: bool, lost: bool, unclear: bool) -> EditLook:
    if lost:
        return "lost"
    if unsafe:
        return "unsafe"
    return "maybe" if unclear else "quiet"


class Edits:
    """The edits of a run that are in force somewhere in view.

    One by one while they fit. In a crowd the quiet ones are joined by the database, and the others
    too when there are thousands of them; their number stays.
    """

    def __init__(self, run: Run, view: View, places: Places, swaps: list[int]) -> None:
        self.run = run
        self.view = view
        self.places = places
        self.swaps = swaps
        rows = _in_view(run, view)
        self.windows = _alone(rows)
        self.groups: list[Group] = []
        if len(self.windows) > MOST_ALONE:
            grave = Q(unsafe=True) | Q(lost=True)
            self.windows = _alone(rows.filter(grave))
            if len(self.windows) > MOST_ALONE:
                self.windows = []
            self.groups = self._grouped(rows.exclude(grave) if self.windows else rows)

    def _grouped(self, rows: QuerySet[EditRow]) -> list[Group]:
        marked = rows.order_by().annotate(
            cell=cell_of(self.view, "seq"),
            row=Least("depth", Value(DEEPEST)),
            unclear=_flag(Q(soundness="unknown")),
            open=_flag(Q(end_seq=None)),
            until=Coalesce("end_seq", Value(self.view.total + 1)),
        )
        cells = marked.values("cell", "row", "unsafe", "lost", "unclear", "open")
        counted = cells.annotate(n=Count("id"), low=Min("seq"), high=Max("seq"), end=Max("until"))
        return [
            Group(
                row=cell["row"],
                look=look_of(cell["unsafe"], cell["lost"], cell["unclear"]),
                **{name: cell[name] for name in ("n", "low", "high", "end")},
            )
            for cell in counted.order_by("low")
        ]

    def starts(self, ranges: list[tuple[int, int]]) -> list[int]:
        """Numbers of edits within any of the ranges, in order."""
        if not ranges:
            return []
        within = Q()
        for low, high in ranges:
            within |= Q(seq__gte=low, seq__lte=high)
        found = self.run.edits.filter(within).order_by("seq").values_list("seq", flat=True)
        return list(found.distinct())

    def end(self, window: Window) -> int:
        return self.view.total + 1 if window.end_seq is None else window.end_seq

    def dangers(self, window: Window) -> list[Danger]:
        return self.places.inside(window.seq, self.end(window))

    def washes(self, clock: Clock) -> list[tuple[float, float]]:
        """Unsafe windows, joined where they overlap, cut to the view."""
        unsafe = [(row.seq, self.end(row)) for row in self.windows if row.unsafe]
        unsafe += [(group.low, group.end) for group in self.groups if group.look == "unsafe"]
        out: list[tuple[float, float]] = []
        for since, until in sorted(unsafe):
            low = clock.x(max(since, self.view.first))
            high = clock.x(min(until, self.view.last))
            if out and low <= out[-1][1]:
                out[-1] = (out[-1][0], max(out[-1][1], high))
            else:
                out.append((low, high))
        return out

    def bars(self, clock: Clock) -> list[Bar]:
        """Bars cut to the view; quiet ones too narrow to tell apart are joined with their count."""
        keys = Counter("edit")
        out: list[Bar] = []
        thin: dict[tuple[int, int, EditLook], list[Window]] = defaultdict(list)
        for window in self.windows:
            key, look = keys.key(window.seq), window.look
            x0 = clock.x(max(window.seq, self.view.first))
            x1 = clock.x(min(self.end(window), self.view.last))
            if x1 - x0 < 3 * self.view.per_px:
                cell = int((x0 - self.view.x0) / (4 * self.view.per_px))
                thin[min(window.depth, DEEPEST), cell, look].append(window)
                continue
            out += self._parts(window, key, look, x0, x1, clock)
        out += [self._joined(row, look, windows, clock) for (row, _, look), windows in thin.items()]
        return out + [self._crowd(group, clock) for group in self.groups]

    def _crowd(self, group: Group, clock: Clock) -> Bar:
        x0 = clock.x(max(group.low, self.view.first))
        x1 = clock.x(min(group.end, self.view.last))
        text = f"{group.n:,} edits"
        shown = text if group.look in {"unsafe", "lost"} or group.row == 0 else ""
        return Bar(
            x0=x0,
            x1=max(x1, x0 + 3 * self.view.per_px),
            row=group.row,
            label=shown,
            long_label=shown,
            key=str(Place("edit", group.low)),
            said=f"{words.count(group.n, 'edit')}, seq {group.low:,} to {group.high:,}",
            look=group.look,
            count=group.n,
        )

    def _parts(
        self, window: Window, key: str, look: EditLook, x0: float, x1: float, clock: Clock
    ) -> list[Bar]:
        bar = self._bar(window, key, look, x0, x1)
        at = bisect_right(self.swaps, window.seq)
        border = self.swaps[at] if at < len(self.swaps) else None
        if look not in {"quiet", "maybe"} or border is None or border >= self.end(window):
            return [bar]
        middle = min(max(clock.x(border), x0), x1)
        said = f"{bar.said}<br>crosses the policy swap at {border:,}"
        parts = []
        if middle > x0:
            parts.append(_changed(bar, x1=middle, said=said))
        if x1 > middle:
            parts.append(
                _changed(bar, x0=middle, said=said, look="crossing", label="", long_label="")
            )
        return parts

    def _bar(self, window: Window, key: str, look: EditLook, x0: float, x1: float) -> Bar:
        name = label(window.edit_id)
        short, long = self._labels(window, name, look)
        until = "now" if window.end_seq is None else f"{window.end_seq:,}"
        word = {"unsafe": "unsafe", "lost": "no recovery record", "maybe": "soundness unknown"}
        said = " · ".join(
            part
            for part in (
                f"{name} · {words.OPS.get(window.op, window.op)} by {window.by}",
                f"seq {window.seq:,} to {until}",
                window.tokens,
                word.get(look, ""),
            )
            if part
        )
        return Bar(
            x0=x0,
            x1=x1,
            row=min(window.depth, DEEPEST),
            label=short,
            long_label=long,
            key=key,
            said=f"{said}<br>{times.stamp(window.at)}",
            look=look,
        )

    def _labels(self, window: Window, name: str, look: EditLook) -> tuple[str, str]:
        if look == "lost":
            return f"{name} no record", f"{name} no record"
        if look != "unsafe":
            return name, name
        found = self.dangers(window)
        by = f" · {found[0].name}" if found else ""
        more = f" +{len(found) - 1}" if len(found) > 1 else ""
        sizes = f" · {window.tokens}" if window.tokens else ""
        tail = " irreversible" if by else ""
        return f"UNSAFE {name}{by}{more}", f"UNSAFE {name}{sizes}{by}{more}{tail}"

    def _joined(self, row: int, look: EditLook, windows: list[Window], clock: Clock) -> Bar:
        first, last = windows[0], windows[-1]
        x0 = clock.x(max(first.seq, self.view.first))
        bar = self._bar(first, str(Place("edit", first.seq)), look, x0, x0 + 3 * self.view.per_px)
        if len(windows) == 1:
            return bar
        said = f"{words.count(len(windows), 'edit')}, seq {first.seq:,} to {last.seq:,}"
        text = f"{len(windows)} edits" if look in {"unsafe", "lost"} else ""
        return _changed(bar, row=row, label=text, long_label=text, said=said, count=len(windows))


def _in_view(run: Run, view: View) -> QuerySet[EditRow]:
    rows = run.edits.filter(seq__lte=view.last)
    rows = rows.filter(Q(end_seq=None) | Q(end_seq__gte=view.first))
    return with_lost(rows, run).order_by("seq", "edit_id")


def with_lost(rows: QuerySet[EditRow], run: Run) -> QuerySet[EditRow]:
    """The same with `lost`: whether no good recovery record is known."""
    lacking = run.findings.filter(code__in=LOST_CODES).values("subject")
    return rows.annotate(lost=_flag(Q(edit_id__in=lacking) | Q(mode="halt")))


def _alone(rows: QuerySet[EditRow]) -> list[Window]:
    return [Window(*row) for row in rows.values_list(*FIELDS)[: MOST_ALONE + 1]]


def _flag(condition: Q) -> Case:
    return Case(When(condition, then=Value(True)), default=Value(False))


def _changed(bar: Bar, **changes: object) -> Bar:
    fields = {name: getattr(bar, name) for name in bar.__struct_fields__}
    return Bar(**{**fields, **changes})


def proposals(run: Run, view: View, clock: Clock) -> list[Bar]:
    """Proposals whose edit was not made: dashed boxes from their number to the end of the view."""
    made = run.edits.values("edit_id")
    rows = run.proposals.filter(seq__lte=view.last).exclude(edit_id__in=made)
    keys, out = Counter("proposal"), []
    for row in rows.order_by("seq", "edit_id")[:200]:
        name = label(row.edit_id)
        text = name if view.narrow else f"{name} proposed"
        said = f"{name} proposed at {row.seq:,} · {words.sign('verdict', row.verdict).word}"
        out.append(
            Bar(
                x0=clock.x(max(row.seq, view.first)),
                x1=view.x1,
                row=0,
                label=text,
                long_label=text,
                key=keys.key(row.seq),
                said=said,
                look="asked",
            )
        )
    return out
