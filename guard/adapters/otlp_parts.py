"""The body of one OTLP request cut by conversation, each part a line that can be appended.

A signal belongs to the conversation that it or another signal of its trace names, else to its
trace. What tells nothing of an agent is left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from guard.adapters.otlp import conversation_of
from guard.adapters.otlp_decode import attributes_of, unpack
from guard.adapters.shapes import Members

Kind = Literal["traces", "logs"]

_SHAPES: Mapping[str, tuple[str, str, str]] = {
    "traces": ("resourceSpans", "scopeSpans", "spans"),
    "logs": ("resourceLogs", "scopeLogs", "logRecords"),
}
_OF_AGENTS = ("gen_ai.", "llm.", "openinference.", "input.", "output.", "codex.", "gemini_cli.")


class Parts(Struct, frozen=True):
    """Conversation or trace -> its part of the body; and how many signals belong to no agent."""

    lines: dict[str, bytes]
    counts: Counter[str]
    left_out: int


def parts(body: bytes, kind: Kind, *, is_json: bool) -> Parts:
    """Raises `ValueError` for what is no OTLP body of this kind."""
    members = _object(body) if is_json else unpack(body)
    outer, inner, leaf = _SHAPES[kind]
    if members and outer not in members:
        raise ValueError(f"no {outer} in this body")
    found = [record for *_, record in _records(members, kind)]
    names = _names(found)
    of_agents = {_key(record, names) for record in found if _is_of_agent(record)}
    lines: dict[str, bytes] = {}
    for key in sorted(key for key in of_agents if key):
        part = [
            {**holder, inner: scopes}
            for holder in _list(members.get(outer))
            if (scopes := list(_scopes(holder, inner, leaf, key, names)))
        ]
        lines[key] = msgspec.json.encode({outer: part}) + b"\n"
    counts = Counter(_key(record, names) for record in found)
    left_out = sum(count for key, count in counts.items() if key not in lines)
    return Parts(lines, counts, left_out)


def _object(body: bytes) -> Members:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"no JSON: {error}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")
    return value


def _records(members: Members, kind: Kind) -> Iterator[tuple[Members, Members, Members]]:
    outer, inner, leaf = _SHAPES[kind]
    for holder in _list(members.get(outer)):
        for scope in _list(holder.get(inner)):
            for record in _list(scope.get(leaf)):
                yield holder, scope, record


def _names(records: list[Members]) -> dict[str, str]:
    """Trace -> the conversation that one of its signals names."""
    named = ((record, conversation_of(attributes_of(record))) for record in records)
    return {_trace(record): name for record, name in named if name and _trace(record)}


def _scopes(
    holder: Members, inner: str, leaf: str, key: str, names: Mapping[str, str]
) -> Iterator[Members]:
    for scope in _list(holder.get(inner)):
        own = [record for record in _list(scope.get(leaf)) if _key(record, names) == key]
        if own:
            yield {**scope, leaf: own}


def _key(record: Members, names: Mapping[str, str]) -> str:
    trace = _trace(record)
    return conversation_of(attributes_of(record)) or names.get(trace) or trace


def _trace(record: Members) -> str:
    return str(record.get("traceId") or "")


def _is_of_agent(record: Members) -> bool:
    attributes = attributes_of(record)
    told = any(name.startswith(_OF_AGENTS) for name in attributes)
    return told or conversation_of(attributes) is not None


def _list(value: Any) -> list[Members]:
    return [inner for inner in value if isinstance(inner, dict)] if isinstance(value, list) else []
