"""OpenHands SDK (V1): a folder of event files with `base_state.json`, or its events as lines.

Seen: openhands-sdk 1.58.2 (2026-11), `events/event-NNNNN-<uuid>.json`. Its times have no offset.
The event stream of V0 is another format and not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.emit import Replay, Shown, bare, safe_id
from guard.adapters.emit_rows import Row, document, first_objects, peek, rows, scan, short_name
from guard.adapters.emit_times import from_local
from guard.adapters.emit_tree import Tree
from guard.adapters.shapes import Members, id_of, members_of
from guard.events import Role

_KINDS = {
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "AgentErrorEvent",
    "UserRejectObservation",
    "Condensation",
    "CondensationRequest",
    "PauseEvent",
    "ConversationStateUpdateEvent",
    "SecurityAnalysisEvent",
}
_ROLES: dict[str, Role] = {"user": "user", "agent": "assistant"}
_EVENT = re.compile(rb'"kind"\s*:\s*"(?:%s)"' % "|".join(sorted(_KINDS)).encode())
_STATE = re.compile(rb'"condenser"\s*:|"confirmation_policy"\s*:|"leaf_event_id"\s*:')


def _is_event(head: bytes) -> bool:
    """One event, as a line or as a whole file: an object with an id, a source and a kind."""
    value = next(iter(first_objects(head, 1)), None) or peek(head)
    if isinstance(value, dict):
        return str(value.get("kind")) in _KINDS and isinstance(value.get("source"), str)
    return head.lstrip()[:1] == b"{" and b'"source"' in head and _EVENT.search(head) is not None


def _is_state(head: bytes) -> bool:
    """`base_state.json`: a conversation with its agent."""
    return head.lstrip()[:1] == b"{" and b'"agent"' in head and _STATE.search(head) is not None


class OpenHands(Adapter):
    """One conversation: its events in the order of their numbers, and its state, if it is there."""

    name = "openhands"
    runtime = "openhands"

    def sniff(self, head: bytes, /) -> bool:
        """An event or the state of a conversation."""
        return _is_event(head) or (_is_state(head) and b'"payload"' not in head[:200])

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """By folder: `<conversation>/events/*` belong to `<conversation>/base_state.json`."""
        folders: dict[str, list[SourceFile]] = {}
        for file in files:
            folders.setdefault(_folder(file.name), []).append(file)
        return [
            Session(
                tuple(sorted(own, key=lambda file: file.name)), self.name, _name_of(folder, own)
            )
            for folder, own in folders.items()
        ]

    def beside(self, path: Path, /) -> list[Path]:
        """The other events of an event file, and the state of the conversation."""
        if not path.name.startswith("event-"):
            return []
        found = [other for other in sorted(path.parent.glob("event-*.json")) if other != path]
        state = path.parent.parent / "base_state.json"
        return [*found, state] if state.is_file() else found

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """The state first, since it says what decides; then the events."""
        replay = Replay()
        conversation = _Conversation(replay)
        states = [file for file in files if not _is_event(file.head())]
        for file in states:
            state = document(replay.rec, file)
            if state is not None:
                conversation.state(state)
        for row in _events(replay, files):
            conversation.take(row)
        _say_what_it_proves(replay, with_state=bool(states))
        journal = conversation.id or _name_of(_folder(files[0].name), files)
        return replay.rec.reading(journal=journal, runtime=self.runtime)

    def text(self, record: bytes, _item: int, /) -> str:
        """The words of an event."""
        value = peek(record)
        return _words(value) if isinstance(value, dict) else ""


def _folder(name: str) -> str:
    folder = PurePosixPath(name).parent
    return str(folder.parent if folder.name == "events" else folder)


def _name_of(folder: str, files: Sequence[SourceFile]) -> str:
    for file in files:
        value = peek(file.head()) if _is_state(file.head()) else None
        if isinstance(value, dict) and isinstance(value.get("id"), str):
            return str(value["id"])
    return PurePosixPath(folder).name or short_name(files[0])


def _events(replay: Replay, files: Sequence[SourceFile]) -> Iterator[Row]:
    """Lines of a file of lines; the one object of a file of one event; in the order of names."""
    numbered = [(index, file) for index, file in enumerate(files) if _is_event(file.head())]
    for index, file in sorted(numbered, key=lambda pair: pair[1].name):
        if first_objects(file.head(), 1):
            yield from rows(replay.rec, files, scan(file, index))
            continue
        value = document(replay.rec, file)
        if isinstance(value, dict):
            replay.rec.record()
            yield Row(index, 1, 0, len(file.data()), value)


class _Conversation:
    """Replays events into the window of the conversation's leaf."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.id = ""
        self._tree = Tree(replay)
        self._row = Row(0, 0, 0, 0, {})
        self._requested = False
        replay.decided_by(runtime="openhands")
        self._kinds: dict[str, Callable[[Members], None]] = {
            "SystemPromptEvent": self._system_prompt,
            "MessageEvent": self._message,
            "ActionEvent": self._action,
            "ObservationEvent": self._observation,
            "AgentErrorEvent": self._agent_error,
            "UserRejectObservation": self._rejection,
            "Condensation": self._condensation,
            "CondensationRequest": self._request,
        }

    def state(self, state: Any) -> None:
        """The latest settings; what they were before is not on record."""
        self.replay.rec.record()
        state = members_of(state)
        self.id = str(state.get("id") or "")
        agent = members_of(state.get("agent"))
        condenser = members_of(agent.get("condenser"))
        self.replay.decided_by(
            runtime="openhands",
            model=members_of(agent.get("llm")).get("model"),
            condenser=condenser.get("kind"),
            **{name: condenser.get(name) for name in ("max_size", "max_tokens", "keep_first")},
        )
        self.replay.settle()
        confirms = members_of(state.get("confirmation_policy")).get("kind")
        text = f"confirmation policy at the end: {confirms}; earlier ones are not on record"
        self.replay.rec.note("authorization", "finding", text)

    def take(self, row: Row) -> None:
        """One event."""
        event = row.value
        self._row = row
        self.replay.at = from_local(event.get("timestamp"))
        parent = event.get("parent_id")
        self._tree.grow(id_of(event), parent if isinstance(parent, str) else self._tree.tip)
        kind = str(event.get("kind"))
        if kind in self._kinds:
            self._kinds[kind](event)
            return
        if kind == "HookExecutionEvent":
            self.replay.rec.blind("a hook ran a command of its own")
        self.replay.rec.skip(kind)

    def _show(self, event: Members, role: Role, content: Any, **source: Any) -> None:
        id_ = id_of(event)
        self._tree.shown(id_)
        self.replay.show(
            Shown(
                id=id_,
                content=content,
                text=_words(event),
                role=role,
                place=self._row.place(),
                **source,
            )
        )

    def _system_prompt(self, event: Members) -> None:
        self._show(
            event, "system", {"prompt": event.get("system_prompt"), "tools": event.get("tools")}
        )

    def _message(self, event: Members) -> None:
        role = _ROLES.get(str(event.get("source")), "system")
        self._show(event, role, bare(members_of(event.get("llm_message")).get("content")))

    def _action(self, event: Members) -> None:
        call, tool = str(event.get("tool_call_id")), str(event.get("tool_name"))
        sent = _sent(event)
        content = {"thought": event.get("thought"), "tool": tool, "input": sent}
        self._show(event, "assistant", content, effect=call, tool=tool)
        self.replay.call(call, tool, sent)

    def _observation(self, event: Members) -> None:
        call, tool = str(event.get("tool_call_id")), str(event.get("tool_name"))
        observation = members_of(event.get("observation"))
        path = observation.get("path")
        content = bare(observation.get("content", observation))
        self._show(event, "tool", content, effect=call, tool=tool, path=_text(path))
        self.replay.result(call, _result(observation), error=observation.get("is_error") is True)

    def _agent_error(self, event: Members) -> None:
        call, tool = str(event.get("tool_call_id")), str(event.get("tool_name"))
        self._show(event, "tool", event.get("error"), effect=call, tool=tool)
        if self.replay.has_call(call):
            self.replay.result(call, event.get("error"), error=True)

    def _rejection(self, event: Members) -> None:
        """A refusal; a confirmation leaves nothing."""
        call, who = str(event.get("tool_call_id")), str(event.get("rejection_source") or "unknown")
        self._show(event, "tool", event.get("rejection_reason"), effect=call)
        gate = f"gate-{call}"
        self.replay.ask(gate, call, "agent")
        self.replay.answer(gate, approved=False, by=who, human=who == "user")
        self.replay.end(call, "failed")

    def _request(self, _event: Members) -> None:
        self._requested = True
        self.replay.rec.use()

    def _condensation(self, event: Members) -> None:
        """Names what it forgets, in no order; earlier summaries among it."""
        named = event.get("forgotten_event_ids")
        forgotten = [safe_id(str(id_)) for id_ in named] if isinstance(named, list) else []
        known = [span for span in self.replay.window if span in forgotten]
        gone = known + sorted(set(forgotten) - set(known))
        summary, id_ = event.get("summary"), id_of(event)
        trigger = "request" if self._requested else None
        self._requested = False
        if isinstance(summary, str):
            out = self.replay.digest(f"{id_}-summary", summary, gone)
            self.replay.edit(id_, "summarize", "model", gone, out, trigger=trigger)
        else:
            out = None
            self.replay.edit(id_, "drop", "host", gone, trigger=trigger)
        self._tree.edited(id_, out.id if out else None)


