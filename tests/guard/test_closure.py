"""Recovery records, closure and the status of edits (`semantics.md` 10 and 3.9)."""

from __future__ import annotations

import pytest

from tests.guard.short import (
    SURE,
    Event,
    edit,
    effect,
    folded,
    policy,
    proposal,
    record,
    report,
    rollback,
    row,
    span,
)

HEAD = [span(), record(), edit()]
SECOND = [span("s2"), record("e2", "s2"), edit("e2", "s2")]
LOST = {"kind": "lost", "edit": "e1"}
FORKED = span("s3", seq=3)
"""A second event with the number of the edit in `HEAD`."""


def listed(*edits: str) -> Event:
    return {"kind": "inventory", "edits": list(edits)}


def counted(performed: int, recorded: int | None = None) -> Event:
    return {"kind": "counter", "performed": performed, "recorded": recorded}


# verdict, recorded, missing
CLOSURES: dict[str, tuple[list[Event], tuple[str, int, str]]] = {
    "nothing happened": ([], ("closed", 0, "")),
    "a good record": (HEAD, ("closed", 1, "")),
    "no record": ([span(), edit()], ("violated", 0, "e1")),
    "a record of something else": ([span(), record("e2"), edit()], ("violated", 0, "e1")),
    "of more than was taken": (
        [span(), record("e1", "s1", "s2"), edit()],
        ("closed", 1, ""),
    ),
    "of one span of two": (
        [span(), span("s2"), record(), edit("e1", "s1", "s2")],
        ("violated", 0, "e1"),
    ),
    "of another content": ([span(hash="h:new"), record(), edit()], ("violated", 0, "e1")),
    "of a span that is not there": ([record(), edit()], ("violated", 0, "e1")),
    "of a span read on another branch": (
        [span(branch="sub"), record(), edit()],
        ("closed", 1, ""),
    ),
    "of a span read after the edit": ([record(), edit(), span()], ("violated", 0, "e1")),
    "of nothing, for an edit that takes nothing": (
        [record(prior={}), edit(**{"in": []})],
        ("closed", 1, ""),
    ),
    "by the host, without one": ([span(), edit(by="host")], ("closed", 0, "")),
    "by the host, with one": ([span(), record(), edit(by="host")], ("closed", 1, "")),
    "by a human, without one": ([span(), edit(by="human")], ("violated", 0, "e1")),
    "undone, without one": ([span(), edit(), rollback("r", "e1")], ("violated", 0, "e1")),
    "lost": ([*HEAD, LOST], ("violated", 0, "e1")),
    "lost before the edit": ([span(), record(), LOST, edit()], ("violated", 0, "e1")),
    "the store lists it": ([*HEAD, listed("e1")], ("closed", 1, "")),
    "the store lists it not": ([*HEAD, listed()], ("violated", 0, "e1")),
    "the latest list counts": ([*HEAD, listed(), listed("e1")], ("closed", 1, "")),
    "the latest list counts, to the worse": (
        [*HEAD, listed("e1"), listed()],
        ("violated", 0, "e1"),
    ),
    "a list from before the edit": ([listed(), *HEAD], ("closed", 1, "")),
    "a list from between two edits": ([*HEAD, listed("e1"), *SECOND], ("closed", 2, "")),
    "a list that names a stranger": ([*HEAD, listed("e1", "e9")], ("closed", 1, "")),
    "a list without an edit of the host": (
        [span(), edit(by="host"), listed()],
        ("closed", 0, ""),
    ),
    "a list without the one, with a stranger": ([*HEAD, listed("e9")], ("violated", 0, "e1")),
    "one id on two edits": ([*HEAD, record("e1"), edit("e1", "s1")], ("violated", 1, "")),
    "one id on two edits by the host": (
        [edit("e1", by="host"), edit("e1", by="host")],
        ("violated", 0, ""),
    ),
    "first by the host, then by the model": (
        [span(), edit(by="host"), edit()],
        ("violated", 0, "e1"),
    ),
    "the counter agrees": ([*HEAD, counted(1, 1)], ("closed", 1, "")),
    "the counter knows of more edits": ([*HEAD, counted(2)], ("unknown", 1, "")),
    "of fewer edits": ([*HEAD, counted(0)], ("unknown", 1, "")),
    "of more records": ([*HEAD, counted(1, 2)], ("unknown", 1, "")),
    "it is read at its place": ([counted(0, 0), *HEAD, counted(1, 1), *SECOND], ("closed", 2, "")),
    "a record is counted before its edit": (
        [span(), record(), counted(0, 1), edit()],
        ("closed", 1, ""),
    ),
    "two records of one edit count once": (
        [span(), record(), record(), counted(0, 1), edit()],
        ("closed", 1, ""),
    ),
    "edits of the host are counted": ([edit(by="host"), counted(1, 0)], ("closed", 0, "")),
    "a later counter does not heal": ([*HEAD, counted(9), counted(1)], ("unknown", 1, "")),
    "violated before unknown": ([span(), edit(), counted(9)], ("violated", 0, "e1")),
    "a number is missing": ([span(), record(seq=3), edit()], ("unknown", 1, "")),
    "a fork of a number": ([*HEAD, FORKED], ("unknown", 1, "")),
    "a vague edit": ([span(), record(), edit(fidelity="count")], ("unknown", 1, "")),
    "of unknown fidelity": ([span(), record(), edit(fidelity="unknown")], ("unknown", 1, "")),
    "a derived one": ([span(), record(), edit(fidelity="derived")], ("closed", 1, "")),
    "a vague edit of the host": ([span(), edit(by="host", fidelity="count")], ("closed", 0, "")),
    "a vague edit of a human": (
        [span(), record(), edit(by="human", fidelity="count")],
        ("unknown", 1, ""),
    ),
}


