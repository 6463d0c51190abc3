"""Alert rules: what they measure, that they tell once, and that every firing is kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from dashboard import alerts, ingest, sweeping
from dashboard.models import (
    AlertFiring,
    AlertRule,
    AlertStep,
    Gate,
    NoticeRow,
    Run,
    Source,
    Target,
)
from tests.dashboard.making import DIGEST, incident, sha

pytestmark = pytest.mark.django_db
Kind = AlertRule.Kind


@pytest.fixture
def admin(member: Callable[..., User]) -> User:
    return member("root", "admin", at=None)


def rule_of(admin: User, kind: str, threshold: int = 1, **more: Any) -> AlertRule:
    return alerts.add(admin, AlertRule(kind=kind, threshold=threshold, **more))


def open_gate(run: Run, minutes: int) -> Gate:
    now = timezone.now()
    return Gate.objects.create(
        public_id="g-1",
        run=run,
        edit_id="e1",
        digest_hash=sha(DIGEST),
        shown_hash="0" * 64,
        rules_version="1",
        requester_agent="agent-1",
        created_at=now - timedelta(minutes=minutes),
        expires_at=now + timedelta(hours=1),
    )


@pytest.mark.parametrize(
    ("kind", "more", "low", "high"),
    [
        (Kind.FINDING, {"code": "JG101"}, 1, 1),
        (Kind.FINDING, {"code": "JG303"}, 0, 0),
        (Kind.GATE_AGE, {}, 44, 46),
        (Kind.LAG, {}, 0, 1),
        (Kind.CLOSURE_AGE, {}, 0, 1),
    ],
)
def test_a_rule_measures_what_it_says(
    admin: User, run: Run, source: Source, kind: str, more: Any, low: float, high: float
) -> None:
    open_gate(run, 45)
    ingest.receive(source, "late", "late.ndjson", 0, incident("late"))
    rule = rule_of(admin, kind, **more)
    value = alerts.measured(rule, timezone.now())
    assert value is not None
    assert low <= value <= high
    other = Source.objects.create(slug="other", name="Other")
    elsewhere = rule_of(admin, kind, source=other, **more)
    assert not alerts.measured(elsewhere, timezone.now())


def test_a_share_counts_the_summaries_of_the_window(admin: User, run: Run) -> None:
    rule = rule_of(admin, Kind.RATE, 50, minutes=10)
    then = datetime(2026, 11, 30, 10, 5, tzinfo=UTC)
    assert alerts.measured(rule, then) == 100
    assert alerts.measured(rule, then + timedelta(hours=1)) is None


def test_a_firing_is_told_once_until_it_ends_and_begins_again(
    admin: User, run: Run, source: Source
) -> None:
    Target.objects.create(
        kind="email", address="a@example.org", created_by=admin, created_at=timezone.now()
    )
    rule = rule_of(admin, Kind.GATE_AGE, 30)
    gate = open_gate(run, 45)
    for _ in range(3):
        sweeping.sweep()
    assert AlertFiring.objects.filter(rule=rule).count() == 1
    assert NoticeRow.objects.filter(event="alert.raised").count() == 1
    Gate.objects.filter(pk=gate.pk).update(state=Gate.State.REJECTED)
    sweeping.sweep()
    assert AlertStep.objects.filter(kind="ended").count() == 1
    Gate.objects.filter(pk=gate.pk).update(state=Gate.State.PENDING)
    sweeping.sweep()
    assert AlertFiring.objects.filter(rule=rule).count() == 2
    assert NoticeRow.objects.filter(event="alert.raised").count() == 2


def test_in_quiet_hours_a_firing_is_kept_and_told_when_they_are_over(
    admin: User, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_gate(run, 45)
    rule = rule_of(admin, Kind.GATE_AGE, 30, quiet_from=time(0), quiet_to=time(23, 59))
    monkeypatch.setattr(alerts, "quiet", lambda _rule, _now: True)
    alerts.look()
    firing = rule.firings.get()
    assert not firing.steps.exists()
    monkeypatch.undo()
    AlertRule.objects.update(quiet_from=None, quiet_to=None)
    alerts.look()
    assert [step.kind for step in firing.steps.all()] == ["told"]


@pytest.mark.parametrize(
    ("start", "end", "zone", "hour", "quiet"),
    [
        (time(22), time(7), "UTC", 23, True),
        (time(22), time(7), "UTC", 6, True),
        (time(22), time(7), "UTC", 7, False),
        (time(22), time(7), "Asia/Tokyo", 14, True),
        (time(22), time(7), "Asia/Tokyo", 23, False),
        (time(9), time(17), "UTC", 12, True),
        (time(9), time(17), "UTC", 18, False),
        (None, None, "UTC", 12, False),
    ],
)
def test_quiet_hours_follow_their_zone_and_go_over_midnight(
    start: time | None, end: time | None, zone: str, hour: int, quiet: bool
) -> None:
    rule = AlertRule(kind=Kind.LAG, threshold=1, quiet_from=start, quiet_to=end, zone=zone)
    assert alerts.quiet(rule, datetime(2026, 12, 1, hour, tzinfo=UTC)) is quiet


def test_firings_cannot_be_changed(admin: User, run: Run) -> None:
    open_gate(run, 45)
    rule_of(admin, Kind.GATE_AGE, 30)
    alerts.look()
    for statement in (
        "UPDATE dashboard_alertfiring SET value = 1",
        "DELETE FROM dashboard_alertstep",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


FORM = {"kind": "gate_age", "threshold": 30, "minutes": 60, "zone": "Europe/Berlin"}


def test_a_rule_is_added_and_removed_by_who_may_configure(
    admin: User, ann: Client, run: Run
) -> None:
    assert ann.post("/settings/alerts/add", FORM).status_code == 403
    root = Client()
    root.force_login(admin)
    root.post("/settings/alerts/add", {**FORM, "quiet_from": "22:00", "quiet_to": "07:00"})
    open_gate(run, 45)
    alerts.look()
    assert "a gate open for 30 min" in ann.get("/").content.decode()
    page = ann.get("/settings/alerts/").content.decode()
    assert "22:00 to 07:00, Europe/Berlin" in page
    root.post(f"/settings/alerts/{AlertRule.objects.get().pk}/remove")
    assert not alerts.lasting(AlertFiring.objects.all()).exists()
    assert "a gate open for 30 min" not in ann.get("/").content.decode()


@pytest.mark.parametrize(
    "wrong",
    [{"zone": "Mars/Base"}, {"kind": "finding"}, {"threshold": 0}, {"quiet_from": "22:00"}],
)
def test_a_rule_that_says_nothing_is_not_added(admin: User, wrong: dict[str, Any]) -> None:
    root = Client()
    root.force_login(admin)
    root.post("/settings/alerts/add", {**FORM, **wrong})
    assert not AlertRule.objects.exists()
