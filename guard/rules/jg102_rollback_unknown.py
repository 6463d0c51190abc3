"""JG102."""

from __future__ import annotations

from collections.abc import Iterator

from guard.answers import Soundness
from guard.rules.rule import Draft, Reporter, rule
from guard.rules.words import few
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
    for rolled in state.rollbacks:
        found = state.soundness(rolled)
        if found.verdict == "unknown":
            text = f"{rolled.id} may have left an effect behind; {what_would_tell(found)}"
            yield report(rolled.id, text, [rolled.seq], effects=found.blame)


def what_would_tell(soundness: Soundness) -> str:
    """What would make an unknown soundness known."""
    asked = []
    if soundness.blame:
        asked.append(f"place, outcome and class of {few(soundness.blame)} would tell")
    if soundness.hidden is not None:
        asked.append(soundness.hidden)
    return "; ".join(asked)
