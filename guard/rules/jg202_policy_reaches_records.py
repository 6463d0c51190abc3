"""JG202."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG202", "error", "proven")
def policy_reaches_the_recovery_store(state: State, report: Reporter) -> Iterator[Draft]:
    """A pruning policy can name what undo needs, so it can prune its own safety net.

    ## Why it matters
    A healthy recovery record is one that nobody reads. To a policy that scores by use it looks
    like the first thing to evict. From here on, "reversible" means "until the next compaction".

    ## Example
    A policy written by the model evicts by recency and use, and may choose among everything in
    the store: spans and records alike.

    ## What to do
    Give the records a namespace that the policy is never handed. A flag "pinned" that the policy
    sets itself is not enough. Until then every status is at best `provisional`.

    ## Source
    `semantics.md` 9.1 (A3), 10.1, 10.7, invariant I6; `report-format.md` 5.10, JG202.
    """
    for policy in state.policies.all:
        if policy.reaches_recovery:
            yield report(policy.id, f"policy {policy.id} can name recovery records", [policy.seq])
