"""What retention deletes is gone, leaves a tombstone, and never makes anything look better."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from dashboard import cases, ingest, journals, ledger, receiving, retention, verify
from dashboard.models import (
    Chunk,
    EditRow,
    EffectRow,
    Entry,
    FactRow,
    Gate,
    Hold,
    Run,
    SearchRow,
    Source,
    Tombstone,
    Verdict,
)
from tests.dashboard.making import DIGEST, EDIT, HEADER, PATCH, RECORD, SPAN, lines, sha
from tests.dashboard.pages.conftest import Judge

pytestmark = pytest.mark.django_db
OPEN = lines(HEADER, SPAN, RECORD, EDIT, {**PATCH, "state": "committed"})


@pytest.fixture
def admin(member: Callable[..., User]) -> User:
    return member("root", "admin")


@pytest.fixture
def old(judge: Judge, admin: User, source: Source) -> Run:
    """A run whose retention is over; its edit is in force and has a recovery record."""
    run = judge(OPEN)
    Run.objects.filter(pk=run.pk).update(last_received_at=timezone.now() - timedelta(days=31))
    retention.set_days(admin, source, 30)
    return run


def gate_of(run: Run, state: str) -> Gate:
    now = timezone.now()
    return Gate.objects.create(
        public_id="g-1",
        run=run,
        edit_id="e1",
        digest_hash=sha(DIGEST),
        shown_hash="0" * 64,
        rules_version="1",
        requester_agent="agent-1",
        state=state,
        created_at=now,
        expires_at=now + timedelta(hours=1),
    )


def whole(run: Run) -> bool:
    return all(Chunk.objects.filter(file__run=run).values_list("data", flat=True))


def test_bytes_go_and_a_tombstone_stays(old: Run) -> None:
    assert EditRow.objects.get(run=old).status != "irreversible"
    danger = EffectRow.objects.filter(run=old, danger=True).count()
    assert retention.delete_due() == 1
    assert not any(map(bytes, Chunk.objects.filter(file__run=old).values_list("data", flat=True)))
    assert Tombstone.objects.get(run=old).size_bytes == len(OPEN)
    assert EditRow.objects.get(run=old).status == "irreversible"
    assert EffectRow.objects.filter(run=old, danger=True).count() == danger
    assert not FactRow.objects.filter(edit__run=old).exists()
    assert not SearchRow.objects.filter(run=old, kind="text").exists()
    assert Verdict.objects.filter(run=old).count() == 2
    verdict = Verdict.objects.get(run=old, current=True)
    assert verdict.changes[0]["now"] == "irreversible"
    assert verdict.head == Run.objects.get(pk=old.pk).head
    assert retention.delete_due() == 0
    assert ledger.verify().bad_seq is None


def test_nothing_brings_back_what_was_deleted(old: Run, source: Source) -> None:
    retention.delete_due()
    ingest.judge_snapshot(journals.snapshot(old.pk))
    assert EditRow.objects.get(run=old).status == "irreversible"
    with pytest.raises(receiving.Refused, match="start a new run"):
        ingest.receive(source, "run-7", "run-7.ndjson", 0, OPEN)


@pytest.mark.parametrize("state", ["pending", "approved"])
def test_a_run_with_a_gate_that_may_still_be_used_is_refused(old: Run, state: str) -> None:
    gate = gate_of(old, state)
    for _ in range(3):
        assert retention.delete_due() == 0
    assert whole(old)
    assert Entry.objects.filter(kind="retention.refused").count() == 1
    Gate.objects.filter(pk=gate.pk).update(state="rejected")
    assert retention.delete_due() == 1


def test_a_run_under_hold_is_refused_until_it_is_lifted(
    old: Run, reader: User, admin: User
) -> None:
    found = retention.hold(reader, old, "case 12")
    assert retention.hold(reader, old, "again") == found
    assert retention.delete_due() == 0
    with pytest.raises(PermissionDenied):
        retention.lift(reader, found)
    retention.lift(admin, found)
    assert retention.delete_due() == 1
    kinds = list(Entry.objects.filter(kind__startswith="retention").values_list("kind", flat=True))
    assert kinds == [f"retention.{word}" for word in ("held", "refused", "lifted", "deleted")]


def test_without_a_period_and_before_its_end_everything_stays(judge: Judge, admin: User) -> None:
    run = judge(OPEN)
    assert retention.delete_due() == 0
    retention.set_days(admin, run.source, 30)
    assert retention.delete_due() == 0
    assert whole(run)


def test_the_database_lets_bytes_go_only_with_a_tombstone(old: Run, judge: Judge) -> None:
    other = judge(lines({**HEADER, "id": "b"}, SPAN), "b")
    retention.delete_due()
    for change in ("data = ''", "sha256 = ''", "size_bytes = 0"):
        which = old if change != "data = ''" else other
        statement = (
            f"UPDATE dashboard_chunk SET {change} WHERE file_id IN "
            f"(SELECT id FROM dashboard_file WHERE run_id = {which.pk})"
        )
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


@pytest.mark.parametrize(
    "path",
    ["", "edits/e1/", "rollback", "window?at=3", "rows.csv", "figure?w=900", "report.json"],
)
def test_every_page_of_a_deleted_run_still_answers(old: Run, ann: Client, path: str) -> None:
    ann.get(f"/runs/{old.public_id}/window?at=3&show=s1&text=s1")
    retention.delete_due()
    answer = ann.get(f"/runs/{old.public_id}/{path}")
    assert answer.status_code == 200
    assert b"max_retries: 0" not in answer.content
    if not path:
        assert "bytes of this run were deleted" in answer.content.decode()


def test_a_bundle_shows_the_tombstone_instead_of_the_bytes(
    old: Run, ann: Client, reader: User
) -> None:
    case = cases.open_case(reader, "old")
    cases.add_step(case, reader, cases.Range(old, 1, 4), "")
    retention.delete_due()
    data = ann.post(f"/cases/{case.public_id}/bundle").content
    members = verify.members_of(data)
    assert not any("/files/" in name for name in members)
    assert any("1 chunks" in line for line in verify.checks(members, "", None))


def test_settings_are_changed_by_administrators(
    ann: Client, admin: User, run: Run, source: Source
) -> None:
    form: dict[str, Any] = {"source": source.slug, "days": 90}
    assert ann.post("/settings/retention/days", form).status_code == 404
    root = Client()
    root.force_login(admin)
    root.post("/settings/retention/days", form)
    assert "90 days after the last receipt" in ann.get("/settings/retention/").content.decode()
    root.post("/settings/retention/days", {**form, "days": ""})
    assert "for ever" in ann.get("/settings/retention/").content.decode()
    ann.post("/settings/retention/hold", {"run": run.public_id, "reason": "<b>case</b>"})
    assert "&lt;b&gt;case" in ann.get("/settings/retention/").content.decode()
    key = Hold.objects.get().pk
    assert ann.post(f"/settings/retention/holds/{key}/lift").status_code == 403
    root.post(f"/settings/retention/holds/{key}/lift")
    assert Hold.objects.get().lifted_at is not None
