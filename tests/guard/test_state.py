"""The folded journal: what `fold` takes at once, `apply` takes event by event."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guard.events import Edit, Effect, Gap, Span
from guard.journal import read
from guard.judge import judge
from guard.state import State, fold
from tests.guard.short import (
    SURE,
    edit,
    effect,
    folded,
    journal,
    observed,
    policy,
    proposal,
    record,
    report,
    rollback,
    row,
    span,
)

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.ndjson"))
HEAD = [span(fact="0"), record(), edit()]


def step_by_step(data: bytes) -> State | None:
    """The same journal, event by event; None where that cannot be done."""
    parsed = read(data)
    if parsed.forks or parsed.torn or parsed.header.checkpoint:
        return None
    state = State(parsed.header)
    for event in parsed.unnumbered:
        state.apply(event)
    for event in parsed.numbered:
        judge(state).encode()
        state.apply(event, broken=event.seq in parsed.broken)
    return state


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_event_by_event_is_the_same_as_at_once(path: Path) -> None:
    data = path.read_bytes()
    state = step_by_step(data)
    if state is not None:
        assert judge(state).encode() == judge(fold(read(data))).encode()


@pytest.mark.parametrize("path", GOLDEN[::4], ids=lambda path: path.stem)
def test_a_copy_goes_its_own_way(path: Path) -> None:
    data = path.read_bytes()
    whole = fold(read(data))
    before = judge(whole).encode()
    other = whole.copy()
    assert judge(other).encode() == before
    number = whole.now
    for event in (
        span(hash="h:new"),
        record("e1"),
        edit("e1", "s1"),
        edit("e9", "s1", "d1"),
        effect("x9", "started", SURE),
        effect("x1", "committed"),
        proposal("e1"),
        policy("P9", reaches_recovery=True),
        {"kind": "lost", "edit": "e1"},
        {"kind": "probe", "edit": "e1", "ok": False},
        {"kind": "inventory", "edits": []},
        {"kind": "counter", "performed": 99},
        {"kind": "seal"},
        {"kind": "fork", "branch": "twig", "from": "main"},
        {"kind": "gate", "id": "g1", "state": "rejected", "by": "bob"},
        {"kind": "merge", "rollback": "r1", "dropped": ["s1"]},
        {"kind": "phase", "phase": "commit"},
        {"kind": "gap", "what": "?"},
        {"kind": "novelty"},
        rollback("r1", "e1", "e9"),
        observed("s1"),
    ):
        (parsed,) = read(journal({**event, "seq": number})).numbered
        other.apply(parsed)
        number += 1
    assert judge(other).encode() != before
    assert judge(whole.copy()).encode() == before


def test_a_number_that_is_not_higher_has_to_be_folded_again() -> None:
    state = folded(span(), span("s2"))
    for number in (1, 2):
        with pytest.raises(ValueError, match=f"number {number} does not come after 2"):
            state.apply(Span(seq=number, id="s3", hash="h"))
    with pytest.raises(ValueError, match="number None"):
        state.apply(Gap(what="?"))
    state.apply(Span(seq=3, id="s3", hash="h"))
    assert (state.at, state.now, state.events) == (3, 4, 3)


def test_an_event_without_a_number_counts_from_its_place_on() -> None:
    state = folded(*HEAD)
    state.apply(Effect(id="x", state="committed", after=4))
    assert (state.events, state.effect_rows()) == (3, [])
    state.apply(Span(seq=4, id="s9", hash="h"))
    assert (state.events, [logical.id for logical in state.effect_rows()]) == (5, ["x"])


def test_a_broken_event_is_tampered_with() -> None:
    state = folded(span())
    state.apply(Span(seq=2, id="s2", hash="h"), broken=True)
    assert (state.integrity.verdict, state.integrity.seqs) == ("tampered", (2,))


def test_an_answer_is_kept_until_the_next_event() -> None:
    state = folded(*HEAD)
    assert state.closure is state.closure
    assert state.closure.performed == 1
    state.apply(Edit(seq=4, id="e2", op="drop", in_=["s1"], out=None))
    assert state.closure.performed == 2


PREFIXES = [*HEAD, effect("x", "started"), effect("x", "committed"), rollback("r", "e1")]


@pytest.mark.parametrize("at", range(len(PREFIXES) + 3))
def test_a_prefix_is_judged_as_a_journal_of_its_own(at: int) -> None:
    whole = report(*PREFIXES, at=at)
    assert whole == report(*PREFIXES[:at])
    assert whole["at"] == min(at, len(PREFIXES))


@pytest.mark.parametrize(
    ("at", "verdict"), [(1, "ok"), (2, "tail_lost"), (3, "tail_lost"), (None, "tail_lost")]
)
def test_a_checkpoint_beyond_the_prefix_says_nothing(at: int | None, verdict: str) -> None:
    header = {"checkpoint": {"count": 2, "hash": "e" * 64}}
    assert report(span(), at=at, **header)["integrity"]["verdict"] == verdict


def test_a_fork_stays_in_the_prefix_whole() -> None:
    twice = [span(), edit(), span("s2", seq=2), span("s3")]
    assert report(*twice, at=2)["integrity"] == {"verdict": "fork", "seqs": [2]}
    assert report(*twice, at=1)["integrity"]["verdict"] == "ok"
    assert report(*twice)["events"] == 4


def test_broken_chains_after_the_prefix_do_not_count() -> None:
    chained = {"prev": "0" * 64, "chain": "e" * 64}
    events = [span(), {**span("s2"), **chained}]
    assert report(*events)["integrity"]["verdict"] == "tampered"
    assert report(*events, at=1)["integrity"]["verdict"] == "ok"


def test_lacking_ends_with_the_interval_on_the_edits_own_branch() -> None:
    now = {"cfg.yml:retries": "0"}
    assert row(report(*HEAD)["edits"], "e1")["lacking"] == now
    assert row(report(*HEAD, span("s2", fact="0"))["edits"], "e1")["lacking"] == {}
    assert row(report(*HEAD, span("s2", fact="3"))["edits"], "e1")["lacking"] == now
    assert row(report(*HEAD, rollback("r", "e1"), span(hash="h"))["edits"], "e1")["lacking"] == {}
    elsewhere = [*HEAD, {"kind": "fork", "branch": "sub", "from": "main"}]
    back = rollback("r", "e1", branch="sub")
    assert row(report(*elsewhere, back)["edits"], "e1")["lacking"] == now


def test_rows_stand_by_position_and_those_without_a_number_last() -> None:
    loose = [effect("a", "planned", seq=0, after=1), effect("b", "planned", seq=0)]
    found = report(effect("z", "planned"), effect("y", "planned"), *loose)["effects"]
    assert [each["id"] for each in found] == ["z", "y", "b", "a"]


def test_the_last_proposal_of_an_id_is_judged_where_it_stands() -> None:
    again = [proposal("e2"), proposal("e1"), proposal("e2", store={})]
    found = report(span(), *again)["proposals"]
    assert [(each["edit"], each["rules"]) for each in found] == [("e1", []), ("e2", ["A1"])]


def test_proposals_of_one_number_stand_by_id() -> None:
    found = report(span(), proposal("e2"), {**proposal("e1"), "seq": 2})["proposals"]
    assert [each["edit"] for each in found] == ["e1", "e2"]


@pytest.mark.parametrize("dropped", [[], ["s1"]])
def test_a_merge_is_found_by_its_rollback(dropped: list[str]) -> None:
    merge = {"kind": "merge", "rollback": "r", "dropped": dropped}
    state = folded(*HEAD, rollback("r", "e1"), rollback("q", "e1"), merge)
    assert [state.merged(rolled) for rolled in state.rollbacks] == [True, False]


def test_a_torn_line_is_kept_apart() -> None:
    data = journal(span()) + b'{"kind":"span"'
    findings = json.loads(judge(fold(read(data))).encode())["findings"]
    assert [(each["code"], each["seqs"]) for each in findings] == [("JG403", [])]
