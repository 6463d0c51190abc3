"""Gate states (`semantics.md` 8.2): each row of the table, and which row comes first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.guard.short import (
    IRR,
    Event,
    answered,
    approved,
    asked,
    edit,
    effect,
    folded,
    proposal,
    report,
    rollback,
    row,
    span,
)

UNDER = [span(), edit(author="eve")]
OPEN = [*UNDER, asked("x"), approved()]
RETAKEN = edit("e2", "d1", out=None)

STATES: dict[str, tuple[list[Event], str]] = {
    "no request": ([*UNDER, approved()], "pending"),
    "a rejection without a request": ([*UNDER, answered("rejected")], "pending"),
    "asked": ([*UNDER, asked()], "pending"),
    "approved": (OPEN, "valid"),
    "approved first, asked later": ([*UNDER, approved(), asked()], "valid"),
    "rejected": ([*UNDER, asked(), answered("rejected")], "rejected"),
    "rejected before it was asked": ([*UNDER, answered("rejected"), asked()], "rejected"),
    "rejected after an approval": ([*OPEN, answered("rejected")], "rejected"),
    "rejected and revoked": (
        [*UNDER, asked(), answered("revoked"), answered("rejected")],
        "rejected",
    ),
    "revoked": ([*OPEN, answered("revoked")], "revoked"),
    "revoked before an approval": ([*UNDER, asked(), answered("revoked"), approved()], "revoked"),
    "answered by who asked": ([*UNDER, asked(), approved(by="agent")], "self"),
    "answered by the author": ([*UNDER, asked(), approved(by="eve")], "self"),
    "answered by the author of the proposal": (
        [proposal(author="eve"), asked(), approved(by="eve")],
        "self",
    ),
    "by itself, and not human": ([*UNDER, asked(), approved(by="agent", human=False)], "self"),
    "by no person": ([*UNDER, asked(), approved(human=False)], "nonhuman"),
    "by no person, of another digest": (
        [*UNDER, asked(), approved(human=False, digest="h:other")],
        "nonhuman",
    ),
    "another digest was seen": ([*UNDER, asked(), approved(digest="h:other")], "stale"),
    "another digest was asked for": (
        [*UNDER, asked(digest="h:other"), approved(digest="h:other")],
        "stale",
    ),
    "the edit has no digest": (
        [span(), edit(out=None), asked(digest=None), approved(digest=None)],
        "valid",
    ),
    "a digest where there is none": ([span(), edit(out=None), asked(), approved()], "stale"),
    "no edit and no proposal": ([asked(), approved()], "valid"),
    "a proposal of the same digest": ([proposal(), asked(), approved()], "valid"),
    "the latest proposal has another one": (
        [proposal(), asked(), approved(), proposal("e1", out={"id": "d1", "hash": "h:new"})],
        "stale",
    ),
    "the edit counts, not a later proposal": (
        [*OPEN, proposal("e1", out={"id": "d1", "hash": "h:new"})],
        "valid",
    ),
    "the digest was taken": ([*OPEN, RETAKEN], "stale"),
    "and given back": ([*OPEN, RETAKEN, rollback("r", "e2")], "valid"),
    "and given back on another branch": (
        [*OPEN, RETAKEN, rollback("r", "e2", branch="sub")],
        "stale",
    ),
    "the edit takes its own digest": (
        [span(), edit("e1", "s1", "d1"), asked(), approved()],
        "valid",
    ),
    "the last number at which it is good": ([*UNDER, asked(until_seq=5), approved()], "valid"),
    "the number after it": ([*UNDER, asked(until_seq=4), approved()], "expired"),
    "expired and stale": ([*UNDER, asked(until_seq=1), approved(digest="h:other")], "stale"),
    "the second request has no meaning": (
        [*UNDER, asked(), asked(until_seq=1), approved()],
        "valid",
    ),
    "the second approval has no meaning": (
        [*UNDER, asked(), approved(by="agent"), approved()],
        "self",
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_the_state_of_a_gate(name: str) -> None:
    events, state = STATES[name]
    assert report(*events)["gates"][0]["state"] == state


STARTED = effect("x", "started")
FOR: dict[str, tuple[list[Event], list[tuple[str, str]]]] = {
    "named, and not started": (OPEN, []),
    "named and planned": ([*OPEN, effect("x", "planned")], [("x", "valid")]),
    "started after the approval": ([*OPEN, STARTED], [("x", "valid")]),
    "started before it": ([*UNDER, asked("x"), STARTED, approved()], [("x", "pending")]),
    "revoked after the start": ([*OPEN, STARTED, answered("revoked")], [("x", "valid")]),
    "revoked before the start": ([*OPEN, answered("revoked"), STARTED], [("x", "revoked")]),
    "another body": ([*OPEN, effect("x", "started", body="b:other")], [("x", "unbound")]),
    "no body": ([*OPEN, effect("x", "started", body=None)], [("x", "unbound")]),
    "another effect": ([*OPEN, effect("y", "started")], [("y", "unbound")]),
    "an effect of another time": ([effect("y", "committed"), *OPEN], []),
    "an expired one, by name": (
        [*UNDER, asked("x", until_seq=4), approved(), STARTED],
        [("x", "expired")],
    ),
    "unbound comes before expired": (
        [*UNDER, asked(until_seq=4), approved(), STARTED],
        [("x", "unbound")],
    ),
    "named, though outside the interval": ([effect("x", "committed"), *OPEN], [("x", "pending")]),
    "a read": ([*OPEN, effect("x", "started", write=False)], []),
    "two bodies from the start on": (
        [*OPEN, effect("x", "started"), effect("x", "committed", body="b:two")],
        [("x", "unbound")],
    ),
    "another body while it was planned": (
        [*OPEN, effect("x", "planned", body="b:draft"), STARTED],
        [("x", "valid")],
    ),
    "a retry under the same key": (
        [
            *OPEN,
            effect("x", "unknown", key="k"),
            effect("x2", "committed", key="k", body="b:x"),
        ],
        [("x", "valid")],
    ),
    "started where it is not known": (
        [*OPEN, effect("x", "started", seq=0, after=2)],
        [("x", "pending")],
    ),
    "started after the approval, though not known where": (
        [*OPEN, effect("x", "started", seq=0, after=4)],
        [("x", "valid")],
    ),
}


@pytest.mark.parametrize("name", FOR)
def test_the_state_of_a_gate_for_an_effect(name: str) -> None:
    events, expected = FOR[name]
    rows = report(*events)["gates"][0]["for"]
    assert [(found["effect"], found["state"]) for found in rows] == expected


# Semantics 8.3 to 8.7: what an approval lets through, seen in a rollback.
DONE = effect("x", "committed")
LET_THROUGH: dict[str, tuple[list[Event], str]] = {
    "a retry is the same effect": (
        [
            *OPEN,
            effect("x", "started", key="k"),
            effect("x2", "committed", key="k", body="b:x"),
        ],
        "sound",
    ),
    "a second effect is not": ([*OPEN, DONE, effect("y", "committed")], "unsound"),
    "an expired gate is replaced by a new one": (
        [
            *UNDER,
            asked("x", until_seq=3),
            approved(),
            asked("x", gate="g2"),
            approved("g2"),
            effect("x", "committed"),
        ],
        "sound",
    ),
    "an approval before the edit": ([span(), asked("x"), approved(), edit(), STARTED], "sound"),
    "before an edit with another digest": (
        [
            span(),
            asked("x"),
            approved(),
            edit(out={"id": "d1", "hash": "h:other"}),
            effect("x", "committed"),
        ],
        "unsound",
    ),
    "an approval revives when the re-edit is undone": (
        [*OPEN, RETAKEN, rollback("r0", "e2"), effect("x", "committed")],
        "sound",
    ),
    "not while it stands": ([*OPEN, RETAKEN, effect("x", "committed")], "unsound"),
}


@pytest.mark.parametrize("name", LET_THROUGH)
def test_what_an_approval_lets_through(name: str) -> None:
    events, verdict = LET_THROUGH[name]
    said = row(report(*events, rollback("r", "e1"))["rollbacks"], "r")["soundness"]
    assert said["verdict"] == verdict


REFUSALS: dict[str, tuple[list[Event], str]] = {
    "rejected before the start": ([*UNDER, asked("y"), answered("rejected"), STARTED], "refuse"),
    "rejected after the start": ([*UNDER, asked("y"), STARTED, answered("rejected")], "gate"),
    "asked only after the start": ([*UNDER, answered("rejected"), STARTED, asked("y")], "gate"),
    "asked at last, before the start": (
        [*UNDER, answered("rejected"), asked("y"), STARTED],
        "refuse",
    ),
    "a rejection beats another gate's approval": (
        [*OPEN, asked("x", gate="g2"), answered("rejected", "g2"), STARTED],
        "refuse",
    ),
    "a read is refused as well": (
        [*UNDER, asked(), answered("rejected"), effect("x", "started", write=False)],
        "refuse",
    ),
    "about another edit": (
        [*UNDER, asked(about="e2"), answered("rejected"), STARTED],
        "gate",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_rejected_gate_refuses_every_effect_under_its_edit(name: str) -> None:
    events, verdict = REFUSALS[name]
    assert row(report(*events)["effects"], "x")["authorization"]["verdict"] == verdict


def test_a_gate_is_asked_for_each_effect_that_it_binds() -> None:
    state = folded(*OPEN, effect("x", "planned", IRR), effect("y", "planned", IRR))
    (gate,) = state.gates.asking("e1", 9)
    assert [state.gates.refused_from(name) for name in ("e1", "e9")] == [None, None]
    assert state.gates.valid([gate], 99, state.edits, "e1")
    assert not state.gates.valid([gate], 99, state.edits, "e2")
    assert not state.gates.valid([gate], 99, state.edits, "e1", lambda _: False)
    assert state.gates.asking("e1", 5) == []


@pytest.mark.parametrize("at", [5, 6, 7])
def test_the_numbers_of_all_approvals_are_named(at: int) -> None:
    events: list[Any] = [*UNDER, asked(), approved(human=False), *([approved()] * 3)]
    found = [f for f in report(*events, at=at)["findings"] if f["code"] == "JG108"]
    assert [f["seqs"] for f in found] == [list(range(4, at + 1))]


LATER = [span(f"s{number}") for number in range(2, 9)]
"""Room for an effect of which only a first number is known."""
WHERE: dict[str, tuple[list[Event], int, str]] = {
    "the same all the way": ([*OPEN, *LATER], 4, "sound"),
    "its time ends": ([*UNDER, asked("x", until_seq=7), approved(), *LATER], 4, "unknown"),
    "revoked on the way": ([*OPEN, *LATER[:3], answered("revoked"), *LATER[3:]], 4, "unknown"),
    "rejected on the way": ([*OPEN, *LATER[:3], answered("rejected"), *LATER[3:]], 4, "unknown"),
    "approved on the way": ([*UNDER, asked("x"), *LATER[:3], approved(), *LATER[3:]], 3, "unknown"),
    "asked on the way": ([*UNDER, approved(), *LATER[:3], asked("x"), *LATER[3:]], 3, "unknown"),
    "the digest is taken on the way": ([*OPEN, *LATER[:3], RETAKEN, *LATER[3:]], 4, "unknown"),
    "and given back": (
        [*OPEN, RETAKEN, *LATER[:3], rollback("r0", "e2"), *LATER[3:]],
        5,
        "unknown",
    ),
    "and not given back": ([*OPEN, RETAKEN, *LATER], 5, "unsound"),
}


@pytest.mark.parametrize("name", WHERE)
def test_a_gate_may_change_while_an_effect_may_start(name: str) -> None:
    events, after, verdict = WHERE[name]
    back = rollback("r", "e1")
    loose = effect("x", "committed", seq=0, after=after, before=len(events) + 1)
    found = report(*events, back, loose)
    assert row(found["rollbacks"], "r")["soundness"]["verdict"] == verdict
    (bound,) = found["gates"][0]["for"]
    assert (bound["state"] == "valid") == (verdict == "sound")


@pytest.mark.parametrize(
    ("event", "state"),
    [
        (RETAKEN, "stale"),
        (answered("rejected"), "rejected"),
        (answered("revoked"), "revoked"),
        (span("s9"), "valid"),
    ],
)
def test_at_a_number_all_its_events_have_happened(event: Event, state: str) -> None:
    found = report(*OPEN, STARTED, {**event, "seq": 5})
    assert found["gates"][0]["for"][0]["state"] == state


def test_only_requests_are_about_an_edit() -> None:
    events = [span(), effect("x", "planned"), approved(), answered("rejected", "g2")]
    state = folded(*events)
    assert (state.gates.about, state.gates.naming) == ({}, {})
    assert list(state.gates.all) == ["g1", "g2"]


def test_a_gate_for_one_edit_is_unbound_for_another() -> None:
    state = folded(*OPEN)
    (gate,) = state.gates.asking("e1", 9)
    assert state.gates.state(gate, 99, state.edits, "e1") == "valid"
    assert state.gates.state(gate, 99, state.edits, "e2") == "unbound"


def test_gates_stand_by_their_first_events() -> None:
    opened = [answered("revoked", "g2"), asked(gate="g1"), asked(gate="g2"), asked(gate="g0")]
    found = report(*UNDER, *opened)["gates"]
    assert [each["id"] for each in found] == ["g2", "g1", "g0"]
