"""JG111."""

from __future__ import annotations

from collections.abc import Iterator

from guard.answers import Fact
from guard.edits import Performed
from guard.fates import check_of
from guard.rules.rule import Draft, Reporter, rule
from guard.rules.stretches import Stretches
from guard.rules.words import fact_of, few
from guard.state import State


@rule("JG111", "warning", "proven")
def fact_was_lost_before_a_write(state: State, report: Reporter) -> Iterator[Draft]:
    """A write started while the window lacked a fact that a digest had lost.

    ## Why it matters
    With a rule in view agents keep to it; after a summary that lost it they often do not. Here the
    digest was read word by word, and neither its words nor a paraphrase of them hold the fact.

    ## Example
    The user said "Do not push until I confirm". The digest says nothing of it. Ten turns later a
    push is started.

    ## What to do
    Compare what the named writes did with the fact they did not see. If it still holds, put it back
    into the window word for word, before the next write.

    ## Source
    `semantics.md` 3.6, for what a window lacks; `digest_check` of the edit, for what its digest
    says. Without that member, or for facts that only a reader can find in it, nothing is reported.
    """
    stretches = Stretches(state)
    for edit in state.edits.firsts():
        lost = _lost(edit)
        if lost:
            under = state.overlaps(edit)
            gone = {fact: stretches.started_without(fact, under) for fact in lost}
            bits = 0
            for started in gone.values():
                bits |= started
            if bits:
                writes = state.appraisal.names.subset(bits)
                names = few([fact_of(fact) for fact, started in gone.items() if started])
                text = f"{few(writes)} started after the digest of {edit.id} had lost {names}"
                yield report(edit.id, text, [edit.seq], effects=writes)


def _lost(edit: Performed) -> list[Fact]:
    """What it took away, as far as its digest was compared and holds it in no words."""
    out = edit.edit.out
    check = check_of(out.digest_check) if out is not None and not edit.vague else None
    if check is None:
        return []
    return [fact for fact in edit.elided if fact[0] not in check.unproven]
