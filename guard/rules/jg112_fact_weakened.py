"""JG112."""

from __future__ import annotations

from collections.abc import Iterator

from guard.fates import check_of
from guard.rules.rule import Draft, Reporter, rule
from guard.rules.words import fact_of, few
from guard.state import State


@rule("JG112", "warning", "proven")
def digest_changes_a_fact(state: State, report: Reporter) -> Iterator[Draft]:
    """A digest says a gating fact with another value, or turns a rule into advice.

    ## Why it matters
    A fact that is gone can be missed. A fact that is wrong is believed: the model reads "try not to
    push" and acts on it, and nothing in its window tells that a person said "never".

    ## Example
    "Never push to main" became "try not to push to main"; `max_retries: 0` became `max_retries: 3`.

    ## What to do
    Put the fact back word for word, and have the digest written again or corrected. Look at what
    was done under it.

    ## Source
    `digest_check` of the edit, written by whoever compared the digest with the texts before it;
    what counts as altered and as weakened is said in the guide of the labels, section 3.
    """
    for edit in state.edits.firsts():
        check = check_of(edit.edit.out.digest_check) if edit.edit.out is not None else None
        if check is None:
            continue
        parts = [
            f"{verb} {few([fact_of(fact) for fact in edit.elided if fact[0] in names])}"
            for verb, names in (("alters", set(check.altered)), ("weakens", set(check.weakened)))
            if any(name in names for name, _ in edit.elided)
        ]
        if parts:
            yield report(edit.id, f"the digest of {edit.id} {' and '.join(parts)}", [edit.seq])
