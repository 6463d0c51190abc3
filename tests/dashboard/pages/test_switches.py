"""A rule that is switched off asks nobody; what the judge found stays as it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from dashboard import cases
from dashboard.models import Entry, FindingRow, RuleSwitch, Run, Verdict
from dashboard.queries.findings import Asked, counts

pytestmark = pytest.mark.django_db


def test_findings_of_a_switched_off_rule_wait_for_nobody(
    run: Run, ann: Client, member: Callable[..., User]
) -> None:
    verdict = Verdict.objects.get(run=run).report
    assert len(ann.get("/findings.json?code=JG101").json()) == 1
    assert ann.post("/rules/JG101/switch", {"off": "1", "reason": "x"}).status_code == 403
    root = Client()
    root.force_login(member("root", "admin", at=None))
    root.post("/rules/JG101/switch", {"off": "1", "reason": "known <b>noise</b>"})
    cache.clear()
    assert "Switched off by root" in ann.get("/rules/JG101/").content.decode()
    assert "known &lt;b&gt;noise" in ann.get("/rules/JG101/").content.decode()
    assert ann.get("/findings.json?code=JG101").json() == []
    assert len(ann.get("/findings.json?code=JG101&state=all").json()) == 1
    assert "1 noted" not in ann.get("/rules/JG101/").content.decode()
    assert FindingRow.objects.filter(run=run, code="JG101").exists()
    assert Verdict.objects.get(run=run).report == verdict
    root.post("/rules/JG101/switch", {"reason": "not noise"})
    assert len(ann.get("/findings.json?code=JG101").json()) == 1
    told = [entry.body["off"] for entry in Entry.objects.filter(kind="settings.rule")]
    assert told == [True, False]


def test_findings_are_counted_as_open_noted_and_all(run: Run, reader: User) -> None:
    everything = FindingRow.objects.filter(run=run).count()
    cases.add_note(run, reader, "seen", kind="finding", code="JG101", subject="r1")
    RuleSwitch.objects.create(code="JG107", off=True, reason="x", by=reader, at=timezone.now())
    ask = Asked(code="", severity="", state="open", source="", run="", q="", sort="severity")
    off = FindingRow.objects.filter(code="JG107").count()
    assert counts(reader, ask) == {"open": everything - 1 - off, "noted": 1, "all": everything}


def test_a_switch_needs_a_rule_and_a_reason(run: Run, member: Callable[..., User]) -> None:
    root = Client()
    root.force_login(member("root", "admin", at=None))
    assert root.post("/rules/JG999/switch", {"reason": "x"}).status_code == 404
    root.post("/rules/JG101/switch", {"off": "1", "reason": " "})
    assert not Entry.objects.filter(kind="settings.rule").exists()
