"""The window that really undoes: what it promises, and that the judge agrees with every word."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from guard.errors import RecordMissing
from guard.events import AnyEvent, By, Digest, EditId, Header, SpanId
from guard.journal import encode, read
from guard.judge import judge
from guard.state import fold
from guard.undo import Candidate, Content, EditRefused, UndoRegion, Window

HEADER = Header(format="context-journal/1", id="undo", ledger="complete")
LIMIT = Content("max_retries: 0", {"cfg.yml:max_retries": "0"})
NOTE = Content("a note")


class Tape:
    """A journal in memory: gives the numbers."""

    def __init__(self) -> None:
        self.lines = [encode(HEADER)]

    def append(self, event: AnyEvent) -> None:
        self.lines.append(encode(replace(event, seq=len(self.lines))))

    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(judge(fold(read(b"".join(self.lines)))).encode())
        return found

    def kinds(self) -> list[str]:
        return [json.loads(line)["kind"] for line in self.lines[1:]]


def opened(**options: Any) -> tuple[Window, Tape, dict[EditId, bytes]]:
    """A window with two spans, its journal, and the bytes behind its region."""
    store: dict[EditId, bytes] = {}
    tape = Tape()
    window = Window(UndoRegion(store), tape.append, **options)
    window.add(SpanId("s1"), LIMIT)
    window.add(SpanId("s2"), NOTE)
    return window, tape, store


def summarize(
    window: Window, edit: str, *spans: str, text: str = "short", by: By = "model"
) -> None:
    take = [SpanId(span) for span in spans]
    window.edit(EditId(edit), "summarize", take, Content(text), by=by)


def test_undo_gives_back_exactly_what_was_taken() -> None:
    window, tape, _ = opened()
    before = window.spans()
    summarize(window, "e1", "s1", "s2")
    assert list(window.spans()) == ["digest-e1"]
    assert window.undo(EditId("e1")) is None
    window.observe()
    assert window.spans() == before
    (rollback,) = tape.report()["rollbacks"]
    assert (rollback["mode"], rollback["retention"]["verdict"]) == ("linear", "equal")


def test_the_record_comes_before_the_edit() -> None:
    window, tape, _ = opened()
    summarize(window, "e1", "s1")
    assert tape.kinds()[-2:] == ["record", "edit"]


def test_an_undo_does_not_put_an_old_version_over_a_newer_one() -> None:
    window, tape, _ = opened()
    summarize(window, "e1", "s1")
    newer = Content("max_retries: 3", {"cfg.yml:max_retries": "3"})
    window.add(SpanId("s1"), newer)
    window.undo(EditId("e1"))
    window.observe()
    assert window.spans()[SpanId("s1")] == newer
    assert tape.report()["rollbacks"][0]["retention"]["verdict"] == "equal"


def test_an_undo_of_a_span_edited_again_is_a_new_edit_with_its_own_record() -> None:
    window, tape, _ = opened()
    summarize(window, "e1", "s1")
    summarize(window, "e2", "digest-e1", "s2", text="shorter")
    merge = window.undo(EditId("e1"))
    assert merge is not None
    (merged,) = window.spans().values()
    assert merged.facts == LIMIT.facts
    assert LIMIT.text in merged.text
    assert "shorter" in merged.text
    report = tape.report()
    assert report["closure"] == {
        "verdict": "closed",
        "performed": 3,
        "recorded": 3,
        "missing": [],
        "late": [],
    }
    assert report["rollbacks"] == []
    window.undo(merge)
    assert list(window.spans()) == ["digest-e2"]


def test_undoing_both_edits_of_a_span_is_no_merge() -> None:
    window, tape, _ = opened()
    before = window.spans()
    summarize(window, "e1", "s1")
    summarize(window, "e2", "digest-e1", "s2")
    assert window.undo(EditId("e1"), EditId("e2")) is None
    window.observe()
    assert window.spans() == before
    (rollback,) = tape.report()["rollbacks"]
    assert (rollback["mode"], rollback["retention"]["verdict"]) == ("linear", "equal")


@pytest.mark.parametrize(
    "harm",
    [
        lambda store: store.clear(),
        lambda store: store.update({EditId("e1"): b"{}"}),
        lambda store: store.update({EditId("e1"): b"junk"}),
        lambda store: store.update({EditId("e1"): store[EditId("e1")].replace(b": 0", b": 9")}),
    ],
)
def test_a_record_that_is_gone_or_does_not_fit_stops_the_undo(
    harm: Callable[[dict[EditId, bytes]], None],
) -> None:
    window, tape, store = opened()
    summarize(window, "e1", "s1")
    harm(store)
    before, lines = window.spans(), len(tape.lines)
    with pytest.raises(RecordMissing):
        window.undo(EditId("e1"))
    assert (window.spans(), len(tape.lines)) == (before, lines)
    assert not window.probe(EditId("e1"))


def test_no_edit_is_made_while_a_record_is_missing_even_of_an_edit_that_left_no_trace() -> None:
    window, tape, store = opened()
    window.edit(EditId("e1"), "evict", [SpanId("s1")], None)
    del store[EditId("e1")]
    lines = len(tape.lines)
    with pytest.raises(RecordMissing):
        summarize(window, "e2", "s2")
    assert len(tape.lines) == lines
    with pytest.raises(RecordMissing):
        window.audit("auditor")
    assert tape.report()["closure"]["missing"] == ["e1"]


def test_a_compaction_with_one_wrong_name_changes_nothing() -> None:
    window, tape, store = opened()
    before, lines = window.spans(), len(tape.lines)
    names = [SpanId("s1"), SpanId("undo:e0"), SpanId("s2")]
    with pytest.raises(EditRefused, match="undo:e0"):
        window.compact(EditId("e1"), lambda _: names, None)
    assert (window.spans(), len(tape.lines), store) == (before, lines, {})


def test_a_policy_is_offered_spans_and_never_records() -> None:
    window, _, store = opened()
    summarize(window, "e1", "s1")
    offered: list[Candidate] = []

    def greedy(candidates: Sequence[Candidate]) -> list[SpanId]:
        offered.extend(candidates)
        return [candidate.id for candidate in candidates]

    window.compact(EditId("e2"), greedy, None)
    assert {candidate.id for candidate in offered} == {"s2", "digest-e1"}
    assert store.keys() == {"e1", "e2"}
    assert window.spans() == {}


def test_a_record_is_written_once() -> None:
    region = UndoRegion()
    region.write(EditId("e1"), {SpanId("s1"): LIMIT})
    region.write(EditId("e1"), {SpanId("s1"): LIMIT})
    with pytest.raises(EditRefused):
        region.write(EditId("e1"), {SpanId("s1"): NOTE})
    assert region.read(EditId("e1"), {SpanId("s1"): LIMIT.hash()}) == {SpanId("s1"): LIMIT}


@pytest.mark.parametrize(
    ("edit", "spans"), [("e1", ["s2"]), ("e2", ["s1"]), ("e2", ["s2", "s2"]), ("e2", ["nothing"])]
)
def test_an_edit_that_cannot_be_made_whole_is_refused(edit: str, spans: list[str]) -> None:
    window, tape, _ = opened()
    summarize(window, "e1", "s1")
    lines = len(tape.lines)
    with pytest.raises(EditRefused):
        summarize(window, edit, *spans)
    assert len(tape.lines) == lines


def test_an_edit_is_undone_once() -> None:
    window, _, _ = opened()
    summarize(window, "e1", "s1")
    window.undo(EditId("e1"))
    for edits in (["e1"], ["e0"], []):
        with pytest.raises(EditRefused):
            window.undo(*map(EditId, edits))


def test_an_undo_across_a_swap_is_merged_on_record_and_its_spans_are_pinned_once() -> None:
    window, tape, _ = opened()
    window.swap("P1", Digest("p1"), {})
    summarize(window, "e1", "s1")
    window.swap("P2", Digest("p2"), {})
    window.undo(EditId("e1"))
    window.observe()
    with pytest.raises(EditRefused, match="s1"):
        summarize(window, "e2", "s1")
    summarize(window, "e3", "s2")
    summarize(window, "e4", "s1")
    report = tape.report()
    assert report["rollbacks"][0]["mode"] == "epoch"
    assert report["findings"] == []


def test_a_frozen_policy_changes_only_when_no_edit_is_open() -> None:
    window, tape, _ = opened(discipline="freeze")
    summarize(window, "e1", "s1")
    with pytest.raises(EditRefused, match="e1"):
        window.swap("P1", Digest("p1"), {})
    window.seal()
    window.swap("P1", Digest("p1"), {})
    summarize(window, "e2", "s2")
    window.undo(EditId("e2"))
    window.swap("P2", Digest("p2"), {})
    assert tape.kinds().count("policy") == 2


def test_a_journal_that_cannot_be_written_leaves_the_window_as_it_was() -> None:
    window, _, _ = opened()
    full = Window(UndoRegion(), _Full(3).append)
    full.add(SpanId("s1"), LIMIT)
    full.add(SpanId("s2"), NOTE)
    with pytest.raises(OSError, match="full"):
        summarize(full, "e1", "s1")
    assert full.spans() == window.spans()


class _Full:
    def __init__(self, room: int) -> None:
        self.room = room

    def append(self, event: AnyEvent) -> None:
        if not self.room:
            raise OSError("full")
        self.room -= 1


PLACES = st.lists(st.integers(0, 20), min_size=1, max_size=3)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["add", "edit", "edit", "evict", "undo", "undo"]), PLACES),
        st.tuples(st.sampled_from(["swap", "probe", "seal", "again", "stranger"]), PLACES),
    ),
    min_size=6,
    max_size=40,
)


def chosen(names: Sequence[str], places: list[int]) -> list[str]:
    """Some of the names, whatever the places are."""
    return list(dict.fromkeys(names[place % len(names)] for place in places)) if names else []


def take_step(window: Window, made: list[str], step: tuple[str, list[int]]) -> None:
    what, places = step
    spans = [SpanId(span) for span in chosen(sorted(window.spans()), places)]
    edits = [EditId(edit) for edit in chosen(made, places)]
    new = EditId(f"e{len(made)}")
    match what:
        case "add":
            span, version = places[0] % 6, sum(places) % 3
            fact = {f"f{span}.yml:limit": str(version)}
            window.add(SpanId(f"s{span}"), Content(f"limit: {version}", fact))
        case "edit":
            window.edit(new, "summarize", spans, Content(f"digest {new}"))
            made.append(new)
        case "evict":
            window.compact(new, lambda _: spans, None)
            made.append(new)
        case "undo":
            merge = window.undo(*edits)
            made += [] if merge is None else [merge]
            window.observe()
        case "swap":
            window.swap(f"P{places[0]}", Digest(f"p{places[0] % 3}"), {})
        case "probe" if edits:
            window.probe(edits[0])
        case "seal":
            window.seal()
        case "again" if edits:
            window.edit(edits[0], "drop", spans, None)
        case "stranger":
            window.compact(new, lambda _: [*spans, SpanId("nobody")], None)


@given(STEPS)
@settings(max_examples=300, deadline=None)
def test_the_judge_finds_nothing_against_a_window_driven_at_random(
    steps: list[tuple[str, list[int]]],
) -> None:
    tape = Tape()
    window = Window(UndoRegion(), tape.append)
    made: list[str] = []
    for step in steps:
        before, lines = window.spans(), len(tape.lines)
        try:
            take_step(window, made, step)
        except EditRefused:
            assert (window.spans(), len(tape.lines)) == (before, lines)
    window.audit("auditor")
    report = tape.report()
    assert report["closure"]["verdict"] == "closed"
    assert {row["retention"]["verdict"] for row in report["rollbacks"]} <= {"equal"}
    assert {row["mode"] for row in report["rollbacks"]} <= {"linear", "epoch"}
    assert report["findings"] == []
