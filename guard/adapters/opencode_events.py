"""The event log of an opencode session, replayed: messages, parts, edits, effects.

Seen in 1.18.33 (2026-11): the table `event` (its types end in `.1`) and the live bus, which adds
`permission.*`. The same events are emitted many times: everything here is known by its id.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct, field

from guard.adapters.base import Place
from guard.adapters.emit import Replay, Shown, safe_id
from guard.adapters.emit_times import from_ms
from guard.adapters.shapes import Members, id_of, members_of, total
from guard.events import Role

CLEARED = "[Old tool result content cleared]"
_REJECTED = "rejected permission"


class Message(Struct):
    """What is known of a message. `parts` are the spans of those that the model reads."""

    role: Role
    is_summary: bool = False
    parts: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


class Compaction(Struct):
    """A compaction under way: asked for in one message, answered in the next."""

    edit: str
    message: str
    trigger: str
    tail: str | None = None
    summary: str = ""
    part: str = ""
    text: str = ""
    is_done: bool = False


class Revert(Struct):
    """A revert that waits for the prompt that commits it, by removing what is expected."""

    edit: str
    expected: set[str]
    removed: set[str] = field(default_factory=set)


class EventLog:
    """Replays the events of one session, or of one sub-agent of it, into `replay`."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.version = ""
        self._event = ""
        self._place: Place | None = None
        self._messages: dict[str, Message] = {}
        self._compaction: Compaction | None = None
        self._compactions: dict[str, str] = {}
        self._revert: Revert | None = None
        self._cleared: set[str] = set()
        self._gates: dict[str, str] = {}
        self._names: dict[str, Callable[[Members], None]] = {
            "session.created": self._session_created,
            "session.updated": self._session_updated,
            "message.updated": self._message_updated,
            "message.part.updated": self._part_updated,
            "message.removed": self._removed,
            "message.part.removed": self._removed,
            "permission.asked": self._permission_asked,
            "permission.replied": self._permission_replied,
            "session.compacted": lambda _: self.replay.rec.use(),
        }
        self._parts: dict[str, Callable[[Message, Members], None]] = {
            "text": self._text,
            "reasoning": self._text,
            "file": self._file,
            "tool": self._tool,
            "compaction": self._compaction_part,
            "step-finish": self._step_finish,
            "patch": self._patch,
        }

    def take(self, event: str, name: str, data: Members, place: Place | None) -> None:
        """One event: its id, its type without a version, and what it says."""
        self._event, self._place = event, place
        self.replay.at = _time(data) or self.replay.at
        if self._revert is not None and self._revert.removed and not name.endswith("removed"):
            self._commit_revert(self._revert)
        if self._compaction is not None and self._compaction.is_done and not _tail(data):
            self._compact(self._compaction)
        if name in self._names:
            self._names[name](data)
        else:
            self.replay.rec.skip(name)

    def finish(self) -> None:
        """Nothing comes any more: only for a source that has no later state."""
        if self._compaction is not None and self._compaction.is_done:
            self._compact(self._compaction)

    # Session

    def _session_created(self, data: Members) -> None:
        self.version = str(members_of(data.get("info")).get("version") or self.version)
        self.replay.decided_by(runtime="opencode", version=self.version)

    def _session_updated(self, data: Members) -> None:
        """A revert that is staged and taken back changed no window that a model read."""
        revert = members_of(members_of(data.get("info")).get("revert"))
        first = str(revert.get("messageID"))
        if first in self._messages:
            self._revert = Revert(self._event, self._after(first, revert.get("partID")))
            self.replay.rec.skip("revert staged")
        elif self._revert is not None:
            self._revert = None
            self.replay.rec.skip("revert taken back")
        else:
            self.replay.rec.skip("session.updated")

    def _after(self, first: str, part: Any) -> set[str]:
        """The messages that a revert leaves behind; with a part, its own message keeps its head."""
        order = list(self._messages)
        start = order.index(first)
        if not isinstance(part, str):
            return set(order[start:])
        parts, id_ = self._messages[first].parts, safe_id(part)
        return set(order[start + 1 :]) | set(parts[parts.index(id_) if id_ in parts else 0 :])

    def _removed(self, data: Members) -> None:
        part = data.get("partID")
        gone = safe_id(part) if isinstance(part, str) else str(data.get("messageID"))
        revert = self._revert
        if revert is None or gone not in revert.expected:
            self.replay.rewind(self._event, self._spans({gone}))
            self.replay.rec.use()
            return
        revert.removed.add(gone)
        self.replay.rec.use()
        if revert.removed == revert.expected:
            self._commit_revert(revert)

    def _commit_revert(self, revert: Revert) -> None:
        crossed = [e for message, e in self._compactions.items() if message in revert.removed]
        self._revert = None
        self.replay.rewind(revert.edit, self._spans(revert.removed), crossed)
        for gone in revert.removed:
            self._messages.pop(gone, None)
        self.replay.rec.note(
            "status",
            "finding",
            "a revert restored files from a snapshot as well; what left the machine stays done",
            self.replay.rec.next - 1,
        )

    def _spans(self, gone: set[str]) -> set[str]:
        messages = [self._messages[id_].parts for id_ in gone if id_ in self._messages]
        return gone.union(*messages)

    # Messages

    def _message_updated(self, data: Members) -> None:
        info = members_of(data.get("info"))
        id_ = str(info.get("id"))
        is_new = id_ not in self._messages
        if is_new:
            role: Role = "assistant" if info.get("role") == "assistant" else "user"
            self._messages[id_] = Message(role, info.get("summary") is True)
        self._settings(info)
        compaction = self._compaction
        if compaction is not None and info.get("summary") is True:
            compaction.summary = id_
            if info.get("error"):
                self._compaction = None
                self.replay.rec.skip("compaction failed")
                return
            compaction.is_done = bool(members_of(info.get("time")).get("completed"))
        if is_new or info.get("summary") is True:
            self.replay.rec.use()
        else:
            self.replay.rec.skip("message.updated")

    def _settings(self, info: Members) -> None:
        model = members_of(info.get("model")).get("modelID") or info.get("modelID")
        if info.get("role") == "user" and isinstance(model, str):
            self.replay.decided_by(model=model)
            self.replay.settle()
            self.replay.permission({"agent": info.get("agent")})

    def _part_updated(self, data: Members) -> None:
        part = members_of(data.get("part"))
        kind = str(part.get("type"))
        message = self._messages.get(str(part.get("messageID")))
        if message is None or kind not in self._parts:
            self.replay.rec.skip(f"part/{kind}")
        elif message.is_summary and kind in {"text", "reasoning"}:
            self._summary_text(part, kind)
        else:
            self._parts[kind](message, part)

    def _text(self, message: Message, part: Members) -> None:
        text = part.get("text")
        if not isinstance(text, str) or not text or part.get("ignored"):
            self.replay.rec.use()  # a text under way: it comes again when it is whole
            return
        role: Role = "system" if part.get("synthetic") else message.role
        self._show(message, part, text, text, role)

    def _file(self, message: Message, part: Members) -> None:
        name = str(part.get("filename") or part.get("url") or "")
        content = {name: part.get(name) for name in ("mime", "filename", "url", "source")}
        text = members_of(members_of(part.get("source")).get("text")).get("value")
        self._show(message, part, content, text if isinstance(text, str) else "", "user", name)

    def _show(
        self,
        message: Message,
        part: Members,
        content: Any,
        text: str,
        role: Role,
        path: str | None = None,
        tool: str | None = None,
        effect: str | None = None,
    ) -> None:
        id_ = id_of(part)
        if id_ not in message.parts:
            message.parts.append(id_)
        shown = Shown(
            id=id_,
            content=content,
            text=text,
            role=role,
            path=path,
            tool=tool,
            effect=effect,
            place=self._place,
        )
        self.replay.show(shown)

    # Effects

    def _tool(self, message: Message, part: Members) -> None:
        state = members_of(part.get("state"))
        status, call, tool = (
            str(known) for known in (state.get("status"), part.get("callID"), part.get("tool"))
        )
        if status == "pending":
            self.replay.rec.use()
            return
        if call not in message.calls:
            message.calls.append(call)
        if members_of(state.get("time")).get("compacted"):
            self._prune(part, state)
            return
        self.replay.call(call, tool, state.get("input"))
        answer = state.get("error") if status == "error" else state.get("output")
        content = {"tool": tool, "input": state.get("input"), "output": answer}
        path = _path(state.get("input"))
        text = answer if isinstance(answer, str) else ""
        self._show(message, part, content, text, "tool", path, tool=tool, effect=call)
        if status in {"completed", "error"} and call not in self.replay.settled:
            self._answered(call, state, text)

    def _answered(self, call: str, state: Members, text: str) -> None:
        if _REJECTED in text and state.get("status") == "error":
            gate = f"gate-{call}"
            if gate not in self.replay.gates:
                self.replay.ask(gate, call, "agent")
                self.replay.answer(gate, approved=False, by="user", human=True)
            self.replay.end(call, "failed")
            return
        metadata = members_of(state.get("metadata"))
        result: Any = text
        if isinstance(metadata.get("exit"), int):
            result = {"stdout": text, "exit_code": metadata["exit"]}
        self.replay.result(call, result, error=state.get("status") == "error")

    def _patch(self, message: Message, part: Members) -> None:
        """The files that a step changed, and the tree that still has what stood in them before."""
        files, tree = part.get("files"), part.get("hash")
        if not isinstance(files, list) or not isinstance(tree, str):
            self.replay.rec.skip("part/patch")
            return
        snapshot = {str(file): {"backupFileName": tree} for file in files}
        for call in message.calls:
            self.replay.evidence(call, "committed", snapshot=snapshot)
        self.replay.rec.use()

    def _permission_asked(self, data: Members) -> None:
        call = members_of(data.get("tool")).get("callID")
        if not isinstance(call, str):
            self.replay.rec.skip("permission.asked without a call")
            return
        self._gates[str(data.get("id"))] = f"gate-{call}"
        self.replay.ask(f"gate-{call}", call, "agent")

    def _permission_replied(self, data: Members) -> None:
        gate = self._gates.get(str(data.get("requestID")))
        if gate is None:
            self.replay.rec.skip("permission.replied to an unknown request")
            return
        # The bus does not say who sits at the client.
        approved = data.get("reply") in ("once", "always")
        self.replay.answer(gate, approved=approved, by="client", human=False)

    # Edits

    def _prune(self, part: Members, state: Members) -> None:
        """The host cleared an old result by a fixed rule. The log still has what it was."""
        id_ = id_of(part)
        if id_ in self._cleared:
            self.replay.rec.use()
            return
        self._cleared.add(id_)
        stub = None
        if id_ in self.replay.window:
            content = {"tool": part.get("tool"), "input": state.get("input"), "output": CLEARED}
            stub = self.replay.digest(id_, content, [], CLEARED)
        self.replay.edit(self._event, "evict", "host", [id_], stub)

    def _compaction_part(self, _message: Message, part: Members) -> None:
        tail = part.get("tail_start_id")
        if self._compaction is None:
            trigger = (
                "overflow" if part.get("overflow") else "auto" if part.get("auto") else "manual"
            )
            self._compaction = Compaction(self._event, str(part.get("messageID")), trigger)
        if isinstance(tail, str):
            self._compaction.tail = tail
        self.replay.rec.use()
        if self._compaction.tail is not None and self._compaction.is_done:
            self._compact(self._compaction)

    def _summary_text(self, part: Members, kind: str) -> None:
        if self._compaction is not None and kind == "text":
            self._compaction.part = id_of(part)
            self._compaction.text = str(part.get("text") or "")
        self.replay.rec.use()

    def _compact(self, compaction: Compaction) -> None:
        """Everything before the kept tail goes; without a tail, everything."""
        self._compaction = None
        self._compactions[compaction.message] = compaction.edit
        order = list(self._messages)
        own = {compaction.message, compaction.summary}
        end = order.index(compaction.tail) if compaction.tail in self._messages else len(order)
        spans = self._spans({id_ for id_ in order[:end] if id_ not in own})
        gone = [span for span in self.replay.in_window() if span in spans]
        out = None
        if compaction.text:
            out = self.replay.digest(compaction.part, compaction.text, gone)
            self._messages[compaction.summary].parts.append(compaction.part)
        self.replay.edit(
            compaction.edit, "summarize", "model", gone, out, trigger=compaction.trigger
        )

    # Usage

    def _step_finish(self, message: Message, part: Members) -> None:
        tokens = members_of(part.get("tokens"))
        cache = members_of(tokens.get("cache"))
        sent = total(tokens.get("input"), cache.get("read"), cache.get("write"))
        answered = total(tokens.get("output"), tokens.get("reasoning"))
        # The call that wrote a summary read a window of its own.
        self.replay.usage(sent, answered, window=None if message.is_summary else sent + answered)


def _tail(data: Members) -> bool:
    return isinstance(members_of(data.get("part")).get("tail_start_id"), str)


def _time(data: Members) -> str | None:
    if isinstance(data.get("time"), int):
        return from_ms(data["time"])
    times = members_of(members_of(data.get("info")).get("time"))
    return from_ms(times.get("completed") or times.get("updated") or times.get("created"))


def _path(sent: Any) -> str | None:
    path = members_of(sent).get("filePath")
    return path if isinstance(path, str) else None
