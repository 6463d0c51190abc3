"""Pi coding agent: session files (`~/.pi/agent/sessions/**/*.jsonl`), a tree of entries.

Seen: a session of 2025-12 (version 1: no ids, a linear list). Versions 2 and 3 (entries with `id`
and `parentId`, `firstKeptEntryId`, `branch_summary`) are known from its documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.emit import USER_SHELL, Replay, Shown, safe_id
from guard.adapters.emit_rows import Row, first_objects, peek, rows, scan, short_name
from guard.adapters.emit_times import from_text
from guard.adapters.emit_tree import Tree
from guard.adapters.shapes import Members, members_of, total
from guard.events import Fidelity, Role

_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "toolResult": "tool",
    "custom": "system",
    "hookMessage": "system",
    "branchSummary": "assistant",
    "compactionSummary": "assistant",
}
_UNSAID_EDITS = {"context_edit", "context_transform"}


class Pi(Adapter):
    """One session file. Its tip moves without a record; the next entry's parent shows it."""

    name = "pi"
    runtime = "pi"

    def sniff(self, head: bytes, /) -> bool:
        """The first line is a session with a working directory."""
        first = next(iter(first_objects(head, 1)), {})
        return first.get("type") == "session" and {"id", "cwd", "timestamp"} <= first.keys()

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """Each file is a run; a branched session has its own file with the history copied."""
        return [Session((file,), self.name, _id_of(file)) for file in files]

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """Replay the entries in the order in which they were appended."""
        replay = Replay()
        entries = _Entries(replay)
        for row in rows(replay.rec, files, scan(files[0])):
            entries.take(row)
        note = replay.rec.note
        note("closure", "proves", "what each compaction took: it names the first entry that stays")
        note("soundness", "proves", "every call of this session, with its answer")
        note(
            "authorization", "cannot prove", "approvals: Pi asks nobody, so there are none to find"
        )
        note("mode", "cannot prove", "what started a compaction, and the settings in force")
        return replay.rec.reading(journal=_id_of(files[0]), runtime=self.runtime)

    def text(self, record: bytes, item: int, /) -> str:
        """The words of one content item of an entry, counted from 0."""
        value = peek(record)
        items = _items(value) if isinstance(value, dict) else []
        return _words(items[item]) if item < len(items) else ""


def _id_of(file: SourceFile) -> str:
    first = next(iter(first_objects(file.head(), 1)), {})
    return str(first.get("id") or short_name(file))


