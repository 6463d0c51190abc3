"""What an approval binds is the exact input; its line may be kept without a secret. Pure.

The hash of an input as it is kept is not the one that a hook was let through for. So the hash of
the input as it came is noted beside the chunk, and stands in the events that an adapter reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from guard.adapters.base import Reading
from guard.adapters.emit_rows import peek
from guard.adapters.emit_shown import value_hash
from guard.events import AnyEvent, Effect, Gate

Pair = tuple[str, str]
"""The hash of a value as it is kept, and as it came."""
LEVELS = 16
"""How deep in its line an input may stand. Each level is hashed with all that is in it."""


def noted(data: bytes, kept: bytes) -> dict[str, str]:
    """The hashes of every object and text in which a secret stood. Both have the same lines."""
    lines = zip(data.split(b"\n"), kept.split(b"\n"), strict=True)
    values = [(data, kept)] if peek(data) is not None else lines
    return one_each(pair for was, now in values if was != now for pair in _of(was, now))


def one_each(pairs: Iterable[Pair]) -> dict[str, str]:
    """As a table. Where two values became one, nobody can say which it was: the kept hash stays."""
    found: dict[str, str] = {}
    for now, was in pairs:
        found[now] = was if found.get(now, was) == was else now
    return found


def restored(reading: Reading, bodies: dict[str, str]) -> Reading:
    """The reading with the hashes of its inputs as they came."""
    if not bodies:
        return reading
    events = [_restored(event, bodies) for event in reading.events]
    return msgspec.structs.replace(reading, events=events)


def _restored(event: AnyEvent, bodies: dict[str, str]) -> AnyEvent:
    if isinstance(event, Effect) and event.body in bodies:
        return msgspec.structs.replace(event, body=bodies[event.body])
    if isinstance(event, Gate):
        effects = {id_: bodies.get(body, body) for id_, body in event.effects.items()}
        return msgspec.structs.replace(event, effects=effects)
    return event


def _of(was: bytes, now: bytes) -> list[Pair]:
    try:
        return list(_changed(peek(was), peek(now)))
    except RecursionError:  # nothing that a tool takes is as deep as this
        return []


def _changed(was: Any, now: Any, levels: int = LEVELS) -> Iterator[Pair]:
    """The value, when it is an object or a text, and what is in it; a text may itself be JSON."""
    if not levels or was == now:
        return
    if isinstance(was, dict | str):
        yield value_hash(now), value_hash(was)
    if isinstance(was, str) and isinstance(now, str):
        yield from _changed(_inside(was), _inside(now), levels - 1)
    if isinstance(was, dict) and isinstance(now, dict):
        was, now = list(was.values()), list(now.values())
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for before, after in zip(was, now, strict=True):
            yield from _changed(before, after, levels - 1)


def _inside(text: str) -> Any:
    """The object that a text holds as JSON: arguments are sent so."""
    return peek(text.encode(errors="replace")) if text.startswith("{") else None
