"""Codex: rollouts and live channels, fact by fact (`runtimes/others.md` 3).

The `constructed` sample was written after the protocol's source; the others are real records.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.codex import CODEX
from guard.events import Edit, Effect, Fork, Gap, Gate, Policy, Record, Rollback, Span, Usage

SAMPLES = Path(__file__).parents[2] / "samples" / "codex"
SEGMENT_1 = SAMPLES / "codex-0.171.0-manual-compaction-approvals-policychange.seg1.jsonl"
SEGMENT_2 = SAMPLES / "codex-0.171.0-after-thread-revert.seg2.jsonl"
LEGACY = SAMPLES / "constructed-0.120.0-legacy-rollbacks-opaque.jsonl"


def read(*paths: Path) -> Reading:
    return adapters.reading([*paths])


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


def notes(reading: Reading, says: str) -> str:
    return "\n".join(note.text for note in reading.notes if note.says == says)


def states(reading: Reading) -> dict[str, tuple[str, bool]]:
    return {e.id: (e.state, bool(e.partial)) for e in of(reading, Effect)}


def window(reading: Reading) -> set[str]:
    """What the events leave in the main window, folded here by the rules of `semantics.md` 3.3."""
    undone = {edit for rollback in of(reading, Rollback) for edit in rollback.edits or []}
    spans: set[str] = set()
    for event in reading.events:
        if isinstance(event, Span) and event.branch == "main":
            spans.add(event.id)
        elif isinstance(event, Edit) and event.id not in undone:
            spans -= set(event.in_)
            spans |= {event.out.id} if event.out else set()
    return spans


# Two segments of one thread


def test_a_compaction_takes_what_its_new_history_lacks_and_nothing_reissued() -> None:
    reading = read(SEGMENT_1)
    (edit,) = of(reading, Edit)
    assert (edit.op, edit.by, edit.fidelity) == ("summarize", "model", "derived")
    assert edit.id == "01a22d99-3378-73c0-80a4-87a788f30725"
    assert len(edit.in_) == 12
    assert all(id_.startswith(("fc_", "fco_", "ctc_", "ctco_", "msg_")) for id_ in edit.in_)
    assert edit.out.text.endswith("File notes.txt created.")
    assert not edit.out.opaque
    (record,) = of(reading, Record)
    assert record.payload
    assert record.prior.keys() == set(edit.in_)
    assert record.seq == edit.seq - 1


def test_the_midturn_compaction_took_two_items_and_not_the_instructions_sent_again() -> None:
    (edit,) = of(read(SAMPLES / "codex-0.171.0-auto-local-compaction-midturn.jsonl"), Edit)
    assert [id_.split("_")[0] for id_ in edit.in_] == ["fc", "fco"]


def test_a_rollout_holds_the_refusal_and_no_gate_is_invented_for_the_grants() -> None:
    reading = read(SEGMENT_1)
    gates = of(reading, Gate)
    assert [(gate.id, gate.state, gate.by) for gate in gates] == [
        ("gate-call_59497663b2aa", "requested", "agent"),
        ("gate-call_59497663b2aa", "rejected", "user"),
    ]
    assert states(reading)["call_59497663b2aa"] == ("failed", False)
    assert "a missing gate does not mean that nobody approved" in notes(reading, "cannot prove")


def test_a_change_of_permissions_is_a_new_version_of_one_span_and_no_policy() -> None:
    reading = read(SEGMENT_1)
    modes = [span.facts for span in of(reading, Span) if span.id == "permission-mode"]
    assert [mode["system:approval_policy"] for mode in modes] == ["untrusted", "never"]
    assert [mode["system:sandbox"] for mode in modes] == ["workspace-write", "danger-full-access"]
    policies = [policy.value for policy in of(reading, Policy)]
    assert [policy.get("compaction") for policy in policies] == [None, "text"]
    assert all(policy["window"] == 258400 for policy in policies)


def test_a_revert_undoes_the_compaction_it_crosses_and_drops_what_came_after() -> None:
    reading = read(SEGMENT_2, SEGMENT_1)
    compaction, drop = of(reading, Edit)
    (rollback,) = of(reading, Rollback)
    assert rollback.edits == [compaction.id]
    assert (drop.op, drop.by, drop.fidelity, drop.out) == ("drop", "human", "exact", None)
    assert rollback.seq < drop.seq
    kept = [s for s in of(reading, Span) if s.seq < compaction.seq and s.id not in drop.in_]
    assert window(reading) == {s.id for s in kept} | {
        s.id for s in of(reading, Span) if s.seq > drop.seq
    } | {"permission-mode"}
    assert "does not revert files" in notes(reading, "finding")


def test_effects_of_what_was_reverted_stay_effects() -> None:
    assert states(read(SEGMENT_1, SEGMENT_2))["call_b5f82b2f46b8"] == ("committed", False)


def test_a_segment_alone_says_that_its_beginning_is_missing() -> None:
    reading = read(SEGMENT_2)
    (gap,) = of(reading, Gap)
    assert "segment" in gap.what
    (edit,) = of(reading, Edit)
    assert (edit.by, edit.fidelity, edit.in_) == ("human", "unknown", [])


def test_token_records_are_counted_once() -> None:
    usages = of(read(SEGMENT_1), Usage)
    assert [usage.input_tokens for usage in usages[:3]] == [5418, 6018, 6101]
    assert len(usages) == 11
    assert all(usage.limit_tokens == 258400 for usage in usages)


def test_a_packed_rollout_reads_the_same() -> None:
    packed = SourceFile("cold.jsonl.zst", zstandard.compress(SEGMENT_1.read_bytes()))
    assert CODEX.sniff(packed.head())
    (session,) = CODEX.group([packed])
    plain = read(SEGMENT_1)
    without_text = [e for e in plain.events if not isinstance(e, Span)]
    unpacked = CODEX.read(session.files)
    assert [e for e in unpacked.events if not isinstance(e, Span)] == without_text
    assert [s.hash for s in of(unpacked, Span)] == [s.hash for s in of(plain, Span)]


# Legacy rollouts


def test_legacy_outcomes_come_from_the_text_of_the_output() -> None:
    reading = read(LEGACY)
    assert states(reading)["call_1"] == ("committed", False)
    assert states(reading)["call_2"] == ("failed", True)
    assert states(reading)["call_3"] == ("unknown", False)


def test_a_rollback_of_one_turn_drops_it_and_one_across_a_compaction_is_not_known() -> None:
    first, _, second, _ = of(read(LEGACY), Edit)
    assert (first.by, first.op, first.fidelity, len(first.in_)) == ("human", "drop", "derived", 4)
    assert (second.by, second.op, second.fidelity) == ("human", "drop", "unknown")


def test_an_encrypted_digest_is_opaque_and_one_without_a_history_takes_nobody_knows_what() -> None:
    _, encrypted, _, bare = of(read(LEGACY), Edit)
    assert encrypted.out.opaque
    assert encrypted.out.text is None
    assert encrypted.fidelity == "derived"
    assert (bare.fidelity, bare.in_) == ("unknown", [])
    assert bare.out.text.endswith("settings read.")


def test_a_typed_command_is_an_effect_of_the_person() -> None:
    typed = [e for e in of(read(LEGACY), Effect) if e.tool == "user-shell"]
    assert [effect.state for effect in typed] == ["started", "committed"]


def test_what_the_harness_says_as_user_is_system() -> None:
    roles = [span.role for span in of(read(LEGACY), Span) if span.role != "tool"][:4]
    assert roles == ["system", "system", "system", "user"]


# Live channels


def test_the_decision_log_has_grants_with_their_source_and_the_threshold() -> None:
    reading = read(SAMPLES / "codex-0.171.0-otel-logs.conversation1.ndjson")
    answers = [gate for gate in of(reading, Gate) if gate.state != "requested"]
    assert [(a.state, a.by, a.human) for a in answers] == [
        ("approved", "user", True),
        ("approved", "user", True),
        ("rejected", "user", False),
    ]
    assert [policy.value["threshold"] for policy in of(reading, Policy)] == [200000]
    assert states(reading)["call_e900a61ecacd"][0] == "failed"
    # Decided by configuration: nobody was asked, so there is no gate.
    assert "gate-call_b54d3432e614" not in {gate.id for gate in of(reading, Gate)}


def test_a_log_of_two_conversations_gives_two_runs(tmp_path: Path) -> None:
    both = tmp_path / "logs.ndjson"
    both.write_bytes(
        b"".join(
            (SAMPLES / f"codex-0.171.0-otel-logs.conversation{n}.ndjson").read_bytes()
            for n in (1, 2)
        )
    )
    sessions = CODEX.group([SourceFile.of(both)])
    assert [len(CODEX.read(session.files).events) for session in sessions] == [16, 4]


def test_the_app_server_shows_two_grants_and_one_refusal_of_an_unnamed_client() -> None:
    gates = of(read(SAMPLES / "codex-0.171.0-appserver-approvals.jsonlike"), Gate)
    answers = [(g.state, g.by, g.human) for g in gates if g.state != "requested"]
    assert answers == [
        ("approved", "client", False),
        ("approved", "client", False),
        ("rejected", "client", False),
    ]


def test_hooks_show_that_a_compaction_happened_and_what_started_it() -> None:
    reading = read(SAMPLES / "codex-0.171.0-hooks-payloads.ndjson")
    (edit,) = of(reading, Edit)
    assert (edit.fidelity, edit.trigger, edit.in_, edit.out) == ("unknown", "auto", [], None)
    assert reading.header.ledger == "none"


def test_a_decision_log_beside_its_rollout_adds_the_grant_before_the_result() -> None:
    rollout = SourceFile.of(SEGMENT_1)
    said = {
        "event.name": "codex.tool_decision",
        "call_id": "call_fc730156e2d8",
        "tool_name": "exec_command",
        "decision": "approved",
        "source": "User",
        "conversation.id": "01a22d99-21a6-7222-97ed-9d78cd0bbaef",
        "event.timestamp": "2026-11-30T17:55:41.900Z",
    }
    record = {"attributes": [{"key": k, "value": {"stringValue": v}} for k, v in said.items()]}
    log = SourceFile("otel.ndjson", json.dumps(record).encode() + b"\n")
    (session,) = CODEX.group([log, rollout])
    reading = CODEX.read(session.files)
    steps = [
        (type(e).__name__, e.state)
        for e in reading.events
        if isinstance(e, Gate | Effect) and "call_fc730156e2d8" in e.id
    ]
    assert ("Gate", "approved") in steps
    assert steps[-1] == ("Effect", "committed")


def test_a_sub_agent_is_a_branch_and_without_its_file_a_blind_spot() -> None:
    meta = {"id": "main", "cli_version": "0.171.0", "history_mode": "paginated"}
    child = {"id": "child", "source": {"subagent": {"thread_spawn": {"parent_thread_id": "main"}}}}
    call = {"type": "function_call", "id": "fc_1", "name": "spawn_agent", "call_id": "c1"}
    answer = {"type": "function_call_output", "id": "o1", "call_id": "c1", "output": "agent child"}
    push = {"type": "function_call", "id": "fc_2", "name": "exec_command", "call_id": "c2"}
    main = rollout(
        "main", [("session_meta", meta), ("response_item", call), ("response_item", answer)]
    )
    sub = rollout("sub", [("session_meta", child), ("response_item", push)], start=5)
    alone = CODEX.read([main])
    assert "a sub-agent that is not here" in notes(alone, "blind spot")
    assert alone.header.ledger == [(1, 2)]
    (session,) = CODEX.group([sub, main])
    together = CODEX.read(session.files)
    assert [(fork.branch, fork.from_) for fork in of(together, Fork)] == [("child", "main")]
    assert {e.branch for e in of(together, Effect) if e.id == "c2"} == {"child"}
    assert notes(together, "blind spot") == ""


def rollout(name: str, records: list[tuple[str, dict[str, Any]]], start: int = 1) -> SourceFile:
    lines = [
        {"timestamp": f"2026-11-30T10:00:{n:02d}.000Z", "type": kind, "payload": payload}
        for n, (kind, payload) in enumerate(records, start)
    ]
    return SourceFile(name, "".join(json.dumps(line) + "\n" for line in lines).encode())


@pytest.mark.parametrize(
    "line", [b"{}\n", b'{"type":"session_meta"}\n', b'{"hook_event_name":1}\n']
)
def test_other_lines_are_not_claimed(line: bytes) -> None:
    assert not CODEX.sniff(line)
