"""JG203."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from guard.rules.rule import LISTED, Draft, Reporter, rule
from guard.rules.unknowns import whole_journal
from guard.state import State


@rule("JG203", "warning", "possible")
def closure_is_unknown(state: State, report: Reporter) -> Iterator[Draft]:
    """Every edit seen has its record, but perhaps not every edit was seen.

    ## Why it matters
    Closure is a claim about all performed edits. A counter that disagrees, a missing number or an
    edit of which nobody knows what it took leaves room for one more, without a record.

    ## Example
    The counter kept beside the records says that two edits were performed. The journal has one.

    ## What to do
    Deliver the missing numbers, or the edits that the counter knows of. Compare the counter with
    the runtime's own log.

    ## Source
    `semantics.md` 3.9, 10.4; `report-format.md` 5.10, JG203.
    """
    if state.closure.verdict == "unknown":
        missing = list(islice(state.numbers.holes.numbers(), LISTED))
        vague = [edit.seq for edit in state.edits.all if edit.vague and edit.edit.by != "host"]
        doubts = {
            "the edits that a counter knows of": state.records.differing,
            "the missing numbers": missing,
            "what the vague edits took": vague,
        }
        asked = [what for what, numbers in doubts.items() if numbers]
        if not state.integrity.allows_good:
            asked.append(whole_journal(state))
        text = f"perhaps an edit without a record; {' and '.join(asked)} would tell"
        yield report(state.header.id, text, chain.from_iterable(doubts.values()))
