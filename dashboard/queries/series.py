"""Arrays kept beside a run (`Series`): unpacked once, read by bisection."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

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


class Look(NamedTuple):
    """What a mark of the figure shows of a write; dangers all look alike."""

    reversibility: str
    state: str
    danger: bool


DANGER = Look("irreversible", "", True)


class Cell(NamedTuple):
    """`n` writes of one look from `low` to `high`, in one cell of a range."""

    n: int
    low: int
    high: int
    look: Look


class Writes(msgspec.Struct, frozen=True):
    """Where the writes of a run stand, in order of seq; `look` counts in `looks`."""

    seq: list[int]
    look: list[int]
    looks: list[Look]

    def count(self, first: int, last: int) -> int:
        low, high = self._slice(first, last)
        return high - low

    def dangers(self, first: int, last: int) -> int:
        low, high = self._slice(first, last)
        return self.look[low:high].count(self._danger)

    def cells(self, first: int, last: int, cells: int, *, danger: bool) -> Iterator[Cell]:
        """The dangers of a range, or all others, joined to so many cells."""
        start, end = self._slice(first, last)
        wide = max(1, last - first + 1)
        for cell in range(1, cells + 1):
            edge = bisect_left(self.seq, first - (-cell * wide // cells), start, end)
            part = self.look[start:edge]
            for look, n in Counter(part).items():
                if (look == self._danger) is danger:
                    low = self.seq[start + part.index(look)]
                    high = self.seq[edge - 1 - part[::-1].index(look)]
                    yield Cell(n, low, high, self.looks[look])
            start = edge

    @property
    def _danger(self) -> int:
        return self.looks.index(DANGER) if DANGER in self.looks else -1

    def _slice(self, first: int, last: int) -> tuple[int, int]:
        return bisect_left(self.seq, first), bisect_right(self.seq, last)


def writes(run: Run) -> Writes:
    """The writes of a run: kept beside it when they are many, else read from the rows."""
    data = _data(run, "writes")
    if data:
        return msgspec.msgpack.decode(data, type=Writes)
    rows = run.effects.filter(write=True).order_by("seq")
    looks: dict[Look, int] = {}
    seqs, which = [], []
    for seq, reversibility, state, danger in rows.values_list(
        "seq", "reversibility", "state", "danger"
    ):
        look = DANGER if danger else Look(reversibility, state, danger)
        seqs.append(seq)
        which.append(looks.setdefault(look, len(looks)))
    return Writes(seqs, which, list(looks))


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
