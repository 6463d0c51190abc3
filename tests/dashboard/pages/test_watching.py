"""What machines and the team watch: documented numbers, a dashboard, how gates are decided."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.utils import timezone

from dashboard import ledger
from dashboard.models import Decision, Gate, Run
from tests.dashboard.making import DIGEST, sha

pytestmark = pytest.mark.django_db
OPS = Path(__file__).parent.parent.parent.parent / "ops"
FUNCTIONS = {"delta", "deriv", "rate", "sum", "by", "max"}


def documented() -> dict[str, str]:
    """Metric -> its label, or nothing."""
    row = re.compile(r"^\| `(\w+)` \| (?:`(\w+)`)? ?\|", re.MULTILINE)
    return dict(row.findall((OPS / "README.md").read_text()))


def exported(client: Client) -> dict[str, set[str]]:
    """Names of metrics, each with the names of its labels where it has a sample with some."""
    text = client.get("/metrics").content.decode()
    names: dict[str, set[str]] = {name: set() for name in re.findall(r"# HELP (\w+) ", text)}
    for name, labels in re.findall(r"^(\w+)\{(.*?)\}", text, re.MULTILINE):
        names[name] |= set(re.findall(r"(\w+)=", labels))
    return names


def decided(run: Run, by: User, number: int, seconds: float, *, claimed: bool = False) -> None:
    now = timezone.now() - timedelta(minutes=1)
    asked = now - timedelta(seconds=600 if claimed else seconds)
    gate = Gate.objects.create(
        public_id=f"g-{number}",
        run=run,
        edit_id="e1",
        digest_hash=sha(DIGEST),
        shown_hash="0" * 64,
        rules_version="1",
        requester_agent="agent-1",
        state="approved",
        created_at=asked,
        expires_at=now + timedelta(hours=1),
    )
    decision = Decision(
        gate=gate,
        by=by,
        answer="rejected" if number == 0 else "approved",
        reason="seen",
        shown_hash="0" * 64,
        rules_version="1",
        decided_at=now,
    )
    if claimed:
        with transaction.atomic():
            ledger.append("gate.claimed", by.get_username(), {"gate": gate.public_id}, run)
        decision.decided_at = timezone.now() + timedelta(seconds=seconds)
    decision.save()


def test_every_number_is_documented_and_nothing_else(client: Client, run: Run) -> None:
    told, names = documented(), exported(client)
    assert set(told) == set(names)
    for name, labels in names.items():
        assert labels <= {told[name]}, name
    assert names["guard_runs_soundness"] == {"soundness"}


def test_the_dashboard_draws_only_what_is_exported(client: Client, run: Run) -> None:
    told, names = documented(), exported(client)
    panels = json.loads((OPS / "grafana.json").read_text())["panels"]
    expressions = [target["expr"] for panel in panels for target in panel["targets"]]
    assert len(expressions) >= 12
    drawn = set()
    for expression in expressions:
        for label, _ in re.findall(r"(\w+)=\"(\w+)\"", expression):
            metric = re.search(r"(\w+)\{", expression)
            assert metric is not None
            assert told[metric[1]] == label, expression
        bare = re.sub(r"\{.*?\}|\[.*?\]", "", expression)
        drawn |= set(re.findall(r"[a-z_]\w+", bare)) - FUNCTIONS
    assert drawn <= set(names)


def test_the_team_sees_how_gates_are_decided_and_no_name(
    run: Run, reader: User, client: Client, ann: Client
) -> None:
    for number, seconds in enumerate((3, 60, 600)):
        decided(run, reader, number, seconds)
    page = re.sub(r"<[^>]+>", " ", ann.get("/").content.decode())
    found = re.search(r"How gates are decided(.*?)Five seconds is no time", page, re.DOTALL)
    assert found is not None
    said = " ".join(found[1].split())
    assert "Decisions 3" in said
    assert "Approved 67%" in said
    assert "In under five seconds 1" in said
    assert re.search(r"median 1 ?m", said), said
    assert reader.username not in said.split()


def test_time_runs_from_the_claim(run: Run, reader: User, ann: Client) -> None:
    from dashboard.queries.deciding import deciding
    from dashboard.queries.scope import Scope

    decided(run, reader, 1, 2, claimed=True)
    now = timezone.now()
    found = Scope(
        *("", "", "", "24h", now - timedelta(days=1), now + timedelta(hours=1)),
        sources=[run.source],
        chosen=[run.source],
    )
    result = deciding(found)
    assert result.quick == 1
    assert result.median is not None
    assert result.median < timedelta(seconds=5)
