"""The native journal as one more format: read strictly, its lines are its events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from guard import journal
from guard.adapters.base import Adapter, Counts, LineError, Reading, Session, SourceFile
from guard.events import AnyEvent, Unknown
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
        opened = self.open(files)
        events: list[AnyEvent] = [*opened.numbered, *opened.unnumbered]
        skips = Counter(event.kind for event in events if isinstance(event, Unknown))
        torn = None
        if opened.torn is not None:
            torn = LineError(
                files[0].name, opened.torn.line, "torn last line", opened.torn.raw[:200]
            )
        records = 1 + len(events) + (torn is not None)
        counts = Counts(
            records,
            records,
            records - skips.total() - (torn is not None),
            skips.total(),
            0,
            int(torn is not None),
        )
        return Reading(opened.header, events, skips, [], [], torn, counts)

    def text(self, record: bytes, _item: int, /) -> str:
        """The text that a span or a digest carries, or nothing."""
        members = _object(record)
        out = members.get("out")
        return str(
            members.get("text") or (out.get("text") if isinstance(out, dict) else None) or ""
        )


def _header(head: bytes) -> dict[str, Any]:
    return _object(head.split(b"\n", 1)[0])


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


NATIVE = Native()
