"""JG102."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.rules.unknowns import Unknowns
from guard.state import State


@rule("JG102", "warning", "possible")
def rollback_may_be_unsound(state: State, report: Reporter) -> Iterator[Draft]:
    """A rollback gave the window back, and something irreversible may have happened meanwhile.

    ## Why it matters
    "Not known" is not "reversible": this rollback cannot promise a clean outcome, and whoever
    builds on it builds on a guess.

    ## Example
    A payment was sent under a digest and never answered. The digest was rolled back. If the
    payment went through, the rollback left it behind.

    ## What to do
    Find out what became of the named effects: ask the other side by their key, then append their
    outcome and class. Where no effect is named, one may be hidden: let somebody attest the ledger
    for the stretch, or deliver the missing numbers.

    ## Source
    `semantics.md` 2.6, 5.7, 6.5, 6.6, 6.8; `report-format.md` 5.10, JG102.
    """
    unknowns = Unknowns(state)
    for rolled in state.rollbacks:
        found = state.soundness(rolled)
        if found.verdict == "unknown":
            text = f"{rolled.id} may have left an effect behind; {unknowns.soundness(found)}"
            yield report(rolled.id, text, [rolled.seq], effects=found.blame)
