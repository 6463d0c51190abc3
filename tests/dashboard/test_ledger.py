"""The ledger: what was written stays, and whatever is changed afterwards is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import DatabaseError, connection, transaction

from dashboard import ledger
from dashboard.ledger import Checkpoint
from dashboard.models import Entry, LedgerHead
from tests.triggers import triggers_off

pytestmark = pytest.mark.django_db


def write(count: int) -> None:
    for number in range(count):
        with transaction.atomic():
            ledger.append("test", "ann", {"number": number, "text": "é\u2028"})


def forge(statement: str) -> None:
    """What somebody with the database's own password could do."""
    with triggers_off(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement)


def test_a_ledger_that_nobody_touched_verifies() -> None:
    write(3)
    found = ledger.verify(ledger.checkpoint())
    assert (found.count, found.bad_seq) == (3, None)


def test_an_empty_ledger_verifies() -> None:
    assert ledger.verify() == ledger.Verified(0, ledger.START)


def test_an_entry_needs_a_transaction(transactional_db: None) -> None:
    with pytest.raises(transaction.TransactionManagementError):
        ledger.append("test", "ann", {})


@pytest.mark.parametrize(
    ("statement", "bad_seq"),
    [
        ("UPDATE dashboard_entry SET actor = 'bob' WHERE seq = 2", 2),
        ("UPDATE dashboard_entry SET kind = 'other' WHERE seq = 2", 2),
        ("UPDATE dashboard_entry SET body = '{}' WHERE seq = 2", 2),
        ("UPDATE dashboard_entry SET at = '2020-01-01 00:00:00+00:00' WHERE seq = 3", 3),
        ("UPDATE dashboard_entry SET hash = prev WHERE seq = 1", 1),
        ("UPDATE dashboard_entry SET prev = hash WHERE seq = 2", 2),
        ("DELETE FROM dashboard_entry WHERE seq = 2", 2),
        ("DELETE FROM dashboard_entry WHERE seq = 3", 3),
        ("UPDATE dashboard_entry SET seq = 9 WHERE seq = 3", 3),
    ],
)
def test_a_changed_entry_is_named(statement: str, bad_seq: int) -> None:
    write(3)
    forge(statement)
    assert ledger.verify().bad_seq == bad_seq


def test_a_cut_tail_is_found_against_the_checkpoint_when_the_head_was_cut_too() -> None:
    write(3)
    kept = ledger.checkpoint()
    second = Entry.objects.get(seq=2)
    forge("DELETE FROM dashboard_entry WHERE seq = 3")
    forge(f"UPDATE dashboard_ledgerhead SET seq = 2, hash = '{second.hash}'")
    assert ledger.verify().bad_seq is None
    assert ledger.verify(kept).bad_seq == 3


def test_a_ledger_rewritten_as_a_whole_is_found_against_the_checkpoint() -> None:
    write(3)
    kept = ledger.checkpoint()
    forge("DELETE FROM dashboard_entry")
    forge("DELETE FROM dashboard_ledgerhead")
    write(4)
    assert ledger.verify().bad_seq is None
    assert ledger.verify(kept).bad_seq == 3


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE dashboard_entry SET actor = 'bob'",
        "DELETE FROM dashboard_entry",
        "UPDATE dashboard_ledgerhead SET seq = 1",
    ],
)
def test_the_database_itself_refuses_changes(statement: str) -> None:
    write(3)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert ledger.verify().bad_seq is None


def test_the_checkpoint_file_never_goes_backward(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.json"
    write(2)
    first = ledger.keep(path)
    write(1)
    second = ledger.keep(path)
    assert (first.count, second.count) == (2, 3)
    LedgerHead.objects.all().delete()
    assert ledger.keep(path) == second == ledger.kept(path)


def test_a_forged_checkpoint_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.json"
    write(2)
    kept = ledger.keep(path)
    path.write_text(path.read_text().replace('"count": 2', '"count": 1'))
    assert kept == Checkpoint(2, ledger.checkpoint().hash)
    with pytest.raises(ValueError, match="signature"):
        ledger.kept(path)
