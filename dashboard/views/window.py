"""The window at a number: its spans with sizes and hashes, and two points compared."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dashboard import access, exports
from dashboard.models import Run
from dashboard.queries.frames import opened
from dashboard.queries.run import current, total_of
from dashboard.queries.window import WindowPage, window_page
from dashboard.views.page import show
from dashboard.views.params import whole
from guard.events import MAIN

HEAD = ("span", "hash", "seq", "role", "source", "tokens", "where", "other_hash")


@require_GET
def window(request: HttpRequest, rid: str) -> HttpResponse:
    run = access.run_for(request.user, rid)
    total = total_of(current(run))
    context = {"run": run, "total": total, "page": _asked(request, run, total)}
    return show(request, "window/page.html", context, here="runs")


def _asked(request: HttpRequest, run: Run, total: int) -> WindowPage:
    at = whole(request, "at", total, max(total, 0))
    against = whole(request, "against", -1, max(total, 0))
    return window_page(
        run,
        at,
        None if against < 0 else against,
        request.GET.get("branch", MAIN) or MAIN,
        request.GET.get("show", ""),
        opened(request.GET.get("text", "")),
    )


@require_GET
def table(request: HttpRequest, rid: str, kind: str) -> HttpResponse:
    """The spans as CSV or JSON."""
    run = access.run_for(request.user, rid)
    page = _asked(request, run, total_of(current(run)))
    lines = (
        (
            line.version.span,
            line.version.hash,
            line.version.seq,
            line.version.role,
            line.version.path,
            line.version.tokens,
            line.fate,
            line.there,
        )
        for line in page.lines
    )
    name = exports.file_name(run.public_id, f"window-{page.at}")
    return exports.table(kind, name, HEAD, lines)
