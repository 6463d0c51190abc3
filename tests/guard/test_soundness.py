"""Soundness of rollbacks (`semantics.md` 4.6, 6): which effects count, what may be hidden."""

from __future__ import annotations

from typing import Any

import pytest

from tests.guard.short import SURE, Event, edit, effect, folded, record, report, rollback, row, span

UNDER = [span(), record(), edit()]
"""Op(e1) begins at 3."""
BACK = rollback("r", "e1")
FORK = {"kind": "fork", "branch": "sub", "from": "main"}
DONE = effect("x", "committed")


def said(found: dict[str, Any], name: str = "r") -> tuple[str, str, str, str]:
    """(verdict, blame, residue, watch), ids joined by spaces."""
    sound = row(found["rollbacks"], name)["soundness"]
    return sound["verdict"], *(" ".join(sound[part]) for part in ("blame", "residue", "watch"))


IN_E: dict[str, tuple[list[Event], str]] = {
    "committed inside": ([*UNDER, DONE, BACK], "unsound"),
    "planned inside, committed after": ([*UNDER, effect("x", "planned"), BACK, DONE], "unsound"),
    "held inside, committed after": ([*UNDER, effect("x", "held"), BACK, DONE], "unsound"),
    "started inside, committed after": ([*UNDER, effect("x", "started"), BACK, DONE], "unsound"),
    "only failed inside, committed after": (
        [*UNDER, effect("x", "failed"), BACK, effect("x", "started"), DONE],
        "sound",
    ),
    "committed before": ([DONE, *UNDER, BACK], "sound"),
    "committed before, touched inside": ([DONE, *UNDER, effect("x", "started"), BACK], "sound"),
    "planned before, committed after": ([effect("x", "planned"), *UNDER, BACK, DONE], "sound"),
    "planned before, never started": ([effect("x", "planned"), *UNDER, BACK], "sound"),
    "failed inside": ([*UNDER, effect("x", "started"), effect("x", "failed"), BACK], "sound"),
    "failed in part": (
        [*UNDER, effect("x", "started"), effect("x", "failed", partial=True), BACK],
        "unknown",
    ),
    "a read": ([*UNDER, effect("x", "committed", write=False), BACK], "sound"),
    "said to be a read later": ([*UNDER, DONE, {**DONE, "write": False}, BACK], "sound"),
    "independent by its own word": ([*UNDER, {**DONE, "depends_on": []}, BACK], "unsound"),
    "on a branch that was there before": (
        [span(), FORK, *UNDER[1:], effect("x", "committed", branch="sub"), BACK],
        "sound",
    ),
    "on a branch that inherits": (
        [*UNDER, FORK, effect("x", "committed", branch="sub"), BACK],
        "unsound",
    ),
    "on a branch of a branch": (
        [
            *UNDER,
            FORK,
            {"kind": "fork", "branch": "deep", "from": "sub"},
            effect("x", "committed", branch="deep"),
            BACK,
        ],
        "unsound",
    ),
    "on a branch forked after the end": (
        [*UNDER, BACK, FORK, effect("x", "committed", branch="sub")],
        "sound",
    ),
    "on a branch that was rolled back too": (
        [*UNDER, FORK, {**BACK, "all_branches": True}, effect("x", "committed", branch="sub")],
        "sound",
    ),
    "planned here, done on a branch that was not reached": (
        [
            span(),
            FORK,
            *UNDER[1:],
            effect("x", "planned"),
            effect("x", "committed", branch="sub"),
            BACK,
        ],
        "unsound",
    ),
    "of a branch that was not reached, touched here": (
        [
            span(),
            FORK,
            effect("x", "planned", branch="sub"),
            *UNDER[1:],
            effect("x", "started"),
            effect("x", "committed", branch="sub"),
            BACK,
        ],
        "unsound",
    ),
    "after the last span was read again": ([*UNDER, span(), DONE, BACK], "sound"),
    "before it was read again": ([*UNDER, DONE, span(), BACK], "unsound"),
    "after a read of another branch": ([*UNDER, span(branch="sub"), DONE, BACK], "unsound"),
}


@pytest.mark.parametrize("name", IN_E)
def test_which_effects_a_rollback_leaves_behind(name: str) -> None:
    events, verdict = IN_E[name]
    assert said(report(*events))[0] == verdict


