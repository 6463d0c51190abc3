"""JG105."""

from __future__ import annotations

from collections.abc import Iterator

from guard.prefix import Proposed
from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG105", "error", "proven")
def edit_was_applied_against_the_answer(state: State, report: Reporter) -> Iterator[Draft]:
    """An edit was made although its proposal was refused, or its gate was never opened.

    ## Why it matters
    Whoever asks and then does not wait has no guard. Either the runtime ignores the answer, or it
    never got it; both are faults of the runtime, not of this one edit.

    ## Example
    A proposal loses a limit that a planned write rests on and is refused. Three events later the
    edit with the same id is in the journal.

    ## What to do
    Stop the runtime's own compaction until it fails closed: no answer is no. Undo the edit if it
    can be undone, and look at what happened under it.

    ## Source
    `semantics.md` 9.1, 8.6; `report-format.md` 5.10, JG105.
    """
    last: dict[str, list[Proposed]] = {}
    for proposed in state.proposals:
        last.setdefault(proposed.id, []).append(proposed)
    for edit in state.edits.firsts():
        before = [proposed for proposed in last.get(edit.id, ()) if proposed.seq < edit.seq]
        if before:
            answer = state.proposal(before[-1]).verdict
            held = answer == "gate" and not state.allowed(edit.id, edit.seq)
            if answer == "refuse" or held:
                text = f"{edit.id} was applied although its proposal was answered {answer}"
                yield report(edit.id, text, [before[-1].seq, edit.seq])
