"""JG205."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG205", "error", "proven")
def one_id_stands_on_two_edits(state: State, report: Reporter) -> Iterator[Draft]:
    """Two edits have the same id, so one recovery record has to serve both.

    ## Why it matters
    A record, an approval and a rollback name an edit by its id. With two edits under one id, each
    of them means more than its author knew: the approval covers what nobody was shown.

    ## Example
    A runtime counts its edits from one again after a restart, in the same journal.

    ## What to do
    Make ids unique within a journal, for example by the number of the event. Read what the second
    edit took again from its source.

    ## Source
    `semantics.md` 10.4, 10.4.2; `report-format.md` 5.10, JG205.
    """
    for edit_id, found in state.edits.by_id.items():
        if len(found) > 1:
            numbers = [state.edits[index].seq for index in found]
            yield report(edit_id, f"{edit_id} names {len(found)} edits", numbers)
