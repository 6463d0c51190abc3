"""Tool calls of a Claude Code session, and what became of them (`runtimes/claude-code.md` 1.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import msgspec

from guard.adapters.claude_code_results import (
    AGENT_TOOLS,
    Folder,
    Open,
    Result,
    by_a_person,
    evidence,
)
from guard.adapters.claude_code_rows import Item, Row, decode_any
from guard.adapters.emit import USER_SHELL, Replay
from guard.effects import Call, Judgement, classify
from guard.effects.results import outcome
from guard.events import MAIN, EffectState

_EDITORS = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})


@dataclass(slots=True)
class Ended:
    """What a notice says of a background task."""

    state: EffectState
    partial: bool


class Calls:
    """The calls of all threads. Ids are those of the API, `toolu_...`, unless one comes twice."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.open: dict[str, Open] = {}
        self.snapshot: dict[str, Any] = {}
        self.orphans: list[int] = []
        self.refused: list[int] = []
        self._tasks: dict[str, Open] = {}
        self._ended: dict[str, Ended] = {}

    def named(self, item: Item, *, after: int) -> str:
        """The effect of a call: its native id, or where that names an earlier call, a number.

        Anonymised copies write one word for every id; a call is still a call of its own. `after` =
        how many events come before the effect.
        """
        if item.id and item.id not in self.open:
            return item.id
        return f"effect-{self.replay.rec.next + after}"

    def start(self, item: Item, effect: str, folder: Folder) -> Open:
        """A `tool_use` item: the call has left the model."""
        sent = decode_any(item.input) if bytes(item.input) else {}
        call = self._start(effect, item.name, sent, folder)
        self.open[item.id or effect] = call
        return call

    def agent_asked(self, prompt: Any) -> Open | None:
        """The sub-agent that was given this prompt and has not answered."""
        return next(
            (
                call
                for call in reversed(self.open.values())
                if call.prompt is not None and call.prompt == prompt and call.state == "started"
            ),
            None,
        )

    def typed(self, row: Row, command: str, folder: Folder) -> Open:
        """A person's own `!` command: an effect without a tool call."""
        effect = row.uuid or f"effect-{self.replay.rec.next}"
        call = self._start(effect, USER_SHELL, {"command": command}, folder)
        self.open[effect] = call
        return call

    def _start(self, effect: str, tool: str, sent: Any, folder: Folder) -> Open:
        self.replay.call(effect, tool, sent, context=self._context(tool))
        started = self.replay.calls[effect]
        call = Open(effect, started.seq or 0, tool, sent, folder, started.write is not False)
        if tool in AGENT_TOOLS and isinstance(sent, dict):
            call.prompt = sent.get("prompt")
        return call

    def end(self, call: Open, row: Row, item: Item, text: str, result: Result | None) -> None:
        """A `tool_result` item: what became of the call. An answer is given once."""
        if call.state in {"committed", "failed"}:
            self.replay.rec.use()
            return
        waits = None if item.is_error else _background(result)
        if waits is not None:
            self._waits(call, waits)
            return
        state, partial = _became(call, row, item, text, result)
        if row.tool_denial_kind or (state == "failed" and by_a_person(text)):
            self.refused.append(self.replay.rec.next)
        shown = None if state == "unknown" else evidence(text, result, error=item.is_error)
        self._step(call, state, partial=partial, shown=shown)
        if result is not None:
            self._other_ends(result)

    def _waits(self, call: Open, task: str) -> None:
        """In the background: started until its notice, which may have come before (3.11)."""
        self._tasks[task] = call
        if task in self._ended:
            self._finish(task)
            return
        self.replay.rec.use()
        if call.tool not in AGENT_TOOLS:
            reason = "a background task without an end on record"
            self.replay.rec.blind_from(f"task {task}", reason)

    def notice(self, text: str) -> None:
        """A `<task-notification>`: a background task has ended."""
        for task, ended in notices(text):
            self.ended(task, ended)

    def ended(self, task: str, ended: Ended) -> None:
        """A background task ended. The first word on it counts."""
        if task in self._ended:
            return
        self._ended[task] = ended
        if task in self._tasks:
            self._finish(task)

    def _finish(self, task: str) -> None:
        ended, call = self._ended[task], self._tasks[task]
        self.replay.rec.sighted(f"task {task}", covered=True)
        self.replay.rec.sighted(f"agent {call.effect}")
        self._step(call, ended.state, partial=ended.partial)

    def _other_ends(self, result: Result) -> None:
        """Results of TaskOutput and BashOutput that show the end of another call's task."""
        task = result.task
        if task is not None and task.task_id is not None:
            ended = _ended(task.status, task.exit_code)
            name = task.task_id
        elif result.shell_id is not None:
            ended, name = _ended(result.status, result.exit_code), result.shell_id
        else:
            return
        if ended is not None:
            self.ended(name, ended)

    def _step(self, call: Open, state: EffectState, *, partial: bool, shown: Any = None) -> None:
        judged = self._judged_again(call, shown) if call.writes and shown else None
        call.state = state
        partial = partial and (call.writes if judged is None else judged.write)
        self.replay.end(call.effect, state, partial=partial, judged=judged)

    def _context(self, tool: str) -> dict[str, Any] | None:
        """Backups are made of files that the main thread edits by a tool, of no others (2.5)."""
        own = tool in _EDITORS and self.replay.branch == MAIN
        return {"snapshot": self.snapshot} if own and self.snapshot else None

    def _judged_again(self, call: Open, shown: Any) -> Judgement:
        """The call as its result shows it. `gitOperation` is the best evidence there is (1.4)."""
        context = self._context(call.tool)
        judged = classify(Call(call.tool, call.sent, shown, None, context))
        done = shown.get("gitOperation") if isinstance(shown, dict) else None
        if isinstance(done, dict) and ("push" in done or "pr" in done):
            return msgspec.structs.replace(
                judged,
                write=True,
                reversibility="irreversible",
                inverse=False,
                certainty="proven",
                domain="git_remote",
            )
        return judged

    @property
    def waiting(self) -> list[int]:
        """The numbers of calls without an outcome."""
        return [call.seq for call in self.open.values() if call.state == "started"]


