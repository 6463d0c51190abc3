"""Cline and Roo Code: documents that the host rewrites (`runtimes/others.md` 10).

The samples were written after the types in the sources of both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading
from guard.events import Edit, Effect, Gate, Record, Span, Usage

SAMPLES = Path(__file__).parents[2] / "samples" / "cline"
PUBLIC = Path(__file__).parents[4] / "shared" / "corpus" / "public" / "cline"


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


def texts(reading: Reading, says: str) -> str:
    return "\n".join(note.text for note in reading.notes if note.says == says)


@pytest.mark.parametrize(
    ("path", "count"),
    [
        (SAMPLES / "sdk" / "1784000000001_basic.messages.json", 7),
        (PUBLIC / "basic.compaction.head60k.json", 22),
    ],
)
def test_a_basic_compaction_says_how_many_messages_went(path: Path, count: int) -> None:
    if not path.is_file():
        pytest.skip("skipped: corpus not found")
    reading = adapters.reading(path)
    (edit,) = of(reading, Edit)
    assert (edit.op, edit.by, edit.fidelity, edit.count) == ("summarize", "model", "count", count)
    assert (edit.in_, edit.trigger) == ([], "manual")
    assert edit.out.text.startswith("<SYSTEM_NOTICE>")
    assert of(reading, Record) == []
    assert reading.header.ledger == "none"
    assert "the host rewrites this document" in texts(reading, "cannot prove")


def test_the_words_of_the_person_beside_the_notice_stay_theirs() -> None:
    reading = adapters.reading(SAMPLES / "sdk" / "1784000000001_basic.messages.json")
    roles = {span.id: span.role for span in of(reading, Span)}
    assert roles["msg_a1/0"] == "user"
    assert roles["msg_a3"] == "tool"
    assert roles["system-prompt"] == "system"


def test_the_sidecar_names_the_first_messages_less_those_it_repeats() -> None:
    reading = adapters.reading(SAMPLES / "sdk" / "1784000000002_agentic.messages.json")
    (edit,) = of(reading, Edit)
    assert (edit.fidelity, edit.in_) == ("exact", ["msg_b1", "msg_b2"])
    assert edit.out.text == "Summary: the settings were read."
    assert reading.counts.balanced


def test_roo_tags_name_what_a_summary_took_and_summaries_nest() -> None:
    reading = adapters.reading(SAMPLES / "roo" / "5f1c0000")
    first, second, truncation = of(reading, Edit)
    assert (first.id, first.in_, first.fidelity) == ("cond-1", ["message-1", "message-2"], "exact")
    assert second.in_ == [first.out.id, "message-4"]
    assert (truncation.op, truncation.by, truncation.in_) == ("evict", "host", ["message-0"])
    assert len(of(reading, Record)) == 3


def test_calls_that_were_written_as_xml_are_effects_and_a_denial_is_a_gate() -> None:
    reading = adapters.reading(SAMPLES / "classic" / "1783000000000")
    last = {effect.id: effect.state for effect in of(reading, Effect)}
    assert last == {"message-1/call-0": "committed", "message-3/call-0": "failed"}
    assert [(gate.state, gate.by) for gate in of(reading, Gate)] == [
        ("requested", "agent"),
        ("rejected", "user"),
    ]
    assert [usage.input_tokens for usage in of(reading, Usage)] == [1000]
    assert "condensed from 9000 to 1200 tokens" in texts(reading, "finding")


def test_a_document_that_ends_too_early_is_torn(tmp_path: Path) -> None:
    whole = (SAMPLES / "sdk" / "1784000000001_basic.messages.json").read_bytes()
    path = tmp_path / "cut.messages.json"
    path.write_bytes(whole[:-30])
    reading = adapters.reading(path)
    assert reading.torn is not None
    assert reading.events == []
    assert reading.counts.balanced
