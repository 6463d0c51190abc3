"""The effect rules on the settings page: what a team says about its own calls."""

from __future__ import annotations

from typing import Any, get_args

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from dashboard import access, effect_rules
from dashboard.models import EffectRule, Source
from dashboard.overrides import rules_in_force
from guard.effects import Domain

DOMAINS = tuple(get_args(Domain))


class EffectRuleForm(forms.Form):
    """A new rule."""

    source = forms.SlugField(max_length=64)
    tool = forms.CharField(max_length=200, initial="*")
    command = forms.CharField(max_length=500, required=False)
    effect = forms.ChoiceField(choices=EffectRule.Effect.choices)
    domain = forms.ChoiceField(choices=[(name, name) for name in DOMAINS])
    reason = forms.CharField(max_length=500)


def section(sources: QuerySet[Source]) -> dict[str, Any]:
    """What `settings/effect_rules.html` shows: rules in force, and the words for a new one."""
    return {
        "rules": rules_in_force().filter(source__in=sources),
        "effects": EffectRule.Effect.values[::-1],
        "domains": DOMAINS,
    }


@require_POST
def add(request: HttpRequest) -> HttpResponse:
    form = EffectRuleForm(request.POST)
    if not form.is_valid():
        for name, errors in form.errors.items():
            messages.error(request, f"Nothing was changed. {name}: {' '.join(errors)}")
        return redirect("settings")
    said = dict(form.cleaned_data)
    source = get_object_or_404(_mine(request.user), slug=said.pop("source"))
    try:
        rule = effect_rules.add(request.user, source, effect_rules.Wanted(**said))
    except ValueError as error:
        messages.error(request, f"Nothing was changed. {error}")
        return redirect("settings")
    messages.success(request, f"Rule {rule.number} is in force; runs of {source.slug} follow.")
    return redirect("settings")


@require_POST
def retire(request: HttpRequest, key: int) -> HttpResponse:
    rules = EffectRule.objects.filter(source__in=_mine(request.user), retired=False)
    rule = get_object_or_404(rules.select_related("source"), pk=key)
    effect_rules.retire(request.user, rule)
    messages.success(request, f"Rule {rule.number} is taken back; runs follow.")
    return redirect("settings")


def _mine(user: User) -> QuerySet[Source]:
    return access.sources_for(user, "configure")
