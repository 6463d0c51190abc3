"""JG108."""

from __future__ import annotations

from collections.abc import Iterator

from guard.rules.rule import Draft, Reporter, rule
from guard.state import State


@rule("JG108", "warning", "proven")
def approval_is_worthless(state: State, report: Reporter) -> Iterator[Draft]:
    """A gate was approved by the one who asked, by the edit's author, or by no person at all.

    ## Why it matters
    A gate is worth as much as the independence of the answer. An agent that approves itself has
    written a line into a journal, and nothing else.

    ## Example
    `agent-1` asks to let a mail through and answers its own question with `approved`.

    ## What to do
    Treat the gate as open. Ask again with a new gate id, and let somebody answer who neither asked
    for it nor wrote the summary. Look how the answer could be recorded at all.

    ## Source
    `semantics.md` 8.2, invariant I10; `report-format.md` 5.10, JG108.
    """
    for gate in state.gates.all.values():
        why = _WHY.get(state.gate_state(gate))
        if why is not None and gate.approved is not None:
            text = f"{gate.id} was approved by {gate.approved.by}, {why}"
            yield report(gate.id, text, gate.approvals)


_WHY = {
    "self": "who asked for it or wrote the edit",
    "nonhuman": "who is not on record as a person",
}
