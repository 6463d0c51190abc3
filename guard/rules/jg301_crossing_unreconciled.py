"""JG301."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG301", "warning", "possible")
def crossing_was_not_reconciled(state: State, report: Reporter) -> Iterator[Draft]:
    """A rollback had to be reconciled, no merge is logged, and nobody showed that all came back.

    ## Why it matters
    Across a policy swap, or over spans that were edited again, undoing step by step can succeed
    while spans stay away. Every step reports success; only the window knows.

    ## Example
    `s7` was evicted under the old policy. The policy was swapped, then the eviction was undone.
    Under the new order `s7` scores below the floor and does not return.

    ## What to do
    Compare the real window with the declared one and append `observed`. Log a `merge` that names
    every span that is knowingly given up.

    ## Source
    `semantics.md` 11.4, 12, invariant I12; `report-format.md` 5.10, JG301.
    """
    for rolled in state.rollbacks:
        mode = state.mode(rolled)
        reconciled = state.merged(rolled) or state.retention(rolled).verdict == "equal"
        if mode in {"epoch", "merge"} and not reconciled:
            text = (
                f"{rolled.id} had to be reconciled (mode {mode}); "
                "a logged merge or an equal window would tell"
            )
            yield report(rolled.id, text, [rolled.seq])
