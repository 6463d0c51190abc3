"""Alert rules and every firing: seen by all, changed by those who may configure."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, alerts, configure, exports
from dashboard.forms import AlertForm
from dashboard.models import AlertFiring, AlertRule
from dashboard.views.page import show
from dashboard.views.params import whole
from guard.rules import RULES

PER_PAGE = 50
HEAD = ("firing", "rule", "asks", "value", "at", "told_at", "ended_at")


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    rows = alerts.firings_for(request.user)
    if before := whole(request, "before", 0):
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PER_PAGE + 1])
    mine = access.sources_for(request.user, "configure").order_by("slug")
    context: dict[str, Any] = {
        "rules": [(rule, alerts.words(rule)) for rule in alerts.rules_for(request.user)],
        "firings": [line(firing) for firing in found[:PER_PAGE]],
        "older": found[PER_PAGE - 1].pk if len(found) > PER_PAGE else 0,
        "kinds": AlertRule.Kind.choices,
        "codes": [rule.code for rule in RULES],
        "sources": mine,
        "mine": {source.pk for source in mine},
        "may_all": configure.may_configure_all(request.user),
    }
    return show(request, "settings/alerts.html", context, here="settings")


def line(firing: AlertFiring) -> dict[str, Any]:
    """A firing with what became of it."""
    steps = {step.kind: step.at for step in firing.steps.all()}
    return {
        "firing": firing,
        "asks": alerts.words(firing.rule),
        "told": steps.get("told"),
        "ended": steps.get("ended"),
    }


@require_GET
def table(request: HttpRequest, kind: str) -> HttpResponse:
    """Every firing as CSV or JSON."""
    rows = alerts.firings_for(request.user)[: exports.MOST_ROWS]
    lines = (
        (found.pk, found.rule_id, row["asks"], found.value, found.at, row["told"], row["ended"])
        for found, row in ((firing, line(firing)) for firing in rows)
    )
    return exports.table(kind, "alerts", HEAD, lines)


@require_POST
def add(request: HttpRequest) -> HttpResponse:
    form = AlertForm(request.POST)
    if not form.is_valid():
        for name, errors in form.errors.items():
            messages.error(request, f"Nothing was changed. {name}: {' '.join(errors)}")
        return redirect("alerts")
    fields = dict(form.cleaned_data)
    slug = fields.pop("source")
    mine = access.sources_for(request.user, "configure")
    source = get_object_or_404(mine, slug=slug) if slug else None
    alerts.add(request.user, AlertRule(source=source, **fields))
    messages.success(request, "The rule is looked at from now on, at every turn of the sweeper.")
    return redirect("alerts")


@require_POST
def remove(request: HttpRequest, key: int) -> HttpResponse:
    rule = get_object_or_404(alerts.rules_for(request.user), pk=key)
    alerts.remove(request.user, rule)
    messages.success(request, "The rule is removed; its firings stay.")
    return redirect("alerts")
