"""Alert rules: looked at by the sweeper, told once for as long as they last, every firing kept."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet
from django.urls import reverse

from dashboard import access, clock, configure, ledger, notifications
from dashboard.models import (
    AlertFiring,
    AlertRule,
    AlertStep,
    EditRow,
    FindingRow,
    Gate,
    Job,
    Run,
    Source,
    Verdict,
)

Kind = AlertRule.Kind


def words(rule: AlertRule) -> str:
    """What a rule asks, in words of ours."""
    where = rule.source.slug if rule.source else "every source"
    asks = {
        Kind.FINDING: f"{rule.threshold} × {rule.code} in {rule.minutes} min",
        Kind.RATE: f"{rule.threshold}% of summaries in {rule.minutes} min dropped a gating fact",
        Kind.GATE_AGE: f"a gate open for {rule.threshold} min",
        Kind.LAG: f"a batch unjudged for {rule.threshold} min",
        Kind.CLOSURE_AGE: f"no closure check for {rule.threshold} min",
    }
    return f"{asks[Kind(rule.kind)]}, {where}"


def rules_for(user: User) -> QuerySet[AlertRule]:
    """Rules about sources that a person may see, and those about all of them."""
    mine = Q(source=None) | Q(source__in=access.sources_for(user))
    rows = AlertRule.objects.filter(mine, removed_at=None).select_related("source", "created_by")
    return rows.order_by("pk")


def firings_for(user: User) -> QuerySet[AlertFiring]:
    """Firings that a person may see, newest first, also of rules that were removed."""
    mine = Q(rule__source=None) | Q(rule__source__in=access.sources_for(user))
    rows = AlertFiring.objects.filter(mine).select_related("rule__source")
    return rows.prefetch_related("steps").order_by("-pk")


def lasting(rows: QuerySet[AlertFiring]) -> QuerySet[AlertFiring]:
    """Those that have not ended."""
    ended = AlertStep.objects.filter(firing=OuterRef("pk"), kind=AlertStep.Kind.ENDED)
    return rows.filter(~Exists(ended))


@transaction.atomic
def add(by: User, rule: AlertRule) -> AlertRule:
    """Save a new rule. Raises `PermissionDenied` without the right to configure its source."""
    _must(by, rule.source)
    rule.created_by, rule.created_at = by, clock.now()
    rule.save(force_insert=True)
    ledger.append("settings.alert", by.get_username(), {"rule": rule.pk, "asks": words(rule)})
    return rule


@transaction.atomic
def remove(by: User, rule: AlertRule) -> None:
    """Stop a rule; its firings stay, and what lasts ends."""
    _must(by, rule.source)
    now = clock.now()
    AlertRule.objects.filter(pk=rule.pk).update(removed_at=now)
    for firing in lasting(rule.firings.all()):
        _step(firing, AlertStep.Kind.ENDED, now)
    ledger.append("settings.alert_removed", by.get_username(), {"rule": rule.pk})


def _must(by: User, source: Source | None) -> None:
    allowed = access.may(by, "configure", source) if source else configure.may_configure_all(by)
    if not allowed:
        raise PermissionDenied


def look() -> None:
    """Ask every rule once: raise what begins, tell what waits, end what is over."""
    for key in AlertRule.objects.filter(removed_at=None).values_list("pk", flat=True):
        _look_at(key)


@transaction.atomic
def _look_at(key: int) -> None:
    rule = AlertRule.objects.select_for_update().get(pk=key)
    if rule.removed_at is not None:
        return
    now = clock.now()
    value = measured(rule, now)
    firing = lasting(rule.firings.all()).first()
    fires = value is not None and value >= rule.threshold
    if fires and firing is None:
        firing = AlertFiring.objects.create(rule=rule, value=value, at=now)
        ledger.append("alert.raised", "sweeper", {"rule": rule.pk, "value": value})
    elif not fires and firing is not None:
        _step(firing, AlertStep.Kind.ENDED, now)
        return
    told = firing and firing.steps.filter(kind=AlertStep.Kind.TOLD).exists()
    if firing is not None and not told and not quiet(rule, now):
        _step(firing, AlertStep.Kind.TOLD, now)
        _tell(rule, firing)


def _step(firing: AlertFiring, kind: str, now: datetime) -> None:
    AlertStep.objects.get_or_create(firing=firing, kind=kind, defaults={"at": now})


def _tell(rule: AlertRule, firing: AlertFiring) -> None:
    notice = notifications.Notice(
        event="alert.raised",
        title=f"Alert: {words(rule)}",
        path=reverse("alerts"),
        source=rule.source,
        ids={"rule": str(rule.pk), "firing": str(firing.pk), "value": f"{firing.value:g}"},
        key=f"alert:{firing.pk}",
    )
    notifications.send(notice)


def quiet(rule: AlertRule, now: datetime) -> bool:
    """Whether the rule's quiet hours hold at an instant. They may go over midnight."""
    start, end = rule.quiet_from, rule.quiet_to
    if start is None or end is None or start == end:
        return False
    here: time = now.astimezone(ZoneInfo(rule.zone)).time()
    return start <= here < end if start < end else here >= start or here < end


def measured(rule: AlertRule, now: datetime) -> float | None:
    """The number that a rule compares; None when there is nothing to measure."""
    measure = {
        Kind.FINDING: _findings,
        Kind.RATE: _dropped,
        Kind.GATE_AGE: _gate_age,
        Kind.LAG: _lag,
        Kind.CLOSURE_AGE: _closure_age,
    }[Kind(rule.kind)]
    return measure(rule, now)


def _of(rule: AlertRule, prefix: str = "run__") -> Q:
    return Q(**{f"{prefix}source": rule.source}) if rule.source else Q()


def _since(rule: AlertRule, now: datetime) -> datetime:
    return now - timedelta(minutes=rule.minutes)


def _findings(rule: AlertRule, now: datetime) -> float:
    rows = FindingRow.objects.filter(_of(rule), code=rule.code)
    return rows.filter(first_seen_at__gte=_since(rule, now)).count()


def _dropped(rule: AlertRule, now: datetime) -> float | None:
    rows = EditRow.objects.filter(_of(rule), op="summarize", at__gte=_since(rule, now), at__lte=now)
    found = rows.aggregate(made=Count("pk"), lost=Count("pk", filter=Q(dropped__gt=0)))
    return 100 * found["lost"] / found["made"] if found["made"] else None


def _gate_age(rule: AlertRule, now: datetime) -> float | None:
    rows = Gate.objects.filter(_of(rule), state=Gate.State.PENDING, expires_at__gt=now)
    return _age(rows.aggregate(at=Min("created_at"))["at"], now)


def _lag(rule: AlertRule, now: datetime) -> float | None:
    rows = Job.objects.filter(_of(rule), state__in=(Job.State.PENDING, Job.State.LEASED))
    return _age(rows.aggregate(at=Min("created_at"))["at"], now)


def _closure_age(rule: AlertRule, now: datetime) -> float | None:
    """Since the last judgement, or since the first run when there was none yet."""
    last = Verdict.objects.filter(_of(rule)).order_by("-judged_at").values_list("judged_at").first()
    first = Run.objects.filter(_of(rule, "")).aggregate(at=Min("created_at"))["at"]
    return _age(last[0] if last else first, now)


def _age(at: datetime | None, now: datetime) -> float | None:
    return None if at is None else max(0.0, (now - at).total_seconds() / 60)
