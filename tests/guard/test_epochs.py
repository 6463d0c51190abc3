"""Epochs, modes, pins and frozen policies (`semantics.md` 11)."""

from __future__ import annotations

import pytest

from tests.guard.short import (
    Event,
    approved,
    asked,
    edit,
    policy,
    record,
    report,
    rollback,
    row,
    span,
)

HEAD = [span(), record(), edit()]
BACK = rollback("r", "e1")
SAME = {"digest": "p:P1"}

EPOCHS: dict[str, tuple[list[Event], list[tuple[str | None, int, int]]]] = {
    "no event": ([], []),
    "no policy": ([span(), span("s2")], [(None, 1, 2)]),
    "from the first event on": ([policy("P1"), span()], [("p:P1", 1, 2)]),
    "after a while": ([span(), policy("P1"), span("s2")], [(None, 1, 1), ("p:P1", 2, 3)]),
    "at the very end": ([span(), policy("P1")], [(None, 1, 1), ("p:P1", 2, 2)]),
    "the same again": ([policy("P1"), policy("P2", **SAME), span()], [("p:P1", 1, 3)]),
    "there and back": (
        [policy("P1"), policy("P2"), policy("P1")],
        [("p:P1", 1, 1), ("p:P2", 2, 2), ("p:P1", 3, 3)],
    ),
    "from the lowest number": (
        [span(seq=5), policy("P1"), span("s2")],
        [(None, 5, 5), ("p:P1", 6, 7)],
    ),
    "over a hole": ([policy("P1"), policy("P2", seq=5)], [("p:P1", 1, 4), ("p:P2", 5, 5)]),
    "a stamp on an edit makes none": ([span(), edit(policy="p:P9")], [(None, 1, 2)]),
}


@pytest.mark.parametrize("name", EPOCHS)
def test_epochs(name: str) -> None:
    events, expected = EPOCHS[name]
    rows = report(*events)["epochs"]
    assert [(found["policy"], found["from"], found["to"]) for found in rows] == expected


