"""OTLP: bodies of `/v1/traces` and `/v1/logs`, JSON or protobuf, one body or one a line.

Seen: OTLP/JSON of opentelemetry-proto 1.45 with GenAI attributes (2026-11), log records of Codex
0.171.0. GenAI conventions are in development; OpenInference and OpenLLMetry known from their docs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.emit import Replay
from guard.adapters.emit_rows import decode, document, first_objects, rows, scan, short_name
from guard.adapters.otlp_decode import Kind, Signal, is_json, is_protobuf, signals, unpack
from guard.adapters.otlp_genai import Conversation, time_of
from guard.adapters.recorder import Recorder
from guard.adapters.shapes import Members

_CONVERSATION = (
    "gen_ai.conversation.id",
    "session.id",
    "conversation.id",
    "traceloop.association.properties.session_id",
)


class Otlp(Adapter):
    """One conversation, from as many bodies as it came in."""

    name = "otlp"
    runtime = "otlp"

    def sniff(self, head: bytes, /) -> bool:
        """A JSON body by its first member, or a protobuf body with something of an agent in it."""
        return is_json(head) or is_protobuf(head)

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """By conversation; a body of several is cut into their parts."""
        runs: dict[str, list[SourceFile]] = {}
        for file in files:
            for conversation, part in _by_conversation(file):
                runs.setdefault(conversation, []).append(part)
        return [Session(tuple(own), self.name, conversation) for conversation, own in runs.items()]

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """Body after body as they arrived; within one, in the order of time."""
        replay = Replay()
        conversation = Conversation(replay)
        name = ""
        for index, file in enumerate(files):
            for body in _bodies(replay.rec, file, files, index):
                for signal in sorted(signals(body), key=lambda signal: time_of(signal) or ""):
                    replay.rec.record()
                    name = name or conversation_of(signal.attributes) or ""
                    conversation.take(signal)
        _say_what_it_proves(replay)
        return replay.rec.reading(
            journal=name or short_name(files[0]),
            runtime=conversation.service or self.runtime,
            version=conversation.version,
            attests=False,
        )

    def text(self, _record: bytes, _item: int, /) -> str:
        """Spans from telemetry carry their texts: no place points into a body."""
        return ""


def conversation_of(attributes: Members) -> str | None:
    """The conversation that a signal names."""
    found = next((attributes[name] for name in _CONVERSATION if attributes.get(name)), None)
    return str(found) if found is not None else None


def _bodies(
    recorder: Recorder, file: SourceFile, files: Sequence[SourceFile], index: int
) -> Iterator[Members]:
    """The bodies of a file. A body is no record: its signals are; one that fails is one."""
    if is_protobuf(file.head()):
        try:
            yield unpack(file.data())
        except ValueError as error:
            recorder.record()
            recorder.fail(file.name, 1, str(error), file.data())
        return
    first = first_objects(file.head(), 1)
    if not first:
        value = document(recorder, file)
        if isinstance(value, dict):
            yield value
        return
    for row in rows(recorder, files, scan(file, index)):
        recorder.use()
        yield row.value


class Exported(Struct, frozen=True):
    """One span or log record as a line of its own, which this adapter reads like its whole body.

    `conversation` is empty where the body does not say it; then only `trace` joins it to others.
    """

    conversation: str
    trace: str
    line: bytes


def exported(body: bytes, kind: Kind, *, is_protobuf: bool) -> Iterator[Exported]:
    """The signals of one OTLP export request (`/v1/traces`, `/v1/logs`), unpacked, by their times.

    Raises `ValueError` when the body is no such request.
    """
    value = unpack(body, kind) if is_protobuf else _object(body)
    found = [signal for signal in signals(value) if signal.is_log == (kind == "logs")]
    yield from _exported(sorted(found, key=lambda signal: time_of(signal) or ""))


def _object(body: bytes) -> Members:
    value, _ = decode(body)
    if not isinstance(value, dict):
        raise ValueError("no OTLP body: not an object")
    return value


def _exported(found: Sequence[Signal]) -> Iterator[Exported]:
    """A signal that names no conversation is of the one that its trace names."""
    named = [(signal, _trace(signal), conversation_of(signal.attributes) or "") for signal in found]
    traces = {trace: name for _, trace, name in named if name and trace}
    for signal, trace, name in named:
        yield Exported(name or traces.get(trace, ""), trace, _alone(signal))


def _by_conversation(file: SourceFile) -> list[tuple[str, SourceFile]]:
    found = [signal for body in _bodies(Recorder(), file, (file,), 0) for signal in signals(body)]
    names = list(dict.fromkeys(filter(None, (conversation_of(s.attributes) for s in found))))
    if len(names) < 2:
        return [(names[0] if names else short_name(file), file)]
    parts: dict[str, list[bytes]] = {}
    for one in _exported(found):
        name = one.conversation or one.trace or short_name(file)
        parts.setdefault(name, []).append(one.line)
    return [
        (name, SourceFile(f"{file.name}?conversation={name}", b"".join(lines)))
        for name, lines in parts.items()
    ]


def _trace(signal: Signal) -> str:
    return str(signal.record.get("traceId") or "")


def _alone(signal: Signal) -> bytes:
    """A body of one signal, as a line."""
    outer, inner, leaf = (
        ("resourceLogs", "scopeLogs", "logRecords")
        if signal.is_log
        else ("resourceSpans", "scopeSpans", "spans")
    )
    resource: Any = {"attributes": signal.resource}
    body = {outer: [{"resource": resource, inner: [{leaf: [signal.record]}]}]}
    return msgspec.json.encode(body) + b"\n"


def _say_what_it_proves(replay: Replay) -> None:
    note = replay.rec.note
    note(
        "soundness", "cannot prove", "that no call is missing: telemetry is sampled and may be lost"
    )
    note("closure", "cannot prove", "what an edit took, unless messages are captured (opt-in)")
    note("authorization", "cannot prove", "approvals: the conventions have no attribute for them")
    note("mode", "cannot prove", "who wrote an edit, what started it, and the threshold")


OTLP = Otlp()
