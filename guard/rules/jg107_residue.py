"""JG107."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.rules.words import few
from guard.state import State


@rule("JG107", "info", "proven")
def rollback_has_residue(state: State, report: Reporter) -> Iterator[Draft]:
    """A rollback does not undo an effect that a person let through while the edit was in force.

    ## Why it matters
    Approved is not undone. The word "sound" is honest only beside the list of what stays.

    ## Example
    A person approved one mail under a digest. The digest was rolled back later. The rollback is
    sound, and the mail was sent.

    ## What to do
    Nothing has gone wrong. Show the residue wherever the rollback is called sound, and decide
    whether the approved effects are still wanted.

    ## Source
    `semantics.md` 6.3, 6.7, invariant I15; `report-format.md` 5.10, JG107.
    """
    for rolled in state.rollbacks:
        left = state.soundness(rolled).residue
        if left:
            text = f"{rolled.id} does not undo {few(left)}, which a gate let through"
            yield report(rolled.id, text, [rolled.seq])
