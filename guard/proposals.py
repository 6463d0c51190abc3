"""May the window be edited like this? The rules A1 to A8 for a proposal (`semantics.md` 9.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from msgspec import Struct

from guard.answers import Integrity, ProposalAnswer, RuleName
from guard.course import body_of, sum_of
from guard.events import Gate
from guard.gates import Gates
from guard.ledger import Logical, Stood
from guard.order import Cover, at
from guard.prefix import Prefix, Proposed

Says: TypeAlias = Literal["gate", "refuse"]


class Fired(Struct, frozen=True):
    """A rule that fires, what it says, and why."""

    rule: RuleName
    says: Says
    reason: str


class Hearing:
    """A proposal, with what the gates about it are worth at its number."""

    def __init__(self, proposed: Proposed, prefix: Prefix, gates: Gates) -> None:
        self.proposed = proposed
        self.prefix = prefix
        asking = gates.asking(proposed.id, at(proposed.seq))
        states = [gates.state(gate, at(proposed.seq), prefix.edits, proposed.id) for gate in asking]
        self.requested = "pending" in states
        """A pending gate stands for every effect (9.1.2)."""
        self.rejected = "rejected" in states
        self.granted = "valid" in states
        """A gate is valid, asked without an effect."""
        valid = [
            gate.requested
            for gate, state in zip(asking, states, strict=True)
            if state == "valid" and gate.requested is not None
        ]
        self.approved = {
            stood.effect: stood
            for stood in proposed.named
            if any(self._binds(asked, prefix.ledger.all[stood.effect]) for asked in valid)
        }

    def _binds(self, asked: Gate, logical: Logical) -> bool:
        """Whether a request names an attempt with its own body, of the events so far."""
        events = logical.until(self.proposed.seq)
        body = body_of(events, sum_of(((event.seq or 0, 0), event) for event in events))
        return body is not None and any(asked.effects.get(event.id) == body for event in events)

    def without(self, count: int, counted: Callable[[Stood], bool]) -> int:
        """How many of `count` effects are not approved."""
        return count - sum(map(counted, self.approved.values()))


def judge_proposal(
    proposed: Proposed, prefix: Prefix, gates: Gates, integrity: Integrity
) -> ProposalAnswer:
    """All rules are evaluated, and all that fire are named."""
    header = prefix.header
    if proposed.proposal.by == "host" or header.append_only or header.fixed_policy:
        return ProposalAnswer("out_of_scope")
    hearing = Hearing(proposed, prefix, gates)
    fired = [
        *_of_the_store(proposed),
        *_of_the_records(proposed, prefix, integrity),
        *_of_the_effects(hearing),
        *_of_the_ledger(proposed, prefix),
    ]
    if hearing.rejected:
        fired.append(Fired("A8", "refuse", "a gate about it was rejected"))
    says = {one.says for one in fired}
    return ProposalAnswer(
        verdict="refuse" if "refuse" in says else "gate" if says else "proceed",
        rules=tuple(dict.fromkeys(one.rule for one in fired)),
        reasons=tuple(one.reason for one in fired),
    )


def _of_the_store(proposed: Proposed) -> Iterator[Fired]:
    store = proposed.proposal.store
    if not store.payload or not store.verified or store.lossy:
        yield Fired("A1", "refuse", "its recovery store is not verified to hold the content")
    if proposed.protected or "policy_history" in proposed.proposal.targets:
        yield Fired("A2", "refuse", "it takes the history of its own policy")


def _of_the_records(proposed: Proposed, prefix: Prefix, integrity: Integrity) -> Iterator[Fired]:
    closed = prefix.records.closed_at(proposed.seq, prefix.numbers.holes, integrity)
    if not closed:
        yield Fired("A3", "refuse", "an earlier edit may lack its recovery record")
    elif proposed.reachable:
        yield Fired("A3", "refuse", "the policy in force reaches the recovery store")


def _of_the_effects(hearing: Hearing) -> Iterator[Fired]:
    proposed, tally = hearing.proposed, hearing.proposed.tally
    open_writes = hearing.without(tally.open, lambda stood: stood.open)
    held = hearing.without(tally.held, lambda stood: stood.sort == "held")
    if proposed.hides and open_writes:
        holds = hearing.requested and held == open_writes
        yield Fired("A4", "gate" if holds else "refuse", f"{open_writes} open writes may need it")
    yield from _of_done_effects(hearing)
    if open_writes:
        yield Fired("A6", "gate", f"{open_writes} open writes are not approved")
    elif (proposed.commit_phase or proposed.vague) and not hearing.granted:
        yield Fired("A6", "gate", "a person has to look in this phase")


def _of_done_effects(hearing: Hearing) -> Iterator[Fired]:
    proposed, tally = hearing.proposed, hearing.proposed.tally
    resting = [effect for effect in proposed.resting if effect not in hearing.approved]
    unknown = hearing.without(tally.silent, lambda stood: stood.sort == "silent")
    if proposed.vague:
        known = set(proposed.resting)
        unknown += hearing.without(
            tally.resting - len(known),
            lambda stood: stood.sort == "resting" and stood.effect not in known,
        )
    if resting:
        says: Says = "gate" if hearing.requested else "refuse"
        yield Fired("A5", says, f"{len(resting)} committed writes rest on it")
    if unknown:
        yield Fired("A5", "gate", f"{unknown} committed writes may rest on it")


def _of_the_ledger(proposed: Proposed, prefix: Prefix) -> Iterator[Fired]:
    ledger = prefix.header.ledger
    if ledger == "complete":
        return
    attested = Cover([] if ledger == "none" else list(ledger))
    if not attested.holds(1, proposed.seq - 1):
        yield Fired("A7", "gate", f"no ledger is attested for the numbers 1 to {proposed.seq - 1}")
