"""OTLP bodies, JSON or protobuf, as one kind of record: an OpenTelemetry span or log record.

Seen: OTLP/JSON of opentelemetry-proto 1.45 (2026-11). Ids are hex, 64-bit numbers are texts, an
enum is a number or a name. Attributes may also come as a plain object: Gemini CLI and ADK write so.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec
from google.protobuf import json_format  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError, Message  # type: ignore[import-untyped]
from msgspec import Struct
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from guard.adapters.emit_rows import decode
from guard.adapters.shapes import Members, members_of, objects_in

_JSON = re.compile(rb'\s*\{\s*"resource(?:Spans|Logs|_spans|_logs)"\s*:')
_TRACE_ID_BYTES = 16
_MARKS = (b"gen_ai.", b"llm.", b"openinference.", b"codex.", b"gemini_cli.")


class Signal(Struct, frozen=True):
    """One span or log record with its attributes as a plain object, and the body it came in."""

    attributes: Members
    resource: Members
    record: Members
    is_log: bool


def is_json(head: bytes) -> bool:
    """Whether these bytes begin as an OTLP/JSON body."""
    return _JSON.match(head) is not None


def is_protobuf(head: bytes) -> bool:
    """Whether these bytes begin as a protobuf body with something of an agent in it."""
    inner = _inside(head)
    return inner in {0x0A, 0x12} and any(mark in head for mark in _MARKS)


def _inside(head: bytes) -> int | None:
    """The first tag inside the first field of a message, if that field is number 1 and has one."""
    if head[:1] != b"\x0a":
        return None
    place = 1
    while place < min(len(head), 6) and head[place] & 0x80:
        place += 1
    return head[place + 1] if place + 1 < len(head) else None


Kind = Literal["traces", "logs"]
_REQUESTS: dict[Kind, Callable[[], Message]] = {
    "traces": ExportTraceServiceRequest,
    "logs": ExportLogsServiceRequest,
}


def unpack(body: bytes, kind: Kind | None = None) -> Members:
    """A protobuf body in the shape of its JSON. Raises `ValueError` when it is none.

    Traces and logs differ only inside: a span has an id of 16 bytes where a log has a time.
    """
    try:
        if kind is not None:
            return _as_json(_parsed(kind, body))
        traces = _parsed("traces", body)
        return _as_json(traces if _has_spans(traces) else _parsed("logs", body))
    except DecodeError as error:
        raise ValueError("no OTLP body: " + str(error).splitlines()[0]) from error


def _parsed(kind: Kind, body: bytes) -> Message:
    request = _REQUESTS[kind]()
    request.ParseFromString(body)
    return request


def _as_json(message: Message) -> Members:
    """What a JSON body would give, mended in the same way."""
    value, _ = decode(msgspec.json.encode(json_format.MessageToDict(message)))
    return _with_hex(value)


def _has_spans(traces: Message) -> bool:
    spans = [s for r in traces.resource_spans for scope in r.scope_spans for s in scope.spans]
    return bool(spans) and all(len(span.trace_id) == _TRACE_ID_BYTES for span in spans)


def _with_hex(body: Members) -> Members:
    """protobuf's own JSON writes ids in base64; OTLP/JSON writes them in hex."""
    for signal in signals(body):
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in signal.record:
                signal.record[name] = _hex(signal.record[name])
    return body


def _hex(text: str) -> str:
    return base64.b64decode(text).hex()


def signals(body: Members) -> Iterator[Signal]:
    """Every span and log record of a body, in its order."""
    for outer, inner, leaf, is_log in (
        ("resourceSpans", "scopeSpans", "spans", False),
        ("resourceLogs", "scopeLogs", "logRecords", True),
    ):
        for holder in objects_in(body.get(outer) or body.get(_snake(outer))):
            resource = attributes_of(members_of(holder.get("resource")))
            for scope in objects_in(holder.get(inner) or holder.get(_snake(inner))):
                for record in objects_in(scope.get(leaf) or scope.get(_snake(leaf))):
                    yield Signal(attributes_of(record), resource, record, is_log)


def _snake(name: str) -> str:
    return re.sub(r"([A-Z])", lambda match: "_" + match[1].lower(), name)


def attributes_of(record: Members) -> Members:
    """The attributes of a span, log record or resource as a plain object."""
    attributes = record.get("attributes")
    if isinstance(attributes, dict):
        return attributes
    return {str(pair.get("key")): value_of(pair.get("value")) for pair in objects_in(attributes)}


def value_of(any_value: Any) -> Any:
    """An OTLP `AnyValue` as a plain value; 64-bit integers are numbers again."""
    if not isinstance(any_value, dict) or not any_value:
        return None
    kind, value = next(iter(any_value.items()))
    if kind == "intValue" and isinstance(value, str):
        return int(value) if re.fullmatch(r"-?\d{1,19}", value) else value
    if kind == "arrayValue":
        return [value_of(inner) for inner in _plain_list(members_of(value).get("values"))]
    if kind == "kvlistValue":
        return {
            str(pair.get("key")): value_of(pair.get("value"))
            for pair in objects_in(members_of(value).get("values"))
        }
    return value


def _plain_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
