"""All, some or no possible worlds (`semantics.md` 5.7, 5.8, 5.10, 6.3 and 7)."""

from __future__ import annotations

import pytest

from guard import appraisal, worlds
from tests.guard.short import (
    IRR,
    REV,
    SURE,
    Event,
    approved,
    asked,
    edit,
    effect,
    folded,
    report,
    rollback,
    span,
)

UNDER = [span(), edit()]
BACK = rollback("r", "e1")
DEFER = {"class": "deferred"}
NOBODY: Event = {"class": "unknown", "inverse": True}
DONE = effect("x", "committed", SURE)


def undo(name: str, state: str = "committed", of: str = "x", how: Event = SURE, **more: object):
    return effect(name, state, how, compensates=of, **more)


def said(*events: Event) -> tuple[str, str, str]:
    found = report(*events)["rollbacks"][-1]["soundness"]
    return found["verdict"], " ".join(found["blame"]), " ".join(found["residue"])


@pytest.mark.parametrize(
    ("how", "verdict"),
    [
        (SURE, "sound"),
        (REV, "unknown"),
        (IRR, "unsound"),
        (DEFER, "unsound"),
        (NOBODY, "unknown"),
        ({}, "unknown"),
    ],
)
def test_possible_classes(how: Event, verdict: str) -> None:
    assert said(*UNDER, effect("x", "committed", how), BACK)[0] == verdict


