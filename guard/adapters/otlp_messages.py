"""What a model call read and said, from its attributes: three conventions, one kind of part.

GenAI semantic conventions (`gen_ai.input.messages`, development status, 2026-11), OpenInference
(`llm.input_messages.N.…`), and the older flat names of OpenLLMetry (`gen_ai.prompt.N.…`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from guard.adapters.emit_rows import peek
from guard.adapters.shapes import Members, members_of
from guard.events import Role

Kind = Literal["text", "call", "result", "reasoning", "compaction", "other"]

_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}
_KINDS: dict[str, Kind] = {
    "text": "text",
    "tool_call": "call",
    "tool_call_response": "result",
    "reasoning": "reasoning",
    "compaction": "compaction",
}
_FLAT = {
    "input": ("llm.input_messages", "gen_ai.prompt"),
    "output": ("llm.output_messages", "gen_ai.completion"),
}


class Part(Struct, frozen=True):
    """One thing that the model read or said. `id` names the call or the compaction."""

    role: Role
    kind: Kind
    content: Any
    text: str
    id: str = ""
    tool: str = ""


def parts_of(attributes: Members, side: Literal["input", "output"]) -> list[Part] | None:
    """The parts of one side of a call in their order; None when they were not captured."""
    messages = attributes.get(f"gen_ai.{side}.messages")
    if isinstance(messages, str):
        messages = peek(messages.encode())
    if isinstance(messages, list):
        return [part for message in messages for part in _parts(message)]
    for prefix in _FLAT[side]:
        flat = _nested(attributes, prefix)
        if flat:
            return [part for message in flat for part in _flat_parts(message)]
    return None


def instructions_of(attributes: Members) -> list[Part]:
    """The system instructions, where they are kept apart from the messages."""
    said = attributes.get("gen_ai.system_instructions")
    if isinstance(said, str):
        said = peek(said.encode()) or said
    if isinstance(said, str):
        return [Part("system", "text", said, said)]
    return list(_parts({"role": "system", "parts": said})) if isinstance(said, list) else []


def _parts(message: Any) -> Iterator[Part]:
    if not isinstance(message, dict):
        return
    role = _ROLES.get(str(message.get("role")), "user")
    parts = message.get("parts", message.get("content"))
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, str):
            yield Part(role, "text", part, part)
        elif isinstance(part, dict):
            yield _part(role, part)


def _part(role: Role, part: Members) -> Part:
    kind = _KINDS.get(str(part.get("type")), "other")
    id_ = str(part.get("id") or "")
    if kind == "call":
        return _call(id_, part.get("name"), part.get("arguments"))
    if kind == "result":
        answer = part.get("response", part.get("result"))
        return Part("tool", "result", _plain(answer), _text(answer), id_)
    content = part.get("content", part.get("text"))
    if kind == "compaction":
        return Part(
            role, "compaction", content if content is not None else part, _text(content), id_
        )
    if isinstance(content, str) and kind != "other":
        return Part(role, kind, content, content, id_)
    return Part(role, kind, part, _text(content), id_)


def _call(id_: str, name: Any, arguments: Any) -> Part:
    sent = _plain(arguments)
    content = {"name": name, "arguments": sent}
    return Part("assistant", "call", content, f"{name} {_text(arguments)}", id_, str(name))


def _flat_parts(message: Members) -> Iterator[Part]:
    message = members_of(message.get("message")) or message
    role = _ROLES.get(str(message.get("role")), "user")
    content = message.get("content")
    answered = message.get("tool_call_id")
    if isinstance(answered, str):
        yield Part("tool", "result", _plain(content), _text(content), answered)
    elif isinstance(content, str) and content:
        yield Part(role, "text", content, content)
    for item in _in_order(message.get("contents")):
        text = members_of(item.get("message_content")).get("text")
        if isinstance(text, str):
            yield Part(role, "text", text, text)
    for item in _in_order(message.get("tool_calls")):
        call = members_of(item.get("tool_call")) or item
        function = members_of(call.get("function")) or call
        yield _call(str(call.get("id") or ""), function.get("name"), function.get("arguments"))


def _nested(attributes: Mapping[str, Any], prefix: str) -> list[Members]:
    """`prefix.0.message.role` and its like as a list of objects."""
    tree: Members = {}
    for name, value in attributes.items():
        if name.startswith(prefix + "."):
            *path, leaf = name[len(prefix) + 1 :].split(".")
            here = tree
            for step in path:
                here = here.setdefault(step, {}) if isinstance(here.get(step, {}), dict) else {}
            here[leaf] = value
    return _in_order(tree)


def _in_order(numbered: Any) -> list[Members]:
    """The values of an object whose names are numbers, in the order of these."""
    found = [name for name in members_of(numbered) if re.fullmatch(r"\d{1,9}", name)]
    values = [numbered[name] for name in sorted(found, key=int)]
    return [value for value in values if isinstance(value, dict)]


def _plain(value: Any) -> Any:
    """Arguments and answers are objects, or texts of them."""
    inner = peek(value.encode()) if isinstance(value, str) else value
    return inner if isinstance(inner, dict | list) else value


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(
            filter(None, (_text(members_of(each).get("text", each)) for each in value))
        )
    return "" if value is None else str(value)
