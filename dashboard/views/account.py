"""What a reader sets for themselves: theme and time zone. Both live in a cookie."""

from __future__ import annotations

from zoneinfo import available_timezones

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard.queries.frame import THEMES, frame, theme_of
from dashboard.views.params import place_to_go

YEAR_S = 365 * 24 * 3600


@login_not_required
@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """The next theme: auto, light, dark."""
    now = THEMES.index(theme_of(request))
    answer = redirect(place_to_go(request, _back(request)))
    _keep(answer, request, "theme", THEMES[(now + 1) % len(THEMES)])
    return answer


@require_POST
def zone(request: HttpRequest) -> HttpResponse:
    """The zone in which times are shown; a name that is no zone changes nothing and says so."""
    name = request.POST.get("zone", "").strip() or "UTC"
    answer = redirect(place_to_go(request, _back(request)))
    if name in available_timezones():
        _keep(answer, request, "zone", name)
    else:
        messages.error(request, "No such zone: use a name such as Europe/Berlin, or UTC.")
    return answer


@require_GET
def bell(request: HttpRequest) -> HttpResponse:
    """The bell with its count, asked for by htmx every few seconds."""
    return render(request, "parts/bell.html", {"frame": frame(request)})


def _back(request: HttpRequest) -> str:
    return reverse("team") if request.user.is_authenticated else reverse("login")


def _keep(answer: HttpResponse, request: HttpRequest, name: str, value: str) -> None:
    answer.set_cookie(
        name, value, max_age=YEAR_S, samesite="Lax", secure=request.is_secure(), path="/"
    )
