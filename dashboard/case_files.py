"""A case as a file that leaves the house: Markdown and JSON. HTML is a template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dashboard import times, words
from dashboard.exports import markdown
from dashboard.queries.cases import Step, Told


def as_markdown(told: Told) -> str:
    """The case for a wiki or a ticket. No text of a journal or a person is markup in it."""
    return "\n".join(_lines(told)) + "\n"


def _lines(told: Told) -> Iterator[str]:
    case = told.case
    yield f"# Case {case.public_id}: {markdown(case.title)}"
    yield ""
    yield f"Opened by {markdown(case.by.get_username())}, {times.stamp(case.created_at)}."
    if case.closed_at:
        yield f"Closed {times.stamp(case.closed_at)}."
    for number, step in enumerate(told.steps, 1):
        yield from _step(number, step)
    if told.hidden:
        yield f"\n{words.count(told.hidden, 'step')} left out: the reader may not see these runs."
    yield "\n## Not checked\n"
    for what, how in told.unknowns:
        yield f"- {markdown(what)}. Would make it known: {markdown(how)}"


def _step(number: int, step: Step) -> Iterator[str]:
    yield ""
    yield f"## Step {number}: {step.run.public_id}, `{step.href}`"
    yield ""
    if step.item.text:
        by = markdown(step.item.by.get_username())
        yield f"{markdown(step.item.text)} ({by}, {times.stamp(step.item.at)})"
        yield ""
    if step.finding:
        row = step.finding
        yield f"{row.code}, {row.severity}, {row.certainty}: {markdown(row.message)}"
        yield ""
    yield "| seq | what | kind | place | verdict | why |"
    yield "| ---: | --- | --- | --- | --- | --- |"
    for row in step.evidence:
        cells = (row.what, row.kind, row.place, row.sign.word, row.why)
        yield f"| {row.seq} | " + " | ".join(_cell(text) for text in cells) + " |"
    for note in step.notes:
        yield f"\n{markdown(note.by.get_username())}, {times.stamp(note.at)}: {markdown(note.text)}"


def _cell(text: str) -> str:
    return markdown(text.replace("\n", " ")[:400])


def as_json(told: Told) -> dict[str, Any]:
    """The case for a machine. JSON has its own escapes, so texts stand as they are."""
    case = told.case
    return {
        "case": case.public_id,
        "title": case.title,
        "opened_by": case.by.get_username(),
        "opened_at": case.created_at,
        "closed_at": case.closed_at,
        "hidden_steps": told.hidden,
        "steps": [_step_json(step) for step in told.steps],
        "not_checked": [{"what": what, "would_tell": how} for what, how in told.unknowns],
    }


def _step_json(step: Step) -> dict[str, Any]:
    item, verdict = step.item, step.verdict
    return {
        "run": step.run.public_id,
        "from": item.from_seq,
        "to": item.to_seq,
        "link": step.href,
        "text": item.text,
        "by": item.by.get_username(),
        "at": item.at,
        "finding": {"code": item.code, "subject": item.subject} if item.code else None,
        "verdict": {name: getattr(verdict, name) for name in words.LIGHTS} if verdict else None,
        "judged": {"head": verdict.head, "rules_version": verdict.rules_version, "at": verdict.at}
        if verdict
        else None,
        "evidence": [
            {"seq": row.seq, "what": row.what, "kind": row.kind, "verdict": row.sign.word}
            for row in step.evidence
        ],
        "notes": [
            {"by": note.by.get_username(), "at": note.at, "text": note.text} for note in step.notes
        ],
    }
