"""`assistant` and `user` rows of a Claude Code session to spans, effects and usage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Raw

from guard.adapters.claude_code_faces import (
    ROLES,
    Face,
    face_of,
    shell_input,
    slash_command,
    spoken_by,
)
from guard.adapters.claude_code_results import (
    AGENT_TOOLS,
    Open,
    Result,
    path_of,
    result_of,
    said_by_a_person,
    shown_by,
)
from guard.adapters.claude_code_rows import Item, Message, Row, decode_any, item_of
from guard.adapters.claude_code_run import SYNTHETIC, Run
from guard.adapters.claude_code_window import Mark, Thread, applied, clear, compact, rewind
from guard.adapters.emit import USER_SHELL, safe_id
from guard.events import Role


def assistant(run: Run, thread: Thread, row: Row) -> None:
    """One answer comes as several rows, one content item each, with one `message.id`."""
    message = row.message
    if message is None or row.is_api_error_message or message.model == SYNTHETIC:
        run.rec.skip("synthetic answer")
        return
    run.begun_before(row.timestamp)
    thread.conversed = True
    applied(run.replay, thread, row.uuid, message)
    _usage(run, thread, message)
    items = _items(message)
    for index, raw in enumerate(items):
        _said(run, thread, row, raw, _name(run, row, index, len(items)), index)
    if not items:
        run.rec.skip("empty answer")


def _usage(run: Run, thread: Thread, message: Message) -> None:
    """Tokens of an answer, once. A later row of it can only add output (1.5): the sum is right."""
    used = message.usage
    if used is None or message.id is None:
        return
    so_far = thread.answered.get(message.id)
    output = used.output_tokens or 0
    if so_far is not None and output <= so_far:
        return
    thread.answered[message.id] = output
    if so_far is None:
        run.hooks.size(thread, used.prompt)
        run.replay.usage(used.prompt, output, window=used.prompt)
    else:
        run.replay.usage(0, output - so_far, window=used.prompt)


def _said(run: Run, thread: Thread, row: Row, raw: Raw | str, name: str, index: int) -> None:
    item = item_of(raw)
    if isinstance(raw, str) or (item.type == "text" and item.text is not None):
        run.show(thread, row, name, item.text, "assistant", index=index)
        return
    if item.type.endswith("tool_result"):
        _result(run, thread, row, item, name, index)
        return
    call = run.calls.named(item, after=1) if item.type.endswith("tool_use") else None
    run.show(thread, row, name, decode_any(raw), "assistant", index=index, effect=call)
    if call is not None:
        run.started(thread, run.calls.start(item, call, run.folder(row)))


def user(run: Run, thread: Thread, row: Row) -> None:
    """A person, a tool, a summary or the harness: `claude_code_faces` tells which."""
    message = row.message
    if row.is_visible_in_transcript_only and not row.is_compact_summary:
        run.rec.skip("shown to people only")
        return
    raws = _items(message) if message is not None else ()
    items = [item_of(raw) for raw in raws]
    opening = next((item.text for item in items if item.text is not None), "")
    face = face_of(row, opening, items)
    if face == "summary":
        text = "\n".join(item.text or "" for item in items)
        compact(run.replay, run.rows, thread, row, text)
        if row.uuid is not None:
            run.rec.places[safe_id(row.uuid)] = run.place
        return
    before_words(run, thread, row, face, opening)
    thread.conversed = thread.conversed or face in {"prompt", "shell", "result"}
    for index, (raw, item) in enumerate(zip(raws, items, strict=True)):
        name = _name(run, row, index, len(items))
        if item.type == "tool_result":
            _result(run, thread, row, item, name, index)
        else:
            _heard(run, thread, row, face, raw, item, name, index)
    if not items:
        run.rec.skip("empty message")


def before_words(run: Run, thread: Thread, row: Row, face: Face, opening: str) -> None:
    """What a person's row does before its words are in the window. Nobody talks to a sub-agent."""
    if thread.sub:
        return
    run.permit(row.permission_mode)
    if face == "command" and slash_command(opening) == "clear":
        clear(run.replay, thread, row)
    if face in {"prompt", "command", "shell"}:
        rewind(run.replay, thread, row)
    if face == "prompt":
        mark = Mark(len(thread.shown), len(thread.edits))
        thread.prompts.setdefault(row.parent_uuid, mark)


def _heard(
    run: Run,
    thread: Thread,
    row: Row,
    face: Face,
    raw: Raw | str,
    item: Item,
    name: str,
    index: int,
) -> None:
    text = item.text
    own = spoken_by(text) if face == "prompt" and text is not None else face
    content = text if text is not None else decode_any(raw)
    if own in {"shell", "shell output"} and text is not None:
        _typed(run, thread, row, own, text, name)
        return
    role = _role(thread, row, own)
    run.show(thread, row, name, content, role, index=index)
    if own == "notice" and text is not None:
        run.calls.notice(text)


def _role(thread: Thread, row: Row, face: Face) -> Role:
    """The prompt of a sub-agent is the words of the model that called it."""
    by_model = (
        thread.sub and face == "prompt" and (row.origin is None or row.origin.kind != "human")
    )
    return "assistant" if by_model else ROLES[face]


def _typed(run: Run, thread: Thread, row: Row, face: Face, text: str, name: str) -> None:
    """A person's own `!` command, and the row that shows its output."""
    command = shell_input(text)
    output = run.calls.open.get(row.parent_uuid or "")
    call = output.effect if output is not None else row.uuid if command is not None else None
    tool = USER_SHELL if face == "shell output" else None
    run.show(thread, row, name, text, ROLES[face], tool=tool, effect=call)
    if command is not None:
        output = run.calls.typed(row, command, run.folder(row))
    if output is not None and "<bash-stdout>" in text:
        run.calls.end(output, row, Item(), text, Result(stdout=text, stderr=""))


def _result(run: Run, thread: Thread, row: Row, item: Item, name: str, index: int) -> None:
    call = run.calls.open.get(item.tool_use_id or "")
    content = decode_any(item.content) if bytes(item.content) else ""
    text = _words(content)
    result = result_of(row.tool_use_result)
    said = said_by_a_person(call, text)
    run.show(
        thread,
        row,
        name,
        content,
        "tool" if said is None else "user",
        index=index,
        words=said or shown_by(call, text, result),
        path=path_of(call) if said is None else None,
        tool=call.tool if call else None,
        effect=call.effect if call else item.tool_use_id or None,
    )
    run.rows.results[item.tool_use_id or ""] = name
    if call is None:
        run.calls.orphans.append(run.rec.next - 1)
        return
    run.calls.end(call, row, item, text, result)
    _agent_ended(run, call, item, result)


def _agent_ended(run: Run, call: Open, item: Item, result: Result | None) -> None:
    """Whether all calls of a sub-agent without a file were seen inside the main file."""
    if call.tool not in AGENT_TOOLS or (result is not None and result.is_async):
        return
    total = result.total_tool_use_count if result is not None else None
    never_ran = bool(item.is_error) and not call.inner
    covered = never_ran or (total is not None and len(call.inner) >= total)
    run.rec.sighted(f"agent {call.effect}", covered=covered)


def _items(message: Message) -> Sequence[Raw | str]:
    content = message.content
    return [content] if isinstance(content, str) else content or []


def _name(run: Run, row: Row, index: int, count: int) -> str:
    if not row.uuid:
        return f"span-{run.rec.next}"
    uuid = safe_id(row.uuid)
    return uuid if count == 1 else f"{uuid}/{index}"


def _words(content: Any) -> str:
    """The text of a tool result: itself, or that of its blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
