"""Arrays for the figures: the size of the window, a sample of the clock, where writes stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from dashboard import clean, journals
from dashboard.models import EffectRow, Series
from guard.events import AnyEvent, Usage

SAMPLES = 4000
MANY_WRITES = 1_200
DANGER = ("irreversible", "", True)


def series(run_id: int, events: Sequence[AnyEvent], effects: Sequence[EffectRow]) -> list[Series]:
    """`usage` (when there is any), `clock` and, when there are many, `writes`.

    Times in microseconds since the epoch.
    """
    return [*_usage(run_id, events), *_clock(run_id, events), *_writes(run_id, effects)]


def _writes(run_id: int, effects: Sequence[EffectRow]) -> Iterator[Series]:
    rows = sorted((row for row in effects if row.write), key=lambda row: row.seq)
    if len(rows) <= MANY_WRITES:
        return
    looks: dict[tuple[str, str, bool], int] = {}
    which = [
        looks.setdefault(
            DANGER if row.danger else (row.reversibility, row.state, False), len(looks)
        )
        for row in rows
    ]
    arrays = {"seq": [row.seq for row in rows], "look": which, "looks": list(looks)}
    yield packed(run_id, "writes", arrays)


def _usage(run_id: int, events: Sequence[AnyEvent]) -> Iterator[Series]:
    found = [event for event in events if isinstance(event, Usage) and event.branch == "main"]
    if not found:
        return
    limits = [event.limit_tokens for event in found if event.limit_tokens is not None]
    yield packed(
        run_id,
        "usage",
        {
            "seq": [event.seq for event in found],
            "at_us": [clean.micros(clean.instant(event.at)) for event in found],
            "window_tokens": [event.window_tokens for event in found],
            "limit": limits[-1] if limits else None,
        },
    )


def _clock(run_id: int, events: Sequence[AnyEvent]) -> Iterator[Series]:
    timed = [event for event in events if event.at is not None and event.seq is not None]
    step = max(1, len(timed) // SAMPLES)
    kept = timed[::step] + timed[-1:]
    samples = [(event.seq, clean.micros(clean.instant(event.at))) for event in kept]
    rows = [(seq, at) for seq, at in dict(samples).items() if at is not None]
    if rows:
        yield packed(
            run_id, "clock", {"seq": [seq for seq, _ in rows], "at_us": [at for _, at in rows]}
        )


def packed(run_id: int, kind: str, arrays: dict[str, object]) -> Series:
    """A row with what the queries of a page decode."""
    return Series(run_id=run_id, kind=kind, data=journals.pack(msgspec.msgpack.encode(arrays)))
