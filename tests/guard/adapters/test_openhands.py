"""OpenHands V1: events as lines or as a folder of files (`runtimes/others.md` 4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.openhands import OPENHANDS
from guard.events import Edit, Effect, Gate, Policy, Rollback, Span

SAMPLES = Path(__file__).parents[2] / "samples" / "openhands"
EVENTS = SAMPLES / "openhands-sdk-1.58.2-three-condensations-confirm-reject.ndjson"
STATE = SAMPLES / "openhands-sdk-1.58.2-base_state.trimmed.json"


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def conversation() -> Reading:
    return adapters.reading([EVENTS, STATE])


def test_three_condensations_name_what_they_forget_and_nest(conversation: Reading) -> None:
    first, second, third = of(conversation, Edit)
    assert [len(edit.in_) for edit in (first, second, third)] == [10, 9, 5]
    assert {(edit.op, edit.by, edit.fidelity) for edit in (first, second, third)} == {
        ("summarize", "model", "exact")
    }
    assert first.out.id in second.in_
    assert second.out.id in third.in_
    assert [edit.trigger for edit in (first, second, third)] == [None, None, "request"]


def test_one_action_was_refused_and_the_confirmed_one_left_no_trace(conversation: Reading) -> None:
    assert [(gate.state, gate.by) for gate in of(conversation, Gate)] == [
        ("requested", "agent"),
        ("rejected", "user"),
    ]
    last = {effect.id: effect.state for effect in of(conversation, Effect)}
    assert last == {f"call_{n}": "failed" if n == 6 else "committed" for n in range(1, 8)}


def test_the_latest_settings_are_the_policy_and_the_page_says_so(conversation: Reading) -> None:
    (policy,) = of(conversation, Policy)
    assert policy.value["condenser"] == "LLMSummarizingCondenser"
    assert (policy.value["max_size"], policy.value["keep_first"]) == (12, 2)
    texts = [note.text for note in conversation.notes]
    assert any("base_state.json keeps the latest only" in text for text in texts)
    assert any("no offset" in text for text in texts)


def test_a_folder_of_event_files_reads_like_the_lines(
    tmp_path: Path, conversation: Reading
) -> None:
    folder = tmp_path / "422c" / "events"
    folder.mkdir(parents=True)
    for line in EVENTS.read_bytes().splitlines():
        event = json.loads(line)
        (folder / event.pop("_file")).write_text(json.dumps(event, indent=2))
    (folder.parent / "base_state.json").write_bytes(STATE.read_bytes())
    reading = adapters.reading(tmp_path)
    assert reading.events == conversation.events
    assert reading.header.id == "422cfa8a-7f8a-4040-bea3-58dd2f3378ea"
    assert reading.counts.balanced
    one = sorted(folder.iterdir())[3]
    assert adapters.reading(one).events == conversation.events


def message(id_: str, parent: str | None, text: str) -> dict[str, Any]:
    return {
        "id": id_,
        "timestamp": "2026-11-30T18:00:00.000000",
        "source": "user",
        "parent_id": parent,
        "llm_message": {"role": "user", "content": [{"type": "text", "text": text}]},
        "kind": "MessageEvent",
    }


def test_a_leaf_that_moved_without_an_event_is_seen_at_the_next_one() -> None:
    forgets = {
        "id": "c1",
        "timestamp": "2026-11-30T18:00:01",
        "source": "environment",
        "parent_id": "m2",
        "forgotten_event_ids": ["m1"],
        "kind": "Condensation",
    }
    rows = [
        message("m1", None, "one"),
        message("m2", "m1", "two"),
        forgets,
        message("m3", "c1", "three"),
        message("m4", "m2", "four, from before the condensation"),
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    reading = OPENHANDS.read([SourceFile("events.ndjson", data)])
    condensation, drop = of(reading, Edit)
    assert (condensation.op, condensation.by, condensation.out) == ("drop", "host", None)
    assert of(reading, Rollback)[0].edits == ["c1"]
    assert (drop.by, drop.in_, drop.fidelity) == ("human", ["m3"], "derived")
    assert [span.id for span in of(reading, Span)] == ["m1", "m2", "m3", "m4"]
