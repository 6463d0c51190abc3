"""The report is a function of the lines as a set (`semantics.md` 13.4, invariant I14)."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.decide import decide, decide_effect
from guard.events import Effect, Proposal
from guard.journal import read
from guard.judge import judge
from guard.ledger import key_of
from guard.state import State, fold
from tests.guard.random_journals import journals

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.ndjson"))


def report(lines: list[bytes]) -> bytes:
    return judge(fold(read(b"".join(lines)))).encode()


@given(journals(), st.integers(0, 99))
@settings(max_examples=150, deadline=None)
def test_shuffled_and_repeated_deliveries_make_the_same_bytes(
    lines: list[bytes], luck: int
) -> None:
    header, *events = lines
    rng = random.Random(luck)
    delivered = events + rng.sample(events, len(events) // 2)
    rng.shuffle(delivered)
    assert report([header, *delivered, header]) == report(lines)


@pytest.mark.parametrize("path", GOLDEN[1::3], ids=lambda path: path.stem)
def test_shuffled_and_repeated_golden_journals_too(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    if lines[-1].endswith(b"\n"):
        delivered = lines[1:] * 2
        random.Random(path.stem).shuffle(delivered)
        assert report([lines[0], *delivered]) == report(lines)


@given(journals(), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
def test_a_split_delivery_ends_where_a_whole_one_does(lines: list[bytes], cut: int) -> None:
    parsed = read(b"".join(lines))
    if parsed.forks or parsed.header.checkpoint is not None:
        return
    state = State(parsed.header)
    for event in parsed.numbered[:cut]:
        state.apply(event)
    judge(state).encode()
    for event in (*parsed.unnumbered, *parsed.numbered[cut:]):
        state.apply(event)
    assert judge(state).encode() == report(lines)


@given(journals(), st.integers(0, 20))
@settings(max_examples=100, deadline=None)
def test_a_prefix_is_a_journal_of_its_own(lines: list[bytes], at: int) -> None:
    parsed = read(b"".join(lines))
    if parsed.header.checkpoint is not None:
        return
    whole = judge(fold(parsed, at)).encode()
    kept = {event.seq for event in parsed.numbered if (event.seq or 0) <= at}
    highest = max((seq or 0 for seq in kept), default=0)
    only = [lines[0]]
    for line in lines[1:]:
        (event,) = (found := read(lines[0] + line)).numbered or found.unnumbered
        inside = event.seq in kept if event.seq else event.after <= highest
        only += [line] if inside else []
    assert whole == report(only)


@given(journals())
@settings(max_examples=100, deadline=None)
def test_the_decision_for_an_event_is_the_verdict_on_it_recorded(lines: list[bytes]) -> None:
    state = fold(read(b"".join(lines)))
    for line in lines[1:]:
        event = json.loads(line)
        event = {name: event[name] for name in event.keys() - {"after", "before"}}
        recorded = json.dumps({**event, "seq": state.now}).encode() + b"\n"
        after = fold(read(b"".join([*lines, recorded])))
        (asked,) = read(lines[0] + recorded).numbered
        if isinstance(asked, Proposal):
            answer, told = decide(state, asked), after.proposal(after.proposals[-1])
            assert (answer.verdict, answer.rules) == (told.verdict, told.rules)
        elif isinstance(asked, Effect):
            answer = decide_effect(state, asked)
            held = after.authorization(after.ledger.all[after.ledger.by_key[key_of(asked)]])
            assert (answer.verdict, answer.edits) == (held.verdict, tuple(held.edits))
