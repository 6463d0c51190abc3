"""Sources, keys and roles. Who may not configure sees what is set, without the buttons."""

from __future__ import annotations

from typing import Any

from django.conf import settings as django_settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, configure
from dashboard.forms import MembershipForm, SourceForm, TokenForm
from dashboard.models import Membership, Role, Scope, Source, Token
from dashboard.views import effect_rules
from dashboard.views.page import show

SECRET = "new_secret"  # noqa: S105 - the name of a session field
FACTS = (
    ("Open for commit-phase gates", "GATE_COMMIT_MINUTES", "minutes"),
    ("Open for other gates", "GATE_OTHER_MINUTES", "minutes"),
    ("A claim holds", "GATE_CLAIM_MINUTES", "minutes"),
    ("Sign-in may be this old for a commit-phase answer", "GATE_SIGN_IN_MINUTES", "minutes"),
    ("Tries before a run is quarantined", "MAX_ATTEMPTS", "tries"),
    ("Sweeper rings every", "SWEEP_EVERY_S", "seconds"),
    ("Batches a key may send in five minutes", "TOKEN_BATCHES", "batches"),
)


@require_GET
def settings(request: HttpRequest) -> HttpResponse:
    sources = access.sources_for(request.user).order_by("slug")
    mine = set(access.sources_for(request.user, "configure").values_list("pk", flat=True))
    context: dict[str, Any] = {
        "sources": sources,
        "mine": mine,
        "may_all": configure.may_configure_all(request.user),
        "tokens": Token.objects.filter(source__in=mine)
        .select_related("source", "created_by")
        .order_by("source__slug", "-created_at"),
        "roles": Membership.objects.filter(source__in=sources)
        .select_related("user", "source")
        .order_by("source__slug", "user__username")
        | Membership.objects.filter(source=None).select_related("user", "source"),
        "role_names": Role.values,
        "scopes": Scope.values,
        "facts": [(name, getattr(django_settings, key), unit) for name, key, unit in FACTS],
        "effect_rules": effect_rules.section(sources),
        "secret": request.session.pop(SECRET, None),
    }
    return show(request, "settings/page.html", context, here="settings")


@require_POST
def add_source(request: HttpRequest) -> HttpResponse:
    form = SourceForm(request.POST)
    if not form.is_valid():
        return _wrong(request, form)
    source = configure.add_source(request.user, **form.cleaned_data)
    messages.success(request, f"Source {source.slug} is there. Make a key for it next.")
    return redirect("settings")


@require_POST
def add_token(request: HttpRequest) -> HttpResponse:
    form = TokenForm(request.POST)
    if not form.is_valid():
        return _wrong(request, form)
    source = _source(request, form.cleaned_data["source"])
    _, secret = configure.issue_token(
        request.user, source, form.cleaned_data["name"], form.cleaned_data["scope"]
    )
    request.session[SECRET] = secret
    return redirect("settings")


@require_POST
def revoke_token(request: HttpRequest, key: int) -> HttpResponse:
    mine = access.sources_for(request.user, "configure")
    token = get_object_or_404(Token.objects.select_related("source"), pk=key, source__in=mine)
    configure.revoke_token(request.user, token)
    messages.success(request, f"Key {token.prefix}… is revoked; it stops working at once.")
    return redirect("settings")


@require_POST
def give_role(request: HttpRequest) -> HttpResponse:
    form = MembershipForm(request.POST)
    if not form.is_valid():
        return _wrong(request, form)
    person = User.objects.filter(username=form.cleaned_data["user"], is_active=True).first()
    if person is None:
        messages.error(request, "No role given: there is no active account of that name.")
        return redirect("settings")
    slug = form.cleaned_data["source"]
    source = _source(request, slug) if slug else None
    configure.give_role(request.user, person, source, form.cleaned_data["role"])
    messages.success(request, "Role given.")
    return redirect("settings")


@require_POST
def take_role(request: HttpRequest, key: int) -> HttpResponse:
    seen = Membership.objects.filter(source__in=access.sources_for(request.user, "configure"))
    everywhere = Membership.objects.filter(source=None)
    found = get_object_or_404((seen | everywhere).select_related("user", "source"), pk=key)
    configure.take_role(request.user, found)
    messages.success(request, "Role taken away.")
    return redirect("settings")


def _source(request: HttpRequest, slug: str) -> Source:
    return get_object_or_404(access.sources_for(request.user, "configure"), slug=slug)


def _wrong(request: HttpRequest, form: Form) -> HttpResponse:
    for name, errors in form.errors.items():
        messages.error(request, f"Nothing was changed. {name}: {' '.join(errors)}")
    return redirect("settings")
