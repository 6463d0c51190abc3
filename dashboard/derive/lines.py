"""What became of the lines that are no events of their own."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard import clean, journals
from dashboard.journals import Opened, Snapshot
from dashboard.models import LineRow, SkipCount
from guard.adapters.base import LineError
from guard.errors import JournalError
from guard.events import Unknown

MAX_ROWS = 5000
KEPT = 200


def line_rows(shot: Snapshot, opened: Opened) -> list[LineRow]:
    """Lines that were quarantined or could not be read, and files that nobody reads."""
    return list(_line_rows(shot, opened))[:MAX_ROWS]


def _line_rows(shot: Snapshot, opened: Opened) -> Iterator[LineRow]:
    torn = journals.torn_line(opened)
    if torn is not None:
        yield _row(shot, torn, "quarantined")
    for error in opened.reading.errors if opened.reading else ():
        yield _row(shot, error, "refused")
    for name in opened.unread:
        reason = "no adapter knows the records of this file"
        yield LineRow(run_id=shot.run_id, file=name, answer="refused", reason=reason)


def skip_rows(shot: Snapshot, opened: Opened) -> list[SkipCount]:
    """Kinds of records that were skipped by name, and how often."""
    name = _file(shot, "")
    if opened.reading is not None:
        counted = dict(opened.reading.skips)
    else:
        counted = {}
        for event in opened.journal.numbered:
            if isinstance(event, Unknown):
                counted[event.kind] = counted.get(event.kind, 0) + 1
    return [
        SkipCount(run_id=shot.run_id, file=name, name=clean.text(kind, 200), count=count)
        for kind, count in sorted(counted.items())
    ]


def refused_row(shot: Snapshot, error: JournalError) -> LineRow:
    """The line for which the whole journal was refused, with the bytes that stand there."""
    return LineRow(
        run_id=shot.run_id,
        file=_file(shot, ""),
        line=error.line or 0,
        answer="refused",
        reason=clean.text(error.reason),
        kept=_kept(_line(shot, error.line)),
    )


def _row(shot: Snapshot, error: LineError, answer: str) -> LineRow:
    return LineRow(
        run_id=shot.run_id,
        file=_file(shot, error.file),
        line=error.line,
        answer=answer,
        reason=clean.text(error.reason),
        kept=_kept(error.kept),
    )


def _line(shot: Snapshot, number: int | None) -> bytes:
    """The beginning of a line of the first file."""
    if not number or not shot.parts:
        return b""
    seen, rest = 0, b""
    for data in journals.contents(shot, shot.parts[0]):
        rest += data
        ends = rest.count(b"\n")
        if seen + ends >= number:
            return rest.split(b"\n", number - seen)[number - seen - 1][:KEPT]
        seen, rest = seen + ends, rest.rpartition(b"\n")[2]
    return rest[:KEPT] if number == seen + 1 else b""


def _kept(data: bytes) -> str:
    """Bytes for people: what is no text stands escaped."""
    return clean.text(data[:KEPT].decode("utf-8", "backslashreplace"), KEPT)


def _file(shot: Snapshot, name: str) -> str:
    return clean.text(name or (shot.parts[0].name if shot.parts else ""), 512)
