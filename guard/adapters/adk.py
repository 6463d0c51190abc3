"""Google ADK: the events of a session (lines, a session document, or SQLite), and its spans.

Seen: 2.13.0 (2026-11): events as lines with camelCase members; OpenTelemetry spans as one JSON
list, as the console exporter of the SDK writes them. The SQLite table is `events.event_data`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Literal

from guard.adapters.adk_events import Events, member, parts_of, words_of
from guard.adapters.adk_spans import Span, replay_spans, spans_of
from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.emit import Replay
from guard.adapters.emit_rows import Row, document, first_objects, peek, rows, scan, short_name
from guard.adapters.emit_sqlite import MAGIC, Rows, select

Dialect = Literal["events", "session", "database", "spans"]

_SESSION = re.compile(rb'\s*\{[^{}]*"(?:appName|app_name)"\s*:')
_SPANS = re.compile(rb'\s*\[?\s*\{\s*"name"\s*:.*?"context"\s*:\s*\{\s*"trace_id"', re.DOTALL)
_SPAN_MARKS = (b'"gcp.vertex.agent.', b'"gen_ai.compaction.', b"gcp.vertex.agent")
_ALL = "SELECT DISTINCT session_id FROM events ORDER BY session_id"
_EVENTS = "SELECT event_data FROM events WHERE session_id = ? ORDER BY timestamp"


def dialect_of(head: bytes) -> Dialect | None:
    """Which of the things that ADK writes begins like this."""
    if head.startswith(MAGIC):
        return "database" if b"event_data" in head else None
    for value in first_objects(head, 2):
        if member(value, "invocationId") and isinstance(value.get("actions"), dict):
            return "events"
        if isinstance(value.get("event_data"), dict):
            return "events"
    if _SESSION.match(head) and b'"events"' in head:
        return "session"
    is_spans = _SPANS.match(head[:4096]) and any(mark in head for mark in _SPAN_MARKS)
    return "spans" if is_spans else None


class Adk(Adapter):
    """One session. Its spans, where they are there, say what started a compaction."""

    name = "adk"
    runtime = "google-adk"

    def sniff(self, head: bytes, /) -> bool:
        """Events with an invocation and actions, a session with them, or ADK's spans."""
        return dialect_of(head) is not None

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """Each file, or session of a database, is a run; spans join the run that they name."""
        runs = [part for file in files for part in _parts(file) if _dialect(file) != "spans"]
        sessions = [[part] for part in runs]
        for file in files:
            if _dialect(file) == "spans":
                home = next((own for own in sessions if _names_events_of(file, own[0])), None)
                if home is None:
                    sessions.append([file])
                else:
                    home.append(file)
        return [Session(tuple(own), self.name, _id_of(own)) for own in sessions]

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """The events in their order; alone, spans tell what little they can."""
        replay = Replay()
        spans: dict[int, list[Span]] = {
            index: list(spans_of(document(replay.rec, file)))
            for index, file in enumerate(files)
            if _dialect(file) == "spans"
        }
        others = [index for index in range(len(files)) if index not in spans]
        found = [span for own in spans.values() for span in own]
        events = Events(replay, {span.result: span for span in found if span.result})
        for index in others:
            for row in _rows(replay, files, index):
                events.take(row)
        replay_spans(replay, found, alone=not others)
        _say_what_it_proves(replay, with_events=bool(others), with_spans=bool(spans))
        return replay.rec.reading(
            journal=_id_of(files),
            runtime=self.runtime,
            agent=events.agent,
            attests=bool(others),
        )

    def text(self, record: bytes, item: int, /) -> str:
        """The words of one part of an event, counted from 0."""
        value = peek(record)
        parts = parts_of(value) if isinstance(value, dict) else []
        return words_of(parts[item]) if item < len(parts) else ""


def _dialect(file: SourceFile) -> Dialect | None:
    return "events" if isinstance(file, Rows) else dialect_of(file.head())


def _parts(file: SourceFile) -> Iterator[SourceFile]:
    """A database gives one part for each of its sessions."""
    if _dialect(file) != "database":
        yield file
        return
    try:
        ids = [str(row["session_id"]) for row in select(file, _ALL)]
    except sqlite3.Error:
        yield file
        return
    for id_ in ids:
        name = f"{file.name}?session={id_}"
        yield Rows(name, file.origin, _EVENTS, (id_,), frozenset({"event_data"}))


def _names_events_of(spans: SourceFile, events: SourceFile) -> bool:
    data = events.data()
    return any(span.event and span.event.encode() in data for span in spans_of(peek(spans.data())))


def _id_of(files: Sequence[SourceFile]) -> str:
    for file in files:
        if isinstance(file, Rows):
            return file.parameters[0]
        if _dialect(file) == "session":
            value = peek(file.data())
            if isinstance(value, dict) and isinstance(value.get("id"), str):
                return str(value["id"])
        if _dialect(file) == "spans":
            named = [span.conversation for span in spans_of(peek(file.data())) if span.conversation]
            if named:
                return named[0]
    return short_name(files[0])


def _rows(replay: Replay, files: Sequence[SourceFile], index: int) -> Iterator[Row]:
    file = files[index]
    kind = _dialect(file)
    if kind == "session":
        value = document(replay.rec, file)
        events = value.get("events") if isinstance(value, dict) else None
        for event in events if isinstance(events, list) else []:
            replay.rec.record()
            if isinstance(event, dict):
                yield Row(index, 1, 0, 0, event)
            else:
                replay.rec.skip("no event")
    elif kind == "database":
        replay.rec.record()
        replay.rec.fail(file.name, 1, "a database of no session, or of many: read one", MAGIC)
    else:
        yield from rows(replay.rec, files, scan(file, index))


def _say_what_it_proves(replay: Replay, *, with_events: bool, with_spans: bool) -> None:
    note = replay.rec.note
    if with_events:
        note("closure", "proves", "what each compaction took: it names a range of times")
        note("soundness", "proves", "every call of this session, with its answer")
        note("authorization", "proves", "confirmations: request and answer are both stored")
        text = "what the tools did: a rewind compensates state and artifacts of the session only"
        note("status", "cannot prove", text)
        note("closure", "cannot prove", "which of two events of one time stands inside a range")
    else:
        note("soundness", "cannot prove", "that no call is missing: spans are sampled")
        note("closure", "cannot prove", "what a compaction took: a span says how many events")
    if not with_spans:
        note("mode", "cannot prove", "what started a compaction, and its settings: spans have it")


ADK = Adk()
