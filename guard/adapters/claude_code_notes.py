"""What a Claude Code session file can and cannot prove: the lines of its coverage page."""

from __future__ import annotations

from guard.adapters.base import Note, Says, Topic
from guard.adapters.claude_code_run import Run, numbers

_ALWAYS: tuple[tuple[Topic, Says, str], ...] = (
    (
        "integrity",
        "cannot prove",
        "the file carries no chain: that it was not rewritten is known only from our own copy",
    ),
    (
        "closure",
        "proves",
        "full text before each compaction stays in the file, so our copy is the recovery record",
    ),
    (
        "soundness",
        "proves",
        "every call of the agent is a row with its result, but for the blind spots named here",
    ),
    (
        "authorization",
        "cannot prove",
        "a permission that was given leaves no trace: no gate record is not `nobody approved`",
    ),
    (
        "status",
        "cannot prove",
        "no undo of an edit was ever tried in this file: probe before you rely on one",
    ),
    (
        "mode",
        "cannot prove",
        "thresholds of compaction are not recorded: a change of settings alone makes no epoch",
    ),
    (
        "retention",
        "cannot prove",
        "the file never shows the window that was really sent: nothing is ever observed",
    ),
    (
        "reading",
        "finding",
        "a rewind leaves no record: it is seen only when a prompt hangs where an earlier one hung",
    ),
)

_CLEARS_SILENTLY_FROM = (2, 1, 89)
_CLEARS_SILENTLY = "this version clears old tool results from the window without any record"


def conclude(run: Run) -> None:
    """The lines for every session, then those for what was found in this one."""
    run.rec.notes += [Note(topic, says, text) for topic, says, text in _ALWAYS]
    for topic, says, text, seqs in _found(run):
        if seqs:
            run.rec.note(topic, says, text, *seqs)
    if numbers(run.version) >= _CLEARS_SILENTLY_FROM:
        run.rec.note("closure", "cannot prove", _CLEARS_SILENTLY)
    if any(thread.boundary is not None for thread in run.threads.values()):
        text = "a compaction at the end of the file, whose summary is not written yet"
        run.rec.note("reading", "finding", text)
    for seq, before, after in run.hooks.drops:
        text = f"the window fell from {before} to {after} tokens and no record says why"
        run.rec.note("retention", "finding", text, seq)


def _found(run: Run) -> tuple[tuple[Topic, Says, str, list[int]], ...]:
    return (
        (
            "closure",
            "finding",
            "a compaction kept rows that this file does not have: record absent",
            run.rows.absent,
        ),
        (
            "closure",
            "finding",
            "the last message before a compaction was never written: what left is not all known",
            run.rows.unwritten,
        ),
        ("authorization", "proves", "calls that a person refused", run.calls.refused),
        (
            "soundness",
            "finding",
            "results of calls that are not in these files",
            run.calls.orphans,
        ),
        (
            "soundness",
            "finding",
            "calls without a result: still running, killed, or copied too early",
            run.calls.waiting,
        ),
    )
