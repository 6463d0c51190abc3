"""JG103."""

from __future__ import annotations

from collections.abc import Iterator

from guard.answers import Authorization
from guard.course import Sum
from guard.edits import Performed
from guard.ledger import Logical
from guard.rules.rule import Draft, Reporter, Verdict, rule
from guard.rules.words import few
from guard.state import State


@rule("JG103")
def effect_without_authorization(state: State, report: Reporter) -> Iterator[Draft]:
    """A write went ahead, or waits to, under an edit that hides what it may rest on.

    ## Why it matters
    A summary is often accepted while nothing is planned; the write comes turns later. Only a look
    at the write sees both: what the window lacks, and what is about to happen because of it.

    ## Example
    The digest of a config read lost `max_retries: 0`; a retry loop was written two turns later,
    and nobody was asked. As `error` it means that this happened. As `warning`, that the write is
    only planned, or that nothing was seen to be lacking. As `info`, that it failed and never was.

    ## What to do
    Not started: hold the write, read the hidden fact again or let a person approve this edit with
    this write. Started: compare what it did with the fact it did not see.

    ## Source
    `semantics.md` 9.2; `report-format.md` 5.10, JG103.
    """
    worst: dict[str, Draft] = {}
    for effect in state.effect_rows():
        answer = state.authorization(effect)
        if state.appraisal.rows[effect.index].is_write and answer.verdict != "proceed":
            found = _finding(effect, answer, state, report)
            before = worst.setdefault(effect.id, found)
            if _weight(found) >= _weight(before):
                worst[effect.id] = found
    yield from worst.values()


def _weight(found: Draft) -> tuple[int, bool]:
    """Of two effects with one id the worse is told; of equals the later, which may be held yet."""
    return ("info", "warning", "error").index(found.severity), found.certainty == "proven"


def _finding(effect: Logical, answer: Authorization, state: State, report: Reporter) -> Draft:
    total = state.appraisal.rows[effect.index]
    verdict = _verdict(total, answer, _was_lacking(effect, answer, state))
    place = answer.start if answer.started else effect.first.seq
    text = _text(effect.id, answer, verdict)
    if state.records.doubled:
        seqs = [place, *(edit.seq for edit in _firsts(answer, state))]
        return report(effect.id, text, seqs, verdict=verdict)
    return report(effect.id, text, [place], edits=answer.edits, verdict=verdict)


def _firsts(answer: Authorization, state: State) -> Iterator[Performed]:
    """The edits that stand in the way; an id means its first edit (10.4.2)."""
    for edit in map(state.edits.first, answer.edits):
        if edit is not None:
            yield edit


def _was_lacking(effect: Logical, answer: Authorization, state: State) -> bool:
    """Whether a fact was lacking at its start, as written: a vague edit says nothing (3.9)."""
    began = state.appraisal.rows[effect.index].began
    if began is None or not (state.edits.vague or state.records.doubled):
        return answer.lacking
    return any(
        not edit.vague and state.lacking(edit, effect.first.branch, began)
        for edit in _firsts(answer, state)
    )


def _verdict(total: Sum, answer: Authorization, lacking: bool) -> Verdict:
    """How bad it is, by what was seen."""
    if total.outcome == "failed" and (total.partial is None or not total.partial[1]):
        return Verdict("info", "proven")
    if not answer.started:
        return Verdict("warning", "proven")
    if answer.verdict == "refuse" or lacking:
        return Verdict("error", "proven")
    sure = total.said in {"irreversible", "deferred"}
    return Verdict("warning", "proven" if sure else "possible")


def _text(effect: str, answer: Authorization, verdict: Verdict) -> str:
    if answer.unplaced and not answer.edits:
        return f"numbers for the unnumbered events of {effect} would tell whether it may start"
    verb = "started" if answer.started else "may not start"
    under = f"under {few(answer.edits)}" if answer.edits else "in a journal with holes"
    would = "; its class would tell" if verdict.certainty == "possible" else ""
    return f"{effect} {verb} without a gate {under}{would}"
