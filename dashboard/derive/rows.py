"""What one judgement puts into the derived tables, before it is saved."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from django.db.models import Model
from msgspec import Struct, field

from dashboard import clean
from dashboard.models import EditRow, FactRow, FindingRow
from guard.bits import chosen
from guard.subset import Subset

MAX_LISTED = 1000
"""Ids that a row lists at most. An edit in force can overlap every effect after it."""


def listed(found: Iterable[str], most: int = MAX_LISTED) -> list[str]:
    """The first ids of a set that may be very large, in the order of the report."""
    if isinstance(found, Subset):
        found = chosen(found.bits, found.names.all)
    return list(dict.fromkeys(clean.name(name) for name in islice(found, most)))


class Rows(Struct, frozen=True):
    """`verdict` and `run` are fields to set; `files` is file id -> adapter.

    `edits` pairs each edit with its facts, since a fact needs the id that its edit gets.
    """

    verdict: dict[str, Any]
    run: dict[str, Any] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)
    edits: list[tuple[EditRow, list[FactRow]]] = field(default_factory=list)
    others: list[list[Model]] = field(default_factory=list)
    findings: list[FindingRow] = field(default_factory=list)

    def all(self) -> list[Model]:
        """Every row but facts and findings."""
        return [*(edit for edit, _ in self.edits), *(row for rows in self.others for row in rows)]
