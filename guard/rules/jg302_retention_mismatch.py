"""JG302."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.rules.words import few
from guard.state import State


@rule("JG302", "error", "proven")
def window_is_not_what_was_declared(state: State, report: Reporter) -> Iterator[Draft]:
    """After a rollback the real window differs from the one that the journal declares.

    ## Why it matters
    The model goes on with a window that it has no reason to distrust, and the journal is its own
    false witness. A mismatch is a hard failure, not a warning.

    ## Example
    After the rollback the journal declares `s1` and `s7`. The window that was looked at holds
    `s1` only.

    ## What to do
    Stop before the next write. Read the missing spans again from their source; find out where the
    extra or changed ones came from. If a loss is accepted, log it as a `merge`.

    ## Source
    `semantics.md` 12.2 to 12.4; `report-format.md` 5.10, JG302.
    """
    for rolled in state.rollbacks:
        found = state.retention(rolled)
        if found.verdict == "mismatch":
            parts = {"lacks": found.missing, "also holds": found.extra, "changed": found.changed}
            said = "; ".join(f"{verb} {few(spans)}" for verb, spans in parts.items() if spans)
            text = f"after {rolled.id} the window {said}"
            yield report(rolled.id, text, [rolled.seq, found.observed])
