"""Claude Code session files (`~/.claude/projects/<folder>/<session>.jsonl`), 1.0 to 2.1.

Facts and corner cases: `runtimes/claude-code.md`. A run is a main file and the files of its
sub-agents, which name the session of the main file in every row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.claude_code_faces import ATTACHMENTS, words_at
from guard.adapters.claude_code_read import read_session
from guard.adapters.claude_code_rows import Row, decode_any, item_of, records
from guard.adapters.claude_code_run import RUNTIME, AgentFile

_CHAIN = frozenset({"user", "assistant", "system", "progress", "attachment"})
_STATE = frozenset(
    {
        "queue-operation",
        "last-prompt",
        "custom-title",
        "ai-title",
        "mode",
        "permission-mode",
        "tag",
        "agent-name",
        "agent-setting",
        "worktree-state",
        "content-replacement",
        "continued-in",
        "pr-link",
    }
)


class ClaudeCode(Adapter):
    """Claims a file by the shape of its first rows."""

    name = "claude-code"
    runtime = RUNTIME

    def sniff(self, head: bytes, /) -> bool:
        """The first record that can be read has the shape of a row."""
        row = next(_rows(head), None)
        return row is not None and _is_row(row)

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """A main file with the files of its sub-agents; what has no main file stands alone."""
        heads = [(file, _head(file)) for file in files]
        mains = [(file, head) for file, head in heads if head.agent is None]
        agents = [(file, head) for file, head in heads if head.agent is not None]
        runs = []
        for main, head in mains:
            own = [pair for pair in agents if pair[1].session == head.session and head.session]
            agents = [pair for pair in agents if pair not in own]
            runs.append(
                Session((main, *(file for file, _ in own)), self.name, head.session or main.name)
            )
        runs += [
            Session((file,), self.name, f"{head.session}/{head.agent}") for file, head in agents
        ]
        return runs

    def beside(self, path: Path, /) -> list[Path]:
        """Files of sub-agents: `<session>/subagents/` (2.1.x), or beside the session (2.0.x)."""
        main = _head(SourceFile.of(path))
        if main.agent is not None or not main.session:
            return []
        folder = path.with_suffix("") / "subagents"
        candidates = [*folder.rglob("*.jsonl"), *path.parent.glob("*agent-*.jsonl")]
        return [
            file
            for file in sorted(candidates)
            if file != path and _head(SourceFile.of(file)).belongs_to(main)
        ]

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """The first file is the main one, or a sub-agent's that stands alone."""
        heads = [_head(file) for file in files]
        agents = [
            AgentFile(index, head.agent or file.name, head.prompt, head.begun)
            for index, (file, head) in enumerate(zip(files, heads, strict=True))
            if index
        ]
        return read_session(files, agents, alone=heads[0].agent)

    def text(self, record: bytes, item: int, /) -> str:
        """The words of one content item of a row."""
        found = records(record)[1]
        row = found[0].record if found else None
        return _text(row, item) if isinstance(row, Row) else ""


class Head(Struct, frozen=True):
    """Whose file this is: session, sub-agent (None for a main file), its prompt and its start."""

    session: str = ""
    agent: str | None = None
    prompt: str | None = None
    begun: str = ""

    def belongs_to(self, main: Head) -> bool:
        """Whether this is a sub-agent's file of that session."""
        return self.agent is not None and self.session == main.session


def _head(file: SourceFile) -> Head:
    """The first row that is part of the conversation; before it, any that names the session."""
    session = ""
    for row in _rows(file.head()):
        session = session or row.session_id or ""
        if row.type in _CHAIN and row.session_id:
            agent = row.agent_id if row.is_sidechain else None
            content = row.message.content if row.message is not None else None
            prompt = content if isinstance(content, str) else None
            return Head(row.session_id, agent, prompt, row.timestamp or "")
    return Head(session)


def _rows(head: bytes) -> Iterator[Row]:
    for line in head.split(b"\n"):
        for found in records(line)[1]:
            if isinstance(found.record, Row):
                yield found.record


def _is_row(row: Row) -> bool:
    if row.type in _CHAIN:
        return row.uuid is not None and row.session_id is not None
    if row.type == "file-history-snapshot":
        return row.snapshot is not None
    if row.type == "summary":
        return row.leaf_uuid is not None
    return row.type in _STATE and row.session_id is not None


def _text(row: Row, item: int) -> str:
    if row.type == "progress" and row.data is not None:
        inner = records(bytes(row.data.message))[1]
        return _text(inner[0].record, item) if inner and isinstance(inner[0].record, Row) else ""
    if row.attachment is not None:
        carried = ATTACHMENTS.get(str(row.attachment.get("type")))
        words = words_at(row.attachment, carried.words) if carried else None
        return words if isinstance(words, str) else _pretty(words)
    if row.message is None or row.message.content is None:
        return row.content if isinstance(row.content, str) else ""
    content = row.message.content
    return content if isinstance(content, str) else _item_text(content, item)


def _item_text(items: list[Raw], index: int) -> str:
    if index >= len(items):
        return ""
    item = item_of(items[index])
    if item.text is not None:
        return item.text
    content = decode_any(item.content) if bytes(item.content) else decode_any(items[index])
    return content if isinstance(content, str) else _pretty(content)


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


CLAUDE_CODE = ClaudeCode()
