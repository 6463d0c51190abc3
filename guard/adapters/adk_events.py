"""The events of an ADK session, replayed: contents, compactions, rewinds, confirmations.

Seen in 2.13.0 (2026-11). A compaction and a rewind are events of the author "user".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from guard.adapters.adk_spans import Span
from guard.adapters.emit import Replay, Shown, safe_id
from guard.adapters.emit_rows import Row, peek
from guard.adapters.emit_times import from_s
from guard.adapters.shapes import Members, members_of
from guard.events import MAIN, Role

_CONFIRMATION = "adk_request_confirmation"
_ASKS = (_CONFIRMATION, "adk_request_credential", "adk_request_input")
_SNAKE = re.compile(r"([A-Z])")


def member(holder: Any, name: str) -> Any:
    """A member by its camelCase name, or as Python writes it."""
    if not isinstance(holder, dict):
        return None
    return holder.get(name, holder.get(_SNAKE.sub(lambda match: "_" + match[1].lower(), name)))


def parts_of(event: Members) -> list[Members]:
    """The parts of an event's content."""
    parts = member(event.get("content"), "parts")
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def words_of(part: Members) -> str:
    """The words of one part."""
    if isinstance(part.get("text"), str):
        return str(part["text"])
    call, answer = member(part, "functionCall"), member(part, "functionResponse")
    if isinstance(call, dict):
        return f"{call.get('name')} {call.get('args')}"
    response = answer.get("response") if isinstance(answer, dict) else None
    return "" if response is None else _said(response)


def _said(response: Any) -> str:
    if isinstance(response, dict):
        for name in ("result", "output", "error"):
            if isinstance(response.get(name), str):
                return str(response[name])
    return str(response)


class Known(Struct):
    """An event that is still part of the session, and the spans that it gave."""

    id: str
    invocation: str
    time: float
    spans: list[str] = field(default_factory=list)
    edit: str | None = None
    covers: tuple[float, float] | None = None


