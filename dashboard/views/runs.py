"""The list of runs: a plain GET form, chips that take a filter away, saved views, live rows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.contrib import messages
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, exports
from dashboard.clock import now
from dashboard.models import SavedView
from dashboard.queries import runs as queries
from dashboard.views.page import show
from dashboard.views.params import whole

PARTS = {"news": "runs/news.html"}
MOST_VIEWS = 30
HEAD = (
    "run",
    "title",
    "source",
    "runtime",
    "agent",
    "worst",
    "integrity",
    "closure",
    "soundness",
    "mode",
    "retention",
    "events",
    "edits",
    "findings",
    "open_gates",
    "last_event",
)


@require_GET
def runs(request: HttpRequest) -> HttpResponse:
    asked = queries.filters(request)
    opened = _opened(request)
    context: dict[str, Any] = {"asked": asked, "opened": opened}
    if request.headers.get("HX-Request") and request.GET.get("part") == "news":
        context["newer"] = queries.newer(request.user, asked, opened)
        return show(request, "runs/news.html", context, parts=PARTS)
    rows = queries.matching(request.user, asked)
    page = queries.page(rows, request.GET.get("page", "1"))
    context |= {
        "page": page,
        "lines": queries.lines(list(page.object_list)),
        "views": queries.views(request.user, asked),
        "sources": access.sources_for(request.user).order_by("slug"),
        "runtimes": queries.runtimes(request.user),
        "choices": {"worst": queries.WORST, "gate": queries.GATES, "since": queries.SINCE_NAMES},
    }
    return show(request, "runs/page.html", context, here="runs")


def _opened(request: HttpRequest) -> datetime:
    stamp = whole(request, "opened", 0)
    return datetime.fromtimestamp(stamp / 1000, UTC) if 0 < stamp < 4e12 else now()


@require_GET
def table(request: HttpRequest, kind: str) -> HttpResponse:
    """All runs that match, as CSV or JSON."""
    asked = queries.filters(request)
    rows = list(queries.matching(request.user, asked)[: exports.MOST_ROWS])
    lines = (
        _row(line)
        for start in range(0, len(rows), 500)
        for line in queries.lines(rows[start : start + 500])
    )
    return exports.table(kind, "runs", HEAD, lines)


def _row(line: queries.RunLine) -> tuple[object, ...]:
    run, verdict = line.run, line.verdict
    lights = [getattr(verdict, name, "") for name in queries.words.LIGHTS]
    return (
        run.public_id,
        run.title,
        run.source.slug,
        run.runtime,
        run.agent,
        line.sign.word,
        *lights,
        verdict.events if verdict else None,
        line.edits,
        line.findings,
        line.gates,
        run.last_at,
    )


@require_POST
def save_view(request: HttpRequest) -> HttpResponse:
    """Keep the filters of this page under a name."""
    name, url = request.POST.get("name", "").strip()[:80], request.POST.get("url", "")[:2000]
    if not name:
        messages.error(request, "Not saved: a view needs a name.")
    elif SavedView.objects.filter(user=request.user).count() >= MOST_VIEWS:
        messages.error(request, f"Not saved: there are {MOST_VIEWS} already; remove one first.")
    else:
        try:
            with transaction.atomic():
                SavedView.objects.create(user=request.user, name=name, url=url)
            messages.success(request, f"Saved as “{name}”.")
        except IntegrityError:
            messages.error(request, f"Not saved: you have a view “{name}” already.")
    return redirect(f"{reverse('runs')}?{url}")


@require_POST
def drop_view(request: HttpRequest, key: int) -> HttpResponse:
    """Forget a saved view; only one's own can be named."""
    SavedView.objects.filter(user=request.user, pk=key).delete()
    messages.success(request, "View removed.")
    return redirect("runs")
