"""Foreign formats: who reads which bytes, and the one way in for every caller.

To add a runtime: one file with an `Adapter`, one line in `ADAPTERS`, its samples in
`tests/samples/<runtime>/`. The conformance test does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from guard.adapters.adk import ADK
from guard.adapters.base import Adapter, Place, Reading, Session, SourceFile, found
from guard.adapters.claude_code import CLAUDE_CODE
from guard.adapters.cline import CLINE
from guard.adapters.codex import CODEX
from guard.adapters.gemini import GEMINI
from guard.adapters.langgraph import LANGGRAPH
from guard.adapters.native import NATIVE
from guard.adapters.opencode import OPENCODE
from guard.adapters.openhands import OPENHANDS
from guard.adapters.otlp import OTLP
from guard.adapters.pi import PI
from guard.errors import JournalError
from guard.journal import Journal, uncollected

ADAPTERS: tuple[Adapter, ...] = (
    NATIVE,
    CLAUDE_CODE,
    CODEX,
    OPENCODE,
    OPENHANDS,
    GEMINI,
    LANGGRAPH,
    ADK,
    PI,
    CLINE,
    OTLP,
)

Input = bytes | str | Path | Sequence[str | Path]
"""Bytes of one file; or a path, folder or glob; or several of these."""


def named(name: str) -> Adapter:
    """The adapter of that name. Raises `KeyError` with the names there are."""
    for adapter in ADAPTERS:
        if adapter.name == name:
            return adapter
    raise KeyError(f"{name}: no such adapter; there are {', '.join(a.name for a in ADAPTERS)}")


def sniff(head: bytes) -> Adapter | None:
    """Who reads a file that starts with `head` (whole first line); None when nobody claims it."""
    return next((adapter for adapter in ADAPTERS if adapter.sniff(head)), None)


def sort_out(files: Iterable[SourceFile]) -> tuple[list[Session], list[SourceFile]]:
    """The runs that these files hold, and the files that nobody claims."""
    claimed: dict[str, list[SourceFile]] = {}
    unclaimed = []
    for file in files:
        adapter = sniff(file.head())
        if adapter is None:
            unclaimed.append(file)
        else:
            claimed.setdefault(adapter.name, []).append(file)
    runs = [run for name, own in claimed.items() for run in named(name).group(own)]
    return runs, unclaimed


def sessions(path: str | Path) -> Iterator[Session]:
    """The runs under a file, folder or glob, sniffed by content. Only heads are read."""
    yield from sort_out(found(path))[0]


def reading(source: Input | Session) -> Reading:
    """One run with everything that is not an event. Raises `JournalError` as `open_any` does."""
    return _read(_one_run(source))


def open_any(source: Input | Session) -> Journal:
    """The journal of one run in whatever format it is.

    Bytes that nobody claims are read as a native journal, so that the refusal says what is wrong.
    Raises `JournalError` for that, for no run at all, and for more than one.
    """
    run = _one_run(source)
    if run.adapter == NATIVE.name:
        return NATIVE.open(run.files)
    return _read(run).journal()


def _read(run: Session) -> Reading:
    with uncollected():
        return named(run.adapter).read(run.files)


def text_of(read: Reading, files: Sequence[SourceFile], adapter: Adapter, span: str) -> str | None:
    """The text of a span, looked up again in the bytes it came from; None when it has no place."""
    place = read.places.get(span)
    return None if place is None else adapter.text(_record(files[place.file], place), place.item)


def _record(file: SourceFile, place: Place) -> bytes:
    with file.open() as stream:
        stream.seek(place.offset)
        return stream.read(place.size)


def _one_run(source: Input | Session) -> Session:
    if isinstance(source, Session):
        return source
    files = _files(source)
    runs, unclaimed = sort_out(files)
    if len(runs) == 1:
        return runs[0]
    if runs:
        raise JournalError(f"{len(runs)} runs in one input: name one of them")
    if not unclaimed:
        raise JournalError("no file there")
    if len(unclaimed) > 1:
        raise JournalError(f"{len(unclaimed)} files, and none is a journal of a known runtime")
    return Session((unclaimed[0],), NATIVE.name, unclaimed[0].name)


def _files(source: Input) -> list[SourceFile]:
    if isinstance(source, bytes):
        return [SourceFile("-", source)]
    if isinstance(source, str | Path):
        files = found(source)
        return _with_companions(files[0]) if len(files) == 1 else files
    return [file for path in source for file in found(path)]


def _with_companions(file: SourceFile) -> list[SourceFile]:
    """One named file, and what its runtime keeps of the same run beside it."""
    adapter = sniff(file.head())
    if adapter is None or not isinstance(file.origin, Path):
        return [file]
    return [file, *map(SourceFile.of, adapter.beside(file.origin))]
