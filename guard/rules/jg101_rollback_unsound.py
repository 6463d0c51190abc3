"""JG101."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.rules.words import few
from guard.state import State


@rule("JG101", "error", "proven")
def rollback_is_unsound(state: State, report: Reporter) -> Iterator[Draft]:
    """A rollback gave the window back, but something irreversible had happened meanwhile.

    ## Why it matters
    The window looks as if the edit had never been made. The world does not: an effect was decided,
    started or committed while the summary was what the model read, and no rollback reaches it.

    ## Example
    A digest lost `max_retries: 0`. A patch with a retry loop was applied. Then the digest was
    rolled back: the limit is in the window again, and the patch is still applied.

    ## What to do
    Do not read "restored" as "undone". Look at each effect that the finding blames, and undo it
    outside: by its inverse, by a compensating effect, or by telling whoever was hit. Record what
    you did as an effect with `compensates`.

    ## Source
    `semantics.md` 6.3, 6.6, 6.7; `report-format.md` 5.10, JG101.
    """
    for rolled in state.rollbacks:
        found = state.soundness(rolled)
        if found.verdict == "unsound":
            blamed = few(found.blame)
            text = f"{rolled.id} brought the window back; it did not bring back {blamed}"
            yield report(rolled.id, text, [rolled.seq], effects=found.blame)
