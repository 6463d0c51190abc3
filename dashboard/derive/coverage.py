"""What the source of a run can and cannot prove, kept as its adapter said it."""

from __future__ import annotations

from msgspec import structs

from dashboard import clean
from dashboard.derive.series import packed
from dashboard.journals import Opened
from dashboard.models import Series
from guard.adapters.native import reading_of

MOST_NOTES = 500


def coverage(run_id: int, opened: Opened) -> Series:
    """The notes and the counts of the reading, as one packed row."""
    reading = opened.reading or reading_of(opened.journal, "")
    notes = [
        structs.replace(note, text=clean.text(note.text)) for note in reading.notes[:MOST_NOTES]
    ]
    more = len(reading.notes) - len(notes)
    kept = {"adapter": opened.adapter, "notes": notes, "counts": reading.counts, "more": more}
    return packed(run_id, "coverage", kept)
