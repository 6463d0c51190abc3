"""Rows of a Claude Code session that are no messages: system, progress, attachments, state."""

from __future__ import annotations

import msgspec
from msgspec import Raw

from guard.adapters.claude_code_faces import ATTACHMENTS, ROLES, spoken_by, words_at
from guard.adapters.claude_code_messages import before_words
from guard.adapters.claude_code_rows import Row, item_of
from guard.adapters.claude_code_run import Run, numbers
from guard.adapters.claude_code_window import Thread, microcompact, replace
from guard.adapters.emit import safe_id

_ATTACHMENTS_FROM = (2, 1, 110)


def system(run: Run, thread: Thread, row: Row) -> None:
    """By subtype: boundaries of compactions, local commands, hooks."""
    text = row.content if isinstance(row.content, str) else ""
    if row.subtype == "compact_boundary" and row.uuid is not None:
        thread.boundary = row
        run.rec.use()
    elif row.subtype == "microcompact_boundary" and row.microcompact_metadata is not None:
        microcompact(run.replay, run.rows, thread, row)
    elif row.subtype == "local_command" and row.uuid is not None:
        face = spoken_by(text)
        before_words(run, thread, row, face, text)
        run.show(thread, row, safe_id(row.uuid), text, ROLES[face])
    else:
        run.hooks.system(row, text)
        run.rec.skip(f"system/{row.subtype}" if row.subtype else "system")


def progress(run: Run, _thread: Thread, row: Row) -> None:
    """Only two kinds say something: a sub-agent's message, and a hook that ran."""
    data = row.data
    if data is None:
        run.rec.skip("progress")
    elif data.type == "agent_progress" and data.agent_id and bytes(data.message):
        _inline(run, row, data.agent_id, data.message)
    else:
        if data.type == "hook_progress":
            run.hooks.ran(data.command, data.hook_name)
        run.rec.skip(f"progress/{data.type}")


def _inline(run: Run, row: Row, agent: str, message: Raw) -> None:
    """A message of a sub-agent inside the main file: often its only trace (3.12)."""
    try:
        inner = msgspec.json.decode(message, type=Row)
    except msgspec.DecodeError:
        run.rec.skip("progress/agent_progress of another shape")
        return
    known = inner.uuid is not None and inner.uuid in run.rows.parents
    if known or _seen(run, inner):
        run.rec.skip("progress/agent_progress already read")
        return
    run.thread(agent).caller = run.calls.open.get(row.parent_tool_use_id or "")
    run.take(
        msgspec.structs.replace(
            inner, parent_uuid=None, agent_id=agent, cwd=row.cwd, permission_mode=None
        )
    )


def _seen(run: Run, inner: Row) -> bool:
    """Whether all calls or results of this message were read from the sub-agent's own file."""
    content = inner.message.content if inner.message is not None else None
    items = [item_of(raw) for raw in content] if isinstance(content, list) else []
    calls = [run.calls.open.get(item.id or "") for item in items if item.type == "tool_use"]
    results = [
        run.calls.open.get(item.tool_use_id or "") for item in items if item.type == "tool_result"
    ]
    known = [call is not None for call in calls]
    known += [call is not None and call.state != "started" for call in results]
    return bool(known) and all(known)


def attachment(run: Run, thread: Thread, row: Row) -> None:
    """What the harness puts beside a message (2.1.110+)."""
    attached = row.attachment or {}
    kind = str(attached.get("type") or "")
    carried = ATTACHMENTS.get(kind)
    words = words_at(attached, carried.words) if carried else None
    if kind.startswith("hook_"):
        run.hooks.attached(attached)
    if carried is None or words is None or row.uuid is None:
        run.rec.skip(f"attachment/{kind}")
        return
    role = carried.role
    if kind == "queued_command" and isinstance(words, str):
        role = ROLES[spoken_by(words)]
    path = words_at(attached, carried.path) if carried.path else None
    where = run.folder(row).named(path) if isinstance(path, str) else None
    content = words if isinstance(words, str) else attached
    run.show(thread, row, safe_id(row.uuid), content, role, path=where)
    if isinstance(words, str):
        run.calls.notice(words)


def queue_operation(run: Run, thread: Thread, row: Row) -> None:
    """Words typed, and notices given, while the model works."""
    text = row.content if isinstance(row.content, str) else ""
    if row.operation == "enqueue":
        thread.queue.append(text)
        before = run.rec.next
        run.calls.notice(text)
        if run.rec.next != before:
            return
    elif row.operation == "dequeue" and thread.queue:
        thread.queue.popleft()
    elif row.operation == "popAll":
        thread.queue.clear()
    elif row.operation == "remove" and _typed_in(run, thread, row):
        return
    run.rec.skip(f"queue-operation/{row.operation}")


def _typed_in(run: Run, thread: Thread, row: Row) -> bool:
    """`remove`: words typed meanwhile enter the window. Before attachments nothing else says so."""
    typed = next((text for text in thread.queue if _is_typed(text)), None)
    if typed is None:
        return False
    thread.queue.remove(typed)
    if numbers(run.version) >= _ATTACHMENTS_FROM:
        return False
    run.show(thread, row, f"span-{run.rec.next}", typed, "user", here=False)
    return True


def _is_typed(text: str) -> bool:
    return spoken_by(text) == "prompt" and not text.startswith(("/", '{"task_id"'))


def file_history_snapshot(run: Run, _thread: Thread, row: Row) -> None:
    """Backups of files that the main thread edited (2.5): evidence for effects, no event."""
    if row.snapshot is not None and row.snapshot.tracked_file_backups:
        run.calls.snapshot = row.snapshot.tracked_file_backups
    run.rec.skip("file-history-snapshot")


def permission_mode(run: Run, _thread: Thread, row: Row) -> None:
    """The mode as a row of its own (2.1.110+)."""
    if not run.permit(row.permission_mode):
        run.rec.skip("permission-mode as before")


def content_replacement(run: Run, thread: Thread, row: Row) -> None:
    """Tool results swapped for stubs."""
    replace(run.replay, run.rows, thread, row)
    if not row.replacements:
        run.rec.skip("content-replacement of nothing")


def continued_in(run: Run, _thread: Thread, row: Row) -> None:
    """The last row of a session that goes on under another id (2026-09+)."""
    text = f"the session goes on as {row.continued_in_session_id}"
    run.rec.note("reading", "finding", text)
    run.rec.skip("continued-in")
