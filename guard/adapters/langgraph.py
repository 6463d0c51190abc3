"""LangGraph: checkpoints of a thread as lines (`get_state_history`), or the stream of its updates.

Seen: LangGraph 1.2.24 with LangChain 1.5.2 (2026-11), messages as plain objects. Messages in the
form of LangChain's serializer (`lc`, `kwargs`) are known from its source.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.emit import Replay
from guard.adapters.emit_rows import Row, first_objects, parts_by, peek, rows, scan, short_name
from guard.adapters.langgraph_state import Checkpoints, Updates, message_of, messages_of, words_of
from guard.adapters.shapes import Members

Dialect = Literal["checkpoints", "updates"]

_TYPES = {"human", "ai", "tool", "system", "remove"}


def dialect_of(head: bytes) -> Dialect | None:
    """Which of the two begins like this."""
    found = first_objects(head, 12)
    for value in found[:2]:
        if isinstance(value.get("checkpoint_id"), str) and isinstance(value.get("metadata"), dict):
            return "checkpoints"
    updates = found and all(len(value) == 1 and _is_update(*value.items()) for value in found)
    return "updates" if updates and any(map(_has_message, found)) else None


def _is_update(pair: tuple[str, Any]) -> bool:
    node, change = pair
    if node == "__interrupt__":
        return isinstance(change, list)
    return change is None or isinstance(change, dict)


def _has_message(value: Members) -> bool:
    change = next(iter(value.values()))
    messages = change.get("messages") if isinstance(change, dict) else None
    return isinstance(messages, list) and any(
        isinstance(message, dict) and str(message.get("type")) in _TYPES for message in messages
    )


def _thread(value: Members) -> str | None:
    config = value.get("config")
    configured = config.get("configurable") if isinstance(config, dict) else None
    found = value.get("thread_id") or (
        configured.get("thread_id") if isinstance(configured, dict) else None
    )
    return found if isinstance(found, str) else None


class LangGraph(Adapter):
    """One thread. Its checkpoints hold the whole state each time."""

    name = "langgraph"
    runtime = "langgraph"

    def sniff(self, head: bytes, /) -> bool:
        """Checkpoint rows, or updates by node with messages in them."""
        return dialect_of(head) is not None

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """By thread, where the rows name one; otherwise each file is a run."""
        return [
            Session((part,), self.name, thread)
            for file in files
            for thread, part in parts_by(file, _thread)
        ]

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """Compare each state with the one before it; or apply each update."""
        replay = Replay()
        file = files[0]
        dialect = dialect_of(file.head())
        reader = Updates(replay) if dialect == "updates" else Checkpoints(replay)
        for row in rows(replay.rec, files, _oldest_first(files)):
            reader.take(row)
        _say_what_it_proves(replay, dialect)
        thread = next(filter(None, map(_thread, first_objects(file.head(), 3))), short_name(file))
        return replay.rec.reading(
            journal=thread, runtime=self.runtime, attests=dialect == "checkpoints"
        )

    def text(self, record: bytes, item: int, /) -> str:
        """The words of a message of a state or update, counted from 0."""
        value = peek(record)
        value = value if isinstance(value, dict) else {}
        found = messages_of(value)
        if not found:
            change = next(iter(value.values()), None)
            found = messages_of(change) if isinstance(change, dict) else []
        return words_of(message_of(found[item])) if item < len(found) else ""


def _oldest_first(files: Sequence[SourceFile]) -> Iterator[Row]:
    """`get_state_history` gives the newest first; a file of that order is read from its end."""
    for index, file in enumerate(files):
        first = first_objects(file.head(), 2)
        ids = [value.get("checkpoint_id") for value in first]
        backwards = len(ids) == 2 and ids[1] is not None and first[0].get("parent") == ids[1]
        scanned = scan(file, index)
        yield from reversed(list(scanned)) if backwards else scanned


def _say_what_it_proves(replay: Replay, dialect: Dialect | None) -> None:
    note = replay.rec.note
    note(
        "retention",
        "cannot prove",
        "the real window: middleware may clear or trim a copy of the messages for one call only, "
        "and no checkpoint shows it (ContextEditingMiddleware, trim_messages)",
    )
    note("mode", "cannot prove", "thresholds: they are in the code of the graph")
    text = "approvals: they are writes of the checkpointer that this export does not hold"
    note("authorization", "cannot prove", text + "; a missing gate does not mean nobody approved")
    if dialect == "checkpoints":
        note("closure", "proves", "what each edit took: the states before and after it are here")
        note("soundness", "proves", "every tool call in the state, with its answer")
    else:
        note("closure", "cannot prove", "what an edit took: updates do not hold what was put in")


LANGGRAPH = LangGraph()
