"""Where notices go, and the log of what was sent: for those who may configure."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, configure
from dashboard.forms import TargetForm
from dashboard.models import Source, Target
from dashboard.notifications import targets
from dashboard.views.page import show
from dashboard.views.params import whole

PER_PAGE = 50
MOST_WAITING = 20
SECRET = "new_target_secret"  # noqa: S105 - the name of a session field


@require_GET
def notices(request: HttpRequest) -> HttpResponse:
    rows = targets.log_for(request.user)
    if before := whole(request, "before", 0):
        rows = rows.filter(pk__lt=before)
    found = list(rows[: PER_PAGE + 1])
    sources = access.sources_for(request.user, "configure").order_by("slug")
    context: dict[str, Any] = {
        "targets": [(row, masked(row)) for row in targets.targets_for(request.user)],
        "log": found[:PER_PAGE],
        "older": found[PER_PAGE - 1].pk if len(found) > PER_PAGE else 0,
        "waiting": targets.waiting_for(request.user)[:MOST_WAITING],
        "kinds": Target.Kind.values,
        "sources": sources,
        "teams": sorted({source.team for source in sources if source.team}),
        "may_all": configure.may_configure_all(request.user),
        "base": settings.GUARD_URL,
        "mail": bool(settings.EMAIL_HOST),
        "secret": request.session.pop(SECRET, None),
    }
    return show(request, "settings/notices.html", context, here="settings")


def masked(target: Target) -> str:
    """The address as a page shows it: the path of a URL may be a secret."""
    if target.kind == Target.Kind.EMAIL:
        return target.address
    parts = urlsplit(target.address)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}/…"


@require_POST
def add(request: HttpRequest) -> HttpResponse:
    form = TargetForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was changed: kind, address and scope are needed.")
        return redirect("notices")
    what, _, name = form.cleaned_data["scope"].partition(":")
    source = _source(request, name) if what == "source" else None
    try:
        made = targets.add(
            request.user,
            form.cleaned_data["kind"],
            form.cleaned_data["address"],
            source,
            name if what == "team" else "",
        )
    except ValidationError as error:
        messages.error(request, f"Nothing was changed. {' '.join(error.messages)}")
        return redirect("notices")
    if made.kind == Target.Kind.WEBHOOK:
        request.session[SECRET] = targets.secret(request.user, made)
    messages.success(request, "The target is there. Send a test next.")
    return redirect("notices")


@require_POST
def test(request: HttpRequest, key: int) -> HttpResponse:
    targets.test(request.user, _target(request, key))
    messages.success(request, "A test is on its way; what became of it stands in the log.")
    return redirect("notices")


@require_POST
def remove(request: HttpRequest, key: int) -> HttpResponse:
    targets.remove(request.user, _target(request, key))
    messages.success(request, "Nothing more is sent there.")
    return redirect("notices")


def _target(request: HttpRequest, key: int) -> Target:
    return get_object_or_404(targets.targets_for(request.user), pk=key)


def _source(request: HttpRequest, slug: str) -> Source:
    return get_object_or_404(access.sources_for(request.user, "configure"), slug=slug)
