"""Claude Code sessions: each corner case of `runtimes/claude-code.md` that changes what we say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.claude_code import CLAUDE_CODE
from guard.events import Edit, Effect, Gap, Policy, Record, Rollback, Span, Usage
from guard.journal import read as strictly
from guard.judge import judge
from guard.state import fold

SAMPLES = Path(__file__).parents[2] / "samples" / "claude-code"


def sample(name: str) -> Reading:
    return adapters.reading(SAMPLES / name)


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


def facts(reading: Reading) -> dict[str, str]:
    return {name: value for span in of(reading, Span) for name, value in span.facts.items()}


def notes(reading: Reading, says: str) -> list[str]:
    return [note.text for note in reading.notes if note.says == says]


def row(uuid: str, parent: str | None, type_: str = "user", **members: Any) -> bytes:
    known = {
        "uuid": uuid,
        "parentUuid": parent,
        "type": type_,
        "sessionId": "s",
        "version": "2.1.42",
    }
    return json.dumps(known | members).encode() + b"\n"


def prompt(uuid: str, parent: str | None, text: str, **members: Any) -> bytes:
    return row(uuid, parent, message={"role": "user", "content": text}, **members)


def boundary(uuid: str, summary: str, logical: str) -> bytes:
    return row(
        uuid,
        None,
        "system",
        subtype="compact_boundary",
        logicalParentUuid=logical,
        compactMetadata={"trigger": "auto", "preTokens": 9},
    ) + prompt(summary, uuid, "What was said.", isCompactSummary=True)


def read(*rows: bytes) -> Reading:
    return CLAUDE_CODE.read([SourceFile("x", b"".join(rows))])


# A session with an automatic compaction


@pytest.fixture(scope="module")
def compacted() -> Reading:
    return sample("auto_compaction_2.1.20.jsonl")


def test_a_boundary_and_its_summary_are_one_edit(compacted: Reading) -> None:
    micro, full = of(compacted, Edit)
    assert (full.op, full.by, full.trigger) == ("summarize", "model", "auto")
    assert full.out is not None
    assert full.out.text is not None
    assert full.out.text.startswith("This session is being continued")
    assert full.out.id not in {span.id for span in of(compacted, Span)}, "the digest is no span"
    before = [span.id for span in of(compacted, Span) if (span.seq or 0) < (full.seq or 0)]
    kept = {"permission-mode", *micro.in_}
    assert full.in_ == [span for span in dict.fromkeys(before) if span not in kept]


def test_the_file_is_the_record_of_what_left(compacted: Reading) -> None:
    hashes = {span.id: span.hash for span in of(compacted, Span)}
    for record, edit in zip(of(compacted, Record), of(compacted, Edit), strict=True):
        assert (record.edit, record.payload, record.seq) == (edit.id, True, (edit.seq or 0) - 1)
        assert record.prior == {span: hashes[span] for span in edit.in_}


def test_a_last_message_that_was_never_written_leaves_what_went_unknown(compacted: Reading) -> None:
    assert of(compacted, Edit)[1].fidelity == "unknown"
    assert any("never written" in text for text in notes(compacted, "finding"))


def test_a_microcompaction_takes_the_named_results_and_is_the_hosts(compacted: Reading) -> None:
    micro = of(compacted, Edit)[0]
    assert (micro.op, micro.by, micro.fidelity, micro.out) == ("evict", "host", "exact", None)
    shown = {span.id: span for span in of(compacted, Span)}
    assert [shown[span].role for span in micro.in_] == ["tool", "tool"]
    assert [shown[span].source.path for span in micro.in_] == [
        "config/uploader.yml",
        "config/limits.yml",
    ]


def test_a_limit_is_known_by_the_file_it_stood_in(compacted: Reading) -> None:
    assert facts(compacted)["config/uploader.yml:max_retries"] == "0"
    assert facts(compacted)["config/limits.yml:daily_limit"] == "500"


def test_the_permission_mode_is_a_fact_that_no_edit_takes(compacted: Reading) -> None:
    modes = [span for span in of(compacted, Span) if span.id == "permission-mode"]
    assert [span.facts for span in modes] == [
        {"system:permission_mode": "default"},
        {"system:permission_mode": "acceptEdits"},
    ]
    assert {span.role for span in modes} == {"system"}


def test_outcomes_follow_the_results(compacted: Reading) -> None:
    effects = {effect.id: effect for effect in of(compacted, Effect)}
    push, refused = list(effects.values())[-2:]
    assert (push.state, push.reversibility, push.write) == ("committed", "irreversible", True)
    assert (refused.state, refused.partial) == ("failed", None)
    assert of(compacted, Effect)[-4].state == "started"


def test_a_file_edit_is_reversible_with_its_original_on_record(compacted: Reading) -> None:
    tools = {effect.id: effect.tool for effect in of(compacted, Effect) if effect.tool}
    done = {tools[e.id]: e for e in of(compacted, Effect) if e.state == "committed"}
    assert (done["Edit"].reversibility, done["Edit"].inverse) == ("reversible", True)
    assert (done["Write"].reversibility, done["Write"].inverse) == ("reversible", True)


def test_an_answer_of_several_rows_is_counted_once(compacted: Reading) -> None:
    first, second = of(compacted, Usage)[:2]
    assert (first.input_tokens, first.output_tokens, first.window_tokens) == (9412, 60, 9412)
    assert (second.input_tokens, second.output_tokens, second.window_tokens) == (0, 25, 9412)


def test_version_and_model_are_the_policy(compacted: Reading) -> None:
    assert [policy.value for policy in of(compacted, Policy)] == [
        {"version": "2.1.20"},
        {"version": "2.1.20", "model": "claude-sonnet-4-5-20250929"},
    ]
    assert not any(policy.reaches_recovery for policy in of(compacted, Policy))


def test_span_ids_are_row_ids_and_roles_are_who_wrote_it(compacted: Reading) -> None:
    rows = (SAMPLES / "auto_compaction_2.1.20.jsonl").read_bytes().splitlines()
    uuids = {json.loads(row).get("uuid") for row in rows}
    spans = [span for span in of(compacted, Span) if span.id != "permission-mode"]
    assert {span.id for span in spans} <= uuids
    assert spans[-1].role == "system", "an interrupt is a notice of the harness"
    assert spans[0].role == "user"


# Compactions of another kind


def test_a_kept_tail_stays_in_the_window() -> None:
    reading = sample("preserved_tail_2.1.217.jsonl")
    (edit,) = of(reading, Edit)
    before = [span for span in of(reading, Span) if (span.seq or 0) < (edit.seq or 0)]
    assert edit.in_ == [span.id for span in before[:-1]]
    assert (edit.fidelity, edit.trigger) == ("derived", "manual")


def test_what_the_harness_puts_beside_a_message_is_read() -> None:
    reading = sample("preserved_tail_2.1.217.jsonl")
    shown = [(span.role, span.source.path if span.source else None) for span in of(reading, Span)]
    assert ("tool", "deploy/limits.toml") in shown
    assert ("system", ".claude/rules/sql.md") in shown
    assert facts(reading)["deploy/limits.toml:max_batch"] == "50"
    assert "Do not deploy on Fridays" in facts(reading).values()
    assert reading.skips["attachment/glimmer_delta"] == 1


def test_a_hook_that_ran_is_a_blind_spot() -> None:
    reading = sample("preserved_tail_2.1.217.jsonl")
    assert any("SessionStart:compact" in text for text in notes(reading, "blind spot"))
    assert len(reading.header.ledger) > 1


def test_kept_rows_that_the_file_lacks_leave_no_record() -> None:
    reading = sample("history_absent_2.1.219.jsonl")
    (edit,) = of(reading, Edit)
    assert (edit.in_, edit.fidelity) == ([], "unknown")
    assert of(reading, Record) == []
    assert any("record absent" in text for text in notes(reading, "finding"))


def test_edits_of_the_api_are_counts_and_replaced_results_are_exact() -> None:
    reading = sample("newer_shapes_2.1.300.jsonl")
    cleared, replaced = of(reading, Edit)
    assert (cleared.op, cleared.by, cleared.fidelity, cleared.count) == (
        "evict",
        "host",
        "count",
        4,
    )
    assert cleared.in_ == []
    assert (replaced.op, replaced.by, replaced.fidelity) == ("replace", "host", "exact")
    assert replaced.out is not None
    assert replaced.out.text == "[Old tool result content cleared]"
    assert any("goes on as 44444444" in text for text in notes(reading, "finding"))


def test_a_drop_of_the_window_without_a_record_is_a_finding() -> None:
    rows = (SAMPLES / "newer_shapes_2.1.300.jsonl").read_bytes().splitlines(keepends=True)
    quiet = b"".join(row for row in rows if b"content-replacement" not in row)
    reading = CLAUDE_CODE.read([SourceFile("x", quiet)])
    assert any("fell from 40309 to 9109" in text for text in notes(reading, "finding"))
    assert not any(
        "fell from" in text for text in notes(sample("newer_shapes_2.1.300.jsonl"), "finding")
    )


def test_a_window_of_more_spans_than_an_event_holds_leaves_in_parts() -> None:
    rows = [prompt("u0", None, "One.")]
    rows += [prompt(f"u{n}", f"u{n - 1}", "And one more.") for n in range(1, 9_000)]
    reading = read(*rows, boundary("c", "d", "u8999"))
    edits = of(reading, Edit)
    assert [(edit.id, len(edit.in_), edit.out is None) for edit in edits] == [
        ("c/1", 8_000, True),
        ("c", 1_000, False),
    ]
    assert len(strictly(reading.native()).numbered) == len(reading.events)


def test_a_boundary_without_its_summary_is_no_edit_yet() -> None:
    whole = prompt("a", None, "One.") + boundary("b", "c", "a")
    first, cut, _ = whole.splitlines(keepends=True)
    reading = read(first, cut)
    assert of(reading, Edit) == []
    assert any("not written yet" in text for text in notes(reading, "finding"))
    assert [edit.id for edit in of(read(whole), Edit)] == ["b"]


def test_a_boundary_whose_summary_never_came_still_emptied_the_window() -> None:
    first, cut, _ = (prompt("a", None, "One.") + boundary("b", "c", "a")).splitlines(keepends=True)
    (edit,) = of(read(first, cut, prompt("d", "b", "Go on.")), Edit)
    assert (edit.id, edit.in_, edit.out) == ("b", ["a"], None)


def test_another_model_or_version_is_another_policy() -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
    reading = read(
        prompt("a", None, "One."),
        row("b", "a", "assistant", message={**said, "id": "m1", "model": "tide-1"}),
        row("c", "b", "assistant", message={**said, "id": "m2", "model": "tide-2"}),
        row("d", "c", "assistant", message={**said, "id": "m3", "model": "<synthetic>"}),
        prompt("e", "c", "Two.", version="2.1.43"),
    )
    assert [policy.value for policy in of(reading, Policy)] == [
        {"version": "2.1.42"},
        {"version": "2.1.42", "model": "tide-1"},
        {"version": "2.1.42", "model": "tide-2"},
        {"version": "2.1.43", "model": "tide-2"},
    ]
    assert reading.header.runtime_version == "2.1.42"


# Going back


def test_a_rewind_drops_what_was_left_behind_and_its_effects_stay() -> None:
    reading = sample("rewind_2.1.42.jsonl")
    (edit,) = of(reading, Edit)
    assert (edit.op, edit.by, edit.fidelity) == ("drop", "human", "derived")
    assert len(edit.in_) == 4
    assert edit.id == f"edit-{edit.seq}"
    taken = [span for span in of(reading, Span) if span.id in edit.in_]
    push = next(effect for effect in of(reading, Effect) if effect.state == "committed")
    assert [span.effect for span in taken[1:3]] == [push.id, push.id]
    assert of(reading, Rollback) == []


def test_a_rewind_across_a_compaction_undoes_it_first() -> None:
    reading = read(
        prompt("a", None, "One."),
        prompt("b", "a", "Two."),
        boundary("c", "d", "b"),
        prompt("e", "d", "Three."),
        prompt("f", "a", "Two again."),
    )
    compaction, drop = of(reading, Edit)
    (rollback,) = of(reading, Rollback)
    assert rollback.edits == [compaction.id] == ["c"]
    assert (drop.by, drop.in_) == ("human", ["b", "e"])
    assert (rollback.seq or 0) < (drop.seq or 0)


def test_old_rows_written_again_are_no_rewind() -> None:
    old = prompt("a", None, "One.") + prompt("b", "a", "Two.")
    reading = read(
        old, boundary("c", "d", "b"), old, boundary("e", "f", "b"), prompt("g", "a", "Three.")
    )
    assert [edit.op for edit in of(reading, Edit)] == ["summarize", "summarize"]
    assert reading.skips["copy of a row already read"] == 2


def test_copies_of_a_branch_command_are_read_once() -> None:
    copied = {"forkedFrom": {"sessionId": "old", "messageUuid": "m-1"}}
    reading = read(prompt("a", None, "One.", **copied), prompt("b", None, "One.", **copied))
    assert [span.id for span in of(reading, Span)] == ["a"]


def test_clear_in_the_middle_empties_the_window_and_at_the_top_says_nothing() -> None:
    reading = sample("shell_and_clear_1.0.56.jsonl")
    (edit,) = of(reading, Edit)
    assert (edit.op, edit.by, edit.fidelity, edit.out) == ("clear", "human", "exact", None)
    before = {span.id for span in of(reading, Span) if (span.seq or 0) < (edit.seq or 0)}
    assert set(edit.in_) == before


def test_two_commands_under_one_caveat_are_no_rewind() -> None:
    assert all(edit.op != "drop" for edit in of(sample("shell_and_clear_1.0.56.jsonl"), Edit))


# Damage


def test_damage_is_named_line_by_line_and_the_rest_is_read() -> None:
    reading = sample("damaged_2.1.7.jsonl")
    assert [(error.line, error.reason.split(":")[0]) for error in reading.errors] == [
        (6, "a line of NUL bytes"),
        (8, "Expected `str | null`, got `int` - at `$.uuid`"),
        (10, "no JSON object"),
    ]
    assert reading.skips == {
        "summary": 1,
        "sparkle": 1,
        "copy of a row already read": 1,
        "synthetic answer": 1,
    }
    assert (reading.counts.lines, reading.counts.records) == (12, 13)
    gaps = [gap.what for gap in of(reading, Gap)]
    assert len(gaps) == 4
    assert "11111111-aaaa-4bbb-a111-111111111111" in gaps[3]


def test_nul_and_lone_surrogates_become_visible_and_are_counted() -> None:
    reading = sample("damaged_2.1.7.jsonl")
    assert any("U+FFFD" in text for text in notes(reading, "finding"))
    file = SourceFile.of(SAMPLES / "damaged_2.1.7.jsonl")
    texts = [adapters.text_of(reading, [file], CLAUDE_CODE, span) for span in reading.places]
    assert "head\ufffdtail \ufffd end \U0001f605" in texts


def test_a_line_of_two_megabytes_is_read() -> None:
    long = prompt("a", None, "x" * 2_100_000)
    reading = read(long, prompt("b", "a", "Two."))
    assert [span.id for span in of(reading, Span)] == ["a", "b"]
    assert reading.counts.balanced


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"  \r\n",
        b"[]\n",
        b"3\n",
        b"{}\n",
        b'{"type":null}\n',
        b"[" * 9000 + b"\n",
        b"\xff\xfe\n",
    ],
)
def test_no_line_is_silent_and_none_raises(line: bytes) -> None:
    reading = read(prompt("a", None, "One."), line, prompt("b", "a", "Two."))
    assert reading.counts.balanced
    assert reading.counts.lines == 3
    assert [span.id for span in of(reading, Span)] == ["a", "b"]


def test_a_call_that_read_another_window_is_a_finding_of_the_report() -> None:
    rows = (SAMPLES / "newer_shapes_2.1.300.jsonl").read_bytes().splitlines(keepends=True)
    quiet = b"".join(row for row in rows if b"content-replacement" not in row)
    reading = CLAUDE_CODE.read([SourceFile("x", quiet)])
    report = judge(fold(reading.journal()))
    (finding,) = [finding for finding in report.findings if finding.code == "JG904"]
    (number,) = finding.seqs
    usage = reading.events[number - 1]
    assert (usage.window_tokens, usage.expected_tokens) == (9109, 40320)
    assert any("far fewer tokens" in text for text in notes(reading, "finding"))
