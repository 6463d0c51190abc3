"""An audit one step ahead: what is about to happen, judged by what judges the recorded.

The event is judged as if it stood at the next number. Nothing is copied and the state does not
change: a proposal costs what it takes and the gates about it; an effect costs the edits that are
operative now. A runtime that cannot say what it plans is treated as planning an irreversible
write: it passes such an effect (`semantics.md` 5.11).
"""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from guard.answers import ProposalVerdict
from guard.authorization import authorization
from guard.errors import UnsafeSummarizationError
from guard.events import Effect, Proposal
from guard.proposals import judge_proposal
from guard.state import State

E = TypeVar("E", Proposal, Effect)


class Decision(Struct, frozen=True):
    """May it go ahead? Everything but `proceed` and `out_of_scope` means: do not, or not yet."""

    subject: str
    """Id of the proposal, or logical id of the effect."""
    verdict: ProposalVerdict
    rules: tuple[str, ...] = ()
    """Names of the rules A1 to A8 that fire, or `9.2` for an effect."""
    edits: tuple[str, ...] = ()
    """The edits that stand in the way of an effect."""
    reasons: tuple[str, ...] = ()
    """One sentence for each."""

    def or_raise(self) -> None:
        """Raise `UnsafeSummarizationError` with all codes unless it may go ahead."""
        if self.verdict in {"gate", "refuse"}:
            raise UnsafeSummarizationError(self.subject, self.verdict, self.rules)


def decide(state: State, proposal: Proposal) -> Decision:
    """May the window be edited like this, now? (`semantics.md` 9.1)"""
    event = _next(state, proposal)
    proposed, gates = state.proposed(event, state.now), state.gates.with_proposal(event)
    answer = judge_proposal(proposed, state, gates, state.integrity_with(event))
    return Decision(
        subject=proposal.id, verdict=answer.verdict, rules=answer.rules, reasons=answer.reasons
    )


def decide_effect(state: State, effect: Effect) -> Decision:
    """May this effect start, now? (`semantics.md` 9.2)

    For a step of an attempt that has started already, the answer is the one for its start.
    """
    event = _next(state, effect)
    logical = state.ledger.ahead(event, state.now)
    answer = authorization(logical, state, state.integrity_with(event), state.now)
    held = answer.verdict != "proceed"
    edits = tuple(answer.edits)
    return Decision(
        subject=logical.id,
        verdict=answer.verdict,
        rules=("9.2",) if held else (),
        edits=edits,
        reasons=(edits and tuple(f"{edit} stands in the way" for edit in edits))
        or (("the journal is not whole before it: an edit may be hidden",) if held else ()),
    )


def _next(state: State, event: E) -> E:
    """The event at the next number."""
    return replace(event, seq=state.now, after=0, before=None)
