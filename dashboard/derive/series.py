"""Arrays for the figures: the size of the window, and a sample of the clock."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from dashboard import clean, journals
from dashboard.models import Series
from guard.events import AnyEvent, Usage

SAMPLES = 4000


def series(run_id: int, events: Sequence[AnyEvent]) -> list[Series]:
    """`usage` (when there is any) and `clock`; times in microseconds since the epoch."""
    return [*_usage(run_id, events), *_clock(run_id, events)]


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