ASKED_FOR = {"kind": "gate", "id": "g", "state": "requested", "edit": "e1", "by": "agent"}
TELLS_NOTHING: dict[str, Event] = {
    "a compensation that is only planned": effect("w", "planned", SURE, compensates="x"),
    "a gate that nobody answered": {**ASKED_FOR, "digest": "h:d1", "effects": {"x": "b:x"}},
}
"""What has to be looked at, and changes no verdict: other paths to the same answers."""


@pytest.mark.parametrize("name", IN_E)
@pytest.mark.parametrize("more", TELLS_NOTHING)
def test_the_same_whatever_else_has_to_be_looked_at(name: str, more: str) -> None:
    events, verdict = IN_E[name]
    assert said(report(*events, TELLS_NOTHING[more]))[0] == verdict


@pytest.mark.parametrize("more", TELLS_NOTHING)
@pytest.mark.parametrize(
    ("before", "inside", "expected"),
    [
        ([], [DONE], ("unsound", ["x"])),
        ([DONE], [], ("sound", [])),
        ([DONE], [effect("x", "started")], ("sound", [])),
        ([effect("x", "started")], [], ("unknown", ["x"])),
        ([], [effect("x", "started", SURE)], ("sound", [])),
    ],
)
def test_the_same_of_an_edit_in_force(
    before: list[Event], inside: list[Event], expected: tuple[str, list[str]], more: str
) -> None:
    found = report(*before, *UNDER, *inside, TELLS_NOTHING[more])
    undone = row(found["edits"], "e1")["if_undone"]["soundness"]
    assert (undone["verdict"], undone["blame"]) == expected


OPEN = [
    {**ASKED_FOR, "digest": "h:d1", "effects": {"x": "b:x"}},
    {"kind": "gate", "id": "g", "state": "approved", "by": "ann", "human": True, "digest": "h:d1"},
]
"""A gate that lets `x` through for `e1`, and for nothing else."""
FIRST = [*UNDER, *OPEN]
SECOND = [span("s2"), edit("e2", "s2")]
OF_TWO: dict[str, tuple[list[Event], str]] = {
    "under the first only": ([*FIRST, DONE, *SECOND], "sound"),
    "under both": ([*FIRST, *SECOND, DONE], "unsound"),
    "planned under the first, done under both": (
        [*FIRST, effect("x", "planned"), *SECOND, DONE],
        "unsound",
    ),
    "done under the first, touched under both": (
        [*FIRST, DONE, *SECOND, effect("x", "started")],
        "sound",
    ),
    "on its way under the first, and perhaps done under both": (
        [*FIRST, effect("x", "started"), *SECOND],
        "unknown",
    ),
    "on its way before both": (
        [effect("x", "started"), *FIRST, *SECOND],
        "unknown",
    ),
    "done after the second has ended": ([*FIRST, *SECOND, span("s2"), DONE], "sound"),
    "done while both stood, touched after": (
        [*FIRST, *SECOND, DONE, span("s2"), effect("x", "unknown")],
        "unsound",
    ),
    "done before both, touched under both": (
        [DONE, *FIRST, *SECOND, effect("x", "started")],
        "sound",
    ),
    "planned under both, done after the second has ended": (
        [*FIRST, *SECOND, effect("x", "planned"), span("s2"), DONE],
        "unsound",
    ),
    "touched under both, never done": (
        [*FIRST, *SECOND, effect("x", "started"), effect("x", "failed")],
        "sound",
    ),
}


@pytest.mark.parametrize("order", [("e1", "e2"), ("e2", "e1")])
@pytest.mark.parametrize("name", OF_TWO)
def test_a_gate_for_one_edit_of_two(name: str, order: tuple[str, str]) -> None:
    events, verdict = OF_TWO[name]
    assert said(report(*events, rollback("r", *order)))[0] == verdict


def test_a_partial_rollback_looks_no_further_than_itself() -> None:
    two = [span(), span("s2"), edit("e1", "s1", "s2")]
    part = rollback("r", "e1", spans=["s1"])
    assert said(report(*two, part, DONE))[0] == "sound"
    assert said(report(*two, DONE, part))[0] == "unsound"
    rest = rollback("r2", "e1", spans=["s2"])
    assert said(report(*two, part, DONE, rest), "r2")[0] == "unsound"


