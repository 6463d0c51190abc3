"""The audit log: our own append-only ledger, newest first, and whether its chain holds."""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dashboard import access, configure, exports, ledger
from dashboard.bundle import standalone
from dashboard.models import Entry
from dashboard.views.page import show
from dashboard.views.params import whole

PER_PAGE = 50
KINDS = ("", "received", "gate", "note", "case", "settings", "judged", "retention", "alert", "raw")
HEAD = ("seq", "at", "kind", "actor", "run", "body", "hash")


@require_GET
def audit(request: HttpRequest) -> HttpResponse:
    kind = request.GET.get("kind", "") if request.GET.get("kind", "") in KINDS else ""
    actor, run = request.GET.get("actor", "")[:200], request.GET.get("run", "")[:16]
    before = whole(request, "before", 0)
    rows = _rows(request, kind, actor, run)
    if before:
        rows = rows.filter(seq__lt=before)
    found = list(rows[: PER_PAGE + 1])
    context: dict[str, Any] = {
        "entries": found[:PER_PAGE],
        "older": found[PER_PAGE - 1].seq if len(found) > PER_PAGE else 0,
        "kinds": KINDS,
        "kind": kind,
        "actor": actor,
        "of_run": run,
        "verified": ledger.verify() if request.GET.get("verify") == "1" else None,
        "all_kinds": configure.may_configure_all(request.user),
    }
    return show(request, "audit/page.html", context, here="audit")


def _rows(request: HttpRequest, kind: str, actor: str, run: str) -> QuerySet[Entry]:
    """Entries of runs the reader may see; those of no run for who may configure."""
    seen = Q(run__source__in=access.sources_for(request.user))
    if configure.may_configure_all(request.user):
        seen |= Q(run=None)
    rows = Entry.objects.filter(seen).select_related("run").order_by("-seq")
    if kind:
        rows = rows.filter(Q(kind=kind) | Q(kind__startswith=f"{kind}."))
    if actor:
        rows = rows.filter(actor=actor)
    return rows.filter(run__public_id=run) if run else rows


@require_GET
def table(request: HttpRequest, kind: str) -> HttpResponse:
    """The log as CSV or JSON."""
    rows = _rows(request, "", "", request.GET.get("run", "")[:16])
    lines = (
        (
            row.seq,
            row.at,
            row.kind,
            row.actor,
            row.run.public_id if row.run else "",
            str(row.body),
            row.hash,
        )
        for row in rows[: exports.MOST_ROWS].iterator(500)
    )
    return exports.table(kind, "audit", HEAD, lines)


@require_GET
def checkpoint(_request: HttpRequest) -> HttpResponse:
    """A signed checkpoint for people outside to keep: a later bundle has to agree with it."""
    data = exports.indented(ledger.signed(ledger.tree()))
    return exports.attachment(data, "checkpoint.json", "application/json")


@require_GET
def verifier(_request: HttpRequest) -> HttpResponse:
    """The program that checks a bundle, to be fetched before there is anything to check."""
    return exports.attachment(standalone(), "verify.py", "text/x-python; charset=utf-8")
