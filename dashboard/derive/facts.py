"""The facts of each edit as rows, with the lines at which they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dashboard import facts
from dashboard.derive.edits import performed
from dashboard.facts import Fact, Told, Version
from dashboard.models import EditRow, FactRow
from guard.edits import Performed
from guard.state import State

COUNTED = ("kept", "altered", "dropped", "weakened", "unproven", "added")


def with_facts(
    rows: Sequence[EditRow], state: State, told: Mapping[Version, Told]
) -> list[tuple[EditRow, list[FactRow]]]:
    """Each edit with its facts, and the counts of them set. Host edits keep what they say."""
    return [
        _counted(row, compare(edit, state, told))
        for row, edit in zip(rows, performed(state), strict=True)
    ]


def compare(edit: Performed, state: State, told: Mapping[Version, Told]) -> list[Fact]:
    """What became of the facts of one edit."""
    out = edit.edit.out
    place = told.get((out.id, out.hash)) if out is not None else None
    versions = {
        (span, version): dict(state.windows.versions.facts_of(span, version))
        for span, version in edit.taken.items()
        if version is not None
    }
    return facts.compared(edit.taken, versions, told, out, place.text if place else None)


def _counted(row: EditRow, found: Sequence[Fact]) -> tuple[EditRow, list[FactRow]]:
    for status in COUNTED:
        setattr(row, status, sum(fact.status == status for fact in found))
    return row, [_row(fact) for fact in found]


def _row(fact: Fact) -> FactRow:
    members = fact.row()
    del members["verbatim"]
    return FactRow(**members)