def test_a_partial_rollback_cuts_its_own_branch_only() -> None:
    two = [span(), span("s2"), edit("e1", "s1", "s2"), FORK]
    part = rollback("r", "e1", spans=["s1"])
    elsewhere = effect("x", "committed", branch="sub")
    assert said(report(*two, part, elsewhere))[0] == "unsound"
    assert said(report(*two, {**part, "branch": "sub"}, elsewhere))[0] == "sound"


EDGES: dict[str, tuple[list[Event], tuple[str, str]]] = {
    "done at the number of the edit": ([*UNDER, {**DONE, "seq": 3}, BACK], ("unknown", "")),
    "done at the number of the rollback": ([*UNDER, BACK, {**DONE, "seq": 4}], ("unknown", "")),
    "planned inside, done at the number of the rollback": (
        [*UNDER, effect("x", "planned"), BACK, {**DONE, "seq": 5}],
        ("unsound", "x"),
    ),
    "perhaps done at the number of the edit": (
        [*UNDER, effect("x", "unknown", seq=3), DONE, BACK],
        ("unknown", "x"),
    ),
}
"""Both ends of an interval are outside (4.2). One number twice is a fork: never sound."""


@pytest.mark.parametrize("name", EDGES)
def test_both_ends_are_outside(name: str) -> None:
    events, expected = EDGES[name]
    assert said(report(*events))[:2] == expected


def test_an_edit_after_a_fork_is_not_inherited() -> None:
    other = [span("s2"), FORK, record("e2", "s2"), edit("e2", "s2")]
    found = report(*UNDER, *other, effect("x", "committed", branch="sub"))["edits"]
    verdicts = [each["if_undone"]["soundness"]["verdict"] for each in found]
    assert verdicts == ["unsound", "sound"]


def test_a_partial_rollback_leaves_later_branches_alone() -> None:
    two = [span(), span("s2"), edit("e1", "s1", "s2"), rollback("r", "e1", spans=["s1"])]
    assert said(report(*two, FORK, effect("x", "committed", branch="sub")))[0] == "unsound"


def test_all_that_gates_let_through_is_residue() -> None:
    both = {**OPEN[0], "effects": {"x": "b:x", "y": "b:y"}}
    events = [*UNDER, both, OPEN[1], DONE, effect("y", "committed"), BACK]
    assert said(report(*events)) == ("sound", "", "x y", "")


def test_a_gate_for_one_effect_says_nothing_of_another() -> None:
    events = [effect("y", "started"), *FIRST, DONE, BACK]
    assert said(report(*events)) == ("unknown", "y", "x", "")


