"""JG206."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG206", "error", "proven")
def record_is_known_to_be_lost(state: State, report: Reporter) -> Iterator[Draft]:
    """A recovery record was here and is gone. This is the only way to irreversible for sure.

    ## Why it matters
    The loss was seen and said, which is better than a loss that nobody noticed. Still the edit can
    never be undone from this store.

    ## Example
    A clean-up of old transcripts deleted the files that three edits would have been undone from.

    ## What to do
    Find what deleted it, and take the store out of its reach. If the content can be read again
    from its source, read it again now, while the source is there.

    ## Source
    `semantics.md` 10.2, 10.7, invariant I6; `report-format.md` 5.10, JG206.
    """
    for edit_id, numbers in state.records.losses.items():
        yield report(edit_id, f"the recovery record of {edit_id} was here and is gone", numbers)
