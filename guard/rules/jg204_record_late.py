"""JG204."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG204", "warning", "proven")
def record_came_after_its_edit(state: State, report: Reporter) -> Iterator[Draft]:
    """The recovery record was written after the edit, from whatever was still there.

    ## Why it matters
    Between the edit and its record, nothing could have been undone, and an interruption there
    would have lost the content. A record that comes late is also easier to make up.

    ## Example
    A file body is replaced by a diff at 7. The record of the body is written at 8.

    ## What to do
    Write ahead: record first, edit second. Check the hashes of this record against the source
    before relying on it.

    ## Source
    `semantics.md` 10.1, 10.3, invariant I4; `report-format.md` 5.10, JG204.
    """
    for edit_id in state.closure.late:
        edit, record = state.edits.first(edit_id), state.records.first.get(edit_id)
        if edit is not None and record is not None:
            text = f"the record of {edit_id} came after the edit"
            yield report(edit_id, text, [edit.seq, record.seq])
