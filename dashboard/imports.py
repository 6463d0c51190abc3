"""Files that a person hands over, on the command line or on the page, become runs.

Files are grouped by content into runs; what nobody can read is refused with the reason, and the
other files are not touched by it. Bytes go the same way as a runtime's own: `ingest.receive`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Literal

from django.contrib.auth.models import User
from msgspec import Struct

from dashboard import ingest, working
from dashboard.models import File, Job, Source
from dashboard.receiving import Conflict, Receipt, Refused, Sent
from guard import adapters
from guard.adapters.base import Session, SourceFile
from guard.errors import JournalError
from guard.packing import MAX_UNPACKED_BYTES
from guard.shipping import content
from guard.shipping.placement import names_within

READ_WHOLE_BYTES = 64 << 20
SETTLE_S = 600.0

Answer = Literal["stored", "here already", "refused"]


class Taken(Struct, frozen=True):
    """What became of one file. `job_id` is None when there is nothing new to judge."""

    file: str
    answer: Answer
    run: str = ""
    reason: str = ""
    size_bytes: int = 0
    generation: int = 1
    job_id: int | None = None


def take(
    source: Source,
    files: Iterable[SourceFile],
    actor: str,
    owner: User | None = None,
    progress: Callable[[int], object] = lambda _size: None,
) -> Iterator[Taken]:
    """Store every file that somebody can read; one answer for each, in no promised order."""
    with ExitStack() as stack:
        unpacked = []
        for file in files:
            try:
                plain = content.unpacked(file, MAX_UNPACKED_BYTES)
                unpacked.append(stack.enter_context(plain))
            except content.Damaged as error:
                yield Taken(file.name, "refused", reason=str(error))
        sessions, unclaimed = adapters.sort_out(unpacked)
        for session in sessions:
            yield from _session(source, session, actor, owner, progress)
        for file in unclaimed:
            yield Taken(file.name, "refused", reason=_why_unread(file))


def settle(job_id: int) -> Job:
    """Work on a job here, or wait for the worker that has it."""
    until = time.monotonic() + SETTLE_S
    while not working.work_on(job_id) and time.monotonic() < until:
        job = Job.objects.get(pk=job_id)
        if job.state in {Job.State.DONE, Job.State.QUARANTINED}:
            break
        time.sleep(0.1)
    return Job.objects.get(pk=job_id)


def _session(
    source: Source,
    session: Session,
    actor: str,
    owner: User | None,
    progress: Callable[[int], object],
) -> Iterator[Taken]:
    names = _names(source, session)
    for file, name in zip(session.files, names, strict=True):
        try:
            receipts = list(_received(source, session, file, name, actor, owner, progress))
        except Refused as refused:
            yield Taken(file.name, "refused", reason=refused.reason)
            continue
        new = [receipt for receipt in receipts if not receipt.duplicate]
        last = receipts[-1]
        yield Taken(
            file=file.name,
            answer="stored" if new else "here already",
            run=last.run,
            size_bytes=sum(receipt.size_bytes for receipt in new),
            generation=last.generation,
            job_id=new[-1].job_id if new else None,
        )


def _received(
    source: Source,
    session: Session,
    file: SourceFile,
    name: str,
    actor: str,
    owner: User | None,
    progress: Callable[[int], object],
    generation: int = 0,
) -> Iterator[Receipt]:
    """Store a file piece by piece; all of it as the next generation where a later piece differs."""
    offset = 0
    with file.open() as stream:
        size = stream.seek(0, os.SEEK_END)
        while data := content.piece_at(stream, offset, size):
            sent = Sent(generation=generation, rewrite=not offset)
            try:
                yield ingest.receive(
                    source,
                    session.external_id,
                    name,
                    offset,
                    data,
                    actor=actor,
                    owner=owner,
                    sent=sent,
                )
            except Conflict as conflict:
                if generation:
                    raise
                following = int(str(conflict.shown["generation"])) + 1
                yield from _received(source, session, file, name, actor, owner, progress, following)
                return
            offset += len(data)
            progress(len(data))
    if not offset:
        raise Refused("empty", "empty file")


def _names(source: Source, session: Session) -> list[str]:
    first = (
        File.objects.filter(run__source=source, run__external_id=session.external_id)
        .order_by("pk")
        .first()
    )
    return names_within(session, None if first is None else first.name)


def _why_unread(file: SourceFile) -> str:
    """Why nobody reads this file: what a strict reader says, or that it is no session at all."""
    try:
        adapters.open_any(file.data()) if _is_small(file) else None
    except JournalError as error:
        return str(error)
    return "no adapter knows the records of this file"


def _is_small(file: SourceFile) -> bool:
    with file.open() as stream:
        return len(stream.read(READ_WHOLE_BYTES)) < READ_WHOLE_BYTES