# Moments of the commit, by where e1 begins (3) and ends (6).
BEFORE, AFTER = [span("s0")], [span("s9")]
MOMENTS: dict[str, tuple[list[Event], str]] = {
    "committed inside": ([*UNDER, effect("x", "committed"), BACK], "unsound"),
    "an unknown before the edit": (
        [effect("x", "unknown"), *UNDER, effect("x", "committed"), BACK],
        "unknown",
    ),
    "an unknown inside": (
        [effect("x", "started"), *UNDER, effect("x", "unknown"), effect("x", "committed"), BACK],
        "unknown",
    ),
    "an unknown after the commit": (
        [effect("x", "started"), *UNDER, effect("x", "committed"), effect("x", "unknown"), BACK],
        "unsound",
    ),
    "an unknown before, committed after": (
        [effect("x", "unknown"), *UNDER, BACK, effect("x", "committed")],
        "unknown",
    ),
    "an unknown after the end": (
        [*UNDER, BACK, effect("x", "unknown"), effect("x", "committed")],
        "sound",
    ),
    "started before, nothing more": ([effect("x", "started"), *UNDER, BACK], "unknown"),
    "failed in part before": ([effect("x", "failed", partial=True), *UNDER, BACK], "unknown"),
    "failed in part after": ([*UNDER, BACK, effect("x", "failed", partial=True)], "sound"),
    "failed before, planned inside": (
        [effect("x", "started"), effect("x", "failed"), *UNDER, effect("x", "planned"), BACK],
        "sound",
    ),
    "tried again while on its way": (
        [*UNDER, effect("x", "started"), effect("x", "planned"), BACK],
        "unknown",
    ),
    "committed twice": (
        [effect("x", "committed"), *UNDER, effect("x", "committed"), BACK],
        "sound",
    ),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_possible_moments(name: str) -> None:
    events, verdict = MOMENTS[name]
    assert said(*events)[0] == verdict


COMPENSATED: dict[str, tuple[list[Event], tuple[str, str, str]]] = {
    "reversible": ([DONE], ("sound", "", "")),
    "rule 2: mended": ([effect("x", "committed", REV), undo("y")], ("unknown", "x", "")),
    "rule 2, for an irreversible one": (
        [effect("x", "committed"), undo("y")],
        ("unsound", "x", ""),
    ),
    "rule 2: any moment will do": (
        [DONE, undo("y", "failed"), BACK, undo("z")],
        ("sound", "", ""),
    ),
    "rule 3: failed": ([DONE, undo("y", "failed")], ("unsound", "x", "")),
    "rule 3: on its way": ([DONE, undo("y", "started")], ("unknown", "x", "")),
    "rule 3: not answered": ([DONE, undo("y", "unknown")], ("unknown", "x", "")),
    "rule 3: failed in part": (
        [DONE, undo("y", "failed", partial=True)],
        ("unknown", "x", ""),
    ),
    "rule 3: only planned": ([DONE, undo("y", "planned")], ("sound", "", "")),
    "rule 3: held": ([DONE, undo("y", "held")], ("sound", "", "")),
    "rule 3: failed, then planned": (
        [DONE, undo("y", "failed"), undo("y", "planned")],
        ("unsound", "x", ""),
    ),
    "two, one failed and one not answered": (
        [DONE, undo("y", "failed"), undo("z", "unknown")],
        ("unknown", "x", ""),
    ),
    "rule 1: the compensation is exempt": (
        [DONE, undo("y", how=IRR)],
        ("sound", "", ""),
    ),
    "rule 1 does not reach further": (
        [DONE, undo("y", how=SURE), undo("z", of="y", how=IRR)],
        ("sound", "", ""),
    ),
    "a chain whose end failed": (
        [DONE, undo("y"), undo("z", "failed", of="y")],
        ("sound", "", ""),
    ),
    "a compensation that comes first": (
        [undo("y", "failed"), DONE],
        ("sound", "", ""),
    ),
    "of something else": ([DONE, undo("y", "failed", of="w")], ("sound", "", "")),
    "of itself": ([effect("x", "committed", SURE, compensates="x")], ("sound", "", "")),
    "by a read": (
        [DONE, undo("y", "failed"), undo("z", write=False)],
        ("unsound", "x", ""),
    ),
    "a read that failed": ([DONE, undo("y", "failed", write=False)], ("sound", "", "")),
    "of a read": (
        [effect("x", "committed", SURE, write=False), undo("y", how=IRR)],
        ("unsound", "y", ""),
    ),
    "by an attempt that is not the first": (
        [
            effect("x", "unknown", SURE, key="k", body="b"),
            effect("x2", "committed", SURE, key="k", body="b"),
            undo("y", "failed", of="x2"),
        ],
        ("sound", "", ""),
    ),
    "the latest word counts": (
        [DONE, undo("y", "failed", of="w"), undo("y", "failed")],
        ("unsound", "x", ""),
    ),
}


@pytest.mark.parametrize("name", COMPENSATED)
def test_compensation(name: str) -> None:
    inside, expected = COMPENSATED[name]
    back = [] if any(event["kind"] == "rollback" for event in inside) else [BACK]
    assert said(*UNDER, *inside, *back) == expected


def test_a_compensation_outside_is_judged_like_any_effect() -> None:
    charge = [effect("x", "committed", SURE), *UNDER]
    assert said(*charge, undo("y", how=IRR), BACK) == ("unsound", "y", "")
    assert said(*charge, undo("y"), BACK) == ("sound", "", "")


def test_a_gate_for_one_of_two_edits_lets_through_that_one_only() -> None:
    two = [*UNDER, span("s2"), edit("e2", "s2"), asked("x"), approved()]
    both = rollback("r", "e1", "e2")
    assert said(*two, effect("x", "committed"), BACK) == ("sound", "", "x")
    assert said(*two, effect("x", "committed"), rollback("r", "e2")) == ("unsound", "x", "")
    assert said(*two, effect("x", "committed"), both) == ("unsound", "x", "x")


def test_what_a_gate_lets_through_may_still_be_reversible() -> None:
    open_ = [*UNDER, asked("x"), approved()]
    assert said(*open_, effect("x", "committed", SURE), BACK) == ("sound", "", "")
    assert said(*open_, effect("x", "committed", REV), BACK) == ("sound", "", "x")
    assert said(*open_, effect("x", "started"), BACK) == ("sound", "", "x")


ROOMS: dict[str, tuple[dict[str, int], str]] = {
    "anywhere": ({}, "unknown"),
    "before the edit": ({"before": 2}, "sound"),
    "up to the edit": ({"before": 3}, "unknown"),
    "inside": ({"after": 2, "before": 3}, "unsound"),
    "after the edit": ({"after": 2}, "unknown"),
    "after the rollback": ({"after": 3}, "sound"),
    "beyond the prefix": ({"after": 4}, "sound"),
    "inside, with an open end": ({"after": 2, "before": 99}, "unknown"),
}


@pytest.mark.parametrize("name", ROOMS)
def test_the_rooms_of_an_event_without_a_number(name: str) -> None:
    where, verdict = ROOMS[name]
    assert said(*UNDER, BACK, effect("x", "committed", seq=0, **where))[0] == verdict


LOOSE: dict[str, tuple[list[Event], str]] = {
    "both steps anywhere": (
        [*UNDER, BACK, effect("x", "planned", seq=0), effect("x", "committed", seq=0)],
        "unknown",
    ),
    "planned inside, committed somewhere": (
        [*UNDER, effect("x", "planned"), BACK, effect("x", "committed", seq=0, after=3)],
        "unsound",
    ),
    "planned inside, committed after": (
        [*UNDER, effect("x", "planned"), BACK, effect("x", "committed", seq=0, after=4)],
        "unsound",
    ),
    "a failure that may be the last word": (
        [*UNDER, effect("x", "started"), BACK, effect("x", "failed", seq=0)],
        "unknown",
    ),
    "a failure after the start": (
        [*UNDER, effect("x", "started"), BACK, effect("x", "failed", seq=0, after=3)],
        "sound",
    ),
    "a class that may be the last word": (
        [*UNDER, effect("x", "committed", SURE), BACK, effect("x", "committed", seq=0, after=0)],
        "unknown",
    ),
    "a class that is overridden": (
        [*UNDER, effect("x", "committed", SURE), BACK, effect("x", "committed", seq=0, before=3)],
        "sound",
    ),
    "a read that is open": (
        [*UNDER, effect("x", "committed", seq=0, write=False), BACK],
        "sound",
    ),
    "another branch": ([*UNDER, effect("x", "committed", seq=0, branch="sub"), BACK], "sound"),
}


@pytest.mark.parametrize("name", LOOSE)
def test_events_without_numbers(name: str) -> None:
    events, verdict = LOOSE[name]
    assert said(*events)[0] == verdict


OPEN_LINKS: dict[str, tuple[list[Event], str]] = {
    "perhaps it is earlier": (
        [*UNDER, undo("y", "failed"), effect("x", "committed", SURE, seq=0, after=2), BACK],
        "unknown",
    ),
    "it may be earlier, and is inside wherever it is": (
        [
            *UNDER,
            undo("y", "failed"),
            effect("x", "committed", SURE, seq=0, after=2, before=4),
            BACK,
        ],
        "unsound",
    ),
    "a circle": (
        [
            *UNDER,
            effect("x", "committed", SURE, seq=0, after=2, before=3, compensates="y"),
            effect("y", "failed", SURE, seq=0, after=2, before=3, compensates="x"),
            BACK,
        ],
        "sound",
    ),
    "a circle that is open": (
        [
            *UNDER,
            effect("x", "committed", SURE, seq=0, after=2, before=4, compensates="y"),
            effect("y", "failed", SURE, seq=0, after=2, before=4, compensates="x"),
            BACK,
        ],
        "unknown",
    ),
    "two that it may mean": (
        [*UNDER, DONE, effect("x", "committed", SURE, key="k"), undo("y", "failed"), BACK],
        "unsound",
    ),
    "what it says is open": (
        [
            *UNDER,
            DONE,
            undo("y", "failed", seq=0, after=3),
            undo("y", "failed", of="w", seq=0, after=3),
            BACK,
        ],
        "unknown",
    ),
}


@pytest.mark.parametrize("name", OPEN_LINKS)
def test_links_that_are_open(name: str) -> None:
    events, verdict = OPEN_LINKS[name]
    assert said(*events)[0] == verdict


ROOMY = {"seq": 0, "after": 2, "before": 4}
"""Two rooms under the edit: each of two effects may be the earlier."""
READ = {"write": False, "key": "k", **ROOMY}
"""A namesake that makes it ambiguous what is compensated, and matters for nothing else."""
TANGLES: dict[str, tuple[list[Event], str]] = {
    "a compensation is exempt": ([DONE, {**DONE, "key": "k"}, undo("y", how=IRR)], "sound"),
    "of either of the two": (
        [DONE, {**DONE, "key": "k", "branch": "sub"}, undo("y", how=IRR)],
        "sound",
    ),
    "of none that counts": (
        [{**DONE, "branch": "sub"}, {**DONE, "key": "k", "branch": "sub"}, undo("y", how=IRR)],
        "unsound",
    ),
    "one failed": ([DONE, {**DONE, "key": "k"}, undo("y", "failed")], "unsound"),
    "one failed, another committed": (
        [DONE, {**DONE, "key": "k"}, undo("y", "failed"), undo("z")],
        "sound",
    ),
    "a circle of two": (
        [
            undo("y", of="z", **ROOMY),
            undo("z", of="y", how=IRR, **ROOMY),
            effect("z", "committed", SURE, **READ),
        ],
        "unsound",
    ),
    "a circle of three": (
        [
            undo("w", of="y", **ROOMY),
            undo("y", of="z", **ROOMY),
            undo("z", of="w", how=IRR, **ROOMY),
            effect("y", "committed", SURE, **READ),
        ],
        "unsound",
    ),
    "no circle": (
        [
            undo("y", of="v", **ROOMY),
            undo("z", of="y", how=IRR, **ROOMY),
            effect("y", "committed", SURE, **READ),
        ],
        "sound",
    ),
}


@pytest.mark.parametrize("name", TANGLES)
def test_groups_in_which_a_link_is_ambiguous(name: str) -> None:
    inside, verdict = TANGLES[name]
    numbered = [event for event in inside if "seq" not in event]
    loose = [event for event in inside if "seq" in event]
    assert said(*UNDER, *numbered, span("s3"), BACK, *loose)[0] == verdict


@pytest.mark.parametrize("most", range(1, 7))
def test_a_group_is_judged_exactly_up_to_its_limit(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "MOST_WORLDS", most)
    twins = [DONE, effect("x", "started", SURE, key="k")]
    state = folded(*UNDER, *twins, undo("y", "unknown"), BACK)
    assert (state.soundness(state.rollbacks[0]).hidden is not None) == (most < 4)


def test_a_group_with_too_many_worlds_is_unknown_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    around = [effect("a", "committed", SURE)], [effect("z", "committed", SURE)]
    twins = [DONE, effect("x", "started", SURE, key="k"), undo("y", "unknown")]
    events = [*UNDER, *around[0], *twins, *around[1], BACK]
    assert said(*events)[0] == "unknown"
    monkeypatch.setattr(worlds, "MOST_WORLDS", 1)
    state = folded(*events)
    found = state.soundness(state.rollbacks[0])
    assert (found.verdict, list(found.blame)) == ("unknown", ["x", "y"])
    assert found.hidden == "numbers for the events of the blamed effects"


def test_the_cost_is_that_of_effects_and_not_of_their_product() -> None:
    many = [effect(f"x{number:03}", "unknown", {}) for number in range(60)]
    state = folded(
        *UNDER, *many, *(undo(f"y{n:03}", "unknown", of="x000") for n in range(60)), BACK
    )
    found = state.soundness(state.rollbacks[0])
    assert (found.verdict, len(found.blame)) == ("unknown", 60)


def test_a_question_that_no_gate_names_is_answered_once() -> None:
    state = folded(*UNDER, DONE, undo("y", "unknown"), BACK, rollback("r2", "e1"))
    asked_: list[object] = []
    judge = appraisal.Appraisal.judge

    def counted(self: appraisal.Appraisal, *rest: object) -> worlds.Value:
        asked_.append(rest)
        return judge(self, *rest)  # type: ignore[arg-type]

    appraisal.Appraisal.judge = counted  # type: ignore[method-assign]
    try:
        verdicts = {state.soundness(rolled).verdict for rolled in state.rollbacks}
    finally:
        appraisal.Appraisal.judge = judge  # type: ignore[method-assign]
    assert (verdicts, len(asked_)) == ({"unknown"}, 1)