class Events:
    """Replays events. `causes`: what a span says about the compaction that wrote an event."""

    def __init__(self, replay: Replay, causes: Mapping[str, Span]) -> None:
        self.replay = replay
        self.agent = ""
        self._causes = causes
        self._live: list[Known] = []
        self._row = Row(0, 0, 0, 0, {})
        replay.decided_by(runtime="google-adk")

    def take(self, row: Row) -> None:
        """One event."""
        inner = row.value.get("event_data")
        event = inner if isinstance(inner, dict) else row.value
        self._row = row
        self.replay.at = from_s(event.get("timestamp"))
        self.replay.settle()
        self._enter(event.get("branch"))
        known = Known(str(event.get("id")), str(member(event, "invocationId")), _time(event))
        if event.get("author") != "user":
            self.agent = self.agent or str(event.get("author"))
        actions = event.get("actions")
        compaction = member(actions, "compaction")
        rewind = member(actions, "rewindBeforeInvocationId")
        if isinstance(compaction, dict):
            self._compaction(known, compaction)
        elif isinstance(rewind, str):
            self._rewind(known, rewind)
        elif event.get("partial"):
            self.replay.rec.skip("a part of an answer that comes again whole")
            return
        self._contents(known, event)
        self._live.append(known)
        self._usage(event, of_a_summary=known.covers is not None)
        self.replay.rec.skip("event without content")

    def _enter(self, branch: Any) -> None:
        name = branch if isinstance(branch, str) and branch else MAIN
        if not self.replay.has_branch(name):
            self.replay.branch = MAIN
            self.replay.fork(name)
        self.replay.branch = name

    # Contents

    def _contents(self, known: Known, event: Members) -> None:
        parts = parts_of(event)
        for index, part in enumerate(parts):
            call, answer = member(part, "functionCall"), member(part, "functionResponse")
            name = str(members_of(call or answer).get("name"))
            if name in _ASKS:
                self._question(part, event)
                continue
            if isinstance(answer, dict) and _waits(answer, event):
                self.replay.rec.use()
                continue
            id_ = known.id if len(parts) == 1 else f"{known.id}/{index}"
            self._show(known, safe_id(id_), part, event, index)
            if isinstance(call, dict):
                self.replay.call(str(call.get("id")), str(name), call.get("args"))
            elif isinstance(answer, dict):
                self._answer(answer)

    def _show(self, known: Known, id_: str, part: Members, event: Members, index: int) -> None:
        call, answer = member(part, "functionCall"), member(part, "functionResponse")
        role: Role = "tool" if answer else "user" if event.get("author") == "user" else "assistant"
        named = members_of(call or answer)
        known.spans.append(id_)
        self.replay.show(
            Shown(
                id=id_,
                content=part["text"] if isinstance(part.get("text"), str) else part,
                text=words_of(part),
                role=role,
                tool=named.get("name") if answer else None,
                effect=named.get("id"),
                place=self._row.place(index) if self._row.size else None,
            )
        )

    def _answer(self, answer: Members) -> None:
        call, response = str(answer.get("id")), answer.get("response")
        if call not in self.replay.settled:
            failed = isinstance(response, dict) and bool(response.get("error"))
            self.replay.result(call, response, error=failed)

    def _question(self, part: Members, event: Members) -> None:
        """A confirmation is asked for by a call and given by its answer; neither is an effect."""
        call, answer = member(part, "functionCall"), member(part, "functionResponse")
        if isinstance(call, dict) and call.get("name") == _CONFIRMATION:
            about = member(call.get("args"), "originalFunctionCall")
            self.replay.ask(str(call.get("id")), str(member(about, "id")), self.agent or "agent")
        elif isinstance(answer, dict) and str(answer.get("id")) in self.replay.gates:
            who = str(event.get("author"))
            approved = _confirmed(answer.get("response"))
            gate = str(answer.get("id"))
            self.replay.answer(gate, approved=approved, by=who, human=who == "user")
        else:
            self.replay.rec.skip("a question that is no confirmation")

    # Edits

    def _compaction(self, known: Known, compaction: Members) -> None:
        """A range of times; a summary whose own range lies inside it leaves as well."""
        start = _number(member(compaction, "startTimestamp"))
        end = _number(member(compaction, "endTimestamp"))
        inside = [old for old in self._live if old.covers is None and start <= old.time <= end]
        within = [
            old
            for old in self._live
            if old.covers and start <= old.covers[0] and old.covers[1] <= end
        ]
        gone = [span for old in [*within, *inside] for span in old.spans]
        text = "\n".join(
            map(words_of, parts_of({"content": member(compaction, "compactedContent")}))
        )
        cause = self._causes.get(known.id)
        if cause is not None:
            self.replay.decided_by(**cause.settings)
        id_ = safe_id(known.id)
        out = self.replay.digest(f"{id_}-summary", text, gone)
        self.replay.edit(
            id_, "summarize", "model", gone, out, trigger=cause.trigger if cause else None
        )
        known.edit, known.covers = id_, (start, end)
        known.spans.append(out.id)

    def _rewind(self, known: Known, invocation: str) -> None:
        """From the first event of that invocation on, everything leaves."""
        start = next((i for i, old in enumerate(self._live) if old.invocation == invocation), None)
        if start is None:
            self.replay.rec.skip("rewind to an invocation that is not here")
            return
        left = self._live[start:]
        self._live = self._live[:start]
        crossed = [old.edit for old in left if old.edit is not None]
        spans = {span for old in left for span in old.spans}
        self.replay.rewind(safe_id(known.id), spans, crossed)
        text = "a rewind took back the session's state; what the tools did stays done"
        self.replay.rec.note("status", "finding", text, self.replay.rec.next - 1)

    def _usage(self, event: Members, *, of_a_summary: bool) -> None:
        """The call that wrote a summary read a window of its own."""
        usage = member(event, "usageMetadata")
        sent, answered = member(usage, "promptTokenCount"), member(usage, "candidatesTokenCount")
        if isinstance(sent, int):
            answered = answered if isinstance(answered, int) else 0
            self.replay.usage(sent, answered, window=None if of_a_summary else sent + answered)


def _waits(answer: Members, event: Members) -> bool:
    """The first answer to a call that needs a confirmation says only that it needs one."""
    asked = member(event.get("actions"), "requestedToolConfirmations")
    return isinstance(asked, dict) and str(answer.get("id")) in asked


def _confirmed(response: Any) -> bool:
    """`{"confirmed": true}`, which the web client wraps once more as a text."""
    if isinstance(response, dict) and isinstance(response.get("response"), str):
        response = peek(response["response"].encode())
    return isinstance(response, dict) and response.get("confirmed") is True


def _time(event: Members) -> float:
    return _number(event.get("timestamp"))


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
