"""Every unknown and every possible comes with one sentence: what would make it known (O7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings

from guard.cli.readable import lines as readable
from guard.journal import read
from guard.judge import judge
from guard.rules.unknowns import Unknowns
from guard.state import State, fold
from tests.guard.random_journals import journals
from tests.guard.short import (
    SURE,
    Event,
    edit,
    effect,
    folded,
    observed,
    record,
    rollback,
    span,
)

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.ndjson"))
RULES_OF_UNKNOWNS = {"JG102", "JG109", "JG203", "JG306"}


def of_rows(state: State) -> Iterator[tuple[str, str]]:
    """(name that has to be in it, sentence) for each unknown of a row."""
    unknowns = Unknowns(state)
    for each in state.edits.firsts():
        if state.status(each) == "unknown":
            yield each.id, unknowns.status(each)
        undone = state.if_undone(each)
        if undone is not None and undone.soundness.verdict == "unknown":
            named = undone.soundness.blame
            yield named[0] if named else "", unknowns.soundness(undone.soundness)
    for rolled in state.rollbacks:
        found = state.soundness(rolled)
        if found.verdict == "unknown":
            yield found.blame[0] if found.blame else "", unknowns.soundness(found)
    for logical in state.ledger.all:
        said = state.appraisal.rows[logical.index].said
        if "unknown" in {said, state.appraisal.states[logical.index]}:
            yield "", unknowns.effect(logical)


def is_sentence(text: str) -> bool:
    asked, _, rest = text.partition(" would tell")
    return len(asked.split()) >= 2 and not rest and "\n" not in text


def assert_all_say_what_would_tell(state: State) -> None:
    findings = judge(state).findings
    for found in findings:
        if found.certainty == "possible":
            said, _, asked = found.message.rpartition("; ")
            assert said, found
            assert is_sentence(asked), found
            assert found.severity != "error"
    for named, sentence in of_rows(state):
        assert is_sentence(sentence), sentence
        assert named in sentence or "whole journal" in sentence
    codes = {(found.code, found.subject) for found in findings if found.certainty == "possible"}
    if state.closure.verdict == "unknown":
        assert ("JG203", state.header.id) in codes
    for rolled in state.rollbacks:
        if state.soundness(rolled).verdict == "unknown":
            assert ("JG102", rolled.id) in codes
        if state.retention(rolled).verdict == "unknown":
            assert ("JG306", rolled.id) in codes
    for each in state.edits.firsts():
        undone = state.if_undone(each)
        if undone and undone.soundness.verdict == "unknown" and each.edit.by == "model":
            assert ("JG109", each.id) in codes


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_unknown_of_the_golden_journals_says_what_would_tell(path: Path) -> None:
    assert_all_say_what_would_tell(fold(read(path.read_bytes())))


@given(journals())
@settings(max_examples=150, deadline=None)
def test_every_unknown_of_any_journal_says_what_would_tell(lines: list[bytes]) -> None:
    assert_all_say_what_would_tell(fold(read(b"".join(lines))))


UNDER = [span(), record(), edit()]
BACK = rollback("r1", "e1")
SENTENCES: dict[str, tuple[list[Event], str]] = {
    "the outcome of x": [*UNDER, effect("x", "started"), BACK],
    "the class of x": [*UNDER, effect("x", "committed", {}), BACK],
    "an inverse of x": [*UNDER, effect("x", "committed", {"class": "reversible"}), BACK],
    "the outcome of x and the class of x": [*UNDER, effect("x", "unknown", {}), BACK],
    "the place of x": [*UNDER, effect("x", "committed", seq=0), BACK],
    "the moment of x": [
        span(),
        effect("x", "unknown"),
        record(),
        edit(),
        effect("x", "committed"),
        BACK,
    ],
    "the outcome of what compensates x": [
        *UNDER,
        effect("x", "committed", SURE),
        effect("y", "unknown", SURE, compensates="x"),
        BACK,
    ],
    "the numbers missing after 3": [*UNDER, {**BACK, "seq": 5}],
    "the edit e9, missing before it,": [*UNDER, rollback("r1", "e9")],
    "a whole journal (this one: fork)": [*UNDER, span("s2"), span("s3", seq=4), BACK],
}


@pytest.mark.parametrize("asked", SENTENCES)
def test_an_unknown_soundness_asks_for_what_is_missing(asked: str) -> None:
    state = folded(*SENTENCES[asked])
    (found,) = [found for found in judge(state).findings if found.code == "JG102"]
    assert found.message == f"r1 may have left an effect behind; {asked} would tell"


def test_a_ledger_is_asked_for_where_it_has_to_look() -> None:
    state = folded(*UNDER, BACK, ledger=[[1, 2]])
    assert Unknowns(state).soundness(state.soundness(state.rollbacks[0])) == (
        "a ledger that covers 3 to 4 would tell"
    )


STATUS = {
    "a good record of e1": [span(), edit()],
    "what e1 took": [span(), record(), edit(fidelity="count")],
    "a good probe of e1": UNDER,
    "a whole journal (this one: fork)": [*UNDER, span("s2"), span("s3", seq=4)],
}


@pytest.mark.parametrize("asked", STATUS)
def test_an_unknown_status_asks_for_what_is_missing(asked: str) -> None:
    state = folded(*STATUS[asked])
    assert Unknowns(state).status(state.edits.all[0]) == f"{asked} would tell"


def test_the_readable_report_says_it_beside_each_unknown() -> None:
    state = folded(*UNDER, effect("x", "unknown", {}), BACK, span("s2"), edit("e2", "s2"))
    said = "\n".join(readable(judge(state)))
    assert "an answer and a class on one of its events would tell" in said
    assert "a good record of e2 would tell" in said
    assert "unknown, blame x, watch x; the outcome of x and the class of x would tell" in said
    assert "retention unknown; an observed event after it on its branch would tell" in said


def test_what_is_known_asks_for_nothing() -> None:
    state = folded(*UNDER, {"kind": "probe", "edit": "e1", "ok": True}, BACK, observed("s1"))
    assert not any("would tell" in line for line in readable(judge(state)))
