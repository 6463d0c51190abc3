"""Gemini CLI: session files (`~/.gemini/tmp/<project>/chats/session-*.jsonl`) and telemetry.

Seen: 0.61.0 (2026-11): a session with `/compress` and `/rewind`, telemetry log records as lines,
and recorded answers of the model API (`generateContentStream`), which hold no session.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.emit import Replay
from guard.adapters.emit_rows import Row, by_time, first_objects, peek, rows, scan, short_name
from guard.adapters.emit_times import from_text
from guard.adapters.gemini_chat import Chat, words_of
from guard.adapters.gemini_telemetry import Telemetry, session_of
from guard.events import MAIN

Dialect = Literal["chat", "telemetry", "answers"]


def dialect_of(head: bytes) -> Dialect | None:
    """Which of the things that Gemini CLI writes begins like this."""
    for value in first_objects(head, 3):
        if "projectHash" in value and "sessionId" in value:
            return "chat"
        scope = value.get("instrumentationScope")
        if isinstance(scope, dict) and scope.get("name") == "gemini-cli":
            return "telemetry"
        if str(value.get("method")).startswith("generateContent") and "response" in value:
            return "answers"
    return None


class Gemini(Adapter):
    """One session with its sub-agents, and the telemetry that names it."""

    name = "gemini"
    runtime = "gemini-cli"

    def sniff(self, head: bytes, /) -> bool:
        """A session's first line, a log record of `gemini-cli`, or a recorded answer."""
        return dialect_of(head) is not None

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """By session id; the files of sub-agents lie in a folder of that name."""
        runs: dict[str, list[SourceFile]] = {}
        ids = {_id_of(file) for file in files}
        for file in files:
            folder = PurePosixPath(file.name).parent.name
            runs.setdefault(folder if folder in ids else _id_of(file), []).append(file)
        return [
            Session(tuple(sorted(own, key=_is_beside)), self.name, id_) for id_, own in runs.items()
        ]

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """The session's records in their order; sub-agents and telemetry stand at their times."""
        replay = Replay()
        ordered = sorted(files, key=_is_beside)
        dialects = [dialect_of(file.head()) for file in ordered]
        ids = [_id_of(file) for file in ordered]
        chats = {id_: Chat(replay) for id_ in ids}
        telemetry = Telemetry(replay, alone="chat" not in dialects)
        scanned = by_time([scan(file, index) for index, file in enumerate(ordered)], _time)
        for row in rows(replay.rec, ordered, scanned):
            dialect, id_ = dialects[row.file], ids[row.file]
            replay.branch = MAIN
            if dialect == "chat":
                _enter(replay, id_, ids[0])
                chats[id_].take(row)
            elif dialect == "telemetry":
                telemetry.take(row)
            else:
                replay.rec.skip(str(row.value.get("method")))
        _say_what_it_proves(replay, set(dialects))
        return replay.rec.reading(
            journal=ids[0],
            runtime=self.runtime,
            version="",
            attests="chat" in dialects,
        )

    def beside(self, path: Path, /) -> list[Path]:
        """The files of sub-agents, in a folder named like the session."""
        folder = path.parent / _id_of(SourceFile.of(path))
        return sorted(file for file in folder.glob("*.jsonl")) if folder.is_dir() else []

    def text(self, record: bytes, item: int, /) -> str:
        """The words of a message, or of one of the messages of a `$set`, counted from 0."""
        value = peek(record)
        value = value if isinstance(value, dict) else {}
        change = value.get("$set")
        messages = change.get("messages") if isinstance(change, dict) else [value]
        messages = messages if isinstance(messages, list) else []
        message = messages[item] if item < len(messages) else None
        return words_of(message) if isinstance(message, dict) else ""


def _id_of(file: SourceFile) -> str:
    for value in first_objects(file.head(), 3):
        found = value.get("sessionId") or session_of(value)
        if isinstance(found, str):
            return found
    return short_name(file)


def _is_beside(file: SourceFile) -> tuple[bool, bool, str]:
    """The session first, then its sub-agents, then telemetry."""
    head = file.head()
    first = next(iter(first_objects(head, 1)), {})
    return dialect_of(head) != "chat", first.get("kind") == "subagent", file.name


def _enter(replay: Replay, session: str, main: str) -> None:
    if session != main and not replay.has_branch(session):
        replay.fork(session)
    replay.branch = MAIN if session == main else session


def _time(row: Row) -> str:
    value = row.value
    change = value.get("$set")
    said = change.get("lastUpdated") if isinstance(change, dict) else None
    attributes = value.get("attributes")
    told = attributes.get("event.timestamp") if isinstance(attributes, dict) else None
    return from_text(value.get("timestamp") or said or told or value.get("startTime")) or ""


def _say_what_it_proves(replay: Replay, dialects: set[Dialect | None]) -> None:
    note = replay.rec.note
    if "chat" in dialects:
        note(
            "closure",
            "proves",
            "what each edit took: found by comparing the window before and after",
        )
        note("soundness", "proves", "every tool call of this session, with its status")
        note("mode", "cannot prove", "what started an edit, and the threshold in force")
    if "telemetry" not in dialects:
        note("authorization", "cannot prove", "grants: only the telemetry has decisions")
    if "answers" in dialects:
        note("reading", "cannot prove", "anything: recorded answers of the model hold no session")


GEMINI = Gemini()
