"""The coverage of a run: what its source can and cannot prove, and what was not read."""

from __future__ import annotations

from msgspec import Struct

from dashboard.models import LineRow, Run, SkipCount
from dashboard.queries.series import covered
from guard.adapters.base import Counts
from guard.adapters.coverage import Section, sections

MOST_LINES = 200


class CoveragePage(Struct, frozen=True):
    """`sections` is empty when the run was not read. `more`: notes that were not kept."""

    adapter: str
    sections: list[Section]
    counts: Counts | None
    more: int
    skips: list[SkipCount]
    lines: list[LineRow]


def coverage_page(run: Run) -> CoveragePage:
    """What the last judgement of the run stored."""
    found = covered(run)
    return CoveragePage(
        adapter=found.adapter if found else "",
        sections=sections(found.notes) if found else [],
        counts=found.counts if found else None,
        more=found.more if found else 0,
        skips=list(run.skips.order_by("-count", "name")),
        lines=list(run.lines.order_by("file", "line", "pk")[:MOST_LINES]),
    )
