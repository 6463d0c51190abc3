"""What people may send. Fields that are not named here do not exist: nothing else is read."""

from __future__ import annotations

from zoneinfo import available_timezones

from django import forms

from dashboard.models import AlertRule, Role, Scope, Source, Target
from guard.rules import RULES


class NoteForm(forms.Form):
    """A note on a finding."""

    run = forms.CharField(max_length=16)
    code = forms.CharField(max_length=8)
    subject = forms.CharField(max_length=512, strip=False)
    text = forms.CharField(max_length=8_000)


class DecideForm(forms.Form):
    """An answer to a gate, and what its page had shown."""

    answer = forms.ChoiceField(choices=[("approve", ""), ("pin", ""), ("reject", "")])
    reason = forms.CharField(max_length=4_000)
    shown_hash = forms.CharField(max_length=512)
    digest_hash = forms.CharField(max_length=512, required=False)
    confirmed = forms.BooleanField(required=False)


class RevokeForm(forms.Form):
    reason = forms.CharField(max_length=4_000)


class CaseForm(forms.Form):
    """A new case; its first step may come with it."""

    title = forms.CharField(max_length=200)


class StepForm(forms.Form):
    """A step of a case: a link or run and numbers, and a word about it."""

    range = forms.CharField(max_length=2_000)
    text = forms.CharField(max_length=8_000, required=False)


class BundleForm(forms.Form):
    """An export of a case; `since` is the count of a checkpoint that its reader holds."""

    since = forms.IntegerField(min_value=1, required=False)


class SourceForm(forms.Form):
    """A new source."""

    slug = forms.SlugField(max_length=64)
    name = forms.CharField(max_length=120)
    runtime = forms.CharField(max_length=80, required=False)
    team = forms.CharField(max_length=80, required=False)

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if Source.objects.filter(slug=slug).exists():
            raise forms.ValidationError("There is a source of this name already.")
        return slug


class TokenForm(forms.Form):
    """A new key of a machine."""

    source = forms.SlugField(max_length=64)
    name = forms.CharField(max_length=80)
    scope = forms.ChoiceField(choices=Scope.choices)


class MembershipForm(forms.Form):
    """A role of a person, for one source or for all."""

    user = forms.CharField(max_length=150)
    source = forms.SlugField(max_length=64, required=False)
    role = forms.ChoiceField(choices=Role.choices)


class TargetForm(forms.Form):
    """A new target of notices. `scope`: `source:SLUG`, `team:NAME` or `all`."""

    kind = forms.ChoiceField(choices=Target.Kind.choices)
    address = forms.CharField(max_length=2_000)
    scope = forms.CharField(max_length=90)


class AlertForm(forms.Form):
    """A new alert rule."""

    kind = forms.ChoiceField(choices=AlertRule.Kind.choices)
    code = forms.ChoiceField(
        choices=[("", ""), *((rule.code,) * 2 for rule in RULES)], required=False
    )
    source = forms.SlugField(max_length=64, required=False)
    threshold = forms.IntegerField(min_value=1, max_value=1_000_000)
    minutes = forms.IntegerField(min_value=1, max_value=43_200)
    quiet_from = forms.TimeField(required=False)
    quiet_to = forms.TimeField(required=False)
    zone = forms.CharField(max_length=64)

    def clean_zone(self) -> str:
        zone: str = self.cleaned_data["zone"]
        if zone not in available_timezones():
            raise forms.ValidationError("Use a name such as Europe/Berlin, or UTC.")
        return zone

    def clean(self) -> dict[str, object]:
        given = self.cleaned_data
        if given.get("kind") == AlertRule.Kind.FINDING and not given.get("code"):
            raise forms.ValidationError("Choose the code of the findings.")
        if (given.get("quiet_from") is None) != (given.get("quiet_to") is None):
            raise forms.ValidationError("Quiet hours need both ends.")
        return given


class RetentionForm(forms.Form):
    """Days for which a source's bytes are kept; nothing means for ever."""

    source = forms.SlugField(max_length=64)
    days = forms.IntegerField(min_value=1, max_value=36_500, required=False)


class HoldForm(forms.Form):
    """A legal hold on a run."""

    run = forms.CharField(max_length=16)
    reason = forms.CharField(max_length=400)


class SwitchForm(forms.Form):
    """A rule switched off, or on again."""

    off = forms.BooleanField(required=False)
    reason = forms.CharField(max_length=400)
