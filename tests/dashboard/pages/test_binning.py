"""A crowded run: few marks, and every danger is drawn or counted in one that is."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.charts import CHARTS
from dashboard.charts.style import points
from dashboard.models import (
    EditRow,
    EffectRow,
    EpochRow,
    FindingRow,
    GapRow,
    Gate,
    JournalGateRow,
    Run,
    Source,
)
from dashboard.queries import marks
from dashboard.queries.drawn import Timeline
from dashboard.queries.timeline import timeline

pytestmark = pytest.mark.django_db
TOTAL = 20_000
MOST = 10_000
WIDTHS = (320, 900, 3000)
VIEWS = ((1, TOTAL), (1, 500), (6_001, 9_999), (TOTAL - 2_500, TOTAL))


@pytest.fixture
def crowd(source: Source) -> Run:
    return Run.objects.create(public_id="r-crowd", source=source, external_id="crowd")


def effects(run: Run, seqs: range, *, danger: bool = False) -> None:
    classes = ("reversible", "irreversible", "deferred", "unknown")
    states = ("committed", "held", "failed", "unknown")
    EffectRow.objects.bulk_create(
        EffectRow(
            run=run,
            effect_id=f"x{'!' if danger else ''}{seq}",
            seq=seq,
            state="committed" if danger else states[seq // 4 % 4],
            reversibility="irreversible" if danger else classes[seq % 4],
            write=True,
            danger=danger,
        )
        for seq in seqs
    )


def edits(run: Run, seqs: range, *, until: int | None = None, **more: object) -> None:
    EditRow.objects.bulk_create(
        EditRow(
            run=run,
            edit_id="-".join(["e", str(seq), *more]),
            seq=seq,
            op="summarize",
            by="model",
            branch="main",
            status="provisional",
            end_seq=None if until is None else seq + until,
            depth=number % 9,
            fidelity="exact",
            **more,
        )
        for number, seq in enumerate(seqs)
    )


def drawn(run: Run, width: int, first: int = 1, last: int = TOTAL) -> Timeline:
    rows = timeline(run, TOTAL, first=first, last=last, width_px=width)
    figure = CHARTS["timeline"](rows)
    assert points(figure) <= MOST
    counts = Counter(
        {key: count for trace in figure["data"] for key, _, count in trace.get("customdata", ())}
    )
    for mark in (*rows.marks, *rows.bars, *rows.hexagons, *rows.holes):
        assert counts[mark.key] == mark.count
    return rows


def test_no_danger_of_a_crowd_is_lost(crowd: Run) -> None:
    effects(crowd, range(3, TOTAL, 3))
    effects(crowd, range(1, TOTAL, 12), danger=True)
    for width, (first, last) in product(WIDTHS, VIEWS):
        rows = drawn(crowd, width, first, last)
        shown = sum(mark.count for mark in rows.marks if mark.danger)
        assert shown == sum(first <= seq <= last for seq in range(1, TOTAL, 12))
        assert all(rows.view.x0 <= mark.x <= rows.view.x1 for mark in rows.marks)
        quiet = sum(mark.count for mark in rows.marks if not mark.danger)
        assert quiet == sum(first <= seq <= last for seq in range(3, TOTAL, 3))


@pytest.mark.parametrize("until", [None, 5, 2_000])
def test_no_edit_of_a_crowd_is_lost(crowd: Run, until: int | None) -> None:
    edits(crowd, range(1, TOTAL, 7), until=until)
    edits(crowd, range(3, TOTAL, 140), until=until, unsafe=True)
    edits(crowd, range(5, TOTAL, 105), until=until, mode="halt")
    for width in WIDTHS:
        rows = drawn(crowd, width)
        alone = sum(bar.count for bar in rows.bars if bar.look == "unsafe")
        assert alone == len(range(3, TOTAL, 140))
        assert sum(bar.count for bar in rows.bars if bar.look == "lost") == len(
            range(5, TOTAL, 105)
        )
        assert sum(bar.count for bar in rows.bars if bar.look == "quiet") == len(range(1, TOTAL, 7))
        assert all(rows.view.x0 <= bar.x0 < bar.x1 for bar in rows.bars)
        assert rows.washes


def test_thousands_of_unsafe_edits_keep_their_number(crowd: Run) -> None:
    edits(crowd, range(1, TOTAL, 5), until=9_000, unsafe=True)
    rows = drawn(crowd, 900)
    assert rows.dangers == len(range(1, TOTAL, 5))
    assert len(rows.washes) == 1


def test_a_lost_record_is_known_by_its_finding(crowd: Run) -> None:
    edits(crowd, range(1, 4))
    at = timezone.now()
    FindingRow.objects.create(
        run=crowd,
        code="JG206",
        subject="e-2",
        severity="error",
        certainty="proven",
        message="lost",
        first_seen_at=at,
    )
    looks = {bar.key: bar.look for bar in drawn(crowd, 900).bars}
    assert looks == {"edit-1": "quiet", "edit-2": "lost", "edit-3": "quiet"}


def test_no_gap_swap_or_open_gate_of_a_crowd_is_lost(crowd: Run) -> None:
    GapRow.objects.bulk_create(
        GapRow(run=crowd, first_seq=seq, last_seq=seq + 1, what="missing")
        for seq in range(10, TOTAL, 6)
    )
    EpochRow.objects.bulk_create(
        EpochRow(run=crowd, policy=f"p{seq}", from_seq=seq, to_seq=seq + 4)
        for seq in range(1, TOTAL, 5)
    )
    JournalGateRow.objects.bulk_create(
        JournalGateRow(
            run=crowd, gate_id=f"g{seq}", seq=seq, state=("valid", "invalid", "self")[seq % 3]
        )
        for seq in range(1, TOTAL, 7)
    )
    now = timezone.now()
    Gate.objects.bulk_create(
        Gate(
            public_id=f"g-{seq:08x}",
            run=crowd,
            edit_id="e1",
            digest_hash="0",
            digest_text="",
            edit_hash="0",
            shown_hash="0",
            rules_version="1",
            requester_agent="a",
            position=seq,
            created_at=now,
            expires_at=now,
        )
        for seq in range(5, TOTAL, 9)
    )
    for first, last in VIEWS:
        rows = drawn(crowd, 900, first, last)
        seen = [seq for seq in range(10, TOTAL, 6) if first <= seq + 1 and seq <= last]
        assert sum(hole.count for hole in rows.holes) == len(seen)
        swaps = [seq for seq in range(6, TOTAL, 5) if first <= seq <= last]
        assert sum(count for _, _, count in rows.swaps) == len(swaps)
        opened = [seq for seq in range(5, TOTAL, 9) if first <= seq <= last]
        assert sum(row.count for row in rows.hexagons if row.look == "open") == len(opened)


def test_the_strip_counts_what_the_run_holds(crowd: Run) -> None:
    effects(crowd, range(1, TOTAL, 12), danger=True)
    GapRow.objects.create(run=crowd, first_seq=100, last_seq=220, what="missing")
    found = marks.stems(crowd, TOTAL)
    assert sum(count for _, count in found) == len(range(1, TOTAL, 12)) + 1
    assert len(found) <= marks.STEMS + 1


def test_a_crowd_costs_no_more_questions(crowd: Run) -> None:
    with CaptureQueriesContext(connection) as few:
        drawn(crowd, 900)
    effects(crowd, range(3, TOTAL, 3))
    effects(crowd, range(1, TOTAL, 12), danger=True)
    edits(crowd, range(1, TOTAL, 7), unsafe=True)
    with CaptureQueriesContext(connection) as many:
        drawn(crowd, 900)
    assert len(many) <= len(few) + 6
