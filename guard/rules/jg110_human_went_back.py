"""JG110."""

from __future__ import annotations

from collections.abc import Iterator

from guard.edits import Performed
from guard.ledger import Logical
from guard.rules.rule import Draft, Reporter, rule
from guard.rules.words import few
from guard.state import State


@rule("JG110", "error", "proven")
def person_went_back_over_an_effect(state: State, report: Reporter) -> Iterator[Draft]:
    """A person dropped or cleared what shows an irreversible effect: the window forgot it.

    ## Why it matters
    After a rewind the model does not know that it has already acted, and may act again. The window
    went back over the effect; the effect did not go back.

    ## Example
    A mail was sent. The person rewound the session to before the call. The agent, asked again,
    sends the mail a second time.

    ## What to do
    Tell the model in words what has happened already, or compensate the effect and record that as
    an effect with `compensates`.

    ## Source
    `runtimes/mapping.md`, rewinds; `report-format.md` 5.10, JG110.
    """
    for edit in state.edits.firsts():
        if edit.edit.by == "human" and edit.edit.op in {"drop", "clear"}:
            gone = [effect for effect in _shown(edit, state) if _stands(effect, state)]
            if gone:
                names = few(sorted({effect.id for effect in gone}))
                commits = [seq for effect in gone for seq in _commits(effect)]
                text = f"{edit.id} took {names} out of the window, and not out of the world"
                yield report(edit.id, text, [edit.seq, *commits])


def _shown(edit: Performed, state: State) -> Iterator[Logical]:
    """Effects whose call or result stands in a span that an edit took."""
    for span, version in edit.taken.items():
        for attempt in state.shown.get((span, version or ""), ()):
            for index in state.ledger.by_attempt.get(attempt, ()):
                yield state.ledger.all[index]


def _stands(effect: Logical, state: State) -> bool:
    """Whether it is a committed irreversible write that nothing committed compensates."""
    total = state.appraisal.rows[effect.index]
    done = total.is_write and total.said == "irreversible" and total.outcome == "committed"
    return done and not state.ledger.mended.get(effect.index)


def _commits(effect: Logical) -> Iterator[int | None]:
    return (event.seq for event in effect.events() if event.state == "committed")
