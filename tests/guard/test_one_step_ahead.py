"""A decision is an audit one step ahead: it says what the judge says of the recorded event."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from guard.decide import decide, decide_effect
from guard.events import Effect, Proposal
from guard.journal import Journal, read
from guard.ledger import key_of
from guard.state import State, fold

CASES = sorted((Path(__file__).parent / "golden").glob("*.ndjson"))


def empty(journal: Journal) -> State:
    """A state of no numbered event, to which those of a journal can be applied."""
    state = fold(journal, at=0)
    state.ledger.await_loose(journal.unnumbered)
    return state


def both_answers(journal: Journal) -> Iterator[tuple[object, object]]:
    """What is said of each proposal and each step of an effect: before it happens, and after."""
    state = empty(journal)
    for event in journal.numbered:
        asked = event if event.seq == state.now else None
        if isinstance(asked, Proposal):
            before = decide(state, asked)
            state.apply(event)
            after = state.proposal(state.proposals[-1])
            yield (before.verdict, before.rules), (after.verdict, after.rules)
        elif isinstance(asked, Effect):
            decided = decide_effect(state, asked)
            state.apply(event)
            logical = state.ledger.all[state.ledger.by_key[key_of(asked)]]
            answer = state.authorization(logical)
            assert state.authorization_alone(logical) == answer
            yield (
                (decided.subject, decided.verdict, decided.edits),
                (logical.id, answer.verdict, tuple(answer.edits)),
            )
        else:
            state.apply(event)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_decision_is_what_the_judge_says_of_the_recorded_event(path: Path) -> None:
    journal = read(path.read_bytes())
    if journal.forks:
        pytest.skip("two events of one number cannot be applied one after the other")
    for before, after in both_answers(journal):
        assert before == after


def test_deciding_changes_nothing() -> None:
    journal = read((Path(__file__).parent / "golden" / "A01-patch-incident.ndjson").read_bytes())
    state = fold(journal)
    event = next(event for event in journal.numbered if isinstance(event, Effect))
    at, steps = state.at, len(state.ledger.all[0].steps)
    decide_effect(state, event)
    decide(state, Proposal(id="e9", op="evict", in_=["s1"], out=None))
    assert (state.at, len(state.ledger.all[0].steps), state.proposals) == (at, steps, [])
    assert "e9" not in state.gates.proposals
