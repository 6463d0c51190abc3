"""Two runs side by side: their lights, numbers and findings, and what only one of them has."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dashboard import access
from dashboard.queries.compare import Side, differences, side
from dashboard.views.page import show


@require_GET
def compare(request: HttpRequest) -> HttpResponse:
    names = {key: request.GET.get(key, "").strip()[:16] for key in ("a", "b")}
    sides: list[Side] = []
    missing = []
    for name in filter(None, names.values()):
        try:
            sides.append(side(access.run_for(request.user, name)))
        except Http404:
            missing.append(name)
    context: dict[str, Any] = {"names": names, "sides": sides, "missing": missing}
    if len(sides) == 2:
        context["differences"] = differences(*sides)
    return show(request, "runs/compare.html", context, here="runs")