UNDER_P1 = [policy("P1"), *HEAD]
SECOND = [span("s2"), record("e2", "s2"), edit("e2", "s2")]
MODES: dict[str, tuple[list[Event], str]] = {
    "one edit": ([*HEAD, BACK], "linear"),
    "nothing to undo": ([span(), rollback("r", to=0)], "noop"),
    "all of it is undone already": ([*HEAD, rollback("r0", "e1"), rollback("r", to=0)], "noop"),
    "named again": ([*HEAD, rollback("r0", "e1"), BACK], "linear"),
    "only what comes before it": ([span(), record(), BACK, edit()], "halt"),
    "no record": ([span(), edit(), BACK], "halt"),
    "a record that came after it": ([span(), edit(), BACK, record()], "halt"),
    "a late record": ([span(), edit(), record(), BACK], "linear"),
    "lost after it": ([*HEAD, BACK, {"kind": "lost", "edit": "e1"}], "linear"),
    "lost": ([*HEAD, {"kind": "lost", "edit": "e1"}, BACK], "halt"),
    "not in the journal": ([*HEAD, rollback("r", "e1", "e9")], "halt"),
    "one of two without a record": (
        [*HEAD, span("s2"), edit("e2", "s2"), rollback("r", "e2", "e1")],
        "halt",
    ),
    "halt before epoch": ([policy("P1"), span(), edit(), policy("P2"), BACK], "halt"),
    "a swap between": ([*UNDER_P1, policy("P2"), BACK], "epoch"),
    "the first policy comes after the edit": ([*HEAD, policy("P1"), BACK], "epoch"),
    "a swap after": ([*UNDER_P1, BACK, policy("P2")], "linear"),
    "a swap outside the range": ([*UNDER_P1, policy("P2"), *SECOND, rollback("r", "e2")], "linear"),
    "one of two under the old policy": (
        [*UNDER_P1, policy("P2"), *SECOND, rollback("r", to=1)],
        "epoch",
    ),
    "epoch before merge": (
        [*UNDER_P1, record("e2", "d1"), edit("e2", "d1"), policy("P2"), BACK],
        "epoch",
    ),
    "by the edit's own word": ([policy("P1"), *HEAD[:2], edit(policy="p:P2"), BACK], "epoch"),
    "its own word, and the policy agrees": (
        [policy("P1"), *HEAD[:2], edit(policy="p:P2"), policy("P2"), BACK],
        "linear",
    ),
    "its digest was taken": ([*HEAD, edit("e2", "d1"), BACK], "merge"),
    "its span was taken again": ([*HEAD, edit("e2", "s1", out=None), BACK], "merge"),
    "taken within the range": (
        [*HEAD, record("e2", "d1"), edit("e2", "d1"), rollback("r", "e2", "e1")],
        "linear",
    ),
    "taken, and given back": ([*HEAD, edit("e2", "d1"), rollback("r0", "e2"), BACK], "linear"),
    "taken after it": ([*HEAD, BACK, edit("e2", "d1")], "linear"),
    "taken at its very number": ([*HEAD, BACK, edit("e2", "d1", seq=4)], "linear"),
    "taken before it was made": ([edit("e2", "s1", out=None), *HEAD, BACK], "linear"),
    "other spans were taken": ([*HEAD, *SECOND, BACK], "linear"),
    "a later edit only writes its span": (
        [*HEAD, edit("e2", "s9", out={"id": "s1", "hash": "h"}), BACK],
        "linear",
    ),
    "a vague edit came later": ([*HEAD, edit("e2", "s9", fidelity="count"), BACK], "merge"),
    "a vague edit came earlier": ([edit("e2", "s9", fidelity="count"), *HEAD, BACK], "linear"),
    "a vague one, and any later edit": (
        [span(), record(), edit(fidelity="count"), *SECOND, BACK],
        "merge",
    ),
    "a vague one, and nothing after it": (
        [span(), record(), edit(fidelity="count"), BACK],
        "linear",
    ),
    "back to a number": ([*HEAD, rollback("r", to=2)], "linear"),
    "back to the edit's own number": ([*HEAD, rollback("r", to=3)], "noop"),
    "back on another branch": ([*HEAD, rollback("r", to=0, branch="sub")], "noop"),
}


@pytest.mark.parametrize("name", MODES)
def test_mode(name: str) -> None:
    events, mode = MODES[name]
    assert row(report(*events)["rollbacks"], "r")["mode"] == mode


@pytest.mark.parametrize("name", MODES)
def test_the_mode_on_paper_is_that_of_the_journal(name: str) -> None:
    events, mode = MODES[name]
    if events[-1] is BACK and "rollback" not in {event["kind"] for event in events[:-1]}:
        assert row(report(*events[:-1])["edits"], "e1")["if_undone"]["mode"] == mode


TAKEN_AGAIN = edit("e3", "s1", out=None)
PINS: dict[str, tuple[list[Event], list[tuple[str, list[int]]]]] = {
    "taken at once": ([TAKEN_AGAIN], [("e3", [6, 7])]),
    "by the host": ([{**TAKEN_AGAIN, "by": "host"}], [("e3", [6, 7])]),
    "by a human": ([{**TAKEN_AGAIN, "by": "human"}], []),
    "by a human first, then by the model": (
        [edit("e2", "s9", by="human"), TAKEN_AGAIN],
        [("e3", [6, 8])],
    ),
    "after another compaction": ([edit("e2", "s9"), TAKEN_AGAIN], []),
    "on another branch": ([{**TAKEN_AGAIN, "branch": "sub"}], []),
    "after one on another branch": (
        [edit("e2", "s9", branch="sub"), TAKEN_AGAIN],
        [("e3", [6, 8])],
    ),
    "another span": ([edit("e3", "s9")], []),
    "under a gate": (
        [
            asked(about="e3", digest=None),
            approved(about="e3", digest=None),
            TAKEN_AGAIN,
        ],
        [],
    ),
    "under a gate for another edit": (
        [asked(about="e9", digest=None), approved(about="e9", digest=None), TAKEN_AGAIN],
        [("e3", [6, 9])],
    ),
    "under a gate that opens too late": (
        [asked(about="e3", digest=None), TAKEN_AGAIN, approved(about="e3", digest=None)],
        [("e3", [6, 8])],
    ),
}


