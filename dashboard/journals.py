"""From stored chunks back to a journal. Reads only; what it found is written by `ingest.py`."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from django.db import transaction
from msgspec import Struct

from dashboard import bodies, placing
from dashboard.models import Chunk, Consumption, File, GateEvent, Redaction, Run
from dashboard.overrides import overrides_of
from guard import adapters, journal
from guard.adapters.base import LineError, Reading, Session, SourceFile
from guard.adapters.native import NATIVE
from guard.adapters.otlp import OTLP
from guard.effects import Override, team_rules
from guard.errors import JournalError
from guard.events import Edit, Gap, Gate, Proposal, Span
from guard.journal import Journal

FETCHED = 32
Version = tuple[str, str]
"""A span and the hash of its content."""


class Part(Struct, frozen=True):
    """One file of a snapshot. `earlier`: its generations whose end is not known to be in it."""

    file_id: int
    name: str
    earlier: tuple[int, ...] = ()


class Marks(Struct, frozen=True):
    """The last chunk and the last event of ours, by id and by what a rolled-back one lacks."""

    chunk: int
    receipt: str
    event: int
    event_at: str

    @property
    def position(self) -> tuple[int, int]:
        """Snapshots of one run in the order of what they cover."""
        return self.chunk, self.event


class Snapshot(Struct, frozen=True):
    """What was received of a run up to `head`: enough to read exactly that, later.

    A run's chunks and events are written under its lock, so their ids rise in the order of arrival:
    everything up to the `marks` is in, nothing beyond.
    """

    run_id: int
    head: str
    parts: tuple[Part, ...]
    marks: Marks
    ours: tuple[placing.OurEvent, ...]
    team: tuple[Override, ...] = ()
    """The effect rules of its source; a change of them gives the run a new head."""


class Opened(Struct, frozen=True):
    """A journal as it was read. `own_events`: events without ours; `unread`: files nobody claims.

    `reading` is None for a native journal, whose lines are its events.
    """

    adapter: str
    journal: Journal
    reading: Reading | None
    own_events: int
    unread: tuple[str, ...] = ()


class News(Struct, frozen=True):
    """What came to a native journal since then; `lines` is None when more than that changed."""

    head: str
    marks: Marks
    lines: bytes | None
    ours: tuple[Gate, ...] = ()


@transaction.atomic
def snapshot(run_id: int) -> Snapshot:
    """The present head and what it covers; the run is locked for the moment of looking."""
    run = Run.objects.select_for_update().get(pk=run_id)
    team = overrides_of(run.source_id)
    return Snapshot(run.pk, run.head, tuple(_parts(run)), _marks(run), tuple(_ours(run)), team)


def _parts(run: Run) -> Iterator[Part]:
    """The files in the order in which their first bytes came."""
    generations: defaultdict[str, list[File]] = defaultdict(list)
    for file in File.objects.filter(run=run).order_by("pk"):
        generations[file.name].append(file)
    for name, files in generations.items():
        earlier = (before.pk for before, after in pairwise(files) if after.rewrites)
        yield Part(files[-1].pk, name, tuple(earlier))


def _marks(run: Run) -> Marks:
    chunk = Chunk.objects.filter(file__run=run).order_by("-pk").values_list("pk", "receipt")
    event = GateEvent.objects.filter(run=run).order_by("-pk").values_list("pk", "at")
    number, receipt = chunk.first() or (0, "")
    last, at = event.first() or (0, None)
    return Marks(number, str(receipt), last, at.isoformat() if at else "")


@transaction.atomic
def news(run_id: int, file_id: int, since: Marks) -> News:
    """What came since then, when it was only appended to the one file of the run.

    What was read may have been rolled back since; then it is not among what stands now.
    """
    run = Run.objects.select_for_update().get(pk=run_id)
    chunks = list(
        Chunk.objects.filter(file__run=run, pk__gte=since.chunk)
        .order_by("pk")
        .values_list("pk", "receipt", "file_id", "data")
    )
    events = list(
        GateEvent.objects.filter(run=run, pk__gte=since.event)
        .order_by("pk")
        .values_list("pk", "at", "event")
    )
    stands = _first(chunks) == (since.chunk, since.receipt) and (
        not since.event or _first(events) == (since.event, since.event_at)
    )
    plain = stands and all(found == file_id for _, _, found, _ in chunks)
    new_events = events[1:] if since.event else events
    return News(
        head=run.head,
        marks=_marks(run),
        lines=b"".join(unpack(data) for *_, data in chunks[1:]) if plain else None,
        ours=tuple(_gate(event) for *_, event in new_events),
    )


def _first(rows: Sequence[tuple[Any, ...]]) -> tuple[int, str] | None:
    if not rows:
        return None
    number, name = rows[0][:2]
    return number, name.isoformat() if isinstance(name, datetime) else str(name)


def _gate(event: dict[str, object]) -> Gate:
    return msgspec.convert(event, Gate, str_keys=True)


def _ours(run: Run) -> Iterator[placing.OurEvent]:
    used = defaultdict(list)
    for gate_id, effect in Consumption.objects.filter(gate__run=run).values_list(
        "gate_id", "effect_id"
    ):
        used[gate_id].append(effect)
    for row in GateEvent.objects.filter(run=run).order_by("pk"):
        yield placing.OurEvent(_gate(row.event), row.after, tuple(used[row.gate_id]))


@contextmanager
def spooled(shot: Snapshot) -> Iterator[list[SourceFile]]:
    """The files of a snapshot on disk for as long as the block lasts, named as they were sent."""
    with tempfile.TemporaryDirectory(prefix="guard-") as folder:
        files = []
        for number, part in enumerate(shot.parts):
            files.append(_spool(shot, part, Path(folder) / str(number)))
        yield files


def _spool(shot: Snapshot, part: Part, path: Path) -> SourceFile:
    with path.open("wb") as stream:
        for data in contents(shot, part):
            stream.write(data)
    return SourceFile(part.name, path)


def contents(shot: Snapshot, part: Part) -> Iterator[bytes]:
    """The bytes of a file of a snapshot, chunk by chunk. Raises `JournalError` for deleted ones."""
    chunks = Chunk.objects.filter(file_id=part.file_id, pk__lte=shot.marks.chunk).order_by("offset")
    for packed in chunks.values_list("data", flat=True).iterator(chunk_size=FETCHED):
        if not packed:
            raise JournalError("the bytes of this run were deleted when their retention ended")
        yield unpack(packed)


def pack(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=3).compress(data)


def pack_all(pieces: Iterable[bytes]) -> bytes:
    """The same for bytes that come in pieces."""
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    return b"".join([*map(packer.compress, pieces), packer.flush()])


def unpack(packed: bytes | memoryview) -> bytes:
    # Only bytes that were packed here come here, so that their size is no danger.
    return zstandard.ZstdDecompressor().decompressobj().decompress(bytes(packed))


def open_snapshot(shot: Snapshot) -> Opened:
    """Read a snapshot. Raises `JournalError` when it is no journal of one run."""
    with spooled(shot) as files:
        return _open(shot, files)


def open_with_texts(shot: Snapshot) -> tuple[Opened, dict[Version, str]]:
    """A snapshot, and the texts of its digests and of the spans that carry facts.

    Only these are looked at: they are what is compared. The other texts stay where they are.
    """
    with spooled(shot) as files:
        opened = _open(shot, files)
        texts = _foreign_texts(opened, files) if opened.reading else _native_texts(shot)
        return opened, dict(texts)


def _open(shot: Snapshot, files: list[SourceFile]) -> Opened:
    sessions, unread = adapters.sort_out(files)
    if len(sessions) > 1:
        sessions, unread = _without_telemetry(sessions, unread)
    if len(sessions) > 1:
        raise JournalError(f"{len(sessions)} sessions in the files of one run")
    if sessions and sessions[0].adapter != NATIVE.name:
        with team_rules(shot.team):
            reading = adapters.reading(sessions[0])
            gaps = _rewritten(shot, files, reading)
            return _foreign(sessions[0].adapter, reading, shot, gaps, unread)
    main = sessions[0].files if sessions else tuple(unread[:1])
    return _native(main, shot, unread if sessions else unread[1:])


def _without_telemetry(
    sessions: list[Session], unread: list[SourceFile]
) -> tuple[list[Session], list[SourceFile]]:
    """A session's own file tells more than telemetry of the same session, which stays unread."""
    own = [session for session in sessions if session.adapter != OTLP.name]
    beside = [file for s in sessions if s.adapter == OTLP.name for file in s.files]
    return (own, [*unread, *beside]) if own else (sessions, unread)


