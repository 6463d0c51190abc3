"""JG201."""

from __future__ import annotations

from collections.abc import Iterator

from guard.edits import Performed
from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG201", "error", "proven")
def edit_has_no_good_record(state: State, report: Reporter) -> Iterator[Draft]:
    """An edit was made, and nothing that can be trusted says what it took.

    ## Why it matters
    Undoing it would be invention: a plausible text where the content used to be. It does not help
    that every edit still in the window has its record; what is gone is what must be missed.

    ## Example
    Three edits were made with records. The store lists one. The two others were evicted by a
    compaction in between, since nothing had read them.

    ## What to do
    Do not undo this edit. Read its spans again from their source. Then take the recovery store out
    of the reach of whatever prunes the window.

    ## Source
    `semantics.md` 10.2, 10.4, 10.5; `report-format.md` 5.10, JG201.
    """
    for edit_id in state.closure.missing:
        edit = state.edits.first(edit_id)
        if edit is not None:
            text = f"{edit_id} has no good recovery record: {_why(edit, state)}"
            yield report(edit_id, text, [edit.seq])


def _why(edit: Performed, state: State) -> str:
    records = state.records
    if edit.id in records.lost:
        return "it was here and is gone"
    if edit.id not in records.first:
        return "none was written"
    if not records.fits(edit):
        return "the first one does not hold what the edit took"
    return "the store does not list it"
