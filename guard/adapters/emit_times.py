"""Native times as the journal writes them: RFC 3339 in UTC (`journal-format.md` 2)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

_WHOLE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)
_NAIVE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def from_text(value: Any) -> str | None:
    """A time that is already one; None for anything else."""
    return value if isinstance(value, str) and _WHOLE.fullmatch(value) else None


def from_local(value: Any) -> str | None:
    """A time without an offset, written as if it were UTC: the source does not say where it ran."""
    if isinstance(value, str) and _NAIVE.fullmatch(value):
        return value.replace(" ", "T") + "Z"
    return from_text(value)


def from_ms(value: Any) -> str | None:
    """Milliseconds since 1970."""
    return _moment(value, 1000)


def from_s(value: Any) -> str | None:
    """Seconds since 1970, with a fraction or none."""
    return _moment(value, 1_000_000)


def from_ns(value: Any) -> str | None:
    """Nanoseconds since 1970, as a number or as OTLP/JSON writes it: a text. 0 is no time."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    return _moment(value // 1000, 1) if isinstance(value, int) and value > 0 else None


def _moment(value: Any, in_us: int) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        moment = _EPOCH + timedelta(microseconds=round(value * in_us))
    except (OverflowError, ValueError):
        return None
    return moment.isoformat().replace("+00:00", "Z")