def _foreign_texts(opened: Opened, files: list[SourceFile]) -> Iterator[tuple[Version, str]]:
    assert opened.reading is not None
    own = [file for file in files if file.name not in opened.unread]
    adapter = adapters.named(opened.adapter)
    for event in opened.reading.events:
        if isinstance(event, Span) and event.facts:
            text = event.text or adapters.text_of(opened.reading, own, adapter, event.id)
            if text:
                yield (event.id, event.hash), text
        elif isinstance(event, Edit | Proposal) and event.out and event.out.text:
            yield (event.out.id, event.out.hash), event.out.text


def _native_texts(shot: Snapshot) -> Iterator[tuple[Version, str]]:
    """The lines were read strictly before; here only those with a text that matters are parsed."""
    for line in native_lines(shot):
        if b'"text"' in line and (b'"facts"' in line or b'"out"' in line):
            members = _object(line)
            shown = members if members.get("kind") == "span" else members.get("out")
            if isinstance(shown, dict) and shown.get("text"):
                yield (shown["id"], shown["hash"]), shown["text"]


def _object(line: bytes) -> dict[str, object]:
    """The members of a line; nothing for one that is torn."""
    try:
        members = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {}
    return members if isinstance(members, dict) else {}


def native_lines(shot: Snapshot) -> Iterator[bytes]:
    """The whole lines of the first file, without those that we added."""
    rest = b""
    for part in shot.parts[:1]:
        for data in contents(shot, part):
            *whole, rest = (rest + data).split(b"\n")
            yield from whole
    if rest:
        yield rest


