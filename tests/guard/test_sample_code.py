"""What the source documents' sample code gets wrong (`semantics.md` 16), number by number.

Left out: 17, 20 to 22, 28 and 29, which are about a store that is written to (`test_undo.py`), and
14, 15, 34, 36, 48 to 50 and 54, which are about the shape of that code and show in no journal.
"""

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
    observed,
    policy,
    proposal,
    record,
    report,
    rollback,
    row,
    span,
)

READ = [span(fact="0")]
WRITE = effect("x", "planned")
HEAD = [span(fact="0"), record(), edit()]
BACK = rollback("r", "e1")
UNDER_P1 = [policy("P1"), span(), record(), edit()]
STORE = {"payload": True, "verified": True, "lossy": False}


def limits(*facts: str) -> Event:
    return span(facts=dict(fact.split("=") for fact in facts))


def digest(*facts: str, **members: Any) -> Event:
    out = {"id": "d1", "hash": "h:d1", "facts": dict(fact.split("=") for fact in facts)}
    return {**proposal(), "out": out, **members}


PROPOSALS: dict[str, tuple[list[Event], str, list[str]]] = {
    "1 a commit that already happened": (
        [*READ, effect("x", "committed", depends_on=["s1"]), digest()],
        "refuse",
        ["A5"],
    ),
    "2 a changed value": (
        [limits("a.yml:n=0"), WRITE, digest("a.yml:n=3")],
        "refuse",
        ["A4", "A6"],
    ),
    "3 key and value of the incident": (
        [limits("cfg.yml:max_retries=0"), WRITE, digest()],
        "refuse",
        ["A4", "A6"],
    ),
    "4 the same key in another file": (
        [limits("a.yml:n=0"), WRITE, digest("b.yml:n=0")],
        "refuse",
        ["A4", "A6"],
    ),
    "5 a name of no list": ([limits("a.yml:zeal=7"), WRITE, digest()], "refuse", ["A4", "A6"]),
    "6 a write that is only planned": ([*READ, WRITE, digest()], "refuse", ["A4", "A6"]),
    "7 an approval": (
        [*READ, effect("x", "held"), asked("x"), approved(), digest()],
        "proceed",
        [],
    ),
    "8 the commit phase": (
        [*READ, {"kind": "phase", "phase": "commit"}, proposal(fact="0")],
        "gate",
        ["A6"],
    ),
    "9 the host's own policy": ([*READ, WRITE, digest(by="host")], "out_of_scope", []),
    "10 a digest with every fact": (
        [limits("a.yml:n=0", "a.yml:m=1"), digest("a.yml:n=0", "a.yml:m=1")],
        "proceed",
        [],
    ),
    "12 a store nobody verified": (
        [*READ, digest(store={**STORE, "verified": False})],
        "refuse",
        ["A1"],
    ),
    "12 a history of edits": (
        [span(role="edit_history"), digest()],
        "refuse",
        ["A2"],
    ),
    "13 all reasons": (
        [span(fact="0", role="policy"), WRITE, edit("e9", "s9", out=None), digest(store={})],
        "refuse",
        ["A1", "A2", "A3", "A4", "A6"],
    ),
    "a rejection": ([*READ, asked(), answered("rejected"), digest()], "refuse", ["A8"]),
}


@pytest.mark.parametrize("name", PROPOSALS)
def test_the_refusal_rule(name: str) -> None:
    events, verdict, rules = PROPOSALS[name]
    (found,) = report(*events)["proposals"]
    assert (found["verdict"], found["rules"]) == (verdict, rules)


def test_11_a_write_two_turns_later_is_judged_when_it_comes() -> None:
    accepted = [*READ, digest(), record(), edit()]
    found = report(*accepted, span("s2"), effect("x", "started", IRR))
    assert found["proposals"][0]["verdict"] == "proceed"
    assert found["effects"][0]["authorization"] == {"verdict": "gate", "edits": ["e1"]}


def closure(*events: Event, **header: Any) -> tuple[str, list[str]]:
    found = report(*events, **header)["closure"]
    return found["verdict"], found["missing"]


GONE = edit("e2", "d1", out=None)
CLOSURES: dict[str, tuple[list[Event], tuple[str, list[str]]]] = {
    "16 the edit without a record is no survivor": (
        [span(), edit(), record("e2", "d1"), GONE],
        ("violated", ["e1"]),
    ),
    "18 the counter is read": (
        [*HEAD, {"kind": "counter", "performed": 2}],
        ("unknown", []),
    ),
    "19 a second write does not replace the first": (
        [span(), record(), record(prior={}), edit()],
        ("closed", []),
    ),
    "23 a record after its edit is late, and counts": ([span(), edit(), record()], ("closed", [])),
    "24 an empty record": ([span(), record(prior={}), edit()], ("violated", ["e1"])),
    "24 a record without content": ([span(), record(payload=False), edit()], ("violated", ["e1"])),
    "27 an eviction needs one too": ([span(), edit(op="evict", out=None)], ("violated", ["e1"])),
    "30 a wrong prior state": (
        [span(), record(prior={"s1": "h:junk"}), edit()],
        ("violated", ["e1"]),
    ),
    "35 a stray record makes the counts equal": (
        [span(), record("e9"), edit()],
        ("violated", ["e1"]),
    ),
}


