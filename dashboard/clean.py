"""Texts from journals in a form that every database can keep. What was sent stays in the chunks."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

MAX_ID = 512
MAX_TEXT = 20_000
NUL = str.maketrans({"\0": "\ufffd"})


def text(value: object, longest: int = MAX_TEXT) -> str:
    """A text without NUL and lone surrogates, cut at `longest` characters; None is empty."""
    if value is None:
        return ""
    kept = str(value)
    if not kept.isascii() or "\0" in kept:  # most are left as they are: one object for all rows
        kept = kept.translate(NUL).encode("utf-8", "replace").decode()
    return kept if len(kept) <= longest else kept[: longest - 1] + "…"


def name(value: object) -> str:
    """An id. One that is too long keeps its beginning and a hash, so that it stays unique."""
    kept = text(value, 1 << 21)
    if len(kept) <= MAX_ID:
        return kept
    return f"{kept[:480]}…{hashlib.sha256(kept.encode()).hexdigest()[:16]}"


def json(value: Any) -> Any:
    """A JSON value with clean texts and names."""
    if isinstance(value, str):
        return text(value, 1 << 21)
    if isinstance(value, dict):
        return {text(key, 1 << 21): json(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json(inner) for inner in value]
    return value


def instant(at: str | None) -> datetime | None:
    """A journal's time; None when there is none or the calendar has no such day."""
    if at is None:
        return None
    try:
        return datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def micros(at: datetime | None) -> int | None:
    """Microseconds since the epoch."""
    return None if at is None else round(at.timestamp() * 1_000_000)
