"""JG902."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG902", "warning", "possible")
def edit_does_not_say_what_it_took(state: State, report: Reporter) -> Iterator[Draft]:
    """The source does not say what left the window with this edit.

    ## Why it matters
    What is not known to have left may be just what the next write needed. So the edit counts as
    hiding something, and it is never called reversible.

    ## Example
    A runtime records that it cleared "12 old tool results", and not which.

    ## What to do
    Feed the journal from a channel that names the spans, such as a hook or a copy of each request.

    ## Source
    `semantics.md` 3.9; `report-format.md` 5.10, JG902.
    """
    for edit in state.edits.firsts():
        if edit.vague:
            text = f"not known what {edit.id} took ({edit.edit.fidelity}); its spans would tell"
            yield report(edit.id, text, [edit.seq])
