"""What a source can and cannot prove, verdict by verdict: for `guard coverage` and for the page."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from guard.adapters.base import Note, Says, Topic

VERDICTS: tuple[tuple[Topic, str], ...] = (
    ("integrity", "Integrity"),
    ("closure", "Closure"),
    ("soundness", "Soundness"),
    ("mode", "Replay mode"),
    ("retention", "Retention"),
    ("authorization", "Authorisation"),
    ("status", "Undo of an edit"),
    ("reading", "The reading itself"),
)
"""The order of the lights on the page of a run, then what has no light."""

_ORDER: tuple[Says, ...] = ("proves", "cannot prove", "blind spot", "finding")


class Section(Struct, frozen=True):
    """All that is said about one verdict: proofs first, then what is missing."""

    topic: Topic
    title: str
    notes: list[Note]


def sections(notes: Iterable[Note]) -> list[Section]:
    """The notes by verdict. One that nothing is said about is there too, with no notes."""
    by_topic: dict[Topic, list[Note]] = {topic: [] for topic, _ in VERDICTS}
    for note in notes:
        by_topic[note.topic].append(note)
    return [
        Section(topic, title, sorted(by_topic[topic], key=lambda note: _ORDER.index(note.says)))
        for topic, title in VERDICTS
    ]
