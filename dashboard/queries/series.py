"""Arrays kept beside a run (`Series`): unpacked once, read by bisection."""

from __future__ import annotations

import msgspec

from dashboard import journals
from dashboard.models import Run

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


def _data(run: Run, kind: str) -> bytes:
    packed = run.series.filter(kind=kind).values_list("data", flat=True).first()
    return journals.unpack(packed) if packed else b""
