"""Edits of the window in a Claude Code session (`runtimes/claude-code.md` 2).

A session file is only appended to, so what an edit took stays in it: the import keeps its own copy,
and that copy is the recovery record.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from guard.adapters.claude_code_results import Open
from guard.adapters.claude_code_rows import CompactMetadata, Message, Row
from guard.adapters.emit import Replay, content_hash, safe_id
from guard.adapters.emit_times import from_text
from guard.events import Fidelity, Out, Record

MOST_SPANS = 8_000
"""Spans that one record can hold with their hashes (`journal-format.md` 7)."""


@dataclass(slots=True)
class Mark:
    """Where a person's prompt stands: how much had been shown and edited before it."""

    shown: int
    edits: int


@dataclass(slots=True)
class Thread:
    """One window: the main one, or that of a sub-agent, which starts empty."""

    branch: str
    sub: bool = False
    inherited: frozenset[str] = frozenset()
    shown: list[str] = field(default_factory=list)
    edits: list[str] = field(default_factory=list)
    prompts: dict[str | None, Mark] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    boundary: Row | None = None
    hole: bool = False
    copied: bool = False
    conversed: bool = False
    window_tokens: int = 0
    answered: dict[str, int] = field(default_factory=dict)
    queue: deque[str] = field(default_factory=deque)
    caller: Open | None = None


class Rows:
    """Every row of the session: its parent, and the spans that it gave."""

    def __init__(self) -> None:
        self.parents: dict[str, str | None] = {}
        self.spans: dict[str, list[str]] = {}
        self.results: dict[str, str] = {}
        self.absent: list[int] = []
        """Numbers of compactions that kept rows which the file does not have."""
        self.unwritten: list[int] = []
        """Numbers of compactions whose last message before them was never written."""

    def of(self, uuids: Iterable[str]) -> set[str]:
        """The spans of these rows."""
        return {span for uuid in uuids for span in self.spans.get(uuid, ())}

    def between(self, head: str, tail: str) -> list[str]:
        """The rows from `tail` back to `head`; what is not in the file ends the walk."""
        walked: dict[str, None] = {}
        here: str | None = tail
        while here is not None and here not in walked:
            walked[here] = None
            if here == head:
                break
            here = self.parents.get(here)
        return list(walked)

    def missing(self, uuids: Iterable[str | None]) -> list[str]:
        """Which of these rows the file does not have."""
        return [uuid for uuid in uuids if uuid is not None and uuid not in self.parents]


def compact(replay: Replay, rows: Rows, thread: Thread, summary: Row | None, text: str) -> None:
    """A full compaction: the boundary, then its summary, are one edit (2.1)."""
    boundary = thread.boundary or summary
    assert boundary is not None
    thread.boundary = None
    before, replay.at = replay.at, from_text(boundary.timestamp)
    said = boundary.compact_metadata or CompactMetadata()
    kept = _kept(rows, said)
    spared = rows.of(kept) | thread.inherited
    taken = [span for span in replay.in_window() if span not in spared]
    absent = rows.missing(kept)
    lost = rows.missing([boundary.logical_parent_uuid])
    fidelity: Fidelity = "unknown" if absent or lost or thread.hole else "derived"
    if not kept and (said.direction or said.messages_summarized is not None):
        taken, fidelity = [], "count"
    held = fidelity != "count" and not absent and bool(taken or not lost)
    *parts, rest = _parts(taken)
    edit = boundary.uuid or replay.next_edit(recorded=held)
    out = _digest(replay, summary, text, taken)
    for number, part in enumerate(parts, 1):
        _take(replay, thread, f"{edit}/{number}", said, part, None, fidelity, held=held)
    _take(replay, thread, edit, said, rest, out, fidelity, held=held)
    rows.absent += [len(replay.rec.events)] * bool(absent)
    rows.unwritten += [len(replay.rec.events)] * bool(lost)
    replay.at = before
    thread.kept = frozenset(kept)
    thread.hole = bool(kept) and thread.hole
    thread.window_tokens = 0


def flavour(said: CompactMetadata | None) -> str:
    """Which kind of compaction it is: everything goes, a tail is kept, or a part is summarised."""
    if said is None or not (said.preserved_messages or said.preserved_segment or said.direction):
        return "full"
    return said.direction or "tail-preserving"


def _kept(rows: Rows, said: CompactMetadata) -> list[str]:
    if said.preserved_messages is not None:
        return said.preserved_messages.uuids
    segment = said.preserved_segment
    if segment is None or segment.head_uuid is None or segment.tail_uuid is None:
        return []
    walked = rows.between(segment.head_uuid, segment.tail_uuid)
    return walked if segment.head_uuid in walked else [*walked, segment.head_uuid]


