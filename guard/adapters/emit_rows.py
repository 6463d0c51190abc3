"""Records out of files, for adapters whose sources are JSON lines or one JSON document.

Every physical line and every record is counted here, so that none is silent.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct

from guard.adapters.base import Place, SourceFile
from guard.adapters.mend import mend
from guard.adapters.recorder import KEPT_BYTES, Recorder

_BLANK = b" \t\r\n"


class Row(Struct, frozen=True):
    """One line of a source, and where it stands (`line` from 1, `offset` in bytes).

    `problem` says why it is no object; then `value` is empty and `kept` holds its bytes.
    """

    file: int
    line: int
    offset: int
    size: int
    value: dict[str, Any]
    mended: int = 0
    problem: str = ""
    kept: bytes = b""

    def place(self, item: int = 0) -> Place:
        """Where one item of this record is found again."""
        return Place(self.file, self.line, self.offset, self.size, item)


def decode(data: bytes) -> tuple[Any, int]:
    """A JSON value and how many characters were mended. Raises `ValueError` with the reason."""
    whole, count = mend(data)
    try:
        return msgspec.json.decode(whole), count
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {error.start + 1}") from error
    except msgspec.DecodeError as error:
        raise ValueError(f"no JSON: {error}") from error


def first_objects(head: bytes, count: int = 20) -> list[dict[str, Any]]:
    """The objects on the first lines of a head; what is no object, or cut, is left out."""
    found = []
    for line in head.split(b"\n")[:count]:
        value = peek(line)
        if isinstance(value, dict):
            found.append(value)
    return found


def short_name(file: SourceFile) -> str:
    """The last part of a file's name: what a run is called when its records name none."""
    return PurePosixPath(file.name).name or file.name


def peek(data: bytes) -> Any:
    """A JSON value, or None when it is none."""
    try:
        return decode(data)[0]
    except ValueError:
        return None


def scan(file: SourceFile, index: int = 0, *, prefix: bytes = b"") -> Iterator[Row]:
    """The lines of one file of JSON lines. `prefix` may stand before an object."""
    offset = 0
    for number, line in enumerate(file.lines(), 1):
        yield _row(index, number, offset, line, prefix)
        offset += len(line)


def _row(index: int, number: int, offset: int, line: bytes, prefix: bytes) -> Row:
    mended, problem = 0, ""
    value: Any = None
    try:
        value, mended = decode(line.removeprefix(prefix))
    except ValueError as error:
        problem = str(error)
    if isinstance(value, dict):
        return Row(index, number, offset, len(line), value, mended)
    kept = line if problem else line[:KEPT_BYTES]
    return Row(index, number, offset, len(line), {}, 0, problem or "JSON, but no object", kept)


def rows(recorder: Recorder, files: Sequence[SourceFile], scanned: Iterable[Row]) -> Iterator[Row]:
    """The objects among scanned lines, each line counted.

    A last line without its `\\n` that is no object is torn: it is read when it is whole.
    """
    for row in scanned:
        recorder.line()
        recorder.record()
        recorder.mended += row.mended
        if not row.problem:
            yield row
        elif not row.kept.strip(_BLANK):
            recorder.skip("empty line")
        elif row.kept.endswith(b"\n") or row.problem == "JSON, but no object":
            recorder.fail(files[row.file].name, row.line, row.problem, row.kept)
        else:
            recorder.tear(files[row.file].name, row.line, row.kept)


def document(recorder: Recorder, file: SourceFile) -> Any:
    """The JSON value of a file that is one document, or None with the reason on record.

    Its lines are counted here; the caller counts the records in it. A document that ends too
    early is torn: its writer was interrupted.
    """
    data = file.data()
    for _ in range(data.count(b"\n") + (not data.endswith(b"\n"))):
        recorder.line()
    try:
        value, mended = decode(data)
    except ValueError as error:
        recorder.record()
        if "truncated" in str(error):
            recorder.tear(file.name, 1, data)
        else:
            recorder.fail(file.name, 1, str(error), data)
        return None
    recorder.mended += mended
    return value


def parts_by(
    file: SourceFile, key: Callable[[dict[str, Any]], str | None]
) -> list[tuple[str, SourceFile]]:
    """The file under the key of its records; cut into parts where several keys occur.

    A record without a key belongs to the one before it.
    """
    parts: dict[str, list[bytes]] = {}
    latest = ""
    for line in file.lines():
        value = peek(line)
        latest = (key(value) if isinstance(value, dict) else None) or latest
        parts.setdefault(latest, []).append(line)
    if len(parts) > 1 and "" in parts:
        first = next(name for name in parts if name)
        parts[first] = parts.pop("") + parts[first]
    if len(parts) < 2:
        return [(next(iter(parts), "") or short_name(file), file)]
    return [
        (name, SourceFile(f"{file.name}?part={name}", b"".join(lines)))
        for name, lines in parts.items()
    ]


def by_time(sources: Sequence[Iterable[Row]], at: Callable[[Row], str]) -> Iterator[Row]:
    """Lines of several files in the order of their times; each file keeps its own order.

    A line without a time, or with one earlier than its predecessor's, stands at its predecessor's.
    """
    merged = heapq.merge(*(_timed(source, at) for source in sources), key=lambda pair: pair[0])
    return (row for _, row in merged)


def _timed(
    source: Iterable[Row], at: Callable[[Row], str]
) -> Iterator[tuple[tuple[str, int], Row]]:
    latest = ""
    for row in source:
        latest = max(latest, at(row))
        yield (latest, row.file), row