@pytest.mark.parametrize("name", PINS)
def test_what_a_crossing_rollback_brought_back_is_pinned_for_one_compaction(name: str) -> None:
    after, expected = PINS[name]
    events = [*UNDER_P1, policy("P2"), BACK, *after]
    found = [f for f in report(*events)["findings"] if f["code"] == "JG305"]
    assert [(f["subject"], f["seqs"]) for f in found] == expected


@pytest.mark.parametrize(
    ("spans", "taken", "fires"), [(["s1"], "s1", True), (["s1"], "s2", False), (None, "s2", True)]
)
def test_only_what_was_given_back_is_pinned(
    spans: list[str] | None, taken: str, fires: bool
) -> None:
    two = [policy("P1"), span(), span("s2"), record("e1", "s1", "s2"), edit("e1", "s1", "s2")]
    part = rollback("r", "e1", spans=spans)
    findings = report(*two, policy("P2"), part, edit("e3", taken, out=None))["findings"]
    assert any(f["code"] == "JG305" for f in findings) == fires


def test_an_edit_before_the_rollback_ends_no_pin() -> None:
    before = [*UNDER_P1, policy("P2"), edit("e2", "s9"), BACK, TAKEN_AGAIN]
    found = [f for f in report(*before)["findings"] if f["code"] == "JG305"]
    assert [(f["subject"], f["seqs"]) for f in found] == [("e3", [7, 8])]


def test_each_branch_has_its_own_pins() -> None:
    fork = {"kind": "fork", "branch": "sub", "from": "main"}
    events = [*UNDER_P1, fork, policy("P2"), rollback("r0", "e1", branch="sub"), BACK, TAKEN_AGAIN]
    found = [f for f in report(*events)["findings"] if f["code"] == "JG305"]
    assert [(f["subject"], f["seqs"]) for f in found] == [("e3", [8, 9])]


def test_a_linear_rollback_pins_nothing() -> None:
    findings = report(*HEAD, BACK, TAKEN_AGAIN)["findings"]
    assert not any(f["code"] == "JG305" for f in findings)


SEAL = {"kind": "seal"}
SWAPS: dict[str, tuple[list[Event], list[str]]] = {
    "an open edit": ([*HEAD], ["e1"]),
    "two": ([*HEAD, *SECOND], ["e1", "e2"]),
    "sealed": ([*HEAD, SEAL], []),
    "sealed before it": ([span(), SEAL, record(), edit()], ["e1"]),
    "the latest seal counts": ([*HEAD, SEAL, *SECOND, SEAL], []),
    "one before the seal, one after": ([*HEAD, SEAL, *SECOND], ["e2"]),
    "the very first event": ([edit()], ["e1"]),
    "the very next after a seal": ([span(), SEAL, edit()], ["e1"]),
    "undone": ([*HEAD, BACK], []),
    "undone elsewhere": ([*HEAD, rollback("r", "e1", branch="sub")], ["e1"]),
    "of the host": ([span(), edit(by="host")], ["e1"]),
}


@pytest.mark.parametrize("name", SWAPS)
def test_a_frozen_policy_may_change_only_over_no_open_edit(name: str) -> None:
    events, still = SWAPS[name]
    swap = [*events, policy("P"), SEAL, edit("e9")]
    for discipline in ("freeze", "epoch"):
        found = report(*swap, discipline=discipline)["policies"][0]["swap"]
        refused = bool(still) and discipline == "freeze"
        assert found == {"verdict": "refuse" if refused else "ok", "open": still}


def test_every_policy_event_is_a_swap_of_its_own() -> None:
    found = report(policy("P"), *HEAD, policy("Q"), SEAL, policy("R"), discipline="freeze")
    assert [each["swap"]["verdict"] for each in found["policies"]] == ["ok", "refuse", "ok"]
