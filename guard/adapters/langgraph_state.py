"""States of a LangGraph thread, replayed: the difference of two of them is what happened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from guard.adapters.emit import Replay, Shown, content_hash
from guard.adapters.emit_rows import Row
from guard.adapters.emit_times import from_text
from guard.adapters.emit_tree import Tree
from guard.adapters.shapes import Members, id_of, members_of, objects_in
from guard.events import By, Fidelity, Role

_ROLES: dict[str, Role] = {"ai": "assistant", "human": "user", "tool": "tool", "system": "system"}
_CLASSES = {"AI": "ai", "Human": "human", "Tool": "tool", "System": "system", "Remove": "remove"}
_REMOVE_ALL = "__remove_all__"
_SUMMARY = "summarization"
_DECISION = "hitl_interrupt_decision"
_INTERRUPT_ID = re.compile(r"\bid='([^']+)'")


def messages_of(state: Members) -> list[Any]:
    """The messages of a checkpoint or update, wherever its exporter put them."""
    for holder in (state, state.get("values"), state.get("channel_values")):
        messages = holder.get("messages") if isinstance(holder, dict) else None
        if isinstance(messages, list):
            return messages
    return []


def message_of(message: Any) -> Members:
    """A message as a plain object, also when it was written by LangChain's serializer."""
    plain = members_of(message)
    kwargs = members_of(plain.get("kwargs"))
    if "lc" not in plain or not kwargs:
        return plain
    name = str((plain.get("id") or [""])[-1]).removesuffix("Chunk").removesuffix("Message")
    return {**kwargs, "type": _CLASSES.get(name, name.lower())}


def words_of(message: Members) -> str:
    """The words of a message."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


class _Thread:
    """What checkpoints and updates have in common: messages enter, change and leave."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.row = Row(0, 0, 0, 0, {})
        self.tree = Tree(replay)
        self._usages: set[str] = set()
        self._gates: dict[str, str] = {}
        self._made: list[str] = []
        replay.decided_by(runtime="langgraph")

    def leave(
        self, gone: Sequence[str], fresh: Sequence[Members], by: By, fidelity: Fidelity
    ) -> None:
        """What is no longer there; a summary that came with it stands in its place."""
        digest = next((m for m in fresh if _extra(m).get("lc_source") == _SUMMARY), None)
        if digest is not None:
            out = self.replay.digest(id_of(digest), _content(digest), gone, words_of(digest))
            edit = self.replay.edit(
                None, "summarize", "model", gone, out, fidelity=fidelity, trigger="host"
            )
            self.tree.edited(edit.id, out.id)
        elif gone:
            edit = self.replay.edit(None, "drop", by, gone, fidelity=fidelity)
            self.tree.edited(edit.id, None)

    def enter(self, message: Members, item: int) -> None:
        """A message is there. Changed under its own id, its old content was taken away."""
        id_, content = id_of(message), _content(message)
        had = self.replay.window.get(id_)
        if had == content_hash(content):
            return
        if had is not None:
            out = self.replay.digest(id_, content, [id_], words_of(message))
            clears = message.get("type") == "tool"
            edit = self.replay.edit(None, "evict" if clears else "replace", "host", [id_], out)
            self.tree.edited(edit.id, id_)
        else:
            self._show(message, id_, content, item)
        self._effects(message)

    def _show(self, message: Members, id_: str, content: Any, item: int) -> None:
        self.tree.shown(id_)
        self.replay.show(
            Shown(
                id=id_,
                content=content,
                text=words_of(message),
                role=_ROLES.get(str(message.get("type")), "system"),
                tool=message.get("name") if message.get("type") == "tool" else None,
                effect=message.get("tool_call_id"),
                place=self.row.place(item),
            )
        )

    def _effects(self, message: Members) -> None:
        calls = objects_in(message.get("tool_calls"))
        self._made = [str(call.get("id")) for call in calls] or self._made
        for call in calls:
            self.replay.call(str(call.get("id")), str(call.get("name")), call.get("args"))
        answered = message.get("tool_call_id")
        if isinstance(answered, str) and answered not in self.replay.settled:
            self._answer(answered, message)
        self._usage(message)

    def _answer(self, call: str, message: Members) -> None:
        extra = _extra(message)
        if extra.get("lc_source") != _DECISION:
            self.replay.result(call, words_of(message), error=message.get("status") == "error")
            return
        # A person rejected the call, or answered in the place of the tool: it never ran.
        gate = self._gates.get(call, f"gate-{call}")
        if gate not in self.replay.gates:
            self.replay.ask(gate, call, "agent")
        self.replay.answer(gate, approved=False, by="human", human=True)
        self.replay.end(call, "failed")

    def _usage(self, message: Members) -> None:
        usage = members_of(message.get("usage_metadata"))
        sent, answered = usage.get("input_tokens"), usage.get("output_tokens")
        if (
            isinstance(sent, int)
            and isinstance(answered, int)
            and id_of(message) not in self._usages
        ):
            self._usages.add(id_of(message))
            self.replay.usage(sent, answered, window=sent + answered)

    def question(self, interrupt: str, requests: Sequence[Members]) -> None:
        """The graph stops and asks a person about calls of its last answer that have not run."""
        asked = [request.get("name") for request in requests]
        waiting = [
            call
            for call in self._made
            if call not in self.replay.settled | self._gates.keys()
            and (not any(asked) or self.replay.tool_of(call) in asked)
        ]
        for number, call in enumerate(waiting[: max(1, len(requests))]):
            gate = interrupt if len(requests) < 2 else f"{interrupt}/{number}"
            self._gates[call] = gate
            self.replay.ask(gate, call, "agent")


