"""JG904."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import LISTED, Draft, Reporter, rule
from guard.state import State


@rule("JG904", "warning", "possible")
def window_is_not_the_one_on_record(state: State, report: Reporter) -> Iterator[Draft]:
    """A model call read a window of another size than the one on record.

    ## Why it matters
    The window of this journal was replayed from records. Where the next call read far fewer tokens,
    an edit is not on record; where it read far more, content is. What such an edit took is not
    known, so a replay that seems to succeed may have lost state.

    ## Example
    After a rollback the replay brings seven messages back, and the next call reads none of them.

    ## What to do
    Keep a copy of the request from a live channel (telemetry, a hook) and record it as `observed`.

    ## Source
    `runtimes/mapping.md`, Edits; `journal-format.md` 4.13 (`usage`, with the further field
    `expected_tokens`).
    """
    if state.misfits:
        text = (
            f"{len(state.misfits)} calls read far more or far fewer tokens than the window on "
            "record has; a copy of the request would tell what was in it"
        )
        yield report(state.header.id, text, state.misfits[:LISTED])
