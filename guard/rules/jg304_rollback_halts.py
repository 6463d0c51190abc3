"""JG304."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG304", "error", "proven")
def rollback_should_have_halted(state: State, report: Reporter) -> Iterator[Draft]:
    """A rollback names an edit without a good record: it had nothing to restore from.

    ## Why it matters
    What stands in the window now was not restored but made up, or is simply not there. Routing
    around a missing record cannot be told from inventing one.

    ## Example
    Asked to undo edit 1, an instance writes a plausible stack trace from what it can still see.

    ## What to do
    Read the spans again from their source and treat what the rollback put there as invented. Make
    a missing record stop the undo.

    ## Source
    `semantics.md` 10.6, 11.4; `report-format.md` 5.10, JG304.
    """
    for rolled in state.rollbacks:
        if state.mode(rolled) == "halt":
            text = f"{rolled.id} had nothing to restore from; read the spans from their source"
            yield report(rolled.id, text, [rolled.seq])
