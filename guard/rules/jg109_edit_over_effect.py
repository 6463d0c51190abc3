"""JG109."""

from __future__ import annotations

from collections.abc import Iterator

from guard.answers import Soundness
from guard.edits import Performed
from guard.rules.rule import Draft, Reporter, Verdict, rule
from guard.rules.stretches import Stretches
from guard.rules.unknowns import Unknowns
from guard.rules.words import few
from guard.state import State


@rule("JG109")
def effect_under_an_edit_in_force(state: State, report: Reporter) -> Iterator[Draft]:
    """While this edit was what the model read, something irreversible happened, or may have.

    ## Why it matters
    Nobody has rolled anything back yet. This says what a rollback of this edit would be worth now:
    the tokens would come back, the effects would not.

    ## Example
    A digest without `allow_push: false` is in force, and a push was committed under it. As
    `error`, a fact was lacking when it started. As `warning`, it happened with nothing seen to be
    lacking. As `info`, it may have happened.

    ## What to do
    Read the hidden spans again before the next write. Look at the blamed effects first, and only
    then decide about a rollback: it will not undo them.

    ## Source
    `semantics.md` 6.9; `report-format.md` 5.10, JG109.
    """
    stretches, unknowns = Stretches(state), Unknowns(state)
    for edit in state.edits.firsts():
        undone = state.if_undone(edit)
        if undone is not None and undone.soundness.verdict != "sound":
            blame = undone.soundness.blame
            verdict = _verdict(edit, undone.soundness, stretches)
            if verdict is not None:
                text = _text(edit.id, undone.soundness, verdict, unknowns)
                yield report(edit.id, text, [edit.seq], effects=blame, verdict=verdict)


def _verdict(edit: Performed, found: Soundness, stretches: Stretches) -> Verdict | None:
    """How bad it is, by what was seen; None where nothing is said of such an edit."""
    if found.verdict == "unknown":
        return Verdict("info", "possible") if edit.edit.by == "model" else None
    if edit.edit.by == "host":
        return None
    if stretches.lacked(edit, found.blame):
        return Verdict("error", "proven")
    return Verdict("warning", "proven") if edit.edit.by == "model" else None


def _text(edit: str, found: Soundness, verdict: Verdict, unknowns: Unknowns) -> str:
    if verdict.certainty == "possible":
        return f"an effect may have happened under {edit}; {unknowns.soundness(found)}"
    lacked = ", without a fact that it took away" if verdict.severity == "error" else ""
    return f"under {edit} happened {few(found.blame)}{lacked}"
