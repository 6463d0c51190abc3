"""What the reader of a Claude Code session knows while it goes through the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from guard.adapters.base import Place
from guard.adapters.claude_code_calls import Calls
from guard.adapters.claude_code_hooks import Hooks
from guard.adapters.claude_code_results import AGENT_TOOLS, Folder, Open
from guard.adapters.claude_code_rows import Row
from guard.adapters.claude_code_window import Rows, Thread, compact, flavour
from guard.adapters.emit import Replay, Shown
from guard.adapters.emit_times import from_text
from guard.events import MAIN, Role

RUNTIME = "claude-code"
SYNTHETIC = "<synthetic>"
SUMMARISER = "acompact"
"""How the name of the sub-agent begins that only writes the summary of a compaction (2.1.39)."""

LOST = "calls and edits may be missing"

Handler = Callable[["Run", Thread, Row], None]


def numbers(version: str) -> tuple[int, ...]:
    """`2.1.110` as numbers, which compare as versions do."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


class AgentFile(Struct, frozen=True):
    """The file of a sub-agent: which of the files, whose, its prompt, and when it began."""

    index: int
    agent: str
    prompt: str | None
    begun: str


class Run:
    """One session being read. `handlers` say what a row of each type does."""

    def __init__(
        self, handlers: Mapping[str, Handler], agents: list[AgentFile], alone: str | None
    ) -> None:
        self.handlers = handlers
        self.replay = Replay()
        self.rec = self.replay.rec
        self.rows = Rows()
        self.calls = Calls(self.replay)
        self.hooks = Hooks(self.rec)
        self.threads: dict[str, Thread] = {}
        self.place = Place(0, 0, 0, 0)
        self.session = self.first_version = self.version = self.model = ""
        self.permission = self.root = ""
        self.waiting = agents
        self.due: list[AgentFile] = []
        self.agent: str | None = None
        self.alone = alone
        self._sidechains: dict[str, str] = {}
        self._flavour = ""
        self._missed: set[str] = set()
        self._copied: set[str] = set()

    def take(self, row: Row) -> None:
        """One row. A copy of a row that was read before says nothing, wherever it stands."""
        if row.uuid == "":
            row = msgspec.structs.replace(row, uuid=None)
        if self._is_copy(row):
            self.thread(MAIN).copied = True
            self.rec.skip("copy of a row already read")
            return
        if self.agent is not None and self.agent.startswith(SUMMARISER):
            self.rec.skip("the summariser's own call")
            return
        handler = self.handlers.get(row.type)
        if handler is None:
            self.rec.skip(row.type or "no type")
            return
        self.session = self.session or row.session_id or ""
        self.replay.at = from_text(row.timestamp)
        thread = self.thread(self._branch(row))
        self.replay.branch = thread.branch
        if row.uuid is not None:
            self._link(thread, row, row.uuid)
        handler(self, thread, row)

    def _is_copy(self, row: Row) -> bool:
        """The same row again, or (2.1: `/branch` writes some twice) the same row copied again."""
        origin = row.forked_from.message_uuid if row.forked_from is not None else None
        if origin is not None:
            if origin in self._copied:
                return True
            self._copied.add(origin)
        return row.uuid is not None and row.uuid in self.rows.parents

    # Threads

    def thread(self, branch: str) -> Thread:
        """The window of a branch; a sub-agent's begins with its first row."""
        if branch not in self.threads:
            inherited: frozenset[str] = frozenset()
            if branch != MAIN:
                self.replay.branch = MAIN
                inherited = frozenset(self.replay.window)
                self.replay.fork(branch)
            sub = branch != MAIN or self.alone is not None
            self.threads[branch] = Thread(branch, sub, inherited)
        return self.threads[branch]

    def _branch(self, row: Row) -> str:
        """A sub-agent of 1.0.x stands inside the main file without a name: its root begins it."""
        named = self.agent or row.agent_id
        if named:
            return MAIN if named == self.alone else named
        if not row.is_sidechain:
            return MAIN
        branch = self._sidechains.get(row.parent_uuid or "")
        if branch is None:
            branch = f"fork-{self.rec.next}"
            content = row.message.content if row.message is not None else None
            self.thread(branch).caller = self.calls.agent_asked(content)
        if row.uuid is not None:
            self._sidechains[row.uuid] = branch
        return branch

    def _link(self, thread: Thread, row: Row, uuid: str) -> None:
        """Put a row into the tree, and finish the compaction whose summary it should have been."""
        if thread.branch == MAIN:
            self._decided(row)
        parent = row.parent_uuid
        if parent is not None and parent not in self.rows.parents and parent not in self._missed:
            self._missed.add(parent)
            thread.hole = True
            self.rec.gap(f"row {parent} is not in this file", LOST, self.replay.at)
        self.rows.parents[uuid] = parent
        if thread.boundary is not None and not row.is_compact_summary:
            compact(self.replay, self.rows, thread, None, "")

    def _decided(self, row: Row) -> None:
        """What decides about the window: version, model, and a new kind of compaction.

        Nothing says which kind a version would use before the first one is seen.
        """
        message = row.message if row.type == "assistant" else None
        model = message.model if message is not None and message.model != SYNTHETIC else None
        if row.is_api_error_message:
            model = None
        kind = flavour(row.compact_metadata) if row.subtype == "compact_boundary" else ""
        changed = bool(self._flavour and kind) and kind != self._flavour
        self._flavour = kind or self._flavour
        if changed or row.version not in {None, self.version} or model not in {None, self.model}:
            self.version, self.model = row.version or self.version, model or self.model
            self.first_version = self.first_version or self.version
            self.replay.decided_by(
                version=self.version, model=self.model or None, compaction=kind if changed else None
            )
            self.replay.settle()

    # Sub-agents

    def started(self, thread: Thread, call: Open) -> None:
        """A sub-agent's own file is read right after its call; without one its calls are hidden."""
        if thread.caller is not None:
            thread.caller.inner.add(call.effect)
        if call.tool not in AGENT_TOOLS:
            return
        file = next(
            (file for file in self.waiting if file.prompt == call.prompt and call.prompt), None
        )
        if file is not None:
            self.waiting.remove(file)
            self.due.append(file)
        else:
            self.rec.blind_from(
                f"agent {call.effect}", "a sub-agent whose calls are not all in these files"
            )

    def begun_before(self, timestamp: str | None) -> None:
        """A sub-agent whose call cannot be told by its prompt stands where its time says."""
        if self.agent is None and timestamp is not None:
            self.due += [file for file in self.waiting if file.begun and file.begun < timestamp]
            self.waiting = [file for file in self.waiting if file not in self.due]

    def folder(self, row: Row) -> Folder:
        """Where this row's command stands, in the folder where the session began."""
        self.root = self.root or row.cwd or ""
        return Folder(self.root, row.cwd or "")

    # Window

    def show(
        self,
        thread: Thread,
        row: Row,
        name: str,
        content: Any,
        role: Role,
        *,
        index: int = 0,
        words: str | None = None,
        path: str | None = None,
        tool: str | None = None,
        effect: str | None = None,
        here: bool = True,
    ) -> None:
        """A content item enters the window of this thread.

        `words` = what facts are found in; `here` = the content stands in this very record.
        """
        place = msgspec.structs.replace(self.place, item=index) if index else self.place
        self.replay.show(
            Shown(
                id=name,
                content=content,
                role=role,
                text=words,
                path=path,
                tool=tool,
                effect=effect,
                place=place if here else None,
            )
        )
        thread.shown.append(name)
        if row.uuid is not None:
            self.rows.spans.setdefault(row.uuid, []).append(name)

    def permit(self, mode: str | None) -> bool:
        """The permission mode of the main window; whether it is another one than before."""
        if mode is None or mode == self.permission:
            return False
        self.permission = mode
        self.replay.permission({"permission_mode": mode})
        return True
