"""The report on a folded journal: `guard-report/1` (`report-format.md`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec

from guard import RULES_VERSION
from guard.journal import uncollected
from guard.report import (
    Row,
    closure_row,
    edit_rows,
    effect_rows,
    epoch_rows,
    gate_rows,
    integrity_row,
    policy_rows,
    proposal_rows,
    rollback_rows,
)
from guard.rules import drafts
from guard.rules.rule import Draft, Finding
from guard.state import State
from guard.subset import Subset

Rows: TypeAlias = Callable[[State], Iterable[Row]]

LISTS: tuple[tuple[str, Rows], ...] = (
    ("epochs", epoch_rows),
    ("edits", edit_rows),
    ("effects", effect_rows),
    ("rollbacks", rollback_rows),
    ("proposals", proposal_rows),
    ("policies", policy_rows),
    ("gates", gate_rows),
)
"""The members that are lists of rows, in the order of the report, all but the findings."""


class Report:
    """The answers about one prefix. Rows are made when they are read or written."""

    def __init__(self, state: State, drafts: list[Draft]) -> None:
        self.state = state
        self._drafts = drafts

    @cached_property
    def findings(self) -> list[Finding]:
        """All findings with all numbers: an edit in force makes them many."""
        return [draft.finding() for draft in self._drafts]

    @property
    def status(self) -> Literal[0, 1]:
        """The exit status: 1 with at least one finding of severity `error`."""
        return 1 if any(found.severity == "error" for found in self._drafts) else 0

    def _head(self) -> dict[str, Any]:
        state = self.state
        return {
            "format": "guard-report/1",
            "journal": state.header.id,
            "rules_version": RULES_VERSION,
            "events": state.events,
            "at": state.at,
            "integrity": integrity_row(state),
            "closure": closure_row(state),
        }

    def chunks(self) -> Iterator[bytes]:
        """The bytes of the report (section 3), row by row."""
        yield msgspec.json.encode(self._head())[:-1]
        for name, rows in LISTS:
            yield from _list(name, map(_encode, rows(self.state)))
        yield from _list("findings", (draft.encode() for draft in self._drafts))
        yield b"}\n"

    def encode(self) -> bytes:
        return b"".join(self.chunks())


def _subset_text(found: object) -> msgspec.Raw:
    assert isinstance(found, Subset)
    return found.text()


_encode = msgspec.json.Encoder(enc_hook=_subset_text).encode


def _list(name: str, rows: Iterable[bytes]) -> Iterator[bytes]:
    yield b',"' + name.encode() + b'":['
    for place, row in enumerate(rows):
        yield (b"," if place else b"") + row
    yield b"]"


def judge(state: State) -> Report:
    """Everything that is to be said about a prefix."""
    with uncollected():
        return Report(state, drafts(state))
