"""How long bytes are kept, what is held, and what was deleted."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, retention
from dashboard.forms import HoldForm, RetentionForm
from dashboard.models import Hold, Tombstone
from dashboard.views.page import show

MOST = 100


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    sources = access.sources_for(request.user)
    mine = set(access.sources_for(request.user, "configure").values_list("pk", flat=True))
    holds = Hold.objects.filter(run__source__in=sources, lifted_at=None)
    gone = Tombstone.objects.filter(run__source__in=sources)
    context: dict[str, Any] = {
        "sources": sources.select_related("retention").order_by("slug"),
        "mine": mine,
        "holds": holds.select_related("run", "by").order_by("-pk")[:MOST],
        "gone": gone.select_related("run__source").order_by("-pk")[:MOST],
        "run": request.GET.get("run", "")[:16],
    }
    return show(request, "settings/retention.html", context, here="settings")


@require_POST
def set_days(request: HttpRequest) -> HttpResponse:
    form = RetentionForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was changed: days are a number from 1, or nothing.")
        return redirect("retention")
    mine = access.sources_for(request.user, "configure")
    source = get_object_or_404(mine, slug=form.cleaned_data["source"])
    retention.set_days(request.user, source, form.cleaned_data["days"])
    messages.success(request, f"Retention of {source.slug} is set.")
    return redirect("retention")


@require_POST
def hold(request: HttpRequest) -> HttpResponse:
    form = HoldForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing is held: name a run, and the reason.")
        return redirect("retention")
    run = access.run_for(request.user, form.cleaned_data["run"])
    retention.hold(request.user, run, form.cleaned_data["reason"])
    messages.success(request, f"{run} is under hold: nothing of it is deleted.")
    return redirect("retention")


@require_POST
def lift(request: HttpRequest, key: int) -> HttpResponse:
    seen = Hold.objects.filter(run__source__in=access.sources_for(request.user))
    found = get_object_or_404(seen.select_related("run__source"), pk=key)
    retention.lift(request.user, found)
    messages.success(request, f"The hold of {found.run} is lifted.")
    return redirect("retention")