def _sent(event: Members) -> Any:
    """The arguments as the model sent them."""
    arguments = members_of(event.get("tool_call")).get("arguments")
    value = peek(arguments.encode()) if isinstance(arguments, str) else arguments
    return value if value is not None else event.get("action")


def _result(observation: Members) -> Any:
    text = _joined(observation.get("content"))
    metadata = members_of(observation.get("metadata"))
    code = observation.get("exit_code", metadata.get("exit_code"))
    if observation.get("timeout") is True:
        return {"stdout": text, "interrupted": True}
    return {"stdout": text, "exit_code": code} if isinstance(code, int) else text


def _words(event: Members) -> str:
    """What a person reads of an event."""
    for holder, name in (
        (event.get("llm_message"), "content"),
        (event.get("observation"), "content"),
        (event.get("system_prompt"), "text"),
    ):
        if isinstance(holder, dict) and name in holder:
            extra = _joined(event.get("extended_content"))
            return "\n".join(filter(None, (_joined(holder[name]), extra)))
    if event.get("kind") == "ActionEvent":
        call = members_of(event.get("tool_call"))
        said = _joined(event.get("thought"))
        return "\n".join(filter(None, (said, f"{call.get('name')} {call.get('arguments')}")))
    return str(event.get("error") or event.get("rejection_reason") or event.get("summary") or "")


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _say_what_it_proves(replay: Replay, *, with_state: bool) -> None:
    note = replay.rec.note
    note("closure", "proves", "what each condensation took: it names the events, and they are here")
    note("soundness", "proves", "every call of this conversation, with its answer")
    text = "grants: a confirmed action leaves no trace; a missing gate does not mean that nobody"
    note("authorization", "cannot prove", f"{text} approved")
    note("retention", "cannot prove", "the real window: there are no token counts for each call")
    if not with_state:
        note("mode", "cannot prove", "the condenser and its limits: base_state.json is not here")
    else:
        note("mode", "cannot prove", "earlier settings: base_state.json keeps the latest only")
    note("reading", "finding", "times have no offset in this source: shown as if they were UTC")


OPENHANDS = OpenHands()
