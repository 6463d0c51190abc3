"""JG401."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG401", "error", "proven")
def journal_is_not_whole(state: State, report: Reporter) -> Iterator[Draft]:
    """The journal was forked, changed or cut off, so it can prove nothing good any more.

    ## Why it matters
    Every verdict rests on these lines. With two events under one number, a chain that does not
    fit, or a tail that is gone, no edit is reversible and no rollback is sound on their word.
    What speaks against a run stays.

    ## Example
    Number 12 is a `span` in one delivery and an `edit` in another one.

    ## What to do
    Get the journal again from its recorder and compare with a checkpoint that was kept elsewhere.
    Two writers with one sequence make forks; let one recorder give the numbers.

    ## Source
    `semantics.md` 13, 13.2; `journal-format.md` 3.1, 5; `report-format.md` 5.10, JG401.
    """
    found = state.integrity
    if not found.allows_good:
        text = f"the journal is {found.verdict.replace('_', ' ')}{at_numbers(found.seqs)}"
        yield report(state.header.id, text, found.seqs)


def at_numbers(seqs: Sequence[int]) -> str:
    """The first few numbers, for a message."""
    shown = ", ".join(map(str, seqs[:5]))
    return f" at {shown}{' ...' if len(seqs) > 5 else ''}"