@pytest.mark.parametrize("name", CLOSURES)
def test_closure(name: str) -> None:
    events, expected = CLOSURES[name]
    found = report(*events)["closure"]
    assert (found["verdict"], found["recorded"], " ".join(found["missing"])) == expected
    assert found["performed"] == sum(event["kind"] == "edit" for event in events)


@pytest.mark.parametrize(
    ("events", "late"),
    [
        (HEAD, []),
        ([span(), edit(), record()], ["e1"]),
        ([*HEAD, record()], []),
        ([span(), edit()], []),
        ([record("e9"), span(), edit(), record(prior={})], ["e1"]),
    ],
)
def test_an_edit_is_late_when_all_its_records_are(events: list[Event], late: list[str]) -> None:
    assert report(*events)["closure"]["late"] == late


PROBED = {"kind": "probe", "edit": "e1", "ok": True}
STATUSES: dict[str, tuple[list[Event], str]] = {
    "probed": ([*HEAD, PROBED], "reversible"),
    "not probed": (HEAD, "unknown"),
    "probed before it was made": ([span(), record(), PROBED, edit()], "unknown"),
    "another edit was probed": ([*HEAD, {**PROBED, "edit": "e2"}], "unknown"),
    "the last probe failed": ([*HEAD, PROBED, {**PROBED, "ok": False}], "unknown"),
    "only the first one failed": ([*HEAD, {**PROBED, "ok": False}, PROBED], "reversible"),
    "by the host": ([span(), record(), edit(by="host"), PROBED], "out_of_scope"),
    "by the host, and undone": (
        [span(), edit(by="host"), rollback("r", "e1")],
        "out_of_scope",
    ),
    "by a human": ([span(), record(), edit(by="human"), PROBED], "reversible"),
    "undone": ([*HEAD, rollback("r", "e1")], "undone"),
    "undone before lost": ([*HEAD, LOST, rollback("r", "e1")], "undone"),
    "undone elsewhere": ([*HEAD, rollback("r", "e1", branch="sub"), PROBED], "reversible"),
    "half undone": (
        [
            span(),
            span("s2"),
            record("e1", "s1", "s2"),
            edit("e1", "s1", "s2"),
            rollback("r", "e1", spans=["s1"]),
            PROBED,
        ],
        "reversible",
    ),
    "lost": ([*HEAD, LOST, PROBED], "irreversible"),
    "lost, and never there": ([span(), edit(), LOST], "irreversible"),
    "no record": ([span(), edit(), PROBED], "unknown"),
    "no record, under a policy that reaches": (
        [policy("P", reaches_recovery=True), span(), edit(), PROBED],
        "unknown",
    ),
    "a policy that reaches the records": (
        [policy("P", reaches_recovery=True), *HEAD, PROBED],
        "provisional",
    ),
    "one that did once": (
        [policy("P", reaches_recovery=True), policy("Q"), *HEAD, PROBED],
        "provisional",
    ),
    "one that comes later": (
        [*HEAD, PROBED, policy("P", reaches_recovery=True)],
        "provisional",
    ),
    "one that does not": ([policy("P"), *HEAD, PROBED], "reversible"),
    "its digest was taken": ([*HEAD, edit("e2", "d1"), PROBED], "merge"),
    "its span was taken again": ([*HEAD, edit("e2", "s1"), PROBED], "merge"),
    "a later edit writes what it took": (
        [*HEAD, edit("e2", "s9", out={"id": "s1", "hash": "h:new"}), PROBED],
        "merge",
    ),
    "a later edit writes its digest": (
        [*HEAD, edit("e2", "s9", out={"id": "d1", "hash": "h:new"}), PROBED],
        "merge",
    ),
    "by a later edit that is undone": (
        [*HEAD, edit("e2", "d1"), rollback("r", "e2"), PROBED],
        "reversible",
    ),
    "by an earlier edit": ([edit("e2", "s1", out=None), *HEAD, PROBED], "reversible"),
    "by an edit over other spans": ([*HEAD, *SECOND, PROBED], "reversible"),
    "vague": ([span(), record(), edit(fidelity="count"), PROBED], "unknown"),
    "in a journal that is not whole": ([*HEAD, FORKED, PROBED], "unknown"),
    "in a journal with a gap": ([*HEAD, {**PROBED, "seq": 9}], "reversible"),
}


