"""JG306."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG306", "info", "possible")
def nobody_looked_at_the_window(state: State, report: Reporter) -> Iterator[Draft]:
    """It is not known whether everything is really back after a rollback.

    ## Why it matters
    A rollback that reports success has checked itself. Whether the spans are in the window is
    another question, and nobody has asked it.

    ## Example
    A rollback, and no `observed` event after it on its branch.

    ## What to do
    Let the runtime append `observed` after each rollback: every span of the real window, with its
    hash.

    ## Source
    `semantics.md` 12.1, 12.5; `report-format.md` 5.10, JG306.
    """
    for rolled in state.rollbacks:
        found = state.retention(rolled)
        if found.verdict == "unknown":
            text = f"not known what is in the window after {rolled.id}; {found.reason} would tell"
            yield report(rolled.id, text, [rolled.seq])
