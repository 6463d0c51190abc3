"""Arrays kept beside a run (`Series`): unpacked once, read by bisection."""

from __future__ import annotations

import msgspec

from dashboard import journals
from dashboard.models import Run
from guard.adapters.base import Counts, Note

Number = int | None


class Usage(msgspec.Struct, frozen=True):
    """Size of the window at `seq`; `limit` in tokens. Equal lengths, in order of seq."""

    seq: list[int]
    window_tokens: list[Number]
    limit: Number = None


class Samples(msgspec.Struct, frozen=True):
    """Times by the source's own clock, in microseconds, at some sequence numbers."""

    seq: list[int]
    at_us: list[Number]


def usage(run: Run) -> Usage:
    """The token series of a run; empty when the runtime reports none."""
    data = _data(run, "usage")
    return msgspec.msgpack.decode(data, type=Usage) if data else Usage([], [])


def samples(run: Run) -> Samples:
    """The sampled clock of a run."""
    data = _data(run, "clock")
    return msgspec.msgpack.decode(data, type=Samples) if data else Samples([], [])


class Covered(msgspec.Struct, frozen=True):
    """What the adapter of a run said of its source. `more`: notes beyond those that are kept."""

    adapter: str
    notes: list[Note]
    counts: Counts
    more: int = 0


def covered(run: Run) -> Covered | None:
    """The coverage of a run; None when it could not be read, or was judged before there was one."""
    data = _data(run, "coverage")
    return msgspec.msgpack.decode(data, type=Covered) if data else None


def _data(run: Run, kind: str) -> bytes:
    packed = run.series.filter(kind=kind).values_list("data", flat=True).first()
    return journals.unpack(packed) if packed else b""
