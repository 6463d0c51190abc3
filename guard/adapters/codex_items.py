"""Items of a Codex conversation: who wrote them, which call they show, and what became of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from guard.adapters.base import Place
from guard.adapters.emit import Shown, safe_id
from guard.adapters.emit_rows import peek
from guard.events import Role

_CALLS = {"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"}
_SERVED = {"web_search_call", "image_generation_call"}
"""Calls that the provider runs itself: their one item is request and answer."""
_OUTPUTS = {"function_call_output", "custom_tool_call_output", "tool_search_output"}
_OPAQUE = {"compaction", "compaction_summary", "context_compaction"}
_DIGEST_KIND = "compaction.summary"

# What the harness writes in the role of the user. Later versions say so in `content_item_kinds`.
_HARNESS = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|turn_aborted|subagent_notification|skill|"
    r"user_shell_command|permissions instructions|skills_instructions)\b|# AGENTS\.md instructions)"
)
_TYPED = re.compile(r"\s*<user_shell_command>\s*<command>(.*?)</command>", re.DOTALL)
_REJECTED = re.compile(
    r"\brejected by user\b|\buser rejected\b|\bdeclined by user\b", re.IGNORECASE
)


class Item(Struct, frozen=True, kw_only=True):
    """One thing that the model reads. `index` counts the content items of its row, from 0."""

    id: str
    role: Role
    content: Any
    text: str
    index: int = 0
    call: str = ""
    tool: str = ""
    sent: Any = None
    is_call: bool = False

    def shown(self, place: Place | None) -> Shown:
        """The span of this item."""
        return Shown(
            id=self.id,
            content=self.content,
            role=self.role,
            text=self.text,
            tool=self.tool or None,
            effect=self.call or None,
            place=place,
        )


def items_of(payload: dict[str, Any], fresh: Callable[[], str]) -> Iterator[Item]:
    """The items of one `response_item`, or of one entry of `replacement_history`."""
    kind = str(payload.get("type"))
    native = payload.get("id")
    id_ = safe_id(native) if isinstance(native, str) and native else fresh()
    if kind == "message":
        yield from _message(payload, id_)
    elif kind == "reasoning":
        yield Item(id=id_, role="assistant", content=_bare(payload), text=_summary(payload))
    elif kind in _CALLS or kind in _SERVED:
        yield _call(payload, id_)
    elif kind in _OUTPUTS:
        content = payload.get("output", payload.get("tools"))
        call = str(payload.get("call_id") or "")
        yield Item(id=id_, role="tool", content=content, text=_output_text(content), call=call)


def is_opaque(payload: dict[str, Any]) -> bool:
    """An item that only the provider can read."""
    return str(payload.get("type")) in _OPAQUE


def is_digest(payload: dict[str, Any], message: str) -> bool:
    """Whether an entry of `replacement_history` is the digest. `message` is that of `compacted`."""
    passed = payload.get("internal_chat_message_metadata_passthrough")
    kinds = passed.get("content_item_kinds") if isinstance(passed, dict) else None
    if isinstance(kinds, list) and _DIGEST_KIND in kinds:
        return True
    return is_opaque(payload) or bool(message and message_text(payload) == message)


def message_text(payload: dict[str, Any]) -> str:
    """All words of a message."""
    return "\n".join(_words(part) for part in _parts(payload.get("content")))


def refused_by_user(text: str) -> bool:
    """Whether an output says that a person said no."""
    return _REJECTED.search(text) is not None


def typed_command(text: str) -> str:
    """The shell command that a person typed into the session, or nothing."""
    match = _TYPED.match(text)
    return match[1].strip() if match else ""


def _message(payload: dict[str, Any], id_: str) -> Iterator[Item]:
    parts = _parts(payload.get("content"))
    passed = payload.get("internal_chat_message_metadata_passthrough")
    kinds = passed.get("content_item_kinds") if isinstance(passed, dict) else None
    for index, part in enumerate(parts):
        text = _words(part)
        kind = kinds[index] if isinstance(kinds, list) and index < len(kinds) else None
        yield Item(
            id=id_ if len(parts) == 1 else f"{id_}/{index}",
            role=_role(payload.get("role"), kind, text),
            content=text or part,
            text=text,
            index=index,
        )


def _role(role: Any, kind: Any, text: str) -> Role:
    if role == "assistant":
        return "assistant"
    if role != "user" or _HARNESS.match(text):
        return "system"
    return "user" if kind is None or str(kind).startswith("user.") else "system"


def _call(payload: dict[str, Any], id_: str) -> Item:
    sent = _sent(payload)
    tool = str(payload.get("name") or str(payload.get("type")).removesuffix("_call"))
    namespace = payload.get("namespace")
    return Item(
        id=id_,
        role="assistant",
        content={"name": tool, "input": sent},
        text=f"{tool} {payload.get('arguments') or payload.get('input') or ''}".rstrip(),
        call=str(payload.get("call_id") or payload.get("id") or id_),
        tool=f"{namespace}{tool}" if isinstance(namespace, str) and namespace else tool,
        sent=sent,
        is_call=True,
    )


def _sent(payload: dict[str, Any]) -> Any:
    """The input as it was sent: an object where the arguments are one."""
    arguments = payload.get("arguments")
    if isinstance(arguments, str):
        value = peek(arguments.encode())
        return value if isinstance(value, dict) else arguments
    return arguments if arguments is not None else payload.get("input", payload.get("action"))


def _bare(payload: dict[str, Any]) -> dict[str, Any]:
    return {
        name: payload[name]
        for name in ("summary", "content", "encrypted_content")
        if name in payload
    }


def _summary(payload: dict[str, Any]) -> str:
    return "\n".join(_words(part) for part in _parts(payload.get("summary")))


def _output_text(output: Any) -> str:
    if isinstance(output, dict):
        output = output.get("content", output.get("body"))
    return output if isinstance(output, str) else "\n".join(map(_words, _parts(output)))


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [content]
    return content if isinstance(content, list) else []


def _words(part: Any) -> str:
    if isinstance(part, dict):
        part = part.get("text")
    return part if isinstance(part, str) else ""
