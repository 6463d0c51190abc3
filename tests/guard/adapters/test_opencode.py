"""opencode: its event log, what it serves, and its live database (`runtimes/others.md` 5)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.opencode import OPENCODE
from guard.events import Edit, Effect, Fork, Gate, Rollback, Span

SAMPLES = Path(__file__).parents[2] / "samples" / "opencode"
EVENTS = SAMPLES / "opencode-1.18.33-db-event-table.trimmed.ndjson"
BUS = SAMPLES / "opencode-1.18.33-bus-events.jsonl"
FIRST_REVERTED = "msg_22d9b37cf001xBjp3HWfVvM6Xq"


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def log() -> Reading:
    return adapters.reading(EVENTS)


def test_a_compaction_takes_the_22_messages_before_the_kept_tail(log: Reading) -> None:
    edit = of(log, Edit)[0]
    assert (edit.op, edit.by, edit.fidelity, edit.trigger) == (
        "summarize",
        "model",
        "exact",
        "manual",
    )
    assert len(edit.in_) == 22
    assert edit.out.text == "A short summary."


def test_four_prunes_are_evictions_by_the_host(log: Reading) -> None:
    prunes = [edit for edit in of(log, Edit) if edit.op == "evict"]
    assert [(edit.by, edit.fidelity, len(edit.in_)) for edit in prunes] == [
        ("host", "exact", 1)
    ] * 4


def test_a_revert_counts_once_it_is_committed_and_28_messages_are_gone(log: Reading) -> None:
    """Staged, taken back, staged again: only what the next prompt commits changed a window."""
    assert log.skips["revert staged"] == 2
    assert log.skips["revert taken back"] == 1
    (rollback,) = of(log, Rollback)
    (drop,) = [edit for edit in of(log, Edit) if edit.op == "drop"]
    assert rollback.edits == [of(log, Edit)[0].id]
    assert (drop.by, drop.fidelity) == ("human", "exact")
    rows = [json.loads(line) for line in EVENTS.read_bytes().splitlines()]
    removed = {row["data"]["messageID"] for row in rows if row["type"] == "message.removed.1"}
    assert len(removed) == 28
    parts = {
        row["data"]["part"]["id"]
        for row in rows
        if row["type"] == "message.part.updated.1" and row["data"]["part"]["messageID"] in removed
    }
    assert set(drop.in_) < parts


def test_a_refusal_is_a_gate_and_the_grants_left_none(log: Reading) -> None:
    assert [(gate.id, gate.state) for gate in of(log, Gate)] == [
        ("gate-call_211cb682c36f", "requested"),
        ("gate-call_211cb682c36f", "rejected"),
    ]
    states = [e.state for e in of(log, Effect) if e.id == "call_211cb682c36f"]
    assert states == ["started", "failed"]


def test_a_snapshot_makes_a_file_write_reversible(log: Reading) -> None:
    steps = [e for e in of(log, Effect) if e.tool == "write"]
    assert [(e.state, e.reversibility, e.inverse) for e in steps] == [
        ("started", "unknown", False),
        ("committed", "unknown", False),
        ("committed", "reversible", True),
    ]


def test_the_bus_has_the_answers_to_nine_questions() -> None:
    gates = of(adapters.reading(BUS), Gate)
    answers = [gate.state for gate in gates if gate.state != "requested"]
    assert answers.count("approved") == 8
    assert answers.count("rejected") == 1
    assert not any(gate.human for gate in gates)


def test_bus_and_table_tell_the_same_edits(log: Reading) -> None:
    told = [(e.id, e.op, e.in_) for e in of(adapters.reading(BUS), Edit)]
    assert told == [(e.id, e.op, e.in_) for e in of(log, Edit)]


def test_messages_as_served_are_the_state_now_and_attest_nothing() -> None:
    reading = adapters.reading(
        SAMPLES / "opencode-1.18.33-messages-after-prune-and-compaction.json"
    )
    assert [edit.op for edit in of(reading, Edit)] == ["summarize", *["evict"] * 4]
    assert len(of(reading, Edit)[0].in_) == 22
    assert reading.header.ledger == "none"
    after = adapters.reading(SAMPLES / "opencode-1.18.33-messages-after-revert-commit.json")
    assert [edit.op for edit in of(after, Edit)] == ["evict"]


# The live database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[tuple[Path, sqlite3.Connection]]:
    path = tmp_path / "opencode.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(
        "CREATE TABLE event (id TEXT, aggregate_id TEXT, seq INT, type TEXT, data TEXT)"
    )
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    yield path, connection
    connection.close()


def insert(connection: sqlite3.Connection, rows: list[dict[str, Any]]) -> None:
    connection.executemany(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
        [
            (row["id"], row["aggregate_id"], row["seq"], row["type"], json.dumps(row["data"]))
            for row in rows
        ],
    )
    connection.commit()


def test_a_database_in_use_is_read_without_a_trace(
    log: Reading, database: tuple[Path, sqlite3.Connection]
) -> None:
    path, connection = database
    insert(connection, [json.loads(line) for line in EVENTS.read_bytes().splitlines()])
    before = {file.name: file.stat().st_size for file in path.parent.iterdir()}
    reading = adapters.reading(path)
    assert reading.events == log.events
    assert reading.header == log.header
    assert {file.name: file.stat().st_size for file in path.parent.iterdir()} == before


def test_a_sub_agent_is_a_branch_of_the_session_that_started_it(
    database: tuple[Path, sqlite3.Connection],
) -> None:
    path, connection = database
    insert(
        connection,
        [
            event(1, "ses_main", "session.created.1", {"info": {"version": "1.18.33"}}),
            event(2, "ses_main", "message.updated.1", {"info": {"id": "msg_1", "role": "user"}}),
            event(3, "ses_main", "message.part.updated.1", {"part": text("prt_1", "msg_1", "go")}),
            event(4, "ses_sub", "session.created.1", {"info": {"parentID": "ses_main"}}),
            event(5, "ses_sub", "message.updated.1", {"info": {"id": "msg_2", "role": "user"}}),
            event(6, "ses_sub", "message.part.updated.1", {"part": text("prt_2", "msg_2", "look")}),
            event(7, "ses_other", "session.created.1", {"info": {}}),
        ],
    )
    main, other = sorted(OPENCODE.group([SourceFile.of(path)]), key=lambda run: run.external_id)
    assert (main.external_id, other.external_id) == ("ses_main", "ses_other")
    reading = OPENCODE.read(main.files)
    assert [(fork.branch, fork.from_) for fork in of(reading, Fork)] == [("ses_sub", "main")]
    assert [(s.id, s.branch) for s in of(reading, Span)] == [
        ("prt_1", "main"),
        ("prt_2", "ses_sub"),
    ]


def event(number: int, session: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    id_ = f"evt_{number:04d}"
    return {"id": id_, "aggregate_id": session, "seq": number, "type": kind, "data": data}


def text(part: str, message: str, words: str) -> dict[str, Any]:
    return {"id": part, "messageID": message, "type": "text", "text": words}


def test_a_database_of_something_else_is_not_claimed(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE events (id TEXT)")
    assert not OPENCODE.sniff(SourceFile.of(path).head())
