"""JG303."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.rules.words import few
from guard.state import State


@rule("JG303", "error", "proven")
def policy_changed_over_open_edits(state: State, report: Reporter) -> Iterator[Draft]:
    """The journal promises a frozen policy while edits are open, and the policy was changed.

    ## Why it matters
    The promise made rollbacks cheap: one policy, one order, straight back. Whoever relied on it
    will now undo edits under a policy that did not choose them.

    ## Example
    With discipline `freeze`, one edit is open. The threshold is lowered all the same.

    ## What to do
    Seal the open edits before a swap, or run under discipline `epoch` and accept the merge. For
    this journal, treat every rollback of the named edits as mode `epoch`.

    ## Source
    `semantics.md` 11.8; `report-format.md` 5.10, JG303.
    """
    for policy in state.policies.all:
        found = state.swap(policy.seq or 0)
        if found.verdict == "refuse":
            text = f"{policy.id} came into force while {few(found.open)} stood open"
            yield report(policy.id, text, [policy.seq, *found.seqs])
