"""What every adapter shares: source files, numbering, honest counts (`runtimes/mapping.md`).

An adapter turns the records that a runtime wrote into the events of a native journal. The rules:
the same prefix gives the same events (only `ledger` in the header grows); every record is an event,
a named skip or an error with its reason; what the source does not say is not invented.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Literal, Protocol

from msgspec import Struct, field

from guard.events import AnyEvent, Hash, Header
from guard.journal import Journal, Torn, encode

HEAD_BYTES = 1 << 16
LONGEST_HEAD_BYTES = 1 << 23


class SourceFile(Struct, frozen=True):
    """One file of a runtime, opened anew at each use. `name` is for people, and pairs files."""

    name: str
    origin: Path | bytes

    @classmethod
    def of(cls, path: Path) -> SourceFile:
        """A file on disk under its own name."""
        return cls(str(path), path)

    def open(self) -> BinaryIO:
        """The raw bytes, from the start."""
        return io.BytesIO(self.origin) if isinstance(self.origin, bytes) else self.origin.open("rb")

    def lines(self) -> Iterator[bytes]:
        """Raw lines, split at 0x0A only. Each keeps it; only the last one may lack it."""
        with self.open() as stream:
            yield from stream

    def data(self) -> bytes:
        """The whole content at once, for sources that are no lines."""
        with self.open() as stream:
            return stream.read()

    def head(self) -> bytes:
        """The first 64 KiB, and at least the whole first line as long as it is under 8 MiB."""
        with self.open() as stream:
            head = stream.read(HEAD_BYTES)
            if b"\n" not in head and len(head) == HEAD_BYTES:
                head += stream.readline(LONGEST_HEAD_BYTES)
            return head


class LineError(Struct, frozen=True):
    """A record that could not be read: where (from 1), why, and its first 200 bytes."""

    file: str
    line: int
    reason: str
    kept: bytes

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


Topic = Literal[
    "integrity", "closure", "soundness", "authorization", "status", "mode", "retention", "reading"
]
"""What a line of the coverage page is about: a verdict, or the reading itself."""
Says = Literal["proves", "cannot prove", "blind spot", "finding"]


class Note(Struct, frozen=True):
    """A line of the coverage page: what this source can or cannot prove for one verdict.

    `blind spot` = a stretch in which effects may be missing; `finding` = something that the
    coverage page says and no verdict rests on. `count` = how often, `seqs` = where (at most 100).
    """

    topic: Topic
    says: Says
    text: str
    count: int = 1
    seqs: tuple[int, ...] = ()


class Place(Struct, frozen=True):
    """Where the text of a span stands: file (index), line (from 1), bytes, and item of the row."""

    file: int
    line: int
    offset: int
    size: int
    item: int = 0


class Counts(Struct, frozen=True):
    """Every record is accounted for: `records == used + skipped + failed + torn`.

    `lines` counts physical lines; `records` counts objects (two may be glued on one line).
    """

    lines: int
    records: int
    used: int
    skipped: int
    failed: int
    torn: int

    @property
    def balanced(self) -> bool:
        """Whether no record is silent."""
        return self.records == self.used + self.skipped + self.failed + self.torn


class Reading(Struct, frozen=True):
    """One session read: its events, numbered from 1 without holes, and all that is not an event."""

    header: Header
    events: list[AnyEvent]
    skips: Counter[str]
    errors: list[LineError]
    notes: list[Note]
    torn: LineError | None
    counts: Counts
    places: dict[str, Place] = field(default_factory=dict)

    def journal(self) -> Journal:
        """The same as the judge takes it: no number twice, none missing, no chain."""
        torn = None if self.torn is None else Torn(self.torn.line, self.torn.kept)
        return Journal(self.header, tuple(self.events), (), (), (), torn)

    def native(self) -> Iterator[bytes]:
        """The same as lines of `context-journal/1`; a torn line stays torn."""
        yield encode(self.header)
        yield from map(encode, self.events)
        if self.torn is not None:
            yield self.torn.kept


class Session(Struct, frozen=True):
    """The files of one run (the main file first), who reads them, and the runtime's own id."""

    files: tuple[SourceFile, ...]
    adapter: str
    external_id: str


class Adapter(Protocol):
    """One runtime; derive from it. Every method looks at content, a name only pairs files."""

    name: str
    runtime: str

    def sniff(self, head: bytes, /) -> bool:
        """Whether a file that starts with `head` (whole first line included) is of this runtime."""

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """The runs that these files, all claimed by `sniff`, belong to. No file is left out."""

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """Read one run. Bad records are errors of the reading, never exceptions."""

    def text(self, record: bytes, item: int, /) -> str:
        """The text of one item of a record that a `Place` points at, for people."""

    def beside(self, _path: Path, /) -> list[Path]:
        """Further files of the run of a main file, where the runtime puts them."""
        return []


def text_hash(text: str) -> Hash:
    """The hash of a content that is a text: SHA-256 of its UTF-8 bytes."""
    return Hash("sha256:" + hashlib.sha256(text.encode()).hexdigest())


def found(path: str | Path) -> list[SourceFile]:
    """The files that a path, folder (walked in name order, hidden ones too) or glob stands for."""
    named = Path(path)
    if named.is_file():
        return [SourceFile.of(named)]
    if named.is_dir():
        return [SourceFile.of(Path(root) / name) for root, name in _walk(named)]
    return [SourceFile.of(file) for file in sorted(_matches(named)) if file.is_file()]


def _matches(pattern: Path) -> Iterator[Path]:
    root = Path(pattern.anchor)
    return root.glob(str(pattern.relative_to(root)))


def _walk(folder: Path) -> Iterable[tuple[str, str]]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield root, name
