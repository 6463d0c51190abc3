"""JG402."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.jg401_journal_broken import at_numbers
from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG402", "warning", "proven")
def numbers_are_missing(state: State, report: Reporter) -> Iterator[Draft]:
    """Something happened that this journal does not say: perhaps an effect, perhaps an edit.

    ## Why it matters
    A hole is not silence. Wherever it could matter, the verdict is unknown and not good.

    ## Example
    Events 1 to 9 and 11 to 30 are here. Number 10 may have been a push.

    ## What to do
    Deliver the missing lines; the verdicts are then made anew. If they are gone for good, say so
    with a `gap` event, which explains the hole and does not heal it.

    ## Source
    `semantics.md` 2.5, 13, 13.3; `report-format.md` 5.10, JG402.
    """
    found = state.integrity
    if found.verdict == "gap":
        text = f"the journal has a gap{at_numbers(found.seqs)}"
        yield report(state.header.id, text, found.seqs)
