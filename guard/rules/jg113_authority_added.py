"""JG113."""

from __future__ import annotations

from collections.abc import Iterator

from guard.fates import check_of
from guard.rules.rule import Draft, Reporter, rule
from guard.state import State

_SHOWN = 120


@rule("JG113", "warning", "proven")
def digest_claims_authority(state: State, report: Reporter) -> Iterator[Draft]:
    """A digest claims a consent, a waiver or an order that no text before it gave.

    ## Why it matters
    What a summary puts into the user's mouth is read as the user's word by every turn after it. An
    invented "the user approved the push" opens what the user had closed.

    ## Example
    The user asked a question about the push. The digest says: "The user confirmed the push".

    ## What to do
    Ask the person. Until then treat what the digest claims as not said, and do not approve a gate
    that rests on it.

    ## Source
    `digest_check` of the edit, written by whoever compared the digest with the texts before it;
    what counts as added is said in the guide of the labels, D8.
    """
    for edit in state.edits.firsts():
        check = check_of(edit.edit.out.digest_check) if edit.edit.out is not None else None
        if check is not None and check.added:
            first = check.added[0]
            said = first if len(first) <= _SHOWN else f"{first[:_SHOWN]}…"
            more = f" and {len(check.added) - 1} more" if len(check.added) > 1 else ""
            text = f"the digest of {edit.id} claims what nobody said before: {said!r}{more}"
            yield report(edit.id, text, [edit.seq])
