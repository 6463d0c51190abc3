"""Times and durations in words: always with date and zone, always with units."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone


def stamp(at: datetime | None) -> str:
    """`2026-11-30 19:03:58 UTC`, in the reader's zone."""
    if at is None:
        return "no time given"
    return timezone.localtime(at).strftime("%Y-%m-%d %H:%M:%S %Z")


def lasting(value: timedelta | float | None) -> str:
    """A duration in its two largest units: `16 min 53 s`."""
    if value is None:
        return "?"
    seconds = max(0, int(value.total_seconds() if isinstance(value, timedelta) else value))
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, seconds = divmod(rest, 60)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
