"""The examples X1 to X24 of `semantics.md` 15, one after the other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.guard.short import (
    IRR,
    REV,
    SURE,
    Event,
    answered,
    approved,
    asked,
    edit,
    effect,
    observed,
    policy,
    proposal,
    record,
    report,
    rollback,
    row,
    span,
)

HEAD = [span(fact="0"), record(), edit()]
BACK = rollback("r", "e1")
KEY = {"key": "k", "body": "b"}
OTHER = [span("s2"), record("e2", "s2"), edit("e2", "s2")]
BOTH = [*HEAD, *OTHER]

X1 = [*HEAD, effect("x", "started"), effect("x", "committed"), BACK]


def soundness(found: dict[str, Any], name: str = "r") -> tuple[str, str, str, str]:
    """(verdict, blame, residue, watch), ids joined by spaces."""
    said = row(found["rollbacks"], name)["soundness"]
    return said["verdict"], *(" ".join(said[part]) for part in ("blame", "residue", "watch"))


def gated(found: dict[str, Any], name: str = "x") -> tuple[str, list[str]]:
    said = row(found["effects"], name)["authorization"]
    return said["verdict"], said["edits"]


FORK = {"kind": "fork", "branch": "sub", "from": "main"}

SOUNDNESS: dict[str, tuple[list[Event], tuple[str, str, str, str]]] = {
    "X1": (X1, ("unsound", "x", "", "")),
    "X2": ([*HEAD, BACK], ("sound", "", "", "")),
    "X3": ([*HEAD, effect("x", "committed", SURE), BACK], ("sound", "", "", "")),
    "X4": ([*HEAD, effect("x", "committed", REV), BACK], ("unknown", "x", "", "")),
    "X5": ([*HEAD, effect("x", "planned"), BACK], ("sound", "", "", "x")),
    "X5, committed after": (
        [*HEAD, effect("x", "planned"), BACK, effect("x", "committed")],
        ("unsound", "x", "", ""),
    ),
    "X6": ([*HEAD, effect("x", "started"), BACK], ("unknown", "x", "", "x")),
    "X6, failed": (
        [*HEAD, effect("x", "started"), BACK, effect("x", "failed")],
        ("sound", "", "", ""),
    ),
    "X6, committed": (
        [*HEAD, effect("x", "started"), BACK, effect("x", "committed")],
        ("unsound", "x", "", ""),
    ),
    "X7": (
        [span(), effect("x", "started"), *HEAD[1:], effect("x", "committed"), BACK],
        ("unsound", "x", "", ""),
    ),
    "X7, exchanged": (
        [span(), effect("x", "started"), *HEAD[1:], BACK, effect("x", "committed")],
        ("sound", "", "", ""),
    ),
    "X8": (
        [effect("a1", "unknown", **KEY), *HEAD, effect("a2", "committed", **KEY), BACK],
        ("unknown", "a1", "", ""),
    ),
    "X8, both inside": (
        [*HEAD, effect("a1", "unknown", **KEY), effect("a2", "committed", **KEY), BACK],
        ("unsound", "a1", "", ""),
    ),
    "X9": (
        [
            *HEAD,
            effect("a1", "committed", SURE, key="k"),
            effect("a2", "committed", IRR, key="k"),
            BACK,
        ],
        ("unsound", "a2", "", ""),
    ),
    "X10": (
        [
            *HEAD,
            effect("x", "committed", SURE),
            effect("c", "failed", SURE, compensates="x"),
            BACK,
        ],
        ("unsound", "x", "", ""),
    ),
    "X10, not answered": (
        [
            *HEAD,
            effect("x", "committed", SURE),
            effect("c", "unknown", SURE, compensates="x"),
            BACK,
        ],
        ("unknown", "x", "", "c"),
    ),
    "X10, a second one": (
        [
            *HEAD,
            effect("x", "committed", SURE),
            effect("c", "failed", SURE, compensates="x"),
            effect("c2", "committed", SURE, compensates="x"),
            BACK,
        ],
        ("sound", "", "", ""),
    ),
    "X11": (
        [
            span(),
            effect("charge", "committed", SURE),
            *HEAD[1:],
            effect("c", "committed", IRR, compensates="charge"),
            BACK,
        ],
        ("unsound", "c", "", ""),
    ),
    "X12": (
        [*HEAD, asked("x"), approved(), effect("x", "committed"), BACK],
        ("sound", "", "x", ""),
    ),
    "X12, started before": (
        [*HEAD, asked("x"), effect("x", "started"), approved(), effect("x", "committed"), BACK],
        ("unsound", "x", "", ""),
    ),
    "X12, rejected after": (
        [
            *HEAD,
            asked("x"),
            approved(),
            effect("x", "started"),
            answered("rejected"),
            effect("x", "committed"),
            BACK,
        ],
        ("sound", "", "x", ""),
    ),
    "X13": (
        [*BOTH, asked("x"), approved(), effect("x", "committed"), rollback("r", "e2", "e1")],
        ("unsound", "x", "x", ""),
    ),
    "X14": (
        [*HEAD, edit("e2", "d1"), effect("x", "committed"), rollback("r", "e2", "e1")],
        ("unsound", "x", "", ""),
    ),
    "X14, between the two": (
        [*HEAD, effect("x", "committed"), edit("e2", "d1"), rollback("r", "e2")],
        ("sound", "", "", ""),
    ),
    "X17": (
        [*HEAD, FORK, BACK, effect("x", "committed", branch="sub")],
        ("unsound", "x", "", ""),
    ),
    "X17, forked before": (
        [span(), FORK, *HEAD[1:], effect("x", "committed", branch="sub"), BACK],
        ("sound", "", "", ""),
    ),
    "X18": ([*HEAD, BACK, effect("x", "committed", seq=0)], ("unknown", "x", "", "")),
    "X18, inside": (
        [*HEAD, BACK, effect("x", "committed", seq=0, after=3, before=4)],
        ("unsound", "x", "", ""),
    ),
    "X18, before": (
        [*HEAD, BACK, effect("x", "committed", seq=0, before=2)],
        ("sound", "", "", ""),
    ),
}


@pytest.mark.parametrize("name", SOUNDNESS)
def test_soundness(name: str) -> None:
    events, expected = SOUNDNESS[name]
    assert soundness(report(*events)) == expected


@pytest.mark.parametrize(
    ("ledger", "events", "verdict"),
    [
        ([[1, 3]], [*HEAD, BACK], "unknown"),
        ([[1, 4]], [*HEAD, BACK], "sound"),
        ([[1, 2], [3, 4]], [*HEAD, BACK], "sound"),
        ("none", X1, "unsound"),
    ],
)
def test_x19_what_the_ledger_must_cover(ledger: Any, events: list[Event], verdict: str) -> None:
    assert soundness(report(*events, ledger=ledger))[0] == verdict


AUTHORIZATION: dict[str, tuple[list[Event], tuple[str, list[str]]]] = {
    "X1": (X1, ("gate", ["e1"])),
    "X3": ([*HEAD, effect("x", "committed", SURE), BACK], ("gate", ["e1"])),
    "X13": ([*HEAD, *OTHER, asked("x"), approved(), effect("x", "started")], ("gate", ["e2"])),
    "reversible, and nothing lacking": (
        [span(), record(), edit(), effect("x", "started", SURE)],
        ("proceed", []),
    ),
}


@pytest.mark.parametrize("name", AUTHORIZATION)
def test_authorization(name: str) -> None:
    events, expected = AUTHORIZATION[name]
    assert gated(report(*events)) == expected


def operative(*events: Event, of: str = "e1") -> list[tuple[int, int | None]]:
    rows = row(report(*events)["edits"], of)["operative"]
    return [(found["from"], found["to"]) for found in rows]


def test_x1_both_ends_of_the_interval() -> None:
    assert operative(*X1) == [(3, 6)]


def test_x14_an_effect_between_two_edits_overlaps_the_first() -> None:
    events = SOUNDNESS["X14, between the two"][0]
    edits = report(*events)["edits"]
    assert [found["overlaps"] for found in edits] == [["x"], []]


def test_x15_partial_rollbacks_add_up() -> None:
    taken = [span(), span("s2"), edit("e1", "s1", "s2")]
    one = [*taken, rollback("r1", "e1", spans=["s1"])]
    assert operative(*one) == [(3, None)]
    assert operative(*one, rollback("r2", "e1", spans=["s2"])) == [(3, 5)]


def test_x16_only_the_same_content_ends_it() -> None:
    assert operative(span(), edit(), span()) == [(2, 3)]
    assert operative(span(), edit(), span(hash="h:other")) == [(2, None)]


def test_x20_closure_asks_for_performed_edits() -> None:
    inventory = {"kind": "inventory", "edits": ["e2"]}
    closure = report(*HEAD, *OTHER, inventory)["closure"]
    assert (closure["verdict"], closure["missing"]) == ("violated", ["e1"])


def test_x21_the_first_record_counts_and_a_late_one_is_flagged() -> None:
    junk = record("e1", prior={"s1": "h:junk"})
    first = report(span(), record(), junk, edit())["closure"]
    assert (first["verdict"], first["late"]) == ("closed", [])
    late = report(span(), edit(), record())["closure"]
    assert (late["verdict"], late["late"]) == ("closed", ["e1"])


UNDER_P1 = [policy("P1"), span(), record(), edit()]
MODES: dict[str, tuple[list[Event], str]] = {
    "swapped": ([*UNDER_P1, policy("P2"), BACK], "epoch"),
    "swapped to the same": ([*UNDER_P1, policy("P2", digest="p:P1"), BACK], "linear"),
    "made under the new one": (
        [policy("P1"), policy("P2"), span(), record(), edit(), BACK],
        "linear",
    ),
    "to the swap": ([*UNDER_P1, policy("P2"), rollback("r", to=5)], "noop"),
}


@pytest.mark.parametrize("name", MODES)
def test_x22_mode(name: str) -> None:
    events, mode = MODES[name]
    assert row(report(*events)["rollbacks"], "r")["mode"] == mode


def test_x23_retention_is_equality_after_logged_merges() -> None:
    crossing = [*UNDER_P1, policy("P2"), BACK]
    merge = {"kind": "merge", "rollback": "r", "dropped": ["s1"]}
    said = [
        row(report(*crossing, *looked)["rollbacks"], "r")["retention"]
        for looked in ([], [observed()], [merge, observed()])
    ]
    assert [found["verdict"] for found in said] == ["unknown", "mismatch", "equal"]
    assert said[1]["missing"] == ["s1"]


WRITE = [span(fact="0"), effect("x", "planned")]
HELD = [span(fact="0"), effect("x", "held"), asked("x")]
PROPOSALS: dict[str, tuple[list[Event], str, list[str]]] = {
    "loses it": ([*WRITE, proposal()], "refuse", ["A4", "A6"]),
    "keeps it": ([*WRITE, proposal(fact="0")], "gate", ["A6"]),
    "changes 0 to 3": ([*WRITE, proposal(fact="3")], "refuse", ["A4", "A6"]),
    "held and requested": ([*HELD, proposal()], "gate", ["A4", "A6"]),
    "held and approved": ([*HELD, approved(), proposal()], "proceed", []),
}


@pytest.mark.parametrize("name", PROPOSALS)
def test_x24_proposals_before_a_write(name: str) -> None:
    events, verdict, rules = PROPOSALS[name]
    (found,) = report(*events)["proposals"]
    assert (found["verdict"], found["rules"]) == (verdict, rules)
