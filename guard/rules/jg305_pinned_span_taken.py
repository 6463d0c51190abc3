"""JG305."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.rules.words import few
from guard.state import State


@rule("JG305", "warning", "proven")
def pinned_span_was_taken(state: State, report: Reporter) -> Iterator[Draft]:
    """The first compaction after a crossing rollback took away again what had just come back.

    ## Why it matters
    Somebody paid for a rollback across a policy swap to have these spans. Under the new policy
    they score as they did before, so the next compaction undoes the rollback in silence.

    ## Example
    `s7` is brought back across a swap. Two turns later the new policy evicts `s7`.

    ## What to do
    Let a restored span survive one compaction, or ask a person at a gate whether it may go.

    ## Source
    `semantics.md` 11.7, decision O6; `report-format.md` 5.10, JG305.
    """
    for pin in state.pins:
        text = f"{pin.edit} took {few(pin.spans)}, which {pin.rollback} had just restored"
        yield report(pin.edit, text, [pin.edit_seq, pin.rollback_seq])
