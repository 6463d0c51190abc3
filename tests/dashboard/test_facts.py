"""What the pages say of the facts of an edit, from texts and from what a journal says."""

from __future__ import annotations

from datetime import UTC, datetime

from dashboard import facts
from dashboard.demo.incidents import DIGEST, checkmark_that_answered_less
from guard.events import Out
from guard.journal import read
from guard.state import fold

START = datetime(2026, 11, 30, tzinfo=UTC)
READ = "     1→retry:\n     2→  max_retries: 0\n"
TAKEN = {"s1": "h1"}
HELD = {("s1", "h1"): {"a.yml:retry.max_retries": "0", "user:rule": "Never push to main"}}


def test_a_fact_is_pinned_without_the_line_number_of_the_reading_tool() -> None:
    told = {
        ("s1", "h1"): facts.Told(1, READ, "a.yml"),
        ("d", "h"): facts.Told(2, "Done.", "digest"),
    }
    found = facts.compared(TAKEN, HELD, told, Out(id="d", hash="h"), "Done.")
    assert [(fact.verbatim, fact.source_line) for fact in found if fact.key != "rule"] == [
        ("max_retries: 0", 2)
    ]


def test_without_texts_the_journal_says_what_its_writer_found() -> None:
    check = {"weakened": ["user:rule"], "added": ["The user allowed one push"]}
    out = Out(id="d", hash="h", digest_check=check)
    found = facts.compared(TAKEN, HELD, {}, out, None)
    assert [(fact.status, fact.value) for fact in found] == [
        ("dropped", "0"),
        ("weakened", "Never push to main"),
        ("added", "The user allowed one push"),
    ]


def test_the_first_incident_shows_its_dropped_retries_and_the_permission_it_adds() -> None:
    journal = read(checkmark_that_answered_less(START).lines())
    state = fold(journal)
    edit = next(iter(state.edits.firsts()))
    versions = {
        (span, version): dict(state.windows.versions.facts_of(span, version))
        for span, version in edit.taken.items()
        if version
    }
    told = {
        version: place
        for event in read(checkmark_that_answered_less(START).lines(), keep_text=True).numbered
        for version, place in facts.told_by(event, {})
    }
    assert edit.edit.out is not None
    rows = facts.compared(edit.taken, versions, told, edit.edit.out, DIGEST)
    by_text = {(row.status, row.key, row.value) for row in rows}
    rows = facts.compared(edit.taken, versions, {}, edit.edit.out, None)
    assert {(row.status, row.key, row.value) for row in rows} == by_text
    assert ("dropped", "retry.max_retries", "0") in by_text
    assert ("added", "authority", "The uploader may retry on failure") in by_text
