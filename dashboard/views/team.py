"""The team page: what needs a person first, then trends, then our own health."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from dashboard import alerts, exports
from dashboard.charts import CHARTS
from dashboard.queries import team as queries
from dashboard.queries import trends
from dashboard.queries.deciding import deciding
from dashboard.queries.frame import zone_of
from dashboard.queries.scope import RANGE_NAMES, scope
from dashboard.views.page import show

PARTS = {"open": "team/open.html", "health": "team/health.html"}
FIGURE_FOR_S = 30


@require_GET
def team(request: HttpRequest) -> HttpResponse:
    found = scope(request)
    context: dict[str, Any] = {
        "scope": found,
        "ranges": RANGE_NAMES,
        "trends": trends.TRENDS,
        "keys": trends.KEYS,
    }
    part = request.GET.get("part", "") if request.headers.get("HX-Request") else ""
    if part != "health":
        context["waiting"] = queries.waiting(found, request.user)
        context["matters"] = queries.matters(found)
        context["alerts"] = [
            (firing, alerts.words(firing.rule))
            for firing in alerts.lasting(alerts.firings_for(request.user))[:5]
        ]
    if not part:
        context["deciding"] = deciding(found)
    if part != "open":
        context["health"] = queries.health(found)
        context["behind"] = sum(row.state in {"behind", "quarantined"} for row in context["health"])
    return show(request, "team/page.html", context, here="team", parts=PARTS)


@require_GET
def figure(request: HttpRequest, name: str) -> HttpResponse:
    """A small chart as JSON; the same numbers for all who may see the same sources."""
    trend = _trend(request, name)
    drawn = {**CHARTS[name](trend), "meta": {"now": trend.now}}
    return HttpResponse(msgspec.json.encode(drawn), content_type="application/json")


@require_GET
def table(request: HttpRequest, name: str, kind: str) -> HttpResponse:
    """The numbers of a small chart as CSV or JSON."""
    trend = _trend(request, name)
    head = ("step", *trend.series)
    rows = zip(trend.steps, *trend.series.values(), strict=True)
    return exports.table(kind, exports.file_name("trend", name), head, rows)


def _trend(request: HttpRequest, name: str) -> Any:
    if name not in trends.TRENDS:
        raise Http404(f"no chart {name}")
    found = scope(request)
    chosen = ",".join(str(source.pk) for source in found.chosen)
    zone = zone_of(request)
    digest = hashlib.sha256(f"{found.range}:{zone.key}:{chosen}".encode()).hexdigest()
    key = f"trend:{name}:{digest}"
    known = cache.get(key)
    if known is None:
        with timezone.override(zone):
            known = trends.TRENDS[name][2](found)
        cache.set(key, known, FIGURE_FOR_S)
    return known
