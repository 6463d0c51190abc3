"""Search over runs, edits, effects, findings, gates and hashes that the reader may see."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dashboard.queries.search import search as found
from dashboard.views.page import show


@require_GET
def search(request: HttpRequest) -> HttpResponse:
    q = request.GET.get("q", "").strip()[:200]
    context = {"q": q, "groups": found(request.user, q) if q else []}
    return show(request, "search/page.html", context)
