"""The recorder of live runs: it gives the numbers, in the order of arrival. Writes rows.

A runtime that calls the API sends events without `seq`; an effect with `after` or `before` keeps
its free place. Events that carry their own number are taken as they are, unless the number was
given out already. The batch is taken whole or not at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from msgspec import Struct

from dashboard import ingest, receiving
from dashboard.models import File, GateEvent, Run, Source
from dashboard.receiving import Conflict, Receipt, Refused, Stored
from guard import journal
from guard.canonical import canonical
from guard.errors import JournalError
from guard.events import Header
from guard.lines import Lines, parse

EVENTS_FILE = "events.ndjson"
MAX_LINES = journal.MAX_BATCH_LINES


class Recorded(Struct, frozen=True):
    """The receipt of a batch and the numbers that its events have."""

    receipt: Receipt
    first_seq: int
    last_seq: int


class _Batch(Struct, frozen=True):
    """Lines as they will be stored, and what they say."""

    data: bytes
    own_numbers: tuple[int, ...]
    first_seq: int
    last_seq: int


@transaction.atomic
def open_run(source: Source, header: Header, actor: str, owner: User | None) -> tuple[Run, bool]:
    """The live run of this header; True when it was made now. Another header is a `Conflict`."""
    run = ingest.locked_run(source, header.id, owner)
    line = journal.encode(header)
    if not run.header:
        _refuse_files(run)
        file = receiving.current_file(run, EVENTS_FILE)
        ingest.note_received(run, receiving.store(file, 0, line), actor)
        _note_header(run, line)
        return run, True
    known = run.header.encode()
    if canonical(parse(known)) != canonical(parse(line.rstrip(b"\n"))):
        raise Conflict(
            "other_header",
            "this run was opened with another header",
            sent_sha256=_sha256(line.rstrip(b"\n")),
            stored_sha256=_sha256(known),
        )
    return run, False


def _note_header(run: Run, line: bytes) -> None:
    header = journal.read(line).header
    run.header = line.rstrip(b"\n").decode()
    Run.objects.filter(pk=run.pk).update(
        header=run.header,
        runtime=header.runtime[:80],
        runtime_version=header.runtime_version[:80],
        agent=header.agent[:120],
    )


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@transaction.atomic
def append(run: Run, data: bytes, actor: str) -> Recorded:
    """Store a batch of native lines. Raises `JournalError` with the line, `Refused`, `Conflict`."""
    run = Run.objects.select_for_update().get(pk=run.pk)
    _refuse_files(run)
    batch = _numbered(run, data)
    journal.read_batch(batch.data, header=run.header.encode() or None)
    file = receiving.current_file(run, EVENTS_FILE)
    stored = _here_already(file, batch, data) or receiving.store(file, file.size_bytes, batch.data)
    if stored.new:
        _note_numbers(run, batch)
    return Recorded(ingest.note_received(run, stored, actor), batch.first_seq, batch.last_seq)


def _note_numbers(run: Run, batch: _Batch) -> None:
    _refuse_taken(run, batch.own_numbers)
    run.last_seq = max(run.last_seq, batch.last_seq)
    Run.objects.filter(pk=run.pk).update(last_seq=run.last_seq)
    if not run.header:
        _note_header(run, next(iter(Lines.of_bytes(batch.data))))


def is_live(run: Run) -> bool:
    """Whether the run is recorded by us, event by event, and not read from a runtime's files."""
    return File.objects.filter(run=run, name=EVENTS_FILE).exists()


def line_of(event: dict[str, Any]) -> bytes:
    """One line of a batch."""
    return canonical(event) + b"\n"


def _refuse_files(run: Run) -> None:
    if File.objects.filter(run=run).exclude(name=EVENTS_FILE).exists():
        text = f"run {run.public_id} is read from its runtime's own files: send those"
        raise Conflict("has_files", text)


def _numbered(run: Run, data: bytes) -> _Batch:
    lines = [*Lines.of_bytes(data)]
    if len(lines) > MAX_LINES:
        raise Refused("too_many", f"more than {MAX_LINES} events in one batch")
    if not lines:
        raise Refused("empty", "empty: a batch has at least one line")
    next_seq, stored, own = run.last_seq + 1, [], []
    for number, line in enumerate(lines, 1):
        members = _members(line, number)
        if _lacks_number(members):
            stored.append(_with_number(line, members, next_seq))
            next_seq += 1
        else:
            stored.append(line)
            own += [members["seq"]] if isinstance(members.get("seq"), int) else []
    numbers = [*own, *range(run.last_seq + 1, next_seq)] or [0]
    return _Batch(b"".join(stored), tuple(own), min(numbers), max(numbers))


def _members(line: bytes, number: int) -> dict[str, Any]:
    try:
        members = parse(line.removesuffix(b"\n"))
    except JournalError as error:
        raise JournalError(error.reason, number) from error
    if members.get("kind") == "gate":
        reason = "a gate is asked for at /gates and answered by a person, not by an event"
        raise JournalError(reason, number)
    return members


def _lacks_number(members: dict[str, Any]) -> bool:
    kind = members.get("kind")
    placed = kind == "effect" and not {"after", "before"}.isdisjoint(members)
    return members.get("seq") is None and not placed and kind != "journal"


def _with_number(line: bytes, members: dict[str, Any], seq: int) -> bytes:
    """The line as it came, and its number; one that says `null` is written anew."""
    if "seq" in members:
        return line_of({**members, "seq": seq})
    return b'{"seq":%d,' % seq + line.lstrip()[1:].rstrip(b"\n") + b"\n"


def _here_already(file: File, batch: _Batch, data: bytes) -> Stored | None:
    """Lines that bring their own numbers can be recognised when they come again."""
    if batch.data != data:
        return None
    return receiving.known(file, data)


def _refuse_taken(run: Run, numbers: Iterable[int]) -> None:
    ours = {row["seq"] for row in GateEvent.objects.filter(run=run).values_list("event", flat=True)}
    taken = sorted(ours.intersection(numbers))
    if taken:
        text = f"number {taken[0]} was given to a gate event; send events without `seq`"
        raise Conflict("seq_taken", text, taken=taken, next_seq=run.last_seq + 1)
