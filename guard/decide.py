"""An audit one step ahead: what is about to happen, judged by what judges the recorded.

The event is applied to a copy of the state at the next number, and the copy is asked. The state
that was given does not change. A runtime that cannot say what it plans is treated as planning an
irreversible write: it passes such an effect (`semantics.md` 5.11).
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from guard.answers import ProposalVerdict
from guard.errors import UnsafeSummarizationError
from guard.events import Effect, Proposal
from guard.ledger import key_of
from guard.rules import findings
from guard.rules.rule import Finding
from guard.state import State

Asked: TypeAlias = Proposal | Effect


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
    after = _after(state, proposal)
    answer = after.proposal(after.proposals[-1])
    return Decision(
        subject=proposal.id, verdict=answer.verdict, rules=answer.rules, reasons=answer.reasons
    )


def decide_effect(state: State, effect: Effect) -> Decision:
    """May this effect start, now? (`semantics.md` 9.2)

    For a step of an attempt that has started already, the answer is the one for its start.
    """
    after = _after(state, effect)
    logical = after.ledger.all[after.ledger.by_key[key_of(effect)]]
    answer = after.authorization(logical)
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


def would_be_new(state: State, event: Asked) -> list[Finding]:
    """The findings that there would be with this event, and are not there without it."""
    known = {(finding.code, finding.subject) for finding in findings(state)}
    after = findings(_after(state, event))
    return [finding for finding in after if (finding.code, finding.subject) not in known]


def _after(state: State, event: Asked) -> State:
    after = state.copy()
    after.apply(replace(event, seq=state.now, after=0, before=None))
    return after
