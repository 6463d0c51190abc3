"""The rows of `guard-report/1` (`report-format.md` 5), made one by one.

Some rows are long: an edit in force overlaps every effect after it, and a gate has a row for each.
So rows are made while they are written, and nobody has to hold all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from guard.answers import Fact, IfUndone, Soundness
from guard.asking import Asking
from guard.edits import RolledBack
from guard.state import State

Row: TypeAlias = dict[str, Any]


def integrity_row(state: State) -> Row:
    found = state.integrity
    return {"verdict": found.verdict, "seqs": list(found.seqs)}


def closure_row(state: State) -> Row:
    found = state.closure
    return {
        "verdict": found.verdict,
        "performed": found.performed,
        "recorded": found.recorded,
        "missing": list(found.missing),
        "late": list(found.late),
    }


def epoch_rows(state: State) -> Iterator[Row]:
    for epoch in state.epochs:
        yield {"policy": epoch.policy, "from": epoch.first, "to": epoch.last}


def edit_rows(state: State) -> Iterator[Row]:
    """One row per edit id, by number."""
    for edit in sorted(state.edits.firsts(), key=lambda edit: (edit.seq, edit.id)):
        event = edit.edit
        yield {
            "id": edit.id,
            "op": event.op,
            "by": event.by,
            "branch": edit.branch,
            "seq": edit.seq,
            "operative": state.operative(edit),
            "status": state.status(edit),
            "elided": facts_row(edit.elided),
            "lacking": facts_row(state.lacking_now(edit)),
            "overlaps": state.overlaps(edit),
            "if_undone": _if_undone_row(state.if_undone(edit)),
        }


def facts_row(facts: Iterable[Fact]) -> dict[str, str]:
    """Names sorted; two values of one name are joined."""
    found: dict[str, list[str]] = {}
    for name, value in sorted(facts):
        found.setdefault(name, []).append(value)
    return {name: " | ".join(values) for name, values in found.items()}


def soundness_row(found: Soundness) -> Row:
    return {
        "verdict": found.verdict,
        "blame": found.blame,
        "residue": found.residue,
        "watch": found.watch,
    }


def _if_undone_row(found: IfUndone | None) -> Row | None:
    if found is None:
        return None
    return {"soundness": soundness_row(found.soundness), "mode": found.mode}


def effect_rows(state: State) -> Iterator[Row]:
    for effect in state.effect_rows():
        answer = state.authorization(effect)
        yield {
            "id": effect.id,
            "attempts": list(effect.attempts()),
            "state": state.appraisal.states[effect.index],
            "class": state.appraisal.rows[effect.index].said,
            "authorization": {"verdict": answer.verdict, "edits": answer.edits},
        }


def rollback_rows(state: State) -> Iterator[Row]:
    for rolled in sorted(state.rollbacks, key=lambda rolled: (rolled.seq, rolled.id)):
        yield {
            "id": rolled.id,
            "soundness": soundness_row(state.soundness(rolled)),
            "mode": state.mode(rolled),
            "retention": _retention_row(state, rolled),
        }


def _retention_row(state: State, rolled: RolledBack) -> Row:
    found = state.retention(rolled)
    return {
        "verdict": found.verdict,
        "missing": list(found.missing),
        "extra": list(found.extra),
        "changed": list(found.changed),
    }


def proposal_rows(state: State) -> Iterator[Row]:
    for proposed in state.last_proposals():
        answer = state.proposal(proposed)
        yield {"edit": proposed.id, "verdict": answer.verdict, "rules": list(answer.rules)}


def policy_rows(state: State) -> Iterator[Row]:
    rows = zip(state.policies.numbers, state.policies.all, strict=True)
    for number, policy in sorted(rows, key=lambda row: (row[0], row[1].id)):
        found = state.swap(number)
        yield {"id": policy.id, "swap": {"verdict": found.verdict, "open": list(found.open)}}


def gate_rows(state: State) -> Iterator[Row]:
    asking = Asking(state)
    for gate in sorted(state.gates.all.values(), key=lambda gate: (gate.seq, gate.id)):
        yield {"id": gate.id, "state": state.gate_state(gate), "for": asking.rows(gate)}
