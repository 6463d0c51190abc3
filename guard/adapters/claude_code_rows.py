"""The rows of a Claude Code session file, as far as a journal needs them.

Seen in 1.0.24 to 2.1.219 (2025-06 to 2026-07); there is no official schema. Every field may be
absent. What no field here names is passed over without being decoded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

from guard.adapters.mend import mend

NOTHING = Raw(b"")
_BLANK = b" \t\r\n"


class Usage(Struct, frozen=True):
    """Tokens of one API answer. The prompt side is the same on all rows of the answer."""

    input_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0
    cache_creation_input_tokens: int | None = 0
    output_tokens: int | None = 0

    @property
    def prompt(self) -> int:
        """The size of the window at this call, in tokens."""
        parts = (self.input_tokens, self.cache_read_input_tokens, self.cache_creation_input_tokens)
        return sum(part or 0 for part in parts)


class AppliedEdit(Struct, frozen=True):
    """An edit that the API made to the prompt: how many, never which."""

    type: str = ""
    cleared_tool_uses: int | None = None
    cleared_thinking_turns: int | None = None


class ContextManagement(Struct, frozen=True):
    """`message.context_management` of an answer."""

    applied_edits: list[AppliedEdit] | None = None


class Message(Struct, frozen=True):
    """`message` of a `user` or `assistant` row. The items of a list stay undecoded."""

    role: str = ""
    id: str | None = None
    model: str | None = None
    content: str | list[Raw] | None = None
    usage: Usage | None = None
    context_management: ContextManagement | None = None


class Item(Struct, frozen=True):
    """One content item: text, thinking, tool_use, tool_result, image, ..."""

    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str = ""
    input: Raw = NOTHING
    tool_use_id: str | None = None
    content: Raw = NOTHING
    is_error: bool | None = None


class Progress(Struct, frozen=True, rename="camel"):
    """`data` of a `progress` row (2.1.7 to 2.1.63)."""

    type: str = ""
    hook_name: str = ""
    command: str | None = None
    agent_id: str | None = None
    message: Raw = NOTHING


class Segment(Struct, frozen=True, rename="camel"):
    """`preservedSegment` (2.1.217+): the kept range, both ends included."""

    head_uuid: str | None = None
    tail_uuid: str | None = None


class Preserved(Struct, frozen=True):
    """`preservedMessages` (2.1.217+): the kept rows, in order."""

    uuids: list[str] = []


class CompactMetadata(Struct, frozen=True, rename="camel"):
    """What a `compact_boundary` says about itself."""

    trigger: str | None = None
    pre_tokens: int | None = None
    preserved_segment: Segment | None = None
    preserved_messages: Preserved | None = None
    messages_summarized: int | None = None
    direction: str | None = None


class MicrocompactMetadata(Struct, frozen=True, rename="camel"):
    """What a `microcompact_boundary` says about itself (2.1.12 to 2.1.22)."""

    trigger: str | None = None
    compacted_tool_ids: list[str] = []
    cleared_attachments: list[str] = field(name="clearedAttachmentUUIDs", default_factory=list)


class Snapshot(Struct, frozen=True, rename="camel"):
    """`snapshot` of a `file-history-snapshot`: path -> backup; a null name means a new file."""

    tracked_file_backups: dict[str, Any] | None = None


class Replacement(Struct, frozen=True, rename="camel"):
    """A tool result that was swapped for a stub in the window."""

    tool_use_id: str = ""
    replacement: Any = None


class Origin(Struct, frozen=True):
    """Who a `user` row is from (2.1.2xx)."""

    kind: str = ""


class Forked(Struct, frozen=True, rename="camel"):
    """`forkedFrom` of a row that `/branch` copied from another session."""

    message_uuid: str | None = None


class Hook(Struct, frozen=True):
    """One entry of `hookInfos` in a `stop_hook_summary`."""

    command: str | None = None


class Row(Struct, frozen=True, rename="camel"):
    """One row of any type."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    is_sidechain: bool | None = None
    agent_id: str | None = None
    session_id: str | None = None
    version: str | None = None
    cwd: str | None = None
    timestamp: str | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    permission_mode: str | None = None
    tool_denial_kind: str | None = None
    forked_from: Forked | None = None
    origin: Origin | None = None
    message: Message | None = None
    tool_use_result: Raw = NOTHING
    data: Progress | None = None
    parent_tool_use_id: str | None = field(name="parentToolUseID", default=None)
    content: Any = None
    compact_metadata: CompactMetadata | None = None
    microcompact_metadata: MicrocompactMetadata | None = None
    attachment: dict[str, Any] | None = None
    snapshot: Snapshot | None = None
    operation: str | None = None
    replacements: list[Replacement] | None = None
    hook_infos: list[Hook] | None = None
    continued_in_session_id: str | None = None
    leaf_uuid: str | None = None


class Odd(Struct, frozen=True):
    """JSON, but no row: known fields have another shape than was ever seen. `type` may be empty."""

    type: str
    reason: str


class Broken(Struct, frozen=True):
    """Bytes that are no object, and why."""

    reason: str


class Found(Struct, frozen=True):
    """A record of a line, and the bytes of the line that it takes."""

    start: int
    end: int
    record: Row | Odd | Broken


_decode_row = msgspec.json.Decoder(Row).decode
_decode_item = msgspec.json.Decoder(Item).decode
decode_any = msgspec.json.Decoder().decode
_raw_decode = json.JSONDecoder().raw_decode


def item_of(raw: Raw | str) -> Item:
    """A content item, whatever its shape: what is not known of it is left open."""
    if isinstance(raw, str):
        return Item(type="text", text=raw)
    try:
        return _decode_item(raw)
    except (msgspec.DecodeError, RecursionError):
        return Item()


def records(line: bytes) -> tuple[int, list[Found]]:
    """The objects of a line, and how many characters were mended in it (places stay the same).

    Two objects may be glued on one line (2.1.7 to 2.1.17). Bytes that are none take the rest of
    the line.
    """
    mended = 0
    if b"\\u0000" in line:
        line, mended = mend(line)
    record = _one(line)
    if isinstance(record, Broken):
        line, more = mend(line)
        return mended + more, list(_each(line))
    return mended, [Found(0, len(line), record)]


def _one(data: bytes) -> Row | Odd | Broken:
    try:
        return _decode_row(data)
    except msgspec.ValidationError as error:
        return _odd(data, str(error))
    except msgspec.DecodeError as error:
        return Broken(f"no JSON object: {error}")
    except RecursionError:
        return Broken("nested too deeply")


def _odd(data: bytes, reason: str) -> Odd | Broken:
    try:
        value = decode_any(data)
    except (msgspec.DecodeError, RecursionError) as error:
        return Broken(f"no JSON object: {error}")
    kind = value.get("type") if isinstance(value, dict) else None
    return Odd(kind if isinstance(kind, str) else "", reason)


def _each(line: bytes) -> Iterator[Found]:
    start = 0
    while line[start:].strip(_BLANK):
        end = _end(line, start)
        record = _one(line[start:end])
        yield Found(start, end, record)
        if isinstance(record, Broken):
            return
        start = end


def _end(line: bytes, start: int) -> int:
    """Where the object that begins here ends, or the end of the line when it does not end."""
    try:
        text = line[start:].decode()
        _, stop = _raw_decode(text, len(text) - len(text.lstrip()))
    except (ValueError, RecursionError):
        return len(line)
    return start + len(text[:stop].encode())
