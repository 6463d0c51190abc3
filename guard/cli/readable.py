"""The report for people. Every text of the journal is made harmless before it is printed."""

from __future__ import annotations

from collections.abc import Iterator

from guard.answers import Interval, Soundness
from guard.cli.visible import visible
from guard.edits import Performed
from guard.judge import Report
from guard.rules.unknowns import Unknowns
from guard.rules.words import few
from guard.state import State


def lines(report: Report) -> Iterator[str]:
    """The lines of a report, without their ends."""
    for line in _all(report):
        yield visible(line)


def _all(report: Report) -> Iterator[str]:
    state = report.state
    yield f"journal {state.header.id}: {state.events} events, judged at {state.at}"
    yield ""
    yield from _journal(state)
    unknowns = Unknowns(state)
    for title, rows in (
        ("edits", _edits(state, unknowns)),
        ("effects", _effects(state, unknowns)),
        ("rollbacks", _rollbacks(state, unknowns)),
        ("proposals", _proposals(state)),
        ("policies", _policies(state)),
        ("gates", _gates(state)),
        ("findings", _findings(report)),
    ):
        yield from _section(title, rows)


def _section(title: str, rows: Iterator[str]) -> Iterator[str]:
    first = next(rows, None)
    if first is not None:
        yield ""
        yield title
        yield f"  {first}"
        for row in rows:
            yield f"  {row}"


def _journal(state: State) -> Iterator[str]:
    whole, closed = state.integrity, state.closure
    seqs = [str(seq) for seq in whole.seqs]
    yield f"integrity  {whole.verdict}" + (f" at {few(seqs)}" if seqs else "")
    records = f"{closed.recorded} good records for {closed.performed} edits"
    missing = f"; missing {few(closed.missing)}" if closed.missing else ""
    yield f"closure    {closed.verdict}: {records}{missing}"
    for epoch in state.epochs:
        yield f"epoch      {epoch.first} to {epoch.last} under {epoch.policy or 'no policy'}"


def _edits(state: State, unknowns: Unknowns) -> Iterator[str]:
    for edit in state.edits.firsts():
        where = ", ".join(map(_interval, state.operative(edit)[:3]))
        what = f"{edit.edit.op} by the {edit.edit.by} on {edit.branch}"
        status = state.status(edit)
        yield f"{edit.seq}  {edit.id}: {what}, {status}; operative {where}"
        if status == "unknown":
            yield f"     whether it can be undone: {unknowns.status(edit)}"
        yield from _about(edit, state, unknowns)


def _interval(interval: Interval) -> str:
    until = "now" if interval.end is None else str(interval.end)
    return f"{interval.start} to {until} on {interval.branch}"


def _about(edit: Performed, state: State, unknowns: Unknowns) -> Iterator[str]:
    if edit.elided:
        yield f"     took {few([f'{name} = {value}' for name, value in edit.elided])}"
    overlaps = state.overlaps(edit)
    if overlaps:
        yield f"     overlaps {few(overlaps)}"
    undone = state.if_undone(edit)
    if undone is not None:
        yield f"     if undone now: {_soundness(undone.soundness, unknowns)}; mode {undone.mode}"


def _soundness(found: Soundness, unknowns: Unknowns) -> str:
    parts = {"blame": found.blame, "residue": found.residue, "watch": found.watch}
    named = "".join(f", {what} {few(ids)}" for what, ids in parts.items() if ids)
    would = f"; {unknowns.soundness(found)}" if found.verdict == "unknown" else ""
    return f"{found.verdict}{named}{would}"


def _effects(state: State, unknowns: Unknowns) -> Iterator[str]:
    for effect in state.effect_rows():
        answer = state.authorization(effect)
        outcome = state.appraisal.states[effect.index]
        said = state.appraisal.rows[effect.index].said
        under = f" by {few(answer.edits)}" if answer.edits else ""
        yield f"{effect.id}: {outcome}, {said}; {answer.verdict}{under}"
        asked = unknowns.effect(effect)
        if asked:
            yield f"     what became of it, and what it is: {asked}"


def _rollbacks(state: State, unknowns: Unknowns) -> Iterator[str]:
    for rolled in state.rollbacks:
        found = state.retention(rolled)
        parts = {"missing": found.missing, "extra": found.extra, "changed": found.changed}
        named = "".join(f", {what} {few(ids)}" for what, ids in parts.items() if ids)
        yield f"{rolled.seq}  {rolled.id}: {_soundness(state.soundness(rolled), unknowns)}"
        would = f"; {found.reason} would tell" if found.reason else ""
        yield f"     mode {state.mode(rolled)}; retention {found.verdict}{named}{would}"


def _proposals(state: State) -> Iterator[str]:
    for proposed in state.last_proposals():
        answer = state.proposal(proposed)
        rules = f" by {', '.join(answer.rules)}" if answer.rules else ""
        yield f"{proposed.seq}  {proposed.id}: {answer.verdict}{rules}"


def _policies(state: State) -> Iterator[str]:
    for number, policy in zip(state.policies.numbers, state.policies.all, strict=True):
        found = state.swap(number)
        still = f", open {few(found.open)}" if found.open else ""
        yield f"{number}  {policy.id}: swap {found.verdict}{still}"


def _gates(state: State) -> Iterator[str]:
    for gate in state.gates.all.values():
        about = f" for {gate.requested.edit}" if gate.requested is not None else ""
        yield f"{gate.seq}  {gate.id}: {state.gate_state(gate)}{about}"


def _findings(report: Report) -> Iterator[str]:
    for found in report.findings:
        yield f"{found.severity:<7}  {found.code}  {found.subject}: {found.message}"
    if report.findings:
        yield "`guard explain CODE` says what a code means and what to do"
