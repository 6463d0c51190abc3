"""The page of an edit."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dashboard import access
from dashboard.queries.edit import edit_page
from dashboard.queries.frames import opened
from dashboard.views.page import show
from guard import RULES_VERSION


@require_GET
def edit(request: HttpRequest, rid: str, eid: str) -> HttpResponse:
    run = access.run_for(request.user, rid)
    row = run.edits.filter(edit_id=eid).first()
    if row is None:
        raise Http404(f"run {rid} has no edit of that id")
    before, after = request.GET.get("before", ""), request.GET.get("after", "")
    context = {
        "run": run,
        "page": edit_page(run, row, opened(before), opened(after)),
        "rules_version": RULES_VERSION,
        "opened_all": before == "all",
    }
    return show(request, "edit/page.html", context, here="runs")
