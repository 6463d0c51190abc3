"""The queue of gates: open ones oldest first; decided and ended ones behind a tab."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dashboard import exports
from dashboard.clock import now
from dashboard.queries import gates as queries
from dashboard.views.page import show
from dashboard.views.params import choice

PER_PAGE = 25
PARTS = {"queue": "gates/queue.html"}
HEAD = (
    "gate",
    "state",
    "run",
    "edit",
    "asked_by",
    "owner",
    "asked",
    "expires",
    "effects",
    "dropped",
    "answer",
    "by",
    "decided",
    "reason",
)


@require_GET
def gates(request: HttpRequest) -> HttpResponse:
    at = now()
    state = choice(request, "state", queries.STATES, "open")
    sort = request.GET.get("sort", "age" if state == "open" else "-age")
    rows = queries.queue(request.user, state, sort, at)
    run = request.GET.get("run", "")[:16]
    if run:
        rows = rows.filter(run__public_id=run)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page", "1"))
    context = {
        "page": page,
        "lines": queries.lines(page.object_list, request.user, at),
        "state": state,
        "states": queries.STATES,
        "sort": sort,
        "closed": state != "open",
        "of_run": run,
        "pace": queries.pace(request.user, at),
    }
    return show(request, "gates/page.html", context, here="gates", parts=PARTS)


@require_GET
def table(request: HttpRequest, kind: str) -> HttpResponse:
    """The gates of a state as CSV or JSON."""
    at = now()
    state = choice(request, "state", queries.STATES, "all")
    rows = queries.queue(request.user, state, "age", at)[: exports.MOST_ROWS]
    return exports.table(kind, "gates", HEAD, (_row(line) for line in rows.iterator(500)))


def _row(gate: queries.Gate) -> tuple[object, ...]:
    decision = getattr(gate, "decision", None)
    return (
        gate.public_id,
        gate.state,
        gate.run.public_id,
        gate.edit_id,
        gate.requester_agent,
        gate.owner.get_username() if gate.owner else "",
        gate.created_at,
        gate.expires_at,
        len(gate.effects),
        sum(fact.get("status") == "dropped" for fact in gate.facts),
        decision.answer if decision else "",
        decision.by.get_username() if decision else "",
        decision.decided_at if decision else None,
        decision.reason if decision else "",
    )
