"""JG901."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG901", "info", "possible")
def ledger_is_not_complete(state: State, report: Reporter) -> Iterator[Draft]:
    """Nobody attests that every effect of this run is in the journal.

    ## Why it matters
    Where the ledger is not attested, an effect may have happened that nobody wrote down. No
    rollback over such a stretch can be called sound.

    ## Example
    A session file records every call of the agent, but not what its hooks and plugins run.

    ## What to do
    Let whoever can see every effect attest the ranges it saw, or send them from a second ledger as
    unnumbered effects. The coverage of the source says where the blind spots are.

    ## Source
    `journal-format.md` 4.1; `semantics.md` 6.5, 9.1 (A7); `report-format.md` 5.10, JG901.
    """
    if state.header.ledger != "complete":
        text = "effects may be missing; a ledger that is attested for every number would tell"
        yield report(state.header.id, text)