@pytest.mark.parametrize("name", STATUSES)
def test_status(name: str) -> None:
    events, status = STATUSES[name]
    assert row(report(*events)["edits"], "e1")["status"] == status


# Closure at the number of a proposal (A3): what comes later has no say.
ASKED = proposal("p", "s9")
AT_A_NUMBER: dict[str, tuple[list[Event], bool]] = {
    "closed": ([*HEAD, ASKED], False),
    "not yet violated": ([*HEAD, ASKED, LOST], False),
    "violated": ([*HEAD, LOST, ASKED], True),
    "violated, then recorded late": ([span(), edit(), ASKED, record()], True),
    "recorded late, before it": ([span(), edit(), record(), ASKED], False),
    "listed again before it": ([*HEAD, listed(), listed("e1"), ASKED], False),
    "not listed until after it": ([*HEAD, listed(), ASKED, listed("e1")], True),
    "a counter that differs": ([counted(1), ASKED], True),
    "a counter that will differ": ([ASKED, counted(1)], False),
    "a number missing before": ([span(), {**ASKED, "seq": 3}], True),
    "a number missing after": ([span(), ASKED, span("s2", seq=4)], False),
    "a vague edit before": ([span(), record(), edit(fidelity="count"), ASKED], True),
    "a vague edit after": ([ASKED, span(), record(), edit(fidelity="count")], False),
    "a fork, wherever": ([ASKED, span(), span("s2", seq=2)], True),
}


@pytest.mark.parametrize("name", AT_A_NUMBER)
def test_closure_at_the_number_of_a_proposal(name: str) -> None:
    events, fires = AT_A_NUMBER[name]
    (found,) = report(*events)["proposals"]
    assert ("A3" in found["rules"]) == fires


def test_records_are_good_at_a_number() -> None:
    state = folded(*HEAD, LOST, listed("e1"))
    (done,) = state.edits.all
    assert [state.records.good(done, number) for number in range(1, 6)] == [
        False,
        True,
        True,
        False,
        False,
    ]
    assert not state.records.violated_at(3)
    assert state.records.violated_at(4)


def test_a_list_counts_from_its_number_on() -> None:
    state = folded(*HEAD, listed(), listed("e1"))
    (done,) = state.edits.all
    assert [state.records.good(done, number) for number in (3, 4, 5)] == [True, False, True]


def test_an_effect_needs_no_record() -> None:
    assert report(effect("x", "committed", SURE))["closure"]["verdict"] == "closed"


def test_what_has_the_number_of_an_edit_is_not_after_it() -> None:
    unlisted = report(*HEAD, {**listed(), "seq": 3})["closure"]
    assert (unlisted["recorded"], unlisted["missing"]) == (1, [])
    assert report(span(), edit(), {**record(), "seq": 2})["closure"]["late"] == []


def test_edits_of_one_number_see_the_window_before_it() -> None:
    digests = [record("e2", "d1"), record("e4", "d3"), span("s3")]
    first = [edit("e1", "s1", seq=5), edit("e2", "d1", seq=5)]
    second = [edit("e3", "s3", seq=6), edit("e4", "d3", seq=6)]
    found = report(span(), *digests, *first, *second)["closure"]
    assert found["missing"] == ["e1", "e2", "e3", "e4"]
    one_by_one = [*first[:1], {**first[1], "seq": 6}]
    assert report(span(), *digests, *one_by_one)["closure"]["missing"] == ["e1"]
