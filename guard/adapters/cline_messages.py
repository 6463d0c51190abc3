"""Messages of Cline and Roo Code, replayed: contents, tool calls, and what was compacted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from guard.adapters.emit import Replay, Shown, safe_id
from guard.adapters.emit_rows import peek
from guard.adapters.emit_times import from_ms
from guard.adapters.shapes import Members, members_of, total
from guard.events import Role

_NOTICE = re.compile(r"\s*<SYSTEM_NOTICE>\s*Earlier context was compacted", re.IGNORECASE)
_HARNESS = re.compile(r"\s*(?:<SYSTEM_NOTICE>|<environment_details>|\[TASK RESUMPTION\])")
_REASONS = {"manual_compaction": "manual", "auto_compaction": "auto"}
_TOOLS = (
    "execute_command|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|"
    "read_file|list_files|search_files|list_code_definition_names|browser_action|use_mcp_tool|"
    "access_mcp_resource|new_task|switch_mode|web_fetch"
)
_XML_CALL = re.compile(rf"<({_TOOLS})>(.*?)</\1>", re.DOTALL)
_XML_PARAMETER = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
_XML_RESULT = re.compile(rf"\s*\[({_TOOLS})\b[^\]]*\] Result:")
_DENIED = re.compile(r"The user denied this operation|user (?:denied|rejected)", re.IGNORECASE)


class Task:
    """Replays the messages of one task. `ui`: what the window showed a person, for token counts."""

    def __init__(self, replay: Replay, sidecar: Members, ui: Sequence[Members]) -> None:
        self.replay = replay
        self._sidecar = sidecar
        self._ui = ui
        self._spans: list[list[str]] = []
        self._tagged: dict[str, list[str]] = {}
        self._waiting: list[str] = []
        replay.decided_by(runtime="cline")

    def settings(self, document: Members) -> None:
        """The system prompt, where the document holds it."""
        prompt = document.get("system_prompt")
        if isinstance(prompt, str):
            self.replay.show(Shown(id="system-prompt", content=prompt, role="system"))
        self.replay.rec.skip("document without a system prompt")

    def take(self, index: int, message: Members) -> None:
        """One message."""
        self.replay.at = from_ms(message.get("ts")) or self.replay.at
        self._model(message)
        self._spans.append([])
        metadata = members_of(message.get("metadata"))
        if message.get("isSummary"):
            self._condensed(index, message)
        elif message.get("isTruncationMarker"):
            self._truncated(index, message)
        elif metadata.get("kind") == "compaction":
            self._compacted(index, message, metadata)
        else:
            self._contents(index, message)
        self._tag(index, message)
        if index + 1 == self._sidecar.get("source_message_count"):
            self._from_sidecar()
        self.replay.rec.skip("message without content")

    def _model(self, message: Members) -> None:
        model = members_of(message.get("modelInfo")).get("id")
        if isinstance(model, str):
            self.replay.decided_by(model=model)
        self.replay.settle()

    def finish(self, *, with_messages: bool) -> None:
        """What stands beside the messages."""
        if self._sidecar and with_messages:
            self.replay.rec.record()
            self.replay.rec.use()
        for said in self._ui:
            self.replay.rec.record()
            self._said(said)

    # Contents

    def _contents(self, index: int, message: Members, *, but: int = -1) -> None:
        parts = _parts(message)
        for number, part in enumerate(parts):
            if number != but:
                self._part(index, message, number, len(parts), part)
        said = "\n".join(words for words in map(_words, parts) if not _HARNESS.match(words))
        if self._waiting and _is_written_result(message):
            self._answered(self._waiting.pop(0), said)

    def _part(self, index: int, message: Members, number: int, count: int, part: Any) -> None:
        id_ = _id(index, message, number, count)
        kind = str(members_of(part).get("type"))
        words = _words(part)
        answered = members_of(part).get("tool_use_id") or members_of(part).get("toolCallId")
        is_answer = kind in {"tool_result", "tool-result"}
        self._show(
            id_, part, words, _role(message, part, words), str(answered) if is_answer else None
        )
        if kind in {"tool_use", "tool-call"}:
            call = str(part.get("id") or part.get("toolCallId"))
            self.replay.call(call, str(part.get("name") or part.get("toolName")), part.get("input"))
        elif is_answer:
            self._answered(str(answered), words, failed=part.get("is_error") is True)
        elif message.get("role") == "assistant":
            self._written_calls(id_, words)

    def _show(self, id_: str, part: Any, words: str, role: Role, effect: str | None) -> None:
        self._spans[-1].append(id_)
        content = words if words and members_of(part).get("type") in (None, "text") else part
        self.replay.show(Shown(id=id_, content=content, text=words, role=role, effect=effect))

    def _written_calls(self, span: str, words: str) -> None:
        """Before native tool calls, a call was XML in the words of the model; one a message ran."""
        for number, match in enumerate(_XML_CALL.finditer(words)):
            call = f"{span}/call-{number}"
            sent = {name: value.strip() for name, value in _XML_PARAMETER.findall(match[2])}
            self.replay.call(call, match[1], sent)
            self._waiting.append(call)

    def _answered(self, call: str, words: str, *, failed: bool = False) -> None:
        if call in self.replay.settled:
            return
        if _DENIED.search(words):
            self.replay.ask(f"gate-{call}", call, "agent")
            self.replay.answer(f"gate-{call}", approved=False, by="user", human=True)
            self.replay.end(call, "failed")
        else:
            self.replay.result(call, words, error=failed)

    # Edits

    def _tag(self, index: int, message: Members) -> None:
        for name in ("condenseParent", "truncationParent"):
            parent = message.get(name)
            if isinstance(parent, str):
                self._tagged.setdefault(parent, []).extend(self._spans[index])

    def _condensed(self, index: int, message: Members) -> None:
        """Roo: the summary names its id, and every message that it took carries that id."""
        id_ = str(message.get("condenseId") or _id(index, message, 0, 1))
        gone = self._tagged.get(id_, [])
        fidelity = "exact" if gone else "unknown"
        words = "\n".join(map(_words, _parts(message)))
        out = self.replay.digest(_id(index, message, 0, 1), words, gone)
        self.replay.edit(id_, "summarize", "model", gone, out, fidelity=fidelity, held=bool(gone))  # type: ignore[arg-type]
        self._spans[-1].append(out.id)

    def _truncated(self, index: int, message: Members) -> None:
        """Roo: a sliding window hides messages by a fixed rule."""
        id_ = str(message.get("truncationId") or _id(index, message, 0, 1))
        gone = self._tagged.get(id_, [])
        words = "\n".join(map(_words, _parts(message)))
        out = self.replay.digest(_id(index, message, 0, 1), words, gone)
        self.replay.edit(id_, "evict", "host", gone, out, fidelity="exact" if gone else "unknown")
        self._spans[-1].append(out.id)

    def _compacted(self, index: int, message: Members, metadata: Members) -> None:
        """Cline: how many messages went, and a notice among the parts of the message that stays."""
        parts = _parts(message)
        notice = next((i for i, part in enumerate(parts) if _NOTICE.match(_words(part))), None)
        count = metadata.get("messagesRemoved")
        known = count if isinstance(count, int) else None
        out = None
        if notice is not None:
            words = _words(parts[notice])
            out = self.replay.digest(_id(index, message, notice, len(parts)), words, [])
            self._spans[-1].append(out.id)
        self.replay.edit(
            None,
            "summarize",
            "model",
            [],
            out,
            fidelity="unknown" if known is None else "count",
            trigger=_REASONS.get(str(metadata.get("reason"))),
            count=known,
        )
        self._contents(index, message, but=-1 if notice is None else notice)

    def _from_sidecar(self) -> None:
        """The first messages were replaced by those of the sidecar, which may repeat some."""
        new = [m for m in self._sidecar.get("messages") or [] if isinstance(m, dict)]
        kept = {_id(i, m, 0, 1).partition("/")[0] for i, m in enumerate(new) if m.get("id")}
        gone = [s for spans in self._spans for s in spans if s.partition("/")[0] not in kept]
        known = {s.partition("/")[0] for spans in self._spans for s in spans}
        words = "\n".join(
            _words(part)
            for i, message in enumerate(new)
            if _id(i, message, 0, 1) not in known
            for part in _parts(message)
        )
        edit = self.replay.next_edit(recorded=True)
        out = self.replay.digest(f"{edit}-summary", words, gone)
        self.replay.edit(None, "summarize", "model", gone, out if words else None, fidelity="exact")

    # What the window showed

    def _said(self, said: Members) -> None:
        self.replay.at = from_ms(said.get("ts")) or self.replay.at
        kind = str(said.get("say") or said.get("ask"))
        if kind == "api_req_started":
            value = members_of(peek(str(said.get("text") or "").encode()))
            sent = total(value.get("tokensIn"), value.get("cacheReads"), value.get("cacheWrites"))
            if sent:
                self.replay.usage(sent, total(value.get("tokensOut")))
                return
        condensed = members_of(said.get("contextCondense"))
        if condensed:
            text = (
                f"condensed from {condensed.get('prevContextTokens')} to "
                f"{condensed.get('newContextTokens')} tokens"
            )
            self.replay.rec.note("closure", "finding", text)
            self.replay.rec.use()
        self.replay.rec.skip(f"ui {kind}")


def _id(index: int, message: Members, number: int, count: int) -> str:
    """The native id, or the place of the message in the document."""
    native = message.get("id")
    base = safe_id(native) if isinstance(native, str) else f"message-{index}"
    return base if count == 1 else f"{base}/{number}"


def _parts(message: Members) -> list[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else [] if content in (None, "") else [content]


def _words(part: Any) -> str:
    if isinstance(part, str):
        return part
    part = members_of(part)
    for name in ("text", "thinking", "content", "output"):
        value = part.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "\n".join(map(_words, value))
        if isinstance(value, dict) and isinstance(value.get("value"), str):
            return str(value["value"])
    return f"{part.get('name')} {part.get('input')}" if part.get("type") == "tool_use" else ""


def _role(message: Members, part: Any, words: str) -> Role:
    if message.get("role") == "assistant":
        return "assistant"
    if members_of(part).get("type") in ("tool_result", "tool-result"):
        return "tool"
    if _HARNESS.match(words):
        return "system"
    return "tool" if _is_written_result(message) else "user"


def _is_written_result(message: Members) -> bool:
    """Before native tool calls, an answer was a text of the user that names the tool first."""
    parts = _parts(message)
    return message.get("role") == "user" and any(_XML_RESULT.match(_words(part)) for part in parts)
