"""Cline and Roo Code: the messages of a task as one JSON document, rewritten at every change.

Seen: Cline SDK `<session>.messages.json` after a "basic" compaction (2026-07). Known from source:
its sidecar `<session>.compaction.json`; `api_conversation_history.json` and `ui_messages.json` of
Cline and Roo Code (2026-04), with Roo's tags `condenseParent` and `truncationParent`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.cline_messages import Task
from guard.adapters.emit import Replay
from guard.adapters.emit_rows import document, peek, short_name
from guard.adapters.shapes import Members, members_of, objects_in

Dialect = Literal["sdk", "sidecar", "history", "ui"]

_HISTORY = "api_conversation_history.json"
_ARRAY = re.compile(rb'\s*(?:\{\s*"version"\s*:\s*2\s*,\s*"messages"\s*:\s*)?\[\s*\{')
_HISTORY_MARKS = (
    b"<task>",
    b"<environment_details>",
    b'"condenseParent"',
    b'"condenseId"',
    b'"truncationParent"',
    b'"isSummary"',
    b'"isTruncationMarker"',
)
_SDK = (b'"sessionId"', b'"messages"', b'"updated_at"')
_UI = re.compile(rb'\s*\[\s*\{[^{}]*"type"\s*:\s*"(?:say|ask)"')


def dialect_of(head: bytes) -> Dialect | None:
    """Which of the documents begins like this."""
    if head.lstrip()[:1] == b"{" and b'"source_message_count"' in head:
        return "sidecar"
    if head.lstrip()[:1] == b"{" and all(mark in head for mark in _SDK):
        return "sdk"
    if _UI.match(head):
        return "ui"
    if _ARRAY.match(head) and b'"role"' in head and any(mark in head for mark in _HISTORY_MARKS):
        return "history"
    return None


class Cline(Adapter):
    """One task: its messages, and the sidecar or the UI messages beside them."""

    name = "cline"
    runtime = "cline"

    def sniff(self, head: bytes, /) -> bool:
        """Messages of a task in one of the four forms."""
        return dialect_of(head) is not None

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """By session id of the SDK; the files of a classic task share a folder."""
        tasks: dict[str, list[SourceFile]] = {}
        for file in files:
            tasks.setdefault(_task_of(file), []).append(file)
        return [
            Session(tuple(sorted(own, key=_rank)), self.name, PurePosixPath(task).name or task)
            for task, own in tasks.items()
        ]

    def beside(self, path: Path, /) -> list[Path]:
        """The sidecar of an SDK session; the UI messages of a classic task."""
        stem = path.name.removesuffix(".messages.json")
        names = [f"{stem}.compaction.json"] if stem != path.name else []
        names += ["ui_messages.json"] if path.name == _HISTORY else []
        return [path.with_name(name) for name in names if path.with_name(name).is_file()]

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """Replay the messages in their order, which is all that is on record of their history."""
        replay = Replay()
        found = {
            dialect_of(file.head()): document(replay.rec, file) for file in sorted(files, key=_rank)
        }
        task = Task(replay, members_of(found.get("sidecar")), objects_in(found.get("ui")))
        messages = _messages(found.get("sdk") or found.get("history") or found.get("sidecar"))
        is_sdk = "sdk" in found or "history" not in found
        if found.get("sdk") is not None:
            replay.rec.record()
            task.settings(members_of(found["sdk"]))
        for index, message in enumerate(messages):
            replay.rec.record()
            task.take(index, message)
        task.finish(with_messages="sdk" in found or "history" in found)
        _say_what_it_proves(replay, is_sdk=is_sdk, named="sidecar" in found or not is_sdk)
        return replay.rec.reading(
            journal=PurePosixPath(_task_of(files[0])).name or short_name(files[0]),
            runtime="cline" if is_sdk else "cline/roo-code",
            attests=False,
        )

    def text(self, _record: bytes, _item: int, /) -> str:
        """Spans of these documents carry their texts: no place points into them."""
        return ""


def _rank(file: SourceFile) -> int:
    order: list[Dialect | None] = ["sdk", "history", "sidecar", "ui", None]
    return order.index(dialect_of(file.head()))


def _task_of(file: SourceFile) -> str:
    """The session that a document names, else the folder of the task."""
    dialect = dialect_of(file.head())
    if dialect in {"sdk", "sidecar"}:
        value = members_of(peek(file.data()))
        named = value.get("sessionId") or value.get("conversation_id")
        stem = re.sub(r"\.(messages|compaction)\.json$", "", short_name(file))
        return str(named or stem)
    return str(PurePosixPath(file.name).parent)


def _messages(document_: Any) -> list[Members]:
    inner = document_.get("messages") if isinstance(document_, dict) else document_
    return objects_in(inner)


def _say_what_it_proves(replay: Replay, *, is_sdk: bool, named: bool) -> None:
    note = replay.rec.note
    note("integrity", "cannot prove", "that nothing was removed: the host rewrites this document")
    note("soundness", "cannot prove", "that no call is missing: messages that went held calls, too")
    note("soundness", "cannot prove", "when an edit was made: it stands where its message stands")
    if not named:
        note("closure", "cannot prove", "what a compaction took: only how many messages went")
    elif is_sdk:
        note("closure", "proves", "what the latest compaction took; earlier ones are overwritten")
    else:
        note("closure", "proves", "what a condensation took; a message keeps its first tag")
    note("authorization", "cannot prove", "approvals: the messages do not hold them")
    note("mode", "cannot prove", "the settings that decided about the window")


CLINE = Cline()