class Checkpoints(_Thread):
    """Rows of a checkpointer, each with the whole state."""

    def take(self, row: Row) -> None:
        """One checkpoint."""
        self.row = row
        self.replay.settle()
        state = row.value
        self.replay.at = from_text(state.get("created_at"))
        id_ = str(state.get("checkpoint_id"))
        parent = state.get("parent") or state.get("parent_checkpoint_id")
        self.tree.grow(id_, parent if isinstance(parent, str) else self.tree.tip)
        messages = [message_of(message) for message in messages_of(state)]
        ids = {id_of(message) for message in messages}
        window = self.replay.in_window()
        fresh = [message for message in messages if id_of(message) not in window]
        gone = [span for span in window if span not in ids]
        source = members_of(state.get("metadata")).get("source")
        self.leave(gone, fresh, "human" if source in ("update", "fork") else "host", "exact")
        for item, message in enumerate(messages):
            self.enter(message, item)
        for interrupt in objects_in(state.get("interrupts")):
            value = members_of(interrupt.get("value"))
            self.question(str(interrupt.get("id")), objects_in(value.get("action_requests")))
        self.replay.rec.skip(f"checkpoint without a change ({source})")


class Updates(_Thread):
    """What `stream_mode="updates"` gives: the writes of each node, not what was put in."""

    def take(self, row: Row) -> None:
        """One update."""
        self.row = row
        self.replay.settle()
        node, change = next(iter(row.value.items()), ("empty update", None))
        if node == "__interrupt__":
            for interrupt in change if isinstance(change, list) else []:
                self._interrupt(interrupt)
        elif isinstance(change, dict) and messages_of(change):
            self._write([message_of(message) for message in messages_of(change)])
        self.replay.rec.skip(f"{node} without messages")

    def _interrupt(self, interrupt: Any) -> None:
        if isinstance(interrupt, dict):
            value = members_of(interrupt.get("value"))
            self.question(str(interrupt.get("id")), objects_in(value.get("action_requests")))
        elif match := _INTERRUPT_ID.search(str(interrupt)):
            self.question(match[1], [{}] * str(interrupt).count("'description'"))

    def _write(self, messages: Sequence[Members]) -> None:
        removed = [str(m.get("id")) for m in messages if m.get("type") == "remove"]
        kept = [m for m in messages if m.get("type") != "remove"]
        window = self.replay.in_window()
        stays = {id_of(message) for message in kept}
        left = window if _REMOVE_ALL in removed else [s for s in window if s in removed]
        gone = [span for span in left if span not in stays]
        if removed:
            # What a person put in is not in this stream, so it is not known what all went.
            fresh = [message for message in kept if id_of(message) not in window]
            self.leave(gone, fresh, "host", "unknown")
        for item, message in enumerate(messages):
            if message.get("type") != "remove":
                self.enter(message, item)


def _content(message: Members) -> Any:
    """What the model reads of a message: its words, and the calls it made."""
    content = message.get("content")
    calls = [
        {"name": c.get("name"), "args": c.get("args")}
        for c in objects_in(message.get("tool_calls"))
    ]
    return {"content": content, "calls": calls} if calls else content


def _extra(message: Members) -> Members:
    extra = members_of(message.get("additional_kwargs"))
    data = members_of(extra.get("lc_data"))
    return extra | data