def _rewritten(
    shot: Snapshot, files: Sequence[SourceFile], reading: Reading
) -> tuple[placing.OurEvent, ...]:
    """A gap where the host's own history was rewritten: behind the last event it left as it was.

    An earlier generation that the present one goes on from leaves none.
    """
    found: dict[int, placing.OurEvent] = {}
    for number, part in enumerate(shot.parts):
        for file_id in part.earlier:
            with tempfile.NamedTemporaryFile(prefix="guard-") as made:
                before = _spool(shot, Part(file_id, part.name), Path(made.name))
                was = [*files[:number], before, *files[number + 1 :]]
                kept = _events_kept(was, reading)
            if kept is not None:
                found[kept] = placing.OurEvent(_gap(part.name), kept)
    return tuple(found.values())


def _events_kept(files: Sequence[SourceFile], reading: Reading) -> int | None:
    """How many events still stand of those that were read from these files; None for all."""
    try:
        was = adapters.reading(adapters.sort_out(files)[0][0]).events
    except (JournalError, IndexError):
        return 0
    same = takewhile(lambda pair: pair[0] == pair[1], zip(was, reading.events, strict=False))
    kept = sum(1 for _ in same)
    return kept if kept < len(was) else None


def _gap(name: str) -> Gap:
    return Gap(
        seq=0,
        what=f"{name} was rewritten: what its host had recorded from here on is in it no longer",
        consequence="the earlier copy is kept as a generation of the file and is not judged",
    )


def _foreign(
    name: str,
    reading: Reading,
    shot: Snapshot,
    gaps: tuple[placing.OurEvent, ...],
    unread: list[SourceFile],
) -> Opened:
    known = bodies.restored(reading, bodies.one_each(_noted(shot, "bodies")))
    read = placing.with_ours(known, (*shot.ours, *gaps))
    names = tuple(file.name for file in unread)
    return Opened(name, read.journal(), read, len(reading.events), names)


def _native(files: tuple[SourceFile, ...], shot: Snapshot, unread: list[SourceFile]) -> Opened:
    if not files:
        raise JournalError("nothing was received yet")
    lines = [journal.encode(our.event) for our in shot.ours]
    data = placing.native_lines(b"".join(file.data() for file in files), lines)
    data = placing.with_lines(data, _earlier_lines(shot))
    found = journal.read(data, redacted=dict(_noted(shot, "chains")))
    if found.torn is not None and lines:
        torn = msgspec.structs.replace(found.torn, line=found.torn.line - len(lines))
        found = msgspec.structs.replace(found, torn=torn)
    names = tuple(file.name for file in unread)
    own = len(found.numbered) + len(found.unnumbered) - len(lines)
    return Opened(NATIVE.name, found, None, own, names)


def _noted(shot: Snapshot, what: str) -> Iterator[tuple[str, str]]:
    """What was noted when secrets were taken out: `chains` or `bodies` of `Redaction`."""
    noted = Redaction.objects.filter(
        chunk__file__run_id=shot.run_id, chunk_id__lte=shot.marks.chunk
    ).exclude(**{what: {}})
    for table in noted.order_by("pk").values_list(what, flat=True):
        yield from table.items()


def _earlier_lines(shot: Snapshot) -> Iterator[bytes]:
    """Events of earlier generations: a native journal tells itself which are the same, or forks."""
    for part in shot.parts[:1]:
        for file_id in part.earlier:
            data = b"".join(contents(shot, Part(file_id, part.name)))
            *whole, _ = data.split(b"\n")
            yield from (line + b"\n" for line in whole[1:])


def torn_line(opened: Opened) -> LineError | None:
    """The quarantined last line, whatever the format."""
    if opened.reading is not None:
        return opened.reading.torn
    torn = opened.journal.torn
    return None if torn is None else LineError("", torn.line, "torn last line", torn.raw[:200])
