"""Which of several things with one id a finding is about, and whose numbers it names."""

from __future__ import annotations

import pytest

from tests.guard.short import (
    IRR,
    SURE,
    Event,
    approved,
    asked,
    brief,
    edit,
    effect,
    folded,
    report,
    rollback,
    span,
)

KEYED = {"key": "k"}
FREE = edit("e1", "s1", out=None)
HIDING = [span(fact="0"), FREE]

# Two effects with one id: the finding is about the worse, or the later of equals.
TWINS: dict[str, tuple[list[Event], list[tuple[str, str, list[int]]]]] = {
    "the later of equals": (
        [FREE, effect("x", "started"), effect("x", "started", **KEYED)],
        [("warning", "proven", [1, 3])],
    ),
    "the error, though it is later": (
        [*HIDING, effect("x", "planned"), effect("x", "started", **KEYED)],
        [("error", "proven", [2, 4])],
    ),
    "the error, though it is earlier": (
        [*HIDING, effect("x", "started"), effect("x", "planned", **KEYED)],
        [("error", "proven", [2, 3])],
    ),
    "the warning over what never happened": (
        [FREE, effect("x", "planned"), effect("x", "failed", **KEYED)],
        [("warning", "proven", [1, 2])],
    ),
    "proven over possible": (
        [FREE, effect("x", "started"), effect("x", "started", {}, **KEYED)],
        [("warning", "proven", [1, 2])],
    ),
    "only the one that is not let through": (
        [
            *HIDING,
            asked("x", digest=None),
            approved(digest=None),
            effect("x", "started"),
            effect("x", "started", **KEYED, body="b:other"),
        ],
        [("error", "proven", [2, 6])],
    ),
}


@pytest.mark.parametrize("case", TWINS)
def test_of_two_effects_with_one_id_the_worse_is_told(case: str) -> None:
    events, expected = TWINS[case]
    found = [brief(f)[2:] for f in report(*events)["findings"] if f["code"] == "JG103"]
    assert found == expected


# Semantics 10.4.2: an edit id on two edits means the first, here as in rows.
SHARED: dict[str, tuple[list[Event], str]] = {
    "only the second hid a fact": (
        [edit("e1", "s9", out=None), span(fact="0"), FREE, effect("x", "started")],
        "warning",
    ),
    "the first hid it": (
        [span(fact="0"), FREE, edit("e1", "s9", out=None), effect("x", "started")],
        "error",
    ),
}


@pytest.mark.parametrize("case", SHARED)
def test_of_two_edits_with_one_id_the_first_says_what_was_lacking(case: str) -> None:
    events, severity = SHARED[case]
    (found,) = [f for f in report(*events)["findings"] if f["code"] == "JG103"]
    first = next(n for n, event in enumerate(events, 1) if event["kind"] == "edit")
    assert (found["severity"], found["seqs"]) == (severity, [first, 4])


def test_a_finding_blames_effects_and_not_ids() -> None:
    events = [effect("x", "started"), FREE, effect("x", "failed", **KEYED)]
    found = {f["code"]: brief(f) for f in report(*events)["findings"]}
    assert found["JG109"] == ("JG109", "e1", "info", "possible", [1, 2])


def test_an_effect_that_has_not_started_is_named_by_its_numbered_event() -> None:
    held = effect("x", "held", seq=0)
    found = report(FREE, effect("x", "planned"), held)["findings"][0]
    assert brief(found) == ("JG103", "x", "warning", "proven", [1, 2])


def test_a_refused_swap_names_only_edits_that_stand() -> None:
    events = [FREE, rollback("r1", to=0), FREE, {"kind": "policy", "id": "P", "digest": "p"}]
    found = {f["code"]: brief(f) for f in report(*events, discipline="freeze")["findings"]}
    assert found["JG303"] == ("JG303", "P", "error", "proven", [3, 4])


def test_every_loss_of_a_record_is_named() -> None:
    lost = {"kind": "lost", "edit": "e1"}
    (found,) = report(lost, lost)["findings"]
    assert brief(found) == ("JG206", "e1", "error", "proven", [1, 2])


def test_of_two_rollbacks_with_one_id_the_first_is_told() -> None:
    again = [edit("e2", "s2", out=None), effect("y", "committed"), rollback("r1", "e2")]
    events = [FREE, effect("x", "committed"), rollback("r1", "e1"), *again]
    found = {f["code"]: brief(f) for f in report(*events)["findings"]}
    assert found["JG101"] == ("JG101", "r1", "error", "proven", [2, 3])


def test_a_key_with_three_bodies_is_told_of_each_but_the_first() -> None:
    events = [effect(f"x{body}", "planned", SURE, **KEYED) for body in "abc"]
    found = [brief(f) for f in report(*events)["findings"]]
    assert found == [
        ("JG106", "xb", "warning", "proven", [1, 2]),
        ("JG106", "xc", "warning", "proven", [1, 3]),
    ]


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [({}, "unknown"), ({"first_seq": 1}, "closed"), ({"last_seq": 1}, "unknown")],
)
def test_a_gap_at_the_very_end_leaves_closure_open(gap: Event, verdict: str) -> None:
    found = report({"kind": "gap", "what": "the file was replaced", **gap})
    assert found["closure"]["verdict"] == verdict
    assert [f["seqs"] for f in found["findings"] if f["code"] == "JG203"] == (
        [[1]] if verdict == "unknown" else []
    )


def test_findings_stand_by_lowest_number_then_code_then_subject() -> None:
    events = [FREE, effect("y", "started", IRR), effect("x", "started", IRR)]
    found = report(*events, ledger="none")["findings"]
    assert [(f["code"], f["subject"]) for f in found] == [
        ("JG901", "j"),
        ("JG103", "x"),
        ("JG103", "y"),
        ("JG109", "e1"),
        ("JG201", "e1"),
    ]


def test_a_prefix_is_judged_as_if_nothing_more_was_written() -> None:
    events = [FREE, effect("x", "started"), effect("x", "failed")]
    assert folded(*events, at=2).at == 2
    early = report(*events, at=2)["findings"]
    assert [f["code"] for f in early] == [f["code"] for f in report(*events[:2])["findings"]]


@pytest.mark.parametrize("kept", [{}, {"cfg.yml:other": "1"}])
def test_of_an_opaque_digest_no_fact_is_named_and_none_is_trusted(kept: dict[str, str]) -> None:
    digest = {"id": "d1", "hash": "h:d1", "opaque": True, "facts": kept}
    found = report(span(fact="0"), edit(out=digest), effect("x", "started", SURE))
    assert (found["edits"][0]["elided"], found["edits"][0]["lacking"]) == ({}, {})
    assert found["effects"][0]["authorization"] == {"verdict": "gate", "edits": ["e1"]}
    (told,) = [brief(f) for f in found["findings"] if f["code"] == "JG103"]
    assert told == ("JG103", "x", "warning", "possible", [2, 3])
