"""The native journal as one more format: read strictly, its lines are its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from guard import journal
from guard.adapters.base import (
    Adapter,
    Counts,
    LineError,
    Note,
    Reading,
    Session,
    SourceFile,
    Topic,
)
from guard.events import AnyEvent, Header, Inventory, Observed, Policy, Probe, Unknown
from guard.events import Counter as Counters
from guard.lines import Lines


class Native(Adapter):
    """`context-journal/1`. Unlike foreign records, a bad line raises `JournalError`."""

    name = "native"
    runtime = "context-journal/1"

    def sniff(self, head: bytes, /) -> bool:
        """The first line is an object of kind `journal`, whatever its format says."""
        return _header(head).get("kind") == "journal"

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """Each file is one run."""
        return [
            Session((file,), self.name, str(_header(file.head()).get("id", file.name)))
            for file in files
        ]

    def open(self, files: Sequence[SourceFile]) -> journal.Journal:
        """The journal of one file, or of several deliveries of one."""
        if len(files) == 1 and isinstance(files[0].origin, Path):
            return journal.read_file(files[0].origin)
        return journal.read(Lines.of_bytes(b"".join(file.data() for file in files)))

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """The same as a `Reading`, for pages that show every source alike."""
        return reading_of(self.open(files), files[0].name)

    def text(self, record: bytes, _item: int, /) -> str:
        """The text that a span or a digest carries, or nothing."""
        members = _object(record)
        out = members.get("out")
        return str(
            members.get("text") or (out.get("text") if isinstance(out, dict) else None) or ""
        )


def reading_of(opened: journal.Journal, name: str) -> Reading:
    """A journal of which every line was read, with what it can and cannot prove."""
    events: list[AnyEvent] = [*opened.numbered, *opened.unnumbered]
    skips = Counter(event.kind for event in events if isinstance(event, Unknown))
    torn = None
    if opened.torn is not None:
        torn = LineError(name, opened.torn.line, "torn last line", opened.torn.raw[:200])
    records = 1 + len(events) + (torn is not None)
    used = records - skips.total() - (torn is not None)
    counts = Counts(records, records, used, skips.total(), 0, int(torn is not None))
    return Reading(opened.header, events, skips, [], _notes(opened.header, events), torn, counts)


def _notes(header: Header, events: list[AnyEvent]) -> list[Note]:
    kinds = {type(event) for event in events}
    chained = any(event.chain is not None for event in events)
    shown: tuple[tuple[Topic, bool, str, str], ...] = (
        ("integrity", chained, _CHAINED, _UNCHAINED),
        ("closure", not kinds.isdisjoint({Counters, Inventory}), _COUNTED, _UNCOUNTED),
        ("mode", Policy in kinds, _POLICIES, _NO_POLICY),
        ("retention", Observed in kinds, _OBSERVED, _UNOBSERVED),
        ("status", Probe in kinds, _PROBED, _UNPROBED),
    )
    notes = [
        Note(topic, "proves" if has else "cannot prove", yes if has else no)
        for topic, has, yes, no in shown
    ]
    return [*notes, _ledger(header), Note("authorization", "cannot prove", _HUMAN)]


def _ledger(header: Header) -> Note:
    if header.ledger == "complete":
        return Note("soundness", "proves", "somebody attests that every effect is in this journal")
    if header.ledger == "none":
        return Note("soundness", "cannot prove", "nobody attests that every effect is here")
    text = f"every effect is attested in {len(header.ledger)} ranges of numbers, and not outside"
    return Note("soundness", "blind spot", text)


_CHAINED = "events carry the hash of the one before, so that a change after the fact shows"
_UNCHAINED = "no event carries a chain: that nothing was rewritten is known only from our own copy"
_COUNTED = "counters or an inventory of the records are on record: a pair that is gone shows"
_UNCOUNTED = "no counter and no inventory: an edit and record that are both gone leave no trace"
_POLICIES = "what decides about the window is on record, so epochs are known"
_NO_POLICY = "no policy is on record: whether edits belong to one epoch is not known"
_OBSERVED = "somebody looked at the real window: where, a rollback is checked against it"
_UNOBSERVED = "nobody looked at the real window: what a rollback brought back is never checked"
_PROBED = "an undo was tried against the real window"
_UNPROBED = "no undo of an edit was ever tried: probe before you rely on one"
_HUMAN = "that a person answered a gate is the recorder's word; a missing gate proves nothing"


def _header(head: bytes) -> dict[str, Any]:
    return _object(head.split(b"\n", 1)[0])


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


NATIVE = Native()