class _Entries:
    """Replays entries into the window of the tip."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self._tree = Tree(replay)
        self._row = Row(0, 0, 0, 0, {})
        self._nodes: list[str] = []
        self._places: dict[str, int] = {}
        self._kinds: dict[str, Callable[[Members], None]] = {
            "session": self._session,
            "message": self._message,
            "custom_message": self._custom_message,
            "compaction": self._compaction,
            "branch_summary": self._branch_summary,
            "model_change": self._model_change,
            **dict.fromkeys(_UNSAID_EDITS, self._unsaid_edit),
        }

    def take(self, row: Row) -> None:
        """One entry. `_nodes` counts every line, as version 1 does."""
        entry = row.value
        self._row = row
        self.replay.at = from_text(entry.get("timestamp"))
        kind = str(entry.get("type"))
        if kind != "session":
            parent = entry.get("parentId")
            known = parent if isinstance(parent, str) else None
            self._tree.grow(self._id(entry), known if "parentId" in entry else self._tree.tip)
        self._nodes.append(self._id(entry))
        if kind in self._kinds:
            self._kinds[kind](entry)
        else:
            self.replay.rec.skip(kind)

    def _id(self, entry: Members) -> str:
        native = entry.get("id")
        return safe_id(native) if isinstance(native, str) else f"line-{self._row.line}"

    def _session(self, entry: Members) -> None:
        self.replay.decided_by(runtime="pi", format=entry.get("version", 1))
        self._model_change(entry)
        if entry.get("branchedFrom") or entry.get("parentSession"):
            text = "this session was branched: what comes first is a copy of another one's history"
            self.replay.rec.note("reading", "finding", text)

    def _model_change(self, entry: Members) -> None:
        self.replay.decided_by(provider=entry.get("provider"), model=entry.get("modelId"))
        if entry.get("modelId"):
            self.replay.settle()

    # Window and effects

    def _message(self, entry: Members) -> None:
        message = members_of(entry.get("message"))
        role = str(message.get("role"))
        if role == "bashExecution":
            self._typed(entry, message)
            return
        items = _items(entry)
        for index, item in enumerate(items):
            self._show(entry, item, index, len(items), _ROLES.get(role, "system"), message)
            if members_of(item).get("type") == "toolCall":
                self.replay.call(str(item.get("id")), str(item.get("name")), item.get("arguments"))
        if role == "toolResult":
            failed = message.get("isError") is True
            words = "\n".join(map(_words, items))
            tool = str(message.get("toolName") or "")
            self.replay.result(str(message.get("toolCallId")), words, error=failed, tool=tool)
        self._usage(message)
        self.replay.rec.skip(f"{role} message without content")

    def _show(
        self, entry: Members, item: Any, index: int, count: int, role: Role, message: Members
    ) -> None:
        native = entry.get("id")
        base = safe_id(native) if isinstance(native, str) else f"span-{self.replay.rec.next}"
        id_ = base if count == 1 or native is None else f"{base}/{index}"
        is_call = members_of(item).get("type") == "toolCall"
        self._tree.shown(id_)
        self._places[id_] = len(self._nodes) - 1
        self.replay.show(
            Shown(
                id=id_,
                content=_content(item),
                text=_words(item),
                role=role,
                tool=message.get("toolName"),
                effect=item.get("id") if is_call else message.get("toolCallId"),
                place=self._row.place(index),
            )
        )

    def _typed(self, entry: Members, message: Members) -> None:
        """A shell command that a person typed; `!!` keeps it out of the window."""
        call = f"effect-{self.replay.rec.next}"
        output = message.get("output")
        self.replay.call(call, USER_SHELL, {"command": message.get("command")})
        code, cancelled = message.get("exitCode"), message.get("cancelled") is True
        result = {"stdout": output or "", "exit_code": code, "interrupted": cancelled}
        self.replay.result(call, result)
        if not message.get("excludeFromContext"):
            words = f"{message.get('command')}\n{output or ''}"
            self._show(entry, words, 0, 1, "user", {"toolCallId": call})

    def _custom_message(self, entry: Members) -> None:
        items = _items(entry)
        for index, item in enumerate(items):
            self._show(entry, item, index, len(items), "system", {})

    def _usage(self, message: Members) -> None:
        usage = members_of(message.get("usage"))
        sent = total(usage.get("input"), usage.get("cacheRead"), usage.get("cacheWrite"))
        answered = total(usage.get("output"))
        if sent:
            self.replay.usage(sent, answered, window=sent + answered)

    # Edits

    def _compaction(self, entry: Members) -> None:
        """Everything on the path before the first kept entry goes."""
        gone, fidelity = self._before_kept(entry)
        native = entry.get("id")
        id_ = safe_id(native) if isinstance(native, str) else None
        name = id_ or self.replay.next_edit(recorded=fidelity == "exact")
        out = self.replay.digest(f"{name}-summary", str(entry.get("summary") or ""), gone)
        trigger = "hook" if entry.get("fromHook") else None
        self.replay.edit(
            name,
            "summarize",
            "model",
            gone,
            out,
            fidelity=fidelity,
            trigger=trigger,
            tokens=entry.get("tokensBefore"),
        )
        self._tree.edited(name, out.id)
        self._places[out.id] = len(self._nodes) - 1

    def _before_kept(self, entry: Members) -> tuple[list[str], Fidelity]:
        window = self.replay.in_window()
        here = len(self._nodes) - 1
        first = entry.get("firstKeptEntryId", entry.get("firstKeptEntryIndex"))
        if isinstance(first, str):
            first = self._nodes.index(safe_id(first)) if safe_id(first) in self._nodes else -1
        elif "firstKeptEntryId" in entry and first is None:
            first = here
        if not isinstance(first, int) or not 0 <= first <= here:
            return [], "unknown"  # it names an entry that is not in this file
        return [span for span in window if self._places.get(span, 0) < first], "exact"

    def _branch_summary(self, entry: Members) -> None:
        """What a left branch was about, in the words of the model."""
        self._show(entry, str(entry.get("summary") or ""), 0, 1, "assistant", {})

    def _unsaid_edit(self, entry: Members) -> None:
        """An extension changed what the model reads; how is not known in this version."""
        native = entry.get("id")
        id_ = safe_id(native) if isinstance(native, str) else None
        self.replay.edit(id_, "replace", "model", [], fidelity="unknown")


def _items(entry: Members) -> list[Any]:
    message = entry.get("message")
    content = members_of(message if message is not None else entry).get("content")
    return content if isinstance(content, list) else [] if content in (None, "") else [content]


def _content(item: Any) -> Any:
    text = members_of(item).get("text")
    return text if isinstance(text, str) else item


def _words(item: Any) -> str:
    if isinstance(item, str):
        return item
    item = members_of(item)
    if item.get("type") == "toolCall":
        return f"{item.get('name')} {item.get('arguments')}"
    return str(item.get("text") or item.get("thinking") or "")


PI = Pi()
