"""Keys of rows in addresses: `edit-812` is the edit at number 812, `edit-812.2` the second there.

A key holds no journal text, so a figure may carry it, and it survives a rerun of the judge, which
rebuilds the rows.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from django.db.models import QuerySet

from dashboard.models import Run

KINDS: dict[str, tuple[str, str]] = {
    "edit": ("edits", "edit_id"),
    "effect": ("effects", "effect_id"),
    "gate": ("journal_gates", "gate_id"),
    "rollback": ("rollbacks", "rollback_id"),
    "proposal": ("proposals", "edit_id"),
    "epoch": ("epochs", "policy"),
    "gap": ("gaps", "id"),
}
SEQ_FIELD = {"epoch": "from_seq", "gap": "first_seq"}
_KEY = re.compile(r"(?P<kind>[a-z]+)-(?P<seq>\d{1,16})(?:\.(?P<nth>\d{1,4}))?")


class Place(NamedTuple):
    """A row by kind, number and, where several share a number, which of them (from 1)."""

    kind: str
    seq: int
    nth: int = 1

    def __str__(self) -> str:
        return f"{self.kind}-{self.seq}" + (f".{self.nth}" if self.nth > 1 else "")


def parse(key: str) -> Place | None:
    """The place that a key names; None for what is no key."""
    found = _KEY.fullmatch(key)
    if found is None or found["kind"] not in KINDS:
        return None
    return Place(found["kind"], int(found["seq"]), int(found["nth"] or 1))


def seq_field(kind: str) -> str:
    return SEQ_FIELD.get(kind, "seq")


def rows_of(run: Run, kind: str) -> QuerySet[Any]:
    """Rows of a kind in the order in which `nth` counts them."""
    related, name = KINDS[kind]
    rows: QuerySet[Any] = getattr(run, related).order_by(seq_field(kind), name)
    return rows


def find(run: Run, place: Place) -> Any | None:
    """The row of a place; None when it is not there (any more)."""
    rows = rows_of(run, place.kind).filter(**{seq_field(place.kind): place.seq})
    return rows[place.nth - 1 : place.nth].first()


class Counter:
    """Gives the keys of rows that come in the order of `rows_of`."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._seq = -1
        self._nth = 0

    def key(self, seq: int) -> str:
        self._nth = self._nth + 1 if seq == self._seq else 1
        self._seq = seq
        return str(Place(self.kind, seq, self._nth))
