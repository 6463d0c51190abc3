"""OTLP: JSON and protobuf bodies, three conventions (`runtimes/others.md` 11)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.otlp import OTLP, exported
from guard.events import Edit, Effect, Fork, Gap, Gate, Policy, Span, Usage

SAMPLES = Path(__file__).parents[2] / "samples" / "otlp"
JSON_BODY = SAMPLES / "constructed-genai-compaction.traces.json"
PROTOBUF_BODY = SAMPLES / "constructed-genai-compaction.traces.pb"


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


def one(path: Path) -> Reading:
    return OTLP.read([SourceFile.of(path)])


def test_json_and_protobuf_are_the_same() -> None:
    assert one(JSON_BODY).events == one(PROTOBUF_BODY).events
    assert len(one(JSON_BODY).events) == 13


def test_a_compaction_part_takes_what_the_call_before_had_in_its_window() -> None:
    reading = one(PROTOBUF_BODY)
    (edit,) = of(reading, Edit)
    assert (edit.op, edit.by, edit.fidelity) == ("summarize", "model", "derived")
    assert len(edit.in_) == 4
    assert (edit.out.id, edit.out.text) == ("cmp_9", "it was pushed")
    assert [usage.input_tokens for usage in of(reading, Usage)] == [1000, 1100, 50]


def test_spans_come_out_of_order_and_stand_by_their_times() -> None:
    reading = one(JSON_BODY)
    assert [effect.state for effect in of(reading, Effect)] == ["started", "committed"]
    times = [event.at for event in reading.events]
    assert times == sorted(times)


def test_a_body_that_came_twice_counts_once() -> None:
    twice = OTLP.read([SourceFile.of(JSON_BODY), SourceFile.of(PROTOBUF_BODY)])
    assert twice.events == one(JSON_BODY).events
    assert twice.counts.balanced


def test_a_nul_that_no_journal_may_hold_is_mended_in_both_forms() -> None:
    binary = PROTOBUF_BODY.read_bytes().replace(b"conv-pb", b"conv\0pb")
    text = JSON_BODY.read_bytes().replace(b"conv-pb", rb"conv\u0000pb")
    readings = [OTLP.read([SourceFile("body", data)]) for data in (binary, text)]
    assert [reading.header.id for reading in readings] == ["conv\ufffdpb"] * 2
    assert readings[0].events == readings[1].events == one(JSON_BODY).events


def test_the_official_example_knows_neither_what_went_nor_what_was_there() -> None:
    reading = adapters.reading(SAMPLES / "otlp-http-json-genai.example.json")
    (edit,) = of(reading, Edit)
    assert (edit.fidelity, edit.in_, edit.out.text) == ("unknown", [], "summary")
    assert reading.header.id == "c1"
    assert reading.header.ledger == "none"
    assert {e.id for e in of(reading, Effect)} == {"call_1"}


def test_openinference_shows_a_cleared_result_and_a_missing_call() -> None:
    reading = adapters.reading(SAMPLES / "constructed-openinference.ndjson")
    evicted, dropped = of(reading, Edit)
    assert (evicted.op, evicted.by, evicted.in_) == ("evict", "host", ["oi1/result"])
    assert evicted.out.text == "[cleared]"
    assert (dropped.op, dropped.by, dropped.fidelity) == ("drop", "host", "derived")
    (gap,) = of(reading, Gap)
    assert "a model call is missing" in gap.what
    assert of(reading, Effect)[0].tool == "charge"


def test_log_records_of_codex_are_read_as_such() -> None:
    reading = adapters.reading(SAMPLES / "constructed-codex-decisions.logs.pb")
    assert [(gate.state, gate.by) for gate in of(reading, Gate)] == [
        ("requested", "agent"),
        ("rejected", "user"),
    ]
    assert of(reading, Policy)[0].value["threshold"] == 200000
    first, last = of(reading, Effect)
    # Nothing is known of a call but its name until its input is on record.
    assert (first.reversibility, first.write, first.body) == (None, None, None)
    assert (last.state, last.body is not None) == ("failed", True)


# Bodies made for one case each


def span(number: int, **said: Any) -> dict[str, Any]:
    attributes = [
        {"key": name.replace("__", "."), "value": value_of(value)} for name, value in said.items()
    ]
    return {
        "traceId": f"{7:032x}",
        "spanId": f"{number:016x}",
        "name": "s",
        "startTimeUnixNano": str(10**18 + number),
        "attributes": attributes,
    }


def value_of(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value if isinstance(value, str) else json.dumps(value)}


def read(*spans: dict[str, Any]) -> Reading:
    body = {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}
    return OTLP.read([SourceFile("body", json.dumps(body).encode())])


def call(number: int, *texts: str, conversation: str = "c", **said: Any) -> dict[str, Any]:
    messages = [{"role": "user", "parts": [{"type": "text", "content": t}]} for t in texts]
    if texts:
        said["gen_ai__input__messages"] = messages
    return span(
        number,
        gen_ai__operation__name="chat",
        gen_ai__conversation__id=conversation,
        **said,
    )


def test_the_flag_without_messages_is_one_edit_of_unknown_extent() -> None:
    compacted = {"gen_ai__conversation__compacted": True}
    reading = read(call(1), call(2, **compacted), call(3, **compacted))
    assert [(e.op, e.fidelity, e.in_) for e in of(reading, Edit)] == [("summarize", "unknown", [])]


def test_a_sender_of_new_messages_only_makes_no_edits() -> None:
    reading = read(
        call(1, "one", gen_ai__usage__input_tokens=1000),
        call(2, "two", gen_ai__usage__input_tokens=1100),
    )
    assert of(reading, Edit) == []
    assert any("new messages only" in note.text for note in reading.notes)


def test_a_window_that_lost_messages_without_a_flag_was_cut_by_the_host() -> None:
    reading = read(call(1, "one", "two"), call(2, "two", "three"))
    (edit,) = of(reading, Edit)
    assert (edit.op, edit.by, len(edit.in_)) == ("drop", "host", 1)


def test_each_agent_has_its_own_window() -> None:
    reading = read(
        call(1, "one", gen_ai__agent__name="lead"),
        call(2, "two", gen_ai__agent__name="helper"),
        call(3, "one", gen_ai__agent__name="lead"),
    )
    assert [(fork.branch, fork.from_) for fork in of(reading, Fork)] == [("helper", "main")]
    assert [edit.branch for edit in of(reading, Edit)] == ["helper"]
    assert [s.branch for s in of(reading, Span)] == ["main", "helper"]


def test_a_body_of_two_conversations_is_two_runs() -> None:
    spans = [call(1, "one"), call(2, "two", conversation="d")]
    body = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
    runs = OTLP.group([SourceFile("body", json.dumps(body).encode())])
    assert [run.external_id for run in runs] == ["c", "d"]
    assert [len(of(OTLP.read(run.files), Span)) for run in runs] == [1, 1]


@pytest.mark.parametrize(
    ("name", "kind"), [("genai-compaction.traces", "traces"), ("codex-decisions.logs", "logs")]
)
def test_an_export_request_becomes_lines_that_read_the_same(name: str, kind: Any) -> None:
    binary = SAMPLES / f"constructed-{name}.pb"
    found = list(exported(binary.read_bytes(), kind, is_protobuf=True))
    assert len({signal.conversation for signal in found}) == 1
    stored = b"".join(signal.line for signal in found)
    assert OTLP.read([SourceFile("stored", stored)]).events == one(binary).events
    if kind == "traces":
        text = exported(JSON_BODY.read_bytes(), kind, is_protobuf=False)
        assert [signal.trace for signal in text] == [signal.trace for signal in found]


def test_a_signal_is_of_the_conversation_that_its_trace_names() -> None:
    tool = {"traceId": "0a", "name": "execute_tool x", "attributes": []}
    stray = {**tool, "traceId": "0b"}
    spans = [{**call(1, "one"), "traceId": "0a"}, tool, stray]
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
    found = {(s.conversation, s.trace) for s in exported(body, "traces", is_protobuf=False)}
    assert found == {("c", "0a"), ("", "0b")}


@pytest.mark.parametrize("body", [b"[]", b"{", b"\xff"])
def test_what_is_no_export_request_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"no (OTLP|JSON)|not UTF-8"):
        list(exported(body, "logs", is_protobuf=False))
    with pytest.raises(ValueError, match="no OTLP body"):
        list(exported(b"\x0a\x05hello", "traces", is_protobuf=True))


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_broken_body_is_an_error_with_a_reason(cut: int) -> None:
    broken = SourceFile("body", PROTOBUF_BODY.read_bytes()[:-cut])
    reading = OTLP.read([broken])
    assert reading.counts.balanced
    assert [error.reason[:12] for error in reading.errors] == ["no OTLP body"]


@pytest.mark.parametrize(
    "head", [b"\n{}\n", b"\n\n\n", b'{"resourceMetrics":[]}', b"\x0a\x05hello"]
)
def test_other_bytes_are_not_claimed(head: bytes) -> None:
    assert not OTLP.sniff(head)
