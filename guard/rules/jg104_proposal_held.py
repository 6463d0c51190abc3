"""JG104."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG104", "warning", "proven")
def proposal_is_not_to_proceed(state: State, report: Reporter) -> Iterator[Draft]:
    """A proposed edit may not be made as it is: a person has to look first, or it is refused.

    ## Why it matters
    This is the moment at which nothing is lost yet. After the edit the same question can only be
    asked of the damage.

    ## Example
    A push is planned. The proposed digest drops `allow_push: false`. Rule A4 refuses it; with the
    push really held back at a gate, A4 would ask a person instead.

    ## What to do
    Keep the dropped facts in the digest, or hold the open writes and ask for a gate. A1 to A3 and
    A8 are lifted by nothing: repair the recovery store, leave policy and edit history alone, or
    take the rejection as the answer.

    ## Source
    `semantics.md` 9.1; `report-format.md` 5.10, JG104.
    """
    for proposed in state.last_proposals():
        answer = state.proposal(proposed)
        if answer.verdict in {"gate", "refuse"}:
            text = f"{proposed.id} is answered {answer.verdict}: {'; '.join(answer.reasons)}"
            yield report(proposed.id, text, [proposed.seq])
