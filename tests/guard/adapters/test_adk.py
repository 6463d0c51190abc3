"""Google ADK: session events and spans (`runtimes/others.md` 9)."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.adk import ADK
from guard.adapters.base import Reading, SourceFile
from guard.events import Edit, Effect, Fork, Gate, Policy, Rollback, Span

SAMPLES = Path(__file__).parents[2] / "samples" / "adk"
EVENTS = SAMPLES / "adk-2.13.0-session-events.ndjson"
SPANS = SAMPLES / "adk-2.13.0-otel-compact-and-tool-spans.json"


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def session() -> Reading:
    return adapters.reading(EVENTS)


def test_three_compactions_take_ranges_of_live_events(session: Reading) -> None:
    """The third range holds eleven events; five of them were rewound before."""
    compactions = [edit for edit in of(session, Edit) if edit.op == "summarize"]
    assert [len(edit.in_) for edit in compactions] == [6, 10, 6]
    assert {(edit.by, edit.fidelity) for edit in compactions} == {("model", "exact")}


def test_a_rewind_drops_from_the_first_event_of_its_invocation(session: Reading) -> None:
    (rewind,) = [edit for edit in of(session, Edit) if edit.op == "drop"]
    assert (rewind.by, rewind.fidelity, len(rewind.in_)) == ("human", "exact", 4)
    assert of(session, Rollback) == []


def test_a_confirmation_is_a_gate_with_its_answer(session: Reading) -> None:
    asked, answered = of(session, Gate)
    assert asked.id == answered.id
    assert (asked.state, asked.by) == ("requested", "lab")
    assert (answered.state, answered.by, answered.human) == ("approved", "user", True)
    deploy = [effect for effect in of(session, Effect) if effect.id == asked.edit]
    assert [effect.state for effect in deploy] == ["started", "committed"]
    assert asked.effects == {asked.edit: deploy[0].body}


def test_a_question_is_no_effect(session: Reading) -> None:
    assert {effect.tool for effect in of(session, Effect)} == {"write_file", "deploy"}


def test_spans_say_what_started_a_compaction_and_its_settings(session: Reading) -> None:
    reading = adapters.reading([SPANS, EVENTS])
    triggers = [edit.trigger for edit in of(reading, Edit) if edit.op == "summarize"]
    assert triggers == ["sliding_window"] * 3
    assert of(reading, Policy)[-1].value["overlap_size"] == 1
    assert reading.header.id == "f445f893-d9c6-4349-877d-c741933660e2"
    assert len(of(reading, Effect)) == len(of(session, Effect))


def test_spans_alone_say_how_many_events_went() -> None:
    edits = of(adapters.reading(SPANS), Edit)
    assert [(edit.fidelity, edit.count) for edit in edits] == [
        ("count", 6),
        ("count", 13),
        ("count", 6),
    ]


def test_a_rewind_across_a_compaction_undoes_it_first() -> None:
    reading = read(
        event("a", "i1", 1.0, text="one"),
        event("b", "i1", 2.0, text="two", author="lab"),
        event("c", "i2", 3.0, text="three"),
        event("d", "i9", 4.0, compaction=(1.0, 2.0)),
        event("e", "i8", 5.0, rewind="i2"),
    )
    compaction, drop = of(reading, Edit)
    assert of(reading, Rollback)[0].edits == [compaction.id]
    assert drop.in_ == ["c"]


def test_a_wider_range_takes_the_summary_inside_it() -> None:
    reading = read(
        event("a", "i1", 1.0, text="one"),
        event("b", "i1", 2.0, compaction=(1.0, 1.0)),
        event("c", "i2", 3.0, text="two"),
        event("d", "i2", 4.0, compaction=(0.5, 3.0)),
    )
    assert of(reading, Edit)[1].in_ == ["b-summary", "a", "c"]


def test_a_refusal_leaves_the_call_failed() -> None:
    ask = {
        "functionCall": {
            "id": "q",
            "name": "adk_request_confirmation",
            "args": {"originalFunctionCall": {"id": "c1", "name": "deploy", "args": {}}},
        }
    }
    no = {
        "functionResponse": {
            "id": "q",
            "name": "adk_request_confirmation",
            "response": {"response": '{"confirmed": false}'},
        }
    }
    refused = {
        "functionResponse": {
            "id": "c1",
            "name": "deploy",
            "response": {"error": "This tool call is rejected."},
        }
    }
    call = {"functionCall": {"id": "c1", "name": "deploy", "args": {}}}
    reading = read(
        event("a", "i1", 1.0, author="lab", part=call),
        event("b", "i1", 2.0, author="lab", part=ask),
        event("c", "i1", 3.0, part=no),
        event("d", "i1", 4.0, author="lab", part=refused),
    )
    assert [gate.state for gate in of(reading, Gate)] == ["requested", "rejected"]
    assert [effect.state for effect in of(reading, Effect)][-1] == "failed"


def test_a_branch_of_an_agent_is_a_branch() -> None:
    reading = read(
        event("a", "i1", 1.0, text="one"),
        event("b", "i1", 2.0, text="two", author="sub", branch="root.sub"),
    )
    assert [fork.branch for fork in of(reading, Fork)] == ["root.sub"]
    assert [span.branch for span in of(reading, Span)] == ["main", "root.sub"]


def test_a_session_document_and_a_database_hold_the_same_events(
    session: Reading, tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in EVENTS.read_bytes().splitlines()]
    document = {"id": "s-9", "appName": "app", "userId": "u", "state": {}, "events": rows}
    path = tmp_path / "session.json"
    path.write_text(json.dumps(document, indent=1))
    database = tmp_path / "adk.db"
    with sqlite3.connect(database) as connection:
        connection.execute(
            "CREATE TABLE events (id TEXT, session_id TEXT, timestamp REAL, event_data TEXT)"
        )
        connection.executemany(
            "INSERT INTO events VALUES (?, 's-9', ?, ?)",
            [(row["id"], row["timestamp"], json.dumps(row)) for row in rows],
        )
    for reading in (adapters.reading(path), adapters.reading(database)):
        assert reading.header.id == "s-9"
        assert [e.id for e in of(reading, Edit)] == [e.id for e in of(session, Edit)]
        assert len(reading.events) == len(session.events)
        assert reading.counts.balanced


def event(
    id_: str,
    invocation: str,
    time: float,
    *,
    text: str | None = None,
    part: dict[str, Any] | None = None,
    author: str = "user",
    branch: str | None = None,
    compaction: tuple[float, float] | None = None,
    rewind: str | None = None,
) -> dict[str, Any]:
    actions: dict[str, Any] = {}
    if compaction:
        summary = {"parts": [{"text": "in short"}], "role": "model"}
        start, end = compaction
        actions["compaction"] = {
            "startTimestamp": start,
            "endTimestamp": end,
            "compactedContent": summary,
        }
    if rewind:
        actions["rewindBeforeInvocationId"] = rewind
    shown = part or ({"text": text} if text else None)
    return {
        "id": id_,
        "invocationId": invocation,
        "author": author,
        "timestamp": time,
        "actions": actions,
        **({"content": {"parts": [shown], "role": "user"}} if shown else {}),
        **({"branch": branch} if branch else {}),
    }


def read(*events: dict[str, Any]) -> Reading:
    data = "".join(json.dumps(row) + "\n" for row in events).encode()
    return ADK.read([SourceFile("events.ndjson", data)])