HIDDEN: dict[str, tuple[list[Event], Any, str]] = {
    "attested": ([*UNDER, BACK], "complete", "sound"),
    "nobody attests": ([*UNDER, BACK], "none", "unknown"),
    "nothing is said": ([*UNDER, BACK], None, "unknown"),
    "attested from the edit to the rollback": ([*UNDER, BACK], [[3, 4]], "sound"),
    "from after the edit": ([*UNDER, BACK], [[4, 9]], "unknown"),
    "to before the rollback": ([*UNDER, BACK], [[1, 3]], "unknown"),
    "in two ranges that touch": ([*UNDER, span("s2"), BACK], [[4, 9], [1, 3]], "sound"),
    "in two ranges that overlap": ([*UNDER, span("s2"), BACK], [[1, 4], [3, 9]], "sound"),
    "in two ranges with a hole": ([*UNDER, span("s2"), BACK], [[1, 3], [5, 9]], "unknown"),
    "a number is missing inside": ([*UNDER, {**BACK, "seq": 5}], "complete", "unknown"),
    "a number is missing before": ([span(), record(seq=3), edit(), BACK], "complete", "sound"),
    "a number is missing after": ([*UNDER, BACK, span("s2", seq=6)], "complete", "sound"),
    "a gap inside": ([*UNDER, {"kind": "gap", "what": "?"}, BACK], "complete", "unknown"),
    "a gap that explains numbers that are here": (
        [*UNDER, {"kind": "gap", "what": "?", "first_seq": 1}, BACK],
        "complete",
        "sound",
    ),
    "a fork of a number": ([*UNDER, BACK, span("s2", seq=4)], "complete", "unknown"),
    "an edit that is not there": ([*UNDER, rollback("r", "e1", "e9")], "complete", "unknown"),
    "unsound whatever is not there": (
        [*UNDER, DONE, rollback("r", "e1", "e9")],
        "complete",
        "unsound",
    ),
    "unsound whatever is hidden": ([*UNDER, DONE, {**BACK, "seq": 9}], "none", "unsound"),
    "of no edit": ([span(), rollback("r", to=1)], "none", "sound"),
    "of no edit, with a gap elsewhere": ([span(seq=2), rollback("r", to=2)], "complete", "sound"),
    "of no edit, over a gap": ([span(), rollback("r", to=1, seq=3)], "complete", "unknown"),
    "of no edit, in a journal that is not whole": (
        [span(), span("s2", seq=1), rollback("r", to=1)],
        "complete",
        "unknown",
    ),
    "to a number, over a gap": ([*UNDER, rollback("r", to=0, seq=5)], "complete", "unknown"),
    "to a number after the gap": (
        [span(), record(seq=3), edit(), rollback("r", to=3)],
        "complete",
        "sound",
    ),
    "to a number, with the gap in between": (
        [span(), record(), edit(seq=4), span("s2"), rollback("r", to=2)],
        "complete",
        "unknown",
    ),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_may_be_hidden(name: str) -> None:
    events, ledger, verdict = HIDDEN[name]
    assert said(report(*events, ledger=ledger))[0] == verdict


@pytest.mark.parametrize(
    ("ledger", "verdict"), [([[3, 4]], "sound"), ([[3, 3]], "unknown"), ([[4, 4]], "unknown")]
)
def test_an_edit_in_force_asks_the_ledger_up_to_the_last_event(ledger: Any, verdict: str) -> None:
    undone = report(*UNDER, span("s2"), ledger=ledger)["edits"][0]["if_undone"]
    assert undone["soundness"]["verdict"] == verdict


def test_what_is_watched() -> None:
    states = ("planned", "held", "started", "unknown", "committed", "failed")
    inside = [effect(f"x{place}", state, SURE) for place, state in enumerate(states)]
    read = effect("y", "planned", write=False)
    loose = effect("z", "planned", seq=0, after=3, before=4)
    found = report(*UNDER, *inside, read, BACK, effect("w", "planned"), loose)
    assert said(found)[3] == "x0 x1 x2 x3"
    assert row(found["edits"], "e1")["overlaps"] == ["x0", "x1", "x2", "x3", "x4"]


def test_blame_and_overlaps_are_about_different_questions() -> None:
    found = report(effect("x", "started"), *UNDER, DONE)
    undone = found["edits"][0]["if_undone"]["soundness"]
    assert (found["edits"][0]["overlaps"], undone["blame"]) == (["x"], ["x"])
    silent = report(effect("x", "started"), *UNDER)
    undone = silent["edits"][0]["if_undone"]["soundness"]
    assert (silent["edits"][0]["overlaps"], undone["blame"], undone["watch"]) == ([], ["x"], [])


def test_an_undone_edit_is_not_asked_what_if() -> None:
    assert report(*UNDER, BACK)["edits"][0]["if_undone"] is None
    elsewhere = report(*UNDER, FORK, {**BACK, "branch": "sub"})["edits"][0]
    assert elsewhere["if_undone"]["soundness"]["verdict"] == "sound"


def test_an_id_on_two_edits_is_undone_as_both() -> None:
    twice = [span(), edit(), span("s2"), DONE, edit("e1", "s2"), effect("y", "committed")]
    found = report(*twice)["edits"][0]["if_undone"]["soundness"]
    assert found["blame"] == ["x", "y"]
    assert said(report(*twice, BACK))[1] == "x y"


def test_the_question_is_the_same_on_paper_and_in_the_journal() -> None:
    events = [*UNDER, DONE, effect("y", "started")]
    paper = folded(*events).if_undone(folded(*events).edits.all[0])
    state = folded(*events, BACK)
    recorded = state.soundness(state.rollbacks[0])
    assert paper is not None
    assert (paper.soundness.verdict, paper.soundness.blame) == (recorded.verdict, recorded.blame)
