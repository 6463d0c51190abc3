"""LangGraph: checkpoints and updates (`runtimes/others.md` 7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.langgraph import LANGGRAPH
from guard.events import Edit, Effect, Gate, Rollback, Span, Usage

SAMPLES = Path(__file__).parents[2] / "samples" / "langgraph"
CHECKPOINTS = SAMPLES / "langchain-1.5.2-langgraph-1.2.24-checkpoint-history.ndjson"
UPDATES = SAMPLES / "langchain-1.5.2-stream-updates.ndjson"


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def thread() -> Reading:
    return adapters.reading(CHECKPOINTS)


def test_three_summaries_are_the_difference_of_two_states(thread: Reading) -> None:
    edits = of(thread, Edit)
    assert [(e.op, e.by, e.fidelity, e.trigger) for e in edits] == [
        ("summarize", "model", "exact", "host")
    ] * 3
    assert [len(e.in_) for e in edits] == [6, 4, 5]
    assert edits[0].out.id in edits[1].in_
    assert edits[0].out.text.endswith("SUMMARY of earlier conversation")


def test_both_interrupts_ask_and_only_the_refusal_is_answered(thread: Reading) -> None:
    assert [(gate.id[:4], gate.state, gate.edit) for gate in of(thread, Gate)] == [
        ("e71a", "requested", "call_w6"),
        ("9848", "requested", "call_w9"),
        ("9848", "rejected", None),
    ]
    last = {effect.id: effect.state for effect in of(thread, Effect)}
    assert last == {"call_r2": "committed", "call_w6": "committed", "call_w9": "failed"}


def test_clears_that_no_checkpoint_shows_are_said_on_the_coverage_page(thread: Reading) -> None:
    texts = [note.text for note in thread.notes if note.topic == "retention"]
    assert any("no checkpoint shows it" in text for text in texts)


def test_what_a_tool_read_has_the_file_as_its_scope(thread: Reading) -> None:
    (read,) = [
        span for span in of(thread, Span) if span.effect == "call_r2" and span.role == "tool"
    ]
    assert read.source.path == "a.txt"
    assert read.facts == {"a.txt:max_retries": "0"}


def test_a_history_with_the_newest_state_first_is_read_from_its_end(thread: Reading) -> None:
    lines = CHECKPOINTS.read_bytes().splitlines(keepends=True)
    backwards = LANGGRAPH.read([SourceFile("history.ndjson", b"".join(reversed(lines)))])
    assert backwards.events == thread.events


def test_updates_do_not_show_what_a_person_put_in() -> None:
    reading = adapters.reading(UPDATES)
    assert [(e.op, e.fidelity) for e in of(reading, Edit)] == [("summarize", "unknown")] * 3
    assert [str(error.line) for error in reading.errors] == ["7"]
    assert reading.header.ledger == "none"
    asked = [gate.edit for gate in of(reading, Gate) if gate.state == "requested"]
    assert asked == ["call_w6", "call_w9"]


def state(id_: str, parent: str | None, *messages: dict[str, Any], source: str = "loop") -> bytes:
    row = {
        "checkpoint_id": id_,
        "parent": parent,
        "created_at": "2026-11-30T18:14:04.644589+00:00",
        "metadata": {"source": source, "step": 1},
        "messages": list(messages),
    }
    return json.dumps(row).encode() + b"\n"


def human(id_: str, text: str) -> dict[str, Any]:
    return {"type": "human", "id": id_, "content": text}


def read(*lines: bytes) -> Reading:
    return LANGGRAPH.read([SourceFile("thread.ndjson", b"".join(lines))])


def test_a_message_removed_by_a_person_is_a_drop_by_the_person() -> None:
    a, b = human("a", "one"), human("b", "two")
    (edit,) = of(read(state("1", None, a, b), state("2", "1", b, source="update")), Edit)
    assert (edit.op, edit.by, edit.in_) == ("drop", "human", ["a"])


def test_a_branch_from_an_earlier_state_goes_back_first() -> None:
    a, b, c = human("a", "one"), human("b", "two"), human("c", "three")
    reading = read(
        state("1", None, a, b),
        state("2", "1", b),
        state("3", "1", a, b, c, source="fork"),
    )
    trimmed, *rest = of(reading, Edit)
    assert trimmed.in_ == ["a"]
    assert [rollback.edits for rollback in of(reading, Rollback)] == [[trimmed.id]]
    assert rest == []
    assert [span.id for span in of(reading, Span)] == ["a", "b", "c"]


def test_messages_of_the_serializer_are_messages() -> None:
    ai = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "AIMessage"],
        "kwargs": {
            "id": "m1",
            "content": "",
            "tool_calls": [{"id": "c1", "name": "bash", "args": {"command": "git push"}}],
            "usage_metadata": {"input_tokens": 7, "output_tokens": 2},
        },
    }
    reading = read(state("1", None, ai))
    assert [effect.id for effect in of(reading, Effect)] == ["c1"]
    assert [usage.input_tokens for usage in of(reading, Usage)] == [7]
