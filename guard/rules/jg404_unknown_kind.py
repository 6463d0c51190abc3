"""JG404."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import LISTED, Draft, Reporter, rule
from guard.state import State


@rule("JG404", "info", "proven")
def kind_is_unknown(state: State, report: Reporter) -> Iterator[Draft]:
    """Events of a kind that this version does not know were skipped by name.

    ## Why it matters
    They take their numbers and leave no gap, but no verdict looks at them. A newer writer may
    have said something here that would count.

    ## Example
    Two events of kind `vow`, written by a runtime that is newer than this judge.

    ## What to do
    Update the judge, or ask the writer whether the kind changes what happened. The lines are kept.

    ## Source
    `journal-format.md` 8; `report-format.md` 5.10, JG404.
    """
    for kind, numbers in state.unknown_kinds.items():
        text = f"{len(numbers)} events of the unknown kind {kind} were skipped"
        yield report(kind, text, numbers[:LISTED])
