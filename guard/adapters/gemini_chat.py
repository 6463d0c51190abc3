"""A Gemini CLI session file, replayed: messages, full replacements of the window, rewinds.

Seen in 0.61.0 (2026-11). A message is written again, whole, under the same id. `$set.messages` is
the whole window; most such records change nothing. `$rewindTo` has no time.
"""

from __future__ import annotations

from typing import Any

from guard.adapters.emit import Replay, Shown, bare, content_hash, safe_id
from guard.adapters.emit_rows import Row
from guard.adapters.emit_times import from_text
from guard.adapters.shapes import Members, id_of, total
from guard.events import Out, Role

_SNAPSHOT = "<state_snapshot>"
_CONTEXT = ("<session_context>", "<hook_context>", "<system-reminder>")
_UNREAD = {"info", "error", "warning"}


def words_of(message: Members) -> str:
    """What a person reads of a message: its text, its calls, its results."""
    return "\n".join(filter(None, map(_part_words, _parts(message.get("content")))))


def _parts(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [content]


def _part_words(part: Any) -> str:
    if isinstance(part, str):
        return part
    part = part if isinstance(part, dict) else {}
    if isinstance(part.get("text"), str):
        return str(part["text"])
    response = part.get("functionResponse")
    answer = response.get("response") if isinstance(response, dict) else None
    if isinstance(answer, dict):
        return str(answer.get("output") or answer.get("error") or answer)
    return ""


class Chat:
    """Replays the records of one session into `replay`."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self._row = Row(0, 0, 0, 0, {})
        self._usages: set[str] = set()
        replay.decided_by(runtime="gemini-cli")

    def take(self, row: Row) -> None:
        """One line."""
        self._row = row
        value = row.value
        self.replay.at = from_text(value.get("timestamp")) or self.replay.at
        change = value.get("$set")
        if isinstance(change, dict):
            self._set(change)
        elif isinstance(value.get("$rewindTo"), str):
            self._rewind(value["$rewindTo"])
        elif "projectHash" in value:
            self.replay.at = from_text(value.get("startTime"))
            self.replay.rec.use()
        elif value.get("type") in ("user", "gemini"):
            self._message(value)
        else:
            self.replay.rec.skip(str(value.get("type") or next(iter(value), "empty object")))

    # Messages

    def _message(self, message: Members) -> None:
        if message.get("type") == "gemini":
            self._model(message.get("model"))
        if _content(message):  # an answer that is only a call is written empty first
            self._show(message, _role(message))
        self._usage(message)
        calls = message.get("toolCalls")
        for call in calls if isinstance(calls, list) else []:
            if isinstance(call, dict):
                self._call(call)

    def _model(self, model: Any) -> None:
        if isinstance(model, str):
            self.replay.decided_by(model=model)
            self.replay.settle()

    def _show(self, message: Members, role: Role, item: int = 0) -> None:
        self.replay.show(
            Shown(
                id=id_of(message),
                content=_content(message),
                text=words_of(message),
                role=role,
                effect=_answers(message),
                place=self._row.place(item),
            )
        )

    def _usage(self, message: Members) -> None:
        tokens = message.get("tokens")
        if not isinstance(tokens, dict) or id_of(message) in self._usages:
            return
        self._usages.add(id_of(message))
        sent = total(tokens.get("input"), tokens.get("tool"))
        answered = total(tokens.get("output"), tokens.get("thoughts"))
        self.replay.usage(sent, answered, window=sent + answered)

    def _call(self, call: Members) -> None:
        """A tool call, written when it has ended: its status says how."""
        id_, tool = str(call.get("id")), str(call.get("name"))
        sent = call.get("args")
        self.replay.call(id_, tool, sent, context=_undo(call))
        status = call.get("status")
        if id_ in self.replay.settled:
            return
        if status == "cancelled":
            self.replay.end(id_, "failed")
        elif status in ("success", "error"):
            self.replay.result(id_, _answer(call), error=status == "error")

    # Edits

    def _set(self, change: Members) -> None:
        messages = change.get("messages")
        self.replay.at = from_text(change.get("lastUpdated")) or self.replay.at
        if not isinstance(messages, list):
            self.replay.rec.skip("$set")
            return
        self._replace([message for message in messages if isinstance(message, dict)])

    def _replace(self, messages: list[Members]) -> None:
        """The whole new window: what it lacks left, what it changed was replaced, more is new."""
        window = dict(self.replay.window)
        ids = {id_of(message) for message in messages}
        gone = [span for span in self.replay.in_window() if span not in ids]
        fresh = [message for message in messages if id_of(message) not in window]
        digest = next((m for m in fresh if _SNAPSHOT in words_of(m)), None)
        if digest is not None:
            out = self.replay.digest(id_of(digest), _content(digest), gone, words_of(digest))
            self.replay.edit(None, "summarize", "model", gone, out, fidelity="derived")
        elif gone:
            # Nobody announced it: seen after a rewind, when the session context was left out.
            self.replay.edit(None, "drop", "host", gone, fidelity="derived")
        for item, message in enumerate(messages):
            if message is digest:
                continue
            if id_of(message) in window and window[id_of(message)] != content_hash(
                _content(message)
            ):
                self._changed(message)
            elif message in fresh:
                self._show(message, _role_in_set(message), item)
        if not gone and not fresh:
            self.replay.rec.skip("$set of an unchanged window")

    def _changed(self, message: Members) -> None:
        """The same message with another content: the host masked or renewed it."""
        id_ = id_of(message)
        masks = _answers(message) is not None
        out = Out(id=id_, hash=content_hash(_content(message)), text=words_of(message))
        self.replay.edit(
            None, "evict" if masks else "replace", "host", [id_], out, fidelity="exact"
        )

    def _rewind(self, target: str) -> None:
        """That message and all later ones leave; an unknown one clears everything."""
        window = self.replay.in_window()
        start = window.index(safe_id(target)) if safe_id(target) in window else 0
        if not window:
            self.replay.rec.skip("$rewindTo in an empty window")
        self.replay.rewind(None, window[start:])


def _content(message: Members) -> Any:
    """What the model reads of a message: its content, and the calls it made."""
    content = bare(message.get("content"))
    calls = message.get("toolCalls")
    if not isinstance(calls, list) or not calls:
        return content
    made = [{"name": c.get("name"), "args": c.get("args")} for c in calls if isinstance(c, dict)]
    return {"content": content, "calls": made}


def _role(message: Members) -> Role:
    """Who wrote a message that was appended."""
    if message.get("type") == "gemini":
        return "assistant"
    if _answers(message) is not None:
        return "tool"
    return "system" if words_of(message).lstrip().startswith(_CONTEXT) else "user"


def _role_in_set(message: Members) -> Role:
    """A message that a replacement brought in was written by the host, unless it has an author."""
    role = _role(message)
    return "system" if role == "assistant" and not message.get("model") else role


def _answers(message: Members) -> str | None:
    """The call whose answer a message shows."""
    for part in _parts(message.get("content")):
        response = part.get("functionResponse") if isinstance(part, dict) else None
        if isinstance(response, dict):
            return str(response.get("id") or response.get("name"))
    return None


def _answer(call: Members) -> Any:
    result = call.get("result")
    if isinstance(result, list):
        return "\n".join(map(_part_words, result))
    return result if result is not None else ""


def _undo(call: Members) -> dict[str, Any] | None:
    """What stood in the file before, where the record keeps it."""
    shown = call.get("resultDisplay")
    if isinstance(shown, dict) and "originalContent" in shown and shown.get("filePath"):
        return {"snapshot": {str(shown["filePath"]): {"backupFileName": "originalContent"}}}
    return None
