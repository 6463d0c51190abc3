"""A team's own rules about its calls: who may make them, what they change, what is kept of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse

from dashboard import effect_rules, ingest, working
from dashboard.effect_rules import Wanted
from dashboard.models import EffectRule, Entry, Job, Run, Source, Verdict

pytestmark = pytest.mark.django_db

DEPLOY = Wanted("*", "./ship.sh lab*", "reversible", "cluster", "the lab is rebuilt every night")
Member = Callable[..., User]


def message(second: int, **content: Any) -> dict[str, Any]:
    return {"type": "message", "timestamp": f"2026-03-01T10:00:0{second}.000Z", "message": content}


def session(command: str = "sudo ./ship.sh lab-3") -> bytes:
    """A digest loses a limit; then a script of the team runs."""
    told = [{"type": "text", "text": "Never ship without my OK."}]
    call = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": command}}
    head = {"type": "session", "id": "7f0c", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/w"}
    compaction = {
        "type": "compaction",
        "timestamp": "2026-03-01T10:00:03.000Z",
        "summary": "The build is green.",
        "firstKeptEntryIndex": 2,
        "tokensBefore": 400,
    }
    rows = [
        head,
        message(1, role="user", content=told),
        message(2, role="user", content=[{"type": "text", "text": "go on"}]),
        compaction,
        message(4, role="assistant", content=[call], stopReason="toolUse"),
        message(5, role="toolResult", toolCallId="c1", toolName="bash", content=[], isError=False),
    ]
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture
def run(source: Source) -> Run:
    receipt = ingest.receive(source, "s", "s.jsonl", 0, session())
    assert working.work_on(receipt.job_id)
    return Run.objects.get()


def work() -> None:
    for job in Job.objects.filter(state=Job.State.PENDING):
        assert working.work_on(job.pk)


def test_a_rule_judges_the_runs_of_its_source_again_and_names_itself(
    run: Run, source: Source, member: Member
) -> None:
    effect = run.effects.get()
    assert (effect.reversibility, effect.classed_by) == ("unknown", "")
    rule = effect_rules.add(member("ada", "admin"), source, DEPLOY)
    work()
    effect = run.effects.get()
    assert (effect.write, effect.reversibility) == (True, "reversible")
    assert effect.classed_by == "1 of ada"
    assert Verdict.objects.filter(run=run).count() == 2
    effect_rules.retire(User.objects.get(username="ada"), rule)
    work()
    assert run.effects.get().reversibility == "unknown"
    told = [(row.kind, row.actor, row.body["runs"]) for row in Entry.objects.order_by("seq")[1:]]
    assert told == [
        ("settings.effect_rule", "ada", 1),
        ("settings.effect_rule_retired", "ada", 1),
    ]


def test_the_detail_of_an_effect_shows_the_rule_and_what_its_window_lacked(
    run: Run, source: Source, member: Member
) -> None:
    ada = member("ada", "admin")
    effect_rules.add(ada, source, DEPLOY)
    work()
    effect = run.effects.get()
    assert run.findings.filter(code="JG111").exists()
    assert [row[1:] for row in effect.lacking] == [["user", "rule", "Never ship without my OK"]]
    client = Client()
    client.force_login(ada)
    page = client.get(f"{reverse('run', args=[run.public_id])}?pick=effect-{effect.seq}")
    text = page.content.decode()
    assert "class by rule 1 of ada" in text
    assert "Never ship without my OK" in text


def test_rules_are_made_and_taken_back_on_the_settings_page(source: Source, member: Member) -> None:
    client = Client()
    client.force_login(member("ada", "admin"))
    asked = {"source": "lab", **DEPLOY.__dict__}
    page = client.post(reverse("add_effect_rule"), asked, follow=True).content.decode()
    assert "./ship.sh lab*" in page
    wrong = {**asked, "effect": "read"}
    refused = client.post(reverse("add_effect_rule"), wrong, follow=True).content.decode()
    assert "Nothing was changed" in refused
    key = EffectRule.objects.get().pk
    page = client.post(reverse("retire_effect_rule", args=[key]), follow=True).content.decode()
    assert "./ship.sh lab*" not in page
    client.post(reverse("retire_effect_rule", args=[key]))
    assert [row.retired for row in EffectRule.objects.order_by("pk")] == [False, True]


def test_who_may_not_configure_makes_no_rule(source: Source, member: Member) -> None:
    with pytest.raises(PermissionDenied):
        effect_rules.add(member("rob", "reviewer"), source, DEPLOY)
    client = Client()
    client.force_login(User.objects.get(username="rob"))
    asked = {"source": "lab", **DEPLOY.__dict__}
    assert client.post(reverse("add_effect_rule"), asked).status_code == 404
    assert not EffectRule.objects.exists()


def test_a_rule_is_never_changed(source: Source, member: Member) -> None:
    effect_rules.add(member("ada", "admin"), source, DEPLOY)
    for change in (
        lambda: EffectRule.objects.update(effect="read"),
        EffectRule.objects.all().delete,
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
