"""Findings across runs, with the notes that people wrote on them."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Case, Count, Exists, OuterRef, Q, QuerySet, Value, When
from django.http import HttpRequest
from msgspec import Struct

from dashboard import access
from dashboard.models import EditRow, EffectRow, FindingRow, Note, RuleSwitch

PER_PAGE = 25
SEVERITIES = ("", "error", "warning", "info")
STATES = ("open", "noted", "all")
SORTS = {
    "run": ("run__public_id", "seq"),
    "seen": ("first_seen_at", "pk"),
    "severity": ("weight", "-first_seen_at", "pk"),
    "code": ("code", "run__public_id", "seq"),
}


class Asked(Struct, frozen=True):
    code: str
    severity: str
    state: str
    source: str
    run: str
    q: str
    sort: str

    @property
    def address(self) -> str:
        names = ("code", "severity", "state", "source", "run", "q", "sort")
        return urlencode([(name, getattr(self, name)) for name in names if getattr(self, name)])


class Line(Struct, frozen=True):
    """A finding, its notes, and the page of its subject when it has one."""

    row: FindingRow
    notes: list[Note]
    subject_kind: str


def asked(request: HttpRequest, code: str = "") -> Asked:
    ask = request.GET
    sort, state = ask.get("sort", "severity"), ask.get("state", "open")
    return Asked(
        code=code or ask.get("code", "")[:8],
        severity=ask.get("severity", "") if ask.get("severity", "") in SEVERITIES else "",
        state=state if state in STATES else "open",
        source=ask.get("source", "")[:64],
        run=ask.get("run", "")[:16],
        q=ask.get("q", "").strip()[:200],
        sort=sort if sort.removeprefix("-") in SORTS else "severity",
    )


def visible(user: User) -> QuerySet[Any]:
    """Findings that the reader may see: `noted` by somebody, `off` with their rule, or open."""
    notes = Note.objects.filter(
        run=OuterRef("run"), code=OuterRef("code"), subject=OuterRef("subject")
    )
    rows = FindingRow.objects.filter(run__source__in=access.sources_for(user))
    off = RuleSwitch.objects.filter(code=OuterRef("code"), off=True)
    return rows.annotate(noted=Exists(notes), off=Exists(off))


OPEN = Q(noted=False, off=False)
"""These wait for somebody."""


def matching(user: User, ask: Asked, *, with_state: bool = True) -> QuerySet[Any]:
    rows = visible(user)
    pairs = (("code", ask.code), ("severity", ask.severity))
    rows = rows.filter(**{name: value for name, value in pairs if value})
    if ask.source:
        rows = rows.filter(run__source__slug=ask.source)
    if ask.run:
        rows = rows.filter(run__public_id=ask.run)
    if ask.q:
        rows = rows.filter(Q(message__icontains=ask.q) | Q(subject__icontains=ask.q))
    if with_state and ask.state != "all":
        rows = rows.filter(OPEN if ask.state == "open" else Q(noted=True))
    return _ordered(rows.select_related("run__source"), ask.sort)


def _ordered(rows: QuerySet[Any], sort: str) -> QuerySet[Any]:
    weight = Case(
        When(severity="error", then=Value(0)),
        When(severity="warning", then=Value(1)),
        default=Value(2),
    )
    fields = SORTS[sort.removeprefix("-")]
    rows = rows.annotate(weight=weight).order_by(*fields)
    return rows.reverse() if sort.startswith("-") else rows


def counts(user: User, ask: Asked) -> dict[str, int]:
    """How many are open, noted and there at all, under the other filters."""
    rows = matching(user, ask, with_state=False).order_by()
    # Names of their own: an aggregate that is called like an annotation takes its place.
    counted = rows.aggregate(
        waiting=Count("pk", filter=OPEN), done=Count("pk", filter=Q(noted=True)), whole=Count("pk")
    )
    return {"open": counted["waiting"], "noted": counted["done"], "all": counted["whole"]}


def page(rows: QuerySet[Any], number: str) -> Any:
    return Paginator(rows, PER_PAGE).get_page(number)


def lines(rows: list[FindingRow]) -> list[Line]:
    """Rows with their notes and what their subjects are: three questions for a page."""
    runs = {row.run_id for row in rows}
    subjects = {row.subject for row in rows}
    notes: dict[tuple[int, str, str], list[Note]] = defaultdict(list)
    for note in Note.objects.filter(run__in=runs, subject__in=subjects).select_related("by"):
        notes[note.run_id, note.code, note.subject].append(note)
    edits = set(
        EditRow.objects.filter(run__in=runs, edit_id__in=subjects).values_list("run", "edit_id")
    )
    effects = {
        (run, name): seq
        for run, name, seq in EffectRow.objects.filter(
            run__in=runs, effect_id__in=subjects
        ).values_list("run", "effect_id", "seq")
    }
    out = []
    for row in rows:
        key = (row.run_id, row.subject)
        kind = "edit" if key in edits else f"effect-{effects[key]}" if key in effects else ""
        out.append(Line(row, notes[row.run_id, row.code, row.subject], kind))
    return out
