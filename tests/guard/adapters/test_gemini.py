"""Gemini CLI: sessions and telemetry (`runtimes/others.md` 6)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.gemini import GEMINI
from guard.events import Edit, Effect, Fork, Policy, Span, Usage

SAMPLES = Path(__file__).parents[2] / "samples" / "gemini"
CHAT = SAMPLES / "gemini-cli-0.61.0-compress-and-rewind.jsonl"
TELEMETRY = SAMPLES / "gemini-cli-0.61.0-telemetry-outfile.selected.ndjson"
HEAD = {"sessionId": "s-1", "projectHash": "p", "startTime": "2026-11-30T18:06:35.892Z"}


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


def chat(*records: dict[str, Any]) -> Reading:
    data = "".join(json.dumps(record) + "\n" for record in (HEAD, *records)).encode()
    return GEMINI.read([SourceFile("session.jsonl", data)])


def user(id_: str, text: str) -> dict[str, Any]:
    return {"id": id_, "type": "user", "content": [{"text": text}]}


@pytest.fixture(scope="module")
def session() -> Reading:
    return adapters.reading(CHAT)


def test_compress_is_a_summary_and_rewind_a_drop_by_the_person(session: Reading) -> None:
    edits = [(edit.op, edit.by, edit.fidelity, len(edit.in_)) for edit in of(session, Edit)]
    assert edits == [
        ("summarize", "model", "derived", 6),
        ("replace", "host", "exact", 1),
        ("drop", "human", "exact", 2),
        ("drop", "host", "derived", 1),
    ]
    assert "<state_snapshot>" in of(session, Edit)[0].out.text


def test_the_session_context_that_nobody_announced_to_drop_is_an_edit_of_the_host(
    session: Reading,
) -> None:
    assert of(session, Edit)[-1].in_ == ["d04923d38bb0f6017037e74183378ef4"]


def test_a_message_written_again_is_one_call_with_its_undo(session: Reading) -> None:
    steps = [(e.state, e.reversibility, e.inverse) for e in of(session, Effect)]
    assert steps == [("started", "reversible", True), ("committed", "reversible", True)]


def test_most_replacements_change_nothing(session: Reading) -> None:
    assert session.skips["$set"] == 12
    assert len(of(session, Usage)) == 5


def test_what_the_host_put_in_is_no_word_of_the_model(session: Reading) -> None:
    (reply,) = [s for s in of(session, Span) if s.id == "f01ea5ce-e276-40f0-9196-75a777bf6c6e"]
    assert reply.role == "system"


def test_telemetry_beside_a_session_gives_findings_and_no_second_edit(session: Reading) -> None:
    both = adapters.reading([CHAT, TELEMETRY])
    assert both.events == session.events
    texts = [note.text for note in both.notes if note.says == "finding"]
    assert "compressed from 14000 to 193 tokens" in texts
    assert any("rewind_only" in text for text in texts)


def test_telemetry_alone_knows_that_edits_happened_and_not_what_they_took() -> None:
    reading = adapters.reading(TELEMETRY)
    assert [(e.op, e.by, e.fidelity) for e in of(reading, Edit)] == [
        ("summarize", "model", "unknown"),
        ("drop", "human", "unknown"),
    ]
    assert reading.header.ledger == "none"


def test_a_rewind_to_an_unknown_message_clears_everything() -> None:
    reading = chat(user("a", "one"), user("b", "two"), {"$rewindTo": "zz"})
    (edit,) = of(reading, Edit)
    assert edit.in_ == ["a", "b"]


def test_a_masked_tool_result_is_evicted_by_the_host() -> None:
    answer = {"functionResponse": {"id": "c1", "name": "read", "response": {"output": "long"}}}
    masked = {"functionResponse": {"id": "c1", "name": "read", "response": {"output": "[masked]"}}}
    row = {"id": "r1", "type": "user", "content": [answer]}
    reading = chat(row, {"$set": {"messages": [row | {"content": [masked]}]}})
    (edit,) = of(reading, Edit)
    assert (edit.op, edit.by, edit.in_, edit.out.text) == ("evict", "host", ["r1"], "[masked]")


def test_a_sub_agent_in_a_folder_named_like_the_session_is_a_branch(tmp_path: Path) -> None:
    folder = tmp_path / "chats" / "s-1"
    folder.mkdir(parents=True)
    main = [HEAD, user("a", "one") | {"timestamp": "2026-11-30T18:06:40.000Z"}]
    sub = [
        HEAD | {"sessionId": "s-2", "kind": "subagent", "startTime": "2026-11-30T18:06:50.000Z"},
        user("b", "two") | {"timestamp": "2026-11-30T18:06:51.000Z"},
    ]
    path = folder.parent / "session-1.jsonl"
    for file, rows in ((path, main), (folder / "session-2.jsonl", sub)):
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    reading = adapters.reading(path)
    assert [(fork.branch, fork.from_) for fork in of(reading, Fork)] == [("s-2", "main")]
    assert [(s.id, s.branch) for s in of(reading, Span)] == [("a", "main"), ("b", "s-2")]


def test_the_model_is_a_policy(session: Reading) -> None:
    assert [p.value["model"] for p in of(session, Policy)] == ["gemini-2.5-pro"]