@pytest.mark.parametrize("name", CLOSURES)
def test_recovery_records(name: str) -> None:
    events, expected = CLOSURES[name]
    assert closure(*events) == expected


def test_25_undo_brings_back_no_old_state_over_a_newer_one() -> None:
    found = report(span(), record(), edit(), span(hash="h:new"), BACK, observed("s1"))
    assert row(found["rollbacks"], "r")["retention"]["changed"] == ["s1"]


def test_26_and_31_an_undone_edit_is_not_undone_twice() -> None:
    found = report(*HEAD, BACK, rollback("r2", "e1"))
    assert found["edits"][0]["operative"] == [{"branch": "main", "from": 3, "to": 4}]
    assert found["closure"]["performed"] == 1


def test_32_undo_of_an_eviction_does_not_bring_its_edit_to_life() -> None:
    evicted = [span(), record(), edit(), record("e2", "d1"), edit("e2", "d1", out=None)]
    found = report(*evicted, rollback("r", "e2"), observed("d1"))
    assert [each["status"] for each in found["edits"]] == ["unknown", "undone"]
    assert found["rollbacks"][0]["retention"]["verdict"] == "equal"


def test_33_unknown_is_not_reversible() -> None:
    assert report(*HEAD)["edits"][0]["status"] == "unknown"
    assert report(*HEAD, {"kind": "probe", "edit": "e1", "ok": True})["edits"][0]["status"] == (
        "reversible"
    )


RETENTION: dict[str, tuple[list[Event], str]] = {
    "37 extra spans": ([*HEAD, BACK, observed("s1", "s9")], "mismatch"),
    "38 what was never evicted": ([*HEAD, span("s2"), BACK, observed("s1", "s2")], "equal"),
    "39 restored and evicted again": (
        [*HEAD, BACK, edit("e2", "s1", out=None), observed()],
        "equal",
    ),
    "40 kept, then evicted on purpose": (
        [*HEAD, span("s2"), BACK, edit("e2", "s2", out=None), observed("s1")],
        "equal",
    ),
    "41 and 42 the real window is looked at": (
        [*UNDER_P1, policy("P2"), BACK, observed()],
        "mismatch",
    ),
    "51 another content under the same name": (
        [*HEAD, BACK, {"kind": "observed", "spans": {"s1": "h:other"}}],
        "mismatch",
    ),
}


@pytest.mark.parametrize("name", RETENTION)
def test_retention(name: str) -> None:
    events, verdict = RETENTION[name]
    assert row(report(*events)["rollbacks"], "r")["retention"]["verdict"] == verdict


NEWEST = [*UNDER_P1, policy("P2"), span("s2"), record("e2", "s2"), edit("e2", "s2")]
MODES: dict[str, tuple[list[Event], str]] = {
    "43 inside the newest epoch": ([*NEWEST, rollback("r", "e2")], "linear"),
    "44 an empty range behind a swap": ([*UNDER_P1, policy("P2"), rollback("r", to=5)], "noop"),
    "45 to 47 the digest is the policy": (
        [*UNDER_P1, policy("P2", digest="p:P1"), BACK],
        "linear",
    ),
    "47 there and back": ([*UNDER_P1, policy("P2"), policy("P1"), BACK], "linear"),
    "55 an edit's own word": (
        [policy("P1"), span(), record(), edit(policy="p:P0"), BACK],
        "epoch",
    ),
    "53 an eviction": ([*UNDER_P1[:3], edit(op="evict", out=None), policy("P2"), BACK], "epoch"),
    "52 a later edit over the same span": (
        [*HEAD, record("e2", "d1"), edit("e2", "d1"), BACK],
        "merge",
    ),
}


@pytest.mark.parametrize("name", MODES)
def test_modes(name: str) -> None:
    events, mode = MODES[name]
    assert row(report(*events)["rollbacks"], "r")["mode"] == mode


def test_46_and_47_epochs_are_runs_of_one_digest() -> None:
    swaps = [policy("P1"), policy("P2"), policy("P3", digest="p:P2"), policy("P1")]
    rows = report(*swaps)["epochs"]
    assert [(each["policy"], each["from"], each["to"]) for each in rows] == [
        ("p:P1", 1, 1),
        ("p:P2", 2, 3),
        ("p:P1", 4, 4),
    ]


def test_52_the_freeze_discipline_is_there() -> None:
    swap = [span(), edit(), policy("P2")]
    frozen = report(*swap, discipline="freeze")["policies"][0]["swap"]
    sealed = report(span(), edit(), {"kind": "seal"}, policy("P2"), discipline="freeze")
    assert frozen == {"verdict": "refuse", "open": ["e1"]}
    assert sealed["policies"][0]["swap"] == {"verdict": "ok", "open": []}
