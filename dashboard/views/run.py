"""The page of a run: five lights, the timeline, the detail beside it, the same facts as a table."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from dashboard import access, exports, journals
from dashboard.charts import CHARTS
from dashboard.charts.overview import overview
from dashboard.charts.style import points
from dashboard.models import Run
from dashboard.queries import detail, marks, series, twin
from dashboard.queries.run import current, run_page, total_of
from dashboard.queries.timeline import timeline
from dashboard.views.page import show
from dashboard.views.params import Shown, shown, whole

PARTS = {
    "detail": "run/detail.html",
    "rows": "run/rows.html",
    "head": "run/head.html",
    "whole": "run/whole.html",
}
WIDEST_PX = 4_000


@require_GET
def run(request: HttpRequest, rid: str) -> HttpResponse:
    found = access.run_for(request.user, rid)
    makers = {"head": _head, "detail": _detail, "rows": _rows, "whole": _whole}
    part = request.GET.get("part", "") if request.headers.get("HX-Request") else ""
    total = total_of(current(found))
    view = shown(request, total)
    context: dict[str, Any] = {"run": found, "total": total, "view": view}
    for name, maker in makers.items():
        if part not in makers or part == name:
            context |= maker(found, total, view)
    return show(request, "run/page.html", context, here="runs", parts=PARTS)


def _head(found: Run, _total: int, _view: Shown) -> dict[str, Any]:
    return {"page": run_page(found)}


def _detail(found: Run, _total: int, view: Shown) -> dict[str, Any]:
    key = view.pick or detail.first_key(found)
    return {"detail": detail.detail(found, key) if key else None, "pick": key}


def _rows(found: Run, _total: int, view: Shown) -> dict[str, Any]:
    return {
        "rows": twin.page(found, view.first, view.last, view.show, view.after),
        "all_kinds": twin.SHOW,
    }


def _whole(found: Run, total: int, _view: Shown) -> dict[str, Any]:
    sizes = series.usage(found)
    known = [
        (seq, size)
        for seq, size in zip(sizes.seq, sizes.window_tokens, strict=True)
        if size is not None
    ]
    return {"whole": overview(known, marks.stems(found, total), total)}


@require_GET
def figure(request: HttpRequest, rid: str) -> HttpResponse:
    """The figure of a range as JSON: numbers, labels and closed words, never journal text."""
    found = access.run_for(request.user, rid)
    verdict = current(found)
    total = total_of(verdict)
    view = shown(request, total)
    rows = timeline(
        found,
        total,
        first=view.first,
        last=view.last,
        axis=view.axis,
        width_px=max(200, whole(request, "w", 900, WIDEST_PX)),
        idle=view.idle,
    )
    drawn = CHARTS["timeline"](rows)
    seqs = rows.view
    drawn["meta"] = {
        "from": seqs.first,
        "to": seqs.last,
        "total": total,
        "axis": seqs.axis,
        "seqs": seqs.seqs,
        "dangers": rows.dangers,
        "marks": points(drawn),
    }
    return HttpResponse(msgspec.json.encode(drawn), content_type="application/json")


HEAD = ("seq", "kind", "id", "place", "verdict", "why", "rule", "at")


@require_GET
def rows(request: HttpRequest, rid: str, kind: str) -> HttpResponse:
    """The rows of a range as CSV or JSON."""
    found = access.run_for(request.user, rid)
    view = shown(request, total_of(current(found)))
    lines = (
        (row.seq, row.kind, row.what, row.place, row.sign.word, row.why, row.code, row.at)
        for row in twin.rows(found, view.first, view.last, view.show)
    )
    name = exports.file_name(found.public_id, f"{view.first}-{view.last}")
    return exports.table(kind, name, HEAD, lines)


@require_GET
def report(request: HttpRequest, rid: str) -> HttpResponse:
    """The report in force, byte for byte as the judge made it."""
    found = access.run_for(request.user, rid)
    verdict = found.verdicts.filter(current=True).first()
    if verdict is None:
        raise Http404(f"{rid} is not judged yet")
    data = journals.unpack(verdict.report)
    return exports.attachment(data, f"{found.public_id}-report.json", "application/json")