def _background(result: Result | None) -> str | None:
    if result is None:
        return None
    if result.background_task_id is not None:
        return result.background_task_id
    return result.agent_id if result.is_async else None


def _became(
    call: Open, row: Row, item: Item, text: str, result: Result | None
) -> tuple[EffectState, bool]:
    """State and `partial`. A result that is no error says so by its fields, never by its words."""
    if row.tool_denial_kind or (item.is_error and text.startswith(_NEVER_RAN)):
        return "failed", False
    if text.startswith(_INTERRUPTED) or (result is not None and result.interrupted):
        return "unknown", False
    if not item.is_error:
        return "committed", False
    became = outcome(Call(call.tool, call.sent, text), error=True)
    if became.state == "rejected":
        return "failed", False
    if became.state == "unknown" or became.exit_code in _KILLED:
        return "unknown", False
    return "failed", became.partial


_NEVER_RAN = ("Hook PreToolUse", "PreToolUse:")
_INTERRUPTED = "[Request interrupted by user"
_KILLED = frozenset({137, 143})
"""Exit codes of a command that was stopped from outside: nobody knows how far it came."""

_NOTICE = re.compile(r"<task-notification>(.*?)</task-notification>", re.DOTALL)
_TASK = re.compile(r"<task-id>\s*(.*?)\s*</task-id>", re.DOTALL)
_STATUS = re.compile(r"<status>\s*(.*?)\s*</status>", re.DOTALL)
_EXIT = re.compile(r"\bcode (\d+)")


def notices(text: str) -> list[tuple[str, Ended]]:
    """The tasks whose end a text tells."""
    found = []
    for notice in _NOTICE.findall(text):
        task, status, code = _TASK.search(notice), _STATUS.search(notice), _EXIT.search(notice)
        ended = _ended(status[1] if status else None, int(code[1]) if code else None)
        if task is not None and ended is not None:
            found.append((task[1], ended))
    return found


_STATES: dict[str, tuple[EffectState, bool]] = {
    "completed": ("committed", False),
    "failed": ("failed", True),
    "killed": ("unknown", False),
    "stopped": ("unknown", False),
}


def _ended(status: Any, code: int | None) -> Ended | None:
    """`completed`, `failed`, `killed`, or by the exit code; None while it runs."""
    if status in {"running", "pending"}:
        return None
    if code is not None and status in {None, "completed", "failed"}:
        return Ended("failed", True) if code else Ended("committed", False)
    if isinstance(status, str) and status in _STATES:
        return Ended(*_STATES[status])
    return None
