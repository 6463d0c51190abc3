"""How a page is answered: whole, or the part that htmx asked for, from one view."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from dashboard.queries.frame import frame, zone_of


def show(
    request: HttpRequest,
    name: str,
    context: dict[str, Any],
    *,
    here: str = "",
    parts: dict[str, str] | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render `name`, or `parts[part]` when htmx asks for `?part=`: its link works without htmx too.

    Times are shown in the reader's zone. `here` is the name of the page in the navigation.
    """
    wanted = request.GET.get("part", "") if request.headers.get("HX-Request") == "true" else ""
    template = (parts or {}).get(wanted)
    with timezone.override(zone_of(request)):
        if template:
            return render(request, template, context, status=status)
        return render(request, name, {**context, "frame": frame(request, here)}, status=status)
