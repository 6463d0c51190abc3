"""JG403."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG403", "warning", "proven")
def last_line_is_torn(state: State, report: Reporter) -> Iterator[Draft]:
    """The last line was cut off while it was written. It is kept, and it is no event.

    ## Why it matters
    The writer was interrupted: what the line would have said is not judged. If the process died
    there, so may have what it was doing outside.

    ## Example
    The file ends with `{"kind":"effect","seq":812,"id":"pu`.

    ## What to do
    Deliver the file again when its writer goes on. Otherwise look what the writer was about to do,
    and append its outcome.

    ## Source
    `journal-format.md` 6; `report-format.md` 5.10, JG403.
    """
    if state.torn:
        yield report(state.header.id, "the last line was cut off; it is kept, and it is no event")
