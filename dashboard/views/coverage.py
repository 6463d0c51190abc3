"""What the source of a run can and cannot prove: the page of `guard coverage FILE`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dashboard import access
from dashboard.queries.coverage import coverage_page
from dashboard.queries.run import current, total_of
from dashboard.views.page import show


@require_GET
def coverage(request: HttpRequest, rid: str) -> HttpResponse:
    run = access.run_for(request.user, rid)
    context = {"run": run, "total": total_of(current(run)), "page": coverage_page(run)}
    return show(request, "run/coverage.html", context, here="runs")
