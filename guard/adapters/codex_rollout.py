"""Codex rollout files: the records of one thread, segment after segment.

Seen: 0.171.0 (2026-11, `history_mode` paginated: ordinals, item ids, `item_completed`), and 0.89.0
(2026-01, legacy: no ids, no ordinals, `event_msg` echoes). Known from its source only: `compacted`
without `replacement_history` (old), encrypted digests, `thread_rolled_back` (gone in 0.171).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from guard.adapters.codex_items import (
    Item,
    is_digest,
    is_opaque,
    items_of,
    message_text,
    refused_by_user,
    typed_command,
)
from guard.adapters.emit import USER_SHELL, Replay, content_hash, safe_id
from guard.adapters.emit_rows import Row, peek
from guard.adapters.emit_times import from_text
from guard.adapters.shapes import Members
from guard.events import EffectState, Gap, Out

SPAWN = "spawn_agent"
_STATUS: dict[str, EffectState] = {
    "completed": "committed",
    "failed": "failed",
    "declined": "failed",
}


class Rollout:
    """Replays the records of one thread into `replay`. `threads` are those that are here."""

    def __init__(self, replay: Replay, threads: Collection[str], *, placed: bool) -> None:
        self.replay = replay
        self._threads = threads
        self._spawns: set[str] = set()
        self.thread = ""
        self.version = ""
        self.trigger: str | None = None
        self._placed = placed
        self._row = Row(0, 0, 0, 0, {})
        self._limit: int | None = None
        self._ordinals: dict[str, int] = {}
        self._edits: dict[str, int] = {}
        self._turns: list[tuple[str, int]] = []
        self._totals: Any = None
        self._recorded = False
        self._paginated = False
        self._summarising = False
        self._records: dict[str, Callable[[Members], None]] = {
            "session_meta": self._session_meta,
            "turn_context": self._turn_context,
            "response_item": self._response_item,
            "compacted": self._compacted,
            "event_msg": self._event_msg,
            "token_usage_record": self._token_usage,
        }
        self._events: dict[str, Callable[[Members], None]] = {
            "task_started": self._task_started,
            "item_completed": self._item_completed,
            "token_count": self._token_count,
            "thread_rolled_back": self._rolled_back,
            "exec_command_end": self._call_ended,
            "patch_apply_end": self._call_ended,
            "turn_aborted": self._turn_aborted,
            "context_compacted": lambda _: self.replay.rec.use(),
        }

    def take(self, row: Row) -> None:
        """One line of a rollout file."""
        self._row = row
        self.replay.at = from_text(row.value.get("timestamp"))
        kind = str(row.value.get("type"))
        payload = row.value.get("payload")
        if kind in self._records and isinstance(payload, dict):
            self._records[kind](payload)
        else:
            self.replay.rec.skip(kind)

    def _event_msg(self, event: Members) -> None:
        kind = str(event.get("type"))
        if kind in self._events:
            self._events[kind](event)
        else:
            self.replay.rec.skip(f"event_msg/{kind}")

    @property
    def _ordinal(self) -> int:
        """The native ordinal; the line where there is none."""
        ordinal = self._row.value.get("ordinal")
        return ordinal if isinstance(ordinal, int) else self._row.line

    # Settings

    def _session_meta(self, meta: Members) -> None:
        first = not self.thread
        self.thread = self.thread or str(meta.get("id") or "")
        self.version = str(meta.get("cli_version") or self.version)
        self._paginated = meta.get("history_mode") == "paginated"
        self.replay.decided_by(
            runtime="codex", version=self.version, provider=meta.get("model_provider")
        )
        base = meta.get("history_base")
        if isinstance(base, dict):
            self._revert(base, first=first)

    def _revert(self, base: Members, *, first: bool) -> None:
        """A new segment goes on from the middle of an earlier one: a person went back."""
        end = base.get("end_ordinal_exclusive")
        if first or not isinstance(end, int):
            self.replay.rec.add(
                Gap,
                at=self.replay.at,
                what="the segment file that this one goes on from is not here",
                consequence="the window before this segment, its edits and its effects are missing",
            )
            self.replay.edit(None, "drop", "human", [], fidelity="unknown")
            return
        left = {span for span, ordinal in self._ordinals.items() if ordinal >= end}
        crossed = [edit for edit, ordinal in self._edits.items() if ordinal >= end]
        self.replay.rewind(None, left, crossed)
        self.replay.rec.note(
            "status",
            "finding",
            "the thread was reverted in the window only: Codex does not revert files",
            self.replay.rec.next - 1,
        )

    def _turn_context(self, turn: Members) -> None:
        truncation = turn.get("truncation_policy")
        self.replay.decided_by(model=turn.get("model"), truncation=truncation)
        self.replay.settle()
        modes = {
            "approval_policy": turn.get("approval_policy"),
            "approvals_reviewer": turn.get("approvals_reviewer"),
            "sandbox": _kind(turn.get("sandbox_policy")),
        }
        self.replay.permission({name: mode for name, mode in modes.items() if mode})

    def _task_started(self, event: Members) -> None:
        limit = event.get("model_context_window")
        self._limit = limit if isinstance(limit, int) else self._limit
        self.replay.decided_by(window=self._limit)

    # Window and effects

    def _response_item(self, payload: Members) -> None:
        metadata = self._row.value.get("metadata")
        said = metadata if isinstance(metadata, dict) else {}
        if is_opaque(payload) or said.get("compaction_output"):
            self.replay.rec.use()  # the digest; `compacted` carries it
            self._summarising = True
            return
        found = list(items_of(payload, self._fresh))
        if not found:
            self.replay.rec.skip(f"response_item/{payload.get('type')}")
        for item in found:
            self._show(item, item.index)
            if item.is_call:
                self.replay.call(item.call, item.tool, item.sent)
                if item.tool.endswith(SPAWN):
                    self._spawns.add(item.call)
                    self.replay.rec.blind_from(f"agent {item.call}", "a sub-agent that is not here")
            elif item.call:
                self._answered(item)
            elif not self._paginated and (typed := typed_command(item.text)):
                self.replay.call(item.id, USER_SHELL, {"command": typed})
                self.replay.result(item.id, item.text)

    def _fresh(self) -> str:
        return f"span-{self.replay.rec.next}"

    def _show(self, item: Item, index: int) -> None:
        self._ordinals[item.id] = self._ordinal
        if item.role == "user":
            self._turns.append((item.id, self._ordinal))
        self.replay.show(item.shown(self._row.place(index) if self._placed else None))

    def _answered(self, item: Item) -> None:
        if item.call in self._spawns and any(thread in item.text for thread in self._threads):
            self.replay.rec.sighted(f"agent {item.call}", covered=True)
        if item.call in self.replay.settled:
            return
        if refused_by_user(item.text):
            self._declined(item.call)
        else:
            value = peek(item.text.encode()) if item.text.startswith("{") else None
            self.replay.result(item.call, value if isinstance(value, dict) else item.content)

    def _finish(self, call: str, state: EffectState, *, partial: bool = False) -> None:
        if call not in self.replay.settled:
            self.replay.end(call, state, partial=partial)

    def _declined(self, call: str) -> None:
        """A person said no. A rollout holds the noes only: a yes leaves no trace there."""
        if f"gate-{call}" not in self.replay.gates:
            self.replay.ask(f"gate-{call}", call, "agent")
            self.replay.answer(f"gate-{call}", approved=False, by="user", human=True)
        self._finish(call, "failed")

    def _item_completed(self, event: Members) -> None:
        item = event.get("item")
        item = item if isinstance(item, dict) else {}
        status = _STATUS.get(str(item.get("status")))
        call = str(item.get("id"))
        if item.get("source") == "user_shell":
            self.replay.call(call, USER_SHELL, {"command": item.get("command")})
        if item.get("type") == "ContextCompaction":
            self.replay.rec.use()
        elif status is None or not self.replay.has_call(call):
            self.replay.rec.skip(f"item_completed/{item.get('type')}")
        elif item.get("status") == "declined":
            self._declined(call)
        elif call not in self.replay.settled:
            self.replay.result(call, _evidence(item), error=status == "failed")

    def _call_ended(self, event: Members) -> None:
        """Legacy: the end of a command or a patch, where the file holds it."""
        good = event.get("success", event.get("exit_code") == 0)
        self._finish(str(event.get("call_id")), "committed" if good else "failed", partial=not good)
        self.replay.rec.use()

    def _turn_aborted(self, _event: Members) -> None:
        """What was under way was interrupted: nobody knows how far it came."""
        open_calls = self.replay.open_calls()
        if not open_calls:
            self.replay.rec.skip("event_msg/turn_aborted")
        for call in open_calls:
            self._finish(call, "unknown")

    # Edits

    def _compacted(self, payload: Members) -> None:
        history = payload.get("replacement_history")
        message = payload.get("message")
        message = message if isinstance(message, str) else ""
        entries = [e for e in history if isinstance(e, dict)] if isinstance(history, list) else []
        opaque = any(map(is_opaque, entries))
        self.replay.decided_by(compaction="opaque" if opaque else "text")
        native = payload.get("window_id")
        fresh = self.replay.next_edit(recorded=isinstance(history, list))
        id_ = native if isinstance(native, str) else fresh
        if isinstance(history, list):
            self._replace(id_, entries, message)
        else:
            # Instructions and words of the user stay; how many of them is not on record.
            out = self.replay.digest(f"{id_}-summary", message, [])
            self.replay.edit(
                id_, "summarize", "model", [], out, fidelity="unknown", trigger=self.trigger
            )
        self._edits[id_] = self._ordinal
        self.trigger = None

    def _replace(self, id_: str, history: list[Members], message: str) -> None:
        """`replacement_history` is the whole new window; what it lacks went (found by replay)."""
        digests = [entry for entry in history if is_digest(entry, message)]
        entries = [
            (index, item)
            for index, entry in enumerate(history)
            if not is_digest(entry, message)
            for item in items_of(entry, lambda index=index: f"{id_}/{index}")  # type: ignore[misc]
        ]
        kept, new = self._sort_out(entries)
        gone = [span for span in self.replay.in_window() if span not in kept]
        out = self._out(id_, digests[-1], gone) if digests else None
        self.replay.edit(
            id_, "summarize", "model", gone, out, fidelity="derived", trigger=self.trigger
        )
        for index, item in new:
            self._show(item, index)

    def _sort_out(
        self, entries: Iterable[tuple[int, Item]]
    ) -> tuple[set[str], list[tuple[int, Item]]]:
        """Spans that stay, and items that are new. The same content under a new id is no change."""
        window = self.replay.window
        kept: set[str] = set()
        unmatched = []
        for index, item in entries:
            if window.get(item.id) == content_hash(item.content):
                kept.add(item.id)
            else:
                unmatched.append((index, item))
        new = []
        for index, item in unmatched:
            hash_ = content_hash(item.content)
            same = next((s for s in window if window[s] == hash_ and s not in kept), None)
            if same is None:
                new.append((index, item))
            else:
                kept.add(same)
        return kept, new

    def _out(self, id_: str, digest: Members, gone: list[str]) -> Out:
        native = digest.get("id")
        span = safe_id(native) if isinstance(native, str) else f"{id_}-summary"
        self._ordinals[span] = self._ordinal
        if is_opaque(digest):
            return self.replay.opaque(span, digest)
        return self.replay.digest(span, message_text(digest), gone)

    def _rolled_back(self, event: Members) -> None:
        """Legacy: the last turns were dropped, a turn being what follows words of the user."""
        count = event.get("num_turns")
        turns = [turn for turn in self._turns if turn[0] in self.replay.window]
        if not isinstance(count, int) or not turns or count < 1:
            self.replay.rec.skip("event_msg/thread_rolled_back")
            return
        start = turns[-min(count, len(turns))][1]
        left = {span for span, ordinal in self._ordinals.items() if ordinal >= start}
        crosses = any(ordinal >= start for ordinal in self._edits.values())
        # Across a compaction the earlier turns did not come back (0.120.0): not known what stays.
        self.replay.rewind(None, left, fidelity="unknown" if crosses else "derived")

    # Usage

    def _token_usage(self, record: Members) -> None:
        self._recorded = True
        self._usage(record.get("usage"))

    def _token_count(self, event: Members) -> None:
        info = event.get("info")
        info = info if isinstance(info, dict) else {}
        limit = info.get("model_context_window")
        self._limit = limit if isinstance(limit, int) else self._limit
        totals = info.get("total_token_usage")
        if self._recorded or totals == self._totals:
            self.replay.rec.skip("repeated token_count")
            return
        self._totals = totals
        self._usage(info.get("last_token_usage"))

    def _usage(self, usage: Any) -> None:
        usage = usage if isinstance(usage, dict) else {}
        sent, answered = usage.get("input_tokens"), usage.get("output_tokens")
        if isinstance(sent, int) and isinstance(answered, int) and sent:
            # The call that wrote a digest read a window of its own.
            window = None if self._summarising else sent + answered
            self.replay.usage(sent, answered, window=window, limit=self._limit)
            self._summarising = False
        else:
            self.replay.rec.skip("token count without a call")


def _evidence(item: Members) -> Members:
    """What a completed item says about its call: exit code, output, the change itself."""
    names = ("exit_code", "changes", "result", "error")
    said = {name: item[name] for name in names if item.get(name) is not None}
    return said | {"stdout": item.get("aggregated_output") or ""}


def _kind(policy: Any) -> str | None:
    """`type` since 2025-11, `mode` before."""
    if isinstance(policy, dict):
        policy = policy.get("type") or policy.get("mode")
    return policy if isinstance(policy, str) else None
