"""opencode: the table `event` of its SQLite database, live or exported, and what it serves.

Seen: 1.18.33 (2026-11): rows of `event` as lines, the event bus as lines, and the messages of a
session or a session itself as one JSON document. Messages are the state now: what a revert removed
is gone from them, and only the `event` table still has it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Literal

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.emit import Replay
from guard.adapters.emit_rows import (
    Row,
    by_time,
    document,
    first_objects,
    peek,
    rows,
    scan,
    short_name,
)
from guard.adapters.emit_sqlite import MAGIC, Rows, select
from guard.adapters.opencode_events import EventLog
from guard.adapters.opencode_messages import replay_messages, replay_session
from guard.events import MAIN

Dialect = Literal["database", "events", "bus", "messages", "session"]

_SESSION = re.compile(r"ses_[0-9A-Za-z]+")
_DOCUMENT = re.compile(rb'\s*(\[\s*\{\s*"info"\s*:\s*\{\s*"id"\s*:\s*"msg_|\{\s*"id"\s*:\s*"ses_)')
_EVENTS = "SELECT id, aggregate_id, seq, type, data FROM event WHERE aggregate_id = ? ORDER BY seq"
_CREATED = "SELECT aggregate_id, data FROM event WHERE type LIKE 'session.created%'"
_ALL = "SELECT DISTINCT aggregate_id FROM event ORDER BY aggregate_id"


def dialect_of(head: bytes) -> Dialect | None:
    """Which of the things that opencode writes begins like this."""
    if head.startswith(MAGIC):
        return "database" if b"aggregate_id" in head else None
    if match := _DOCUMENT.match(head):
        return "session" if match[1].endswith(b"ses_") else "messages"
    for value in first_objects(head, 3):
        if _SESSION.match(str(value.get("aggregate_id"))) and isinstance(value.get("data"), dict):
            return "events"
        if str(value.get("id")).startswith("evt_") and isinstance(value.get("properties"), dict):
            return "bus"
    return None


class OpenCode(Adapter):
    """One session with its sub-agents, which are sessions whose parent it is."""

    name = "opencode"
    runtime = "opencode"

    def sniff(self, head: bytes, /) -> bool:
        """A database with event rows, such rows as lines, bus events, or answers of the server."""
        return dialect_of(head) is not None

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """Each session of a database or file, with its sub-agents, is one run."""
        return [session for file in files for session in self._sessions(file)]

    def _sessions(self, file: SourceFile) -> Iterator[Session]:
        if dialect_of(file.head()) != "database":
            yield Session((file,), self.name, _session_of(file.head()) or short_name(file))
            return
        try:
            parents = _parents(file)
            found = [str(row["aggregate_id"]) for row in select(file, _ALL)]
        except sqlite3.Error:
            yield Session((file,), self.name, short_name(file))
            return
        for session in found:
            if parents.get(session) not in found:
                family = [session, *(child for child in found if parents.get(child) == session)]
                yield Session(tuple(_events_of(file, id_) for id_ in family), self.name, session)

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """Replay the events; a document is replayed as the events that would have given it."""
        replay = Replay()
        main = _session_of(files[0].head()) or short_name(files[0])
        logs = {main: EventLog(replay)}
        opened = [file for file in files if not _is_whole_database(replay, file)]
        dialects = [dialect_of(file.head()) for file in opened]
        for index, file in enumerate(opened):
            if dialects[index] in {"messages", "session"}:
                _replay_document(replay, logs[main], file, str(dialects[index]))
        lined = [i for i, dialect in enumerate(dialects) if dialect in {"events", "bus"}]
        for row in rows(replay.rec, opened, _in_order(opened, lined)):
            _take(replay, logs, main, row)
        _say_what_it_proves(replay, set(dialects))
        return replay.rec.reading(
            journal=main,
            runtime=self.runtime,
            version=logs[main].version,
            attests=bool({"events", "bus"} & set(dialects)),
        )

    def text(self, record: bytes, _item: int, /) -> str:
        """The words of the part that an event is about."""
        value = peek(record)
        data = value.get("data", value.get("properties")) if isinstance(value, dict) else None
        part = data.get("part") if isinstance(data, dict) else None
        part = part if isinstance(part, dict) else {}
        state = part.get("state")
        state = state if isinstance(state, dict) else {}
        return str(part.get("text") or state.get("output") or state.get("error") or "")


def _events_of(file: SourceFile, session: str) -> Rows:
    return Rows(
        f"{file.name}?session={session}", file.origin, _EVENTS, (session,), frozenset({"data"})
    )


def _parents(file: SourceFile) -> dict[str, str]:
    """Session -> the session whose agent started it."""
    parents = {}
    for row in select(file, _CREATED):
        data = peek(str(row["data"]).encode())
        info = data.get("info") if isinstance(data, dict) else None
        parent = info.get("parentID") if isinstance(info, dict) else None
        if isinstance(parent, str):
            parents[str(row["aggregate_id"])] = parent
    return parents


def _session_of(head: bytes) -> str | None:
    """The first session that is named."""
    match = _SESSION.search(head.decode(errors="replace"))
    return match[0] if match else None


def _is_whole_database(replay: Replay, file: SourceFile) -> bool:
    """A database is read session by session (`group`); one without events has none."""
    if isinstance(file, Rows) or dialect_of(file.head()) != "database":
        return False
    replay.rec.record()
    replay.rec.fail(file.name, 1, "a database of no session, or of many: read one of them", MAGIC)
    return True


def _in_order(files: Sequence[SourceFile], lined: Sequence[int]) -> Iterator[Row]:
    return by_time([scan(files[index], index) for index in lined], _event_id)


def _event_id(row: Row) -> str:
    """Ids of events rise with time."""
    return str(row.value.get("id", ""))


def _take(replay: Replay, logs: dict[str, EventLog], main: str, row: Row) -> None:
    value = row.value
    data = value.get("data", value.get("properties"))
    if not isinstance(data, dict):
        replay.rec.skip(str(value.get("type")))
        return
    session = str(value.get("aggregate_id") or data.get("sessionID") or main)
    if session not in logs:
        replay.branch = MAIN
        replay.fork(session)
        logs[session] = EventLog(replay)
    replay.branch = MAIN if session == main else session
    name = re.sub(r"\.\d+$", "", str(value.get("type")))
    logs[session].take(str(value.get("id")), name, data, row.place())


def _replay_document(replay: Replay, log: EventLog, file: SourceFile, dialect: str) -> None:
    value = document(replay.rec, file)
    if dialect == "messages" and isinstance(value, list):
        replay_messages(replay, log, value)
    elif isinstance(value, dict):
        replay_session(replay, log, value)


def _say_what_it_proves(replay: Replay, dialects: set[Dialect | None]) -> None:
    note = replay.rec.note
    if "events" in dialects or "bus" in dialects:
        note("closure", "proves", "what each edit took: the log names it and still has it")
        note("soundness", "proves", "every call of this session, with its outcome")
    if "messages" in dialects:
        note("integrity", "cannot prove", "that nothing was removed: these are the messages now")
    if "bus" not in dialects:
        text = "grants: the database keeps refusals only; a missing gate does not mean that nobody"
        note("authorization", "cannot prove", f"{text} approved (the event bus has the answers)")
    note("mode", "cannot prove", "the threshold and the settings of compaction at the time")
    note("soundness", "cannot prove", "what plugins did by themselves")


OPENCODE = OpenCode()
