"""JG903."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG903", "warning", "possible")
def digest_is_opaque(state: State, report: Reporter) -> Iterator[Draft]:
    """The digest that the model reads cannot be read by anybody else.

    ## Why it matters
    Whether a limit survived in it cannot be checked. So every fact that the edit took counts as
    possibly lost, and a write under it asks for a gate.

    ## Example
    A provider returns the compacted conversation as an encrypted item.

    ## What to do
    Pin the facts that matter beside the digest, as spans of their own. Or compact with a method
    whose digest is text.

    ## Source
    `semantics.md` 3.10; `report-format.md` 5.10, JG903.
    """
    for edit in state.edits.firsts():
        if edit.edit.out is not None and edit.edit.out.opaque:
            text = f"the digest of {edit.id} is opaque; its text would tell"
            yield report(edit.id, text, [edit.seq])
