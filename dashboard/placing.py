"""Where our own gate events stand in a journal. Pure: no database.

In a native journal they carry a number that was free when they were written. A journal that is
read from a runtime's own files is numbered by its adapter, so they are put between its events:
after the last one that was here when they were written. An approval that the runtime has used
stands before the start that it let through: the runtime records a call before it asks us.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct

from guard.adapters.base import Reading
from guard.events import AnyEvent, Effect, Gap, Gate, Header

BEGUN = frozenset({"started", "committed", "failed", "unknown"})


class OurEvent(Struct, frozen=True):
    """A gate event or a gap of ours; `used_by`: the effects that acted on its gate."""

    event: Gate | Gap
    after: int
    used_by: tuple[str, ...] = ()


def with_ours(reading: Reading, ours: Sequence[OurEvent]) -> Reading:
    """The reading with our events in their places, numbered anew from 1 without holes."""
    if not ours:
        return reading
    starts = _starts(reading.events, {effect for our in ours for effect in our.used_by})
    placed = sorted(ours, key=lambda our: _place(our, starts, len(reading.events)))
    places = [_place(our, starts, len(reading.events)) for our in placed]
    return msgspec.structs.replace(
        reading,
        header=_header(reading.header, places),
        events=list(_merged(reading.events, placed, places)),
        notes=[
            msgspec.structs.replace(note, seqs=tuple(_moved(seq, places) for seq in note.seqs))
            for note in reading.notes
        ],
    )


def _starts(events: Iterable[AnyEvent], wanted: set[str]) -> Mapping[str, int]:
    starts: dict[str, int] = {}
    for number, event in enumerate(events, 1):
        if isinstance(event, Effect) and event.id in wanted and event.state in BEGUN:
            starts.setdefault(event.id, number)
    return starts


def _place(our: OurEvent, starts: Mapping[str, int], last: int) -> int:
    """The number of the event that it stands behind."""
    used = [starts[effect] - 1 for effect in our.used_by if effect in starts]
    asked = isinstance(our.event, Gate) and our.event.state in {"requested", "approved"}
    if asked and used:
        return min(our.after, *used)
    return min(our.after, last)


def _moved(number: int, places: Sequence[int]) -> int:
    """The new number of what was `number`: one more for each of ours before it."""
    return number + bisect_left(places, number)


def _merged(
    events: Sequence[AnyEvent], ours: Sequence[OurEvent], places: Sequence[int]
) -> Iterable[AnyEvent]:
    queue = [*zip(places, ours, strict=True)]
    number = 0
    for index in range(len(events) + 1):
        while queue and queue[0][0] <= index:
            number += 1
            yield msgspec.structs.replace(queue.pop(0)[1].event, seq=number)
        if index < len(events):
            number += 1
            yield _numbered(events[index], number, places)


def _numbered(event: AnyEvent, number: int, places: Sequence[int]) -> AnyEvent:
    if isinstance(event, Gap) and event.first_seq is not None:
        last = event.first_seq if event.last_seq is None else event.last_seq
        return msgspec.structs.replace(
            event,
            seq=number,
            first_seq=_moved(event.first_seq, places),
            last_seq=_moved(last, places),
        )
    return event if event.seq == number else msgspec.structs.replace(event, seq=number)


def _header(header: Header, places: Sequence[int]) -> Header:
    if isinstance(header.ledger, str):
        return header
    ledger = [(_moved(first, places), _moved(last, places)) for first, last in header.ledger]
    return msgspec.structs.replace(header, ledger=ledger)


def with_lines(data: bytes, more: Iterable[bytes]) -> bytes:
    """A native file with more lines behind its header, in front of all others."""
    added = b"".join(more)
    header, newline, rest = data.partition(b"\n")
    return header + newline + added + rest if added else data


def native_lines(data: bytes, ours: Sequence[bytes]) -> bytes:
    """A native file with our lines before its last line when that one is not ended yet."""
    whole, newline, rest = data.rpartition(b"\n")
    return whole + newline + b"".join(ours) + rest