def _parts(taken: list[str]) -> list[list[str]]:
    """Spans in groups that one event can name: a window of a million tokens holds more."""
    return [taken[start : start + MOST_SPANS] for start in range(0, len(taken) or 1, MOST_SPANS)]


def _take(
    replay: Replay,
    thread: Thread,
    edit: str,
    said: CompactMetadata,
    taken: list[str],
    out: Out | None,
    fidelity: Fidelity,
    *,
    held: bool,
) -> None:
    """One edit, and before it its record: the file still holds all that it takes."""
    if held:
        prior = {span: replay.window[span] for span in taken}
        replay.rec.add(Record, at=replay.at, edit=edit, prior=prior, payload=True)
    replay.edit(
        edit,
        "summarize",
        "model",
        taken,
        out,
        fidelity=fidelity,
        held=False,
        trigger=said.trigger,
        count=said.messages_summarized,
        tokens=said.pre_tokens,
    )
    thread.edits.append(edit)


def _digest(replay: Replay, summary: Row | None, text: str, taken: list[str]) -> Out | None:
    if summary is None:
        return None
    return replay.digest(safe_id(summary.uuid or f"span-{replay.rec.next}"), text, taken)


def microcompact(replay: Replay, rows: Rows, thread: Thread, row: Row) -> None:
    """Old tool results were cleared by the host; the file keeps them in full (2.2)."""
    said = row.microcompact_metadata
    assert said is not None
    calls, attachments = said.compacted_tool_ids, said.cleared_attachments
    named = {rows.results.get(call) for call in calls}
    gone = named | rows.of(attachments)
    count = len(calls) + len(attachments)
    exact = count > 0 and None not in named and not rows.missing(attachments)
    edit = replay.edit(
        row.uuid,
        "evict",
        "host",
        [span for span in replay.window if span in gone],
        fidelity="exact" if exact else "count",
        trigger=said.trigger,
        count=None if exact else count,
    )
    thread.edits.append(edit.id)
    thread.window_tokens = 0


def applied(replay: Replay, thread: Thread, uuid: str | None, message: Message) -> None:
    """The API cleared something of the prompt of this answer: counts, no names (2.3)."""
    managed = message.context_management
    for index, edit in enumerate(managed.applied_edits or () if managed else ()):
        tools, turns = edit.cleared_tool_uses, edit.cleared_thinking_turns
        count = turns if tools is None else tools
        done = replay.edit(
            f"{uuid}/{index}" if uuid and index else uuid,
            "evict",
            "host",
            [],
            fidelity="unknown" if count is None else "count",
            held=False,
            trigger=edit.type,
            count=count,
        )
        thread.edits.append(done.id)
        thread.window_tokens = 0


def replace(replay: Replay, rows: Rows, thread: Thread, row: Row) -> None:
    """Tool results were swapped for stubs in the window (`content-replacement`)."""
    for swap in row.replacements or ():
        span = rows.results.get(swap.tool_use_id)
        gone = [span] if span is not None and span in replay.window else []
        out = _stub(f"span-{replay.rec.next + len(gone)}", swap.replacement)
        edit = replay.edit(
            None,
            "replace",
            "host",
            gone,
            out,
            fidelity="exact" if gone else "count",
            count=None if gone else 1,
        )
        thread.edits.append(edit.id)
        thread.window_tokens = 0
        if out is not None:
            rows.results[swap.tool_use_id] = out.id


def _stub(span: str, replacement: Any) -> Out | None:
    if replacement is None:
        return None
    text = replacement if isinstance(replacement, str) else None
    return Out(id=span, hash=content_hash(replacement), text=text)


def clear(replay: Replay, thread: Thread, row: Row) -> None:
    """`/clear` that goes on in the same file. At the top of a file it says nothing (2.4)."""
    if not thread.conversed:
        return
    edit = replay.edit(row.uuid, "clear", "human", replay.in_window())
    thread.edits.append(edit.id)
    thread.prompts.clear()
    thread.conversed = False
    thread.window_tokens = 0


def rewind(replay: Replay, thread: Thread, row: Row) -> None:
    """A prompt that hangs where an earlier prompt hung: a person went back before that one (2.4).

    No record says so. Nothing is concluded from copies (`forkedFrom`); nor across a compaction when
    the row hangs on its kept tail, or when old rows were written again (2.1.237 to 2.1.260).
    """
    mark = thread.prompts.get(row.parent_uuid)
    if mark is None or row.forked_from is not None:
        return
    crossed = thread.edits[mark.edits :]
    if crossed and (thread.copied or row.parent_uuid in thread.kept):
        return
    before = len(replay.edits)
    replay.rewind(None, set(thread.shown[mark.shown :]), crossed, fidelity="derived")
    if len(replay.edits) > before:
        thread.edits.append(next(reversed(replay.edits)))
        thread.window_tokens = 0
