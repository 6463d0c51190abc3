"""LangChain and LangGraph: a middleware that journals summarisations and holds tool calls.

    agent = create_agent(model, tools, middleware=[
        SummarizationMiddleware(model, trigger=("messages", 40)),
        JournalGuard(recorder, reads={"read_file"}),
    ])

Put it behind whatever edits the messages. One `JournalGuard` is one run: one thread of the graph.
With `pause=True` a held call is a LangGraph interrupt in the shape of `HITLRequest`, answered by
`Command(resume={"decisions": [...]})`: approve, edit or reject. An `approve` there lets nothing
through by itself; the gate on the server must be approved by a person (`gates.md`).

Seen in langchain 1.5.2 and langgraph 1.2.24 (2026-11); `runtimes/others.md` 7.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

from langchain.agents.middleware import AgentMiddleware
from langchain.agents.middleware.human_in_the_loop import (
    Decision,
    HITLRequest,
    RejectDecision,
    ReviewConfig,
)
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.types import Command, interrupt

from guard.canonical import digest
from guard.client import API, Json, NotAllowed, Permit, Planned, Recorder, Verdict, sha256
from guard.digest import compare
from guard.effects import Call, classify
from guard.facts import Fact, extract, named
from guard.fates import noted

ToolAnswer: TypeAlias = ToolMessage | Command[Any]
ROLES = {"human": "user", "ai": "assistant", "system": "system"}
PATHS = ("path", "file_path", "filename")
DECISIONS = ReviewConfig(action_name="", allowed_decisions=["approve", "edit", "reject"])


def decision_of(gate: Mapping[str, Any]) -> Decision:
    """The answer to a gate in the words of LangChain's human-in-the-loop contract."""
    if gate.get("state") in {"approved", "consumed"}:
        return {"type": "approve"}
    said = gate.get("reason") or gate.get("why") or gate.get("next_step") or gate.get("state")
    return {"type": "reject", "message": str(said)}


class Window:
    """The messages as the journal has them, and the events that bring it up to date."""

    def __init__(self) -> None:
        self._hashes: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._facts: dict[str, dict[str, Fact]] = {}

    def events(self, messages: Sequence[BaseMessage]) -> list[Json]:
        """Spans that came, and the edit that took the ones that are gone."""
        here = {_id(message): message for message in messages}
        gone = [name for name in self._hashes if name not in here]
        digests = [name for name, message in here.items() if _is_digest(message)]
        made = [name for name in digests if name not in self._hashes]
        found: list[Json] = []
        if gone or made:
            found += self._edit(gone, here[made[0]] if made else None)
        calls = _calls(messages)
        for name, message in here.items():
            if self._hashes.get(name) != sha256(_text(message)) and name not in made[:1]:
                found.append(self._span(name, message, calls))
        return found

    def _span(self, name: str, message: BaseMessage, calls: Mapping[str, Json]) -> Json:
        text = _text(message)
        call = calls.get(message.tool_call_id, {}) if isinstance(message, ToolMessage) else {}
        args = call.get("args", {})
        path = next((str(args[key]) for key in PATHS if args.get(key)), None)
        source = {"path": path, "tool": call.get("name")}
        role = ROLES.get(message.type, "tool")
        facts = named(extract(text, path or call.get("name") or role))
        self._keep(name, text, facts)
        span = {"kind": "span", "id": name, "hash": sha256(text), "role": role, "text": text}
        said = {key: value for key, value in source.items() if value}
        return {**span, **({"source": said} if said else {}), "facts": _values(facts)}

    def _keep(self, name: str, text: str, facts: dict[str, Fact]) -> None:
        self._hashes[name], self._texts[name], self._facts[name] = sha256(text), text, facts

    def _edit(self, gone: list[str], summary: BaseMessage | None) -> list[Json]:
        """What was taken before this middleware looked is not known, and is said to be so."""
        facts = {name: fact for span in gone for name, fact in self._facts[span].items()}
        before = "\n".join(self._texts[name] for name in gone)
        prior = {name: self._hashes[name] for name in gone}
        out: Json | None = None
        kept: dict[str, Fact] = {}
        if summary is not None:
            text, name = _text(summary), _id(summary)
            found = compare(list(facts.values()), before, text)
            became = dict(zip(facts, (row.status for row in found.checked), strict=True))
            kept = {name: fact for name, fact in facts.items() if became[name] == "kept"}
            out = {"id": name, "hash": sha256(text), "text": text, "facts": _values(kept)}
            out["digest_check"] = noted(became, (claim.text for claim in found.added))
        edit: Json = {"kind": "edit", "id": f"edit-{digest([gone, out])[7:23]}", "in": gone}
        edit |= {"op": "summarize" if out else "drop", "by": "model", "out": out}
        if not gone:
            edit["fidelity"] = "unknown"
        for name in gone:
            del self._hashes[name], self._texts[name], self._facts[name]
        if summary is not None and out is not None:
            self._keep(_id(summary), _text(summary), kept)
        return [{"kind": "record", "edit": edit["id"], "prior": prior}, edit]


class JournalGuard(AgentMiddleware[Any, Any, Any]):
    """Journals the window, and lets a tool call run only when it may.

    `reads`: tools that only read; they run at once, also while the server is away.
    `pause`: a held call interrupts the graph; otherwise it waits here for `wait_s` seconds.
    """

    def __init__(
        self,
        recorder: Recorder,
        *,
        reads: Collection[str] = (),
        wait_s: float = 3540.0,
        pause: bool = False,
    ) -> None:
        super().__init__()
        self.recorder = recorder
        self.reads = frozenset(reads)
        self.wait_s = wait_s
        self.pause = pause
        self.window = Window()

    def see(self, messages: Sequence[BaseMessage]) -> None:
        """Record what changed in the window since the last look."""
        events = self.window.events(messages)
        if events:
            self.recorder.append(*events)

    def before_model(self, state: Any, runtime: Any) -> None:  # noqa: ARG002 - LangChain's shape
        """The window that the model is about to read."""
        self.see(state["messages"])

    async def abefore_model(self, state: Any, runtime: Any) -> None:  # noqa: ARG002
        """The same, off the event loop."""
        await asyncio.to_thread(self.see, state["messages"])

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolAnswer]
    ) -> ToolAnswer:
        """Run the call, or answer the model with the reason why not, in one line."""
        try:
            allowed, effect = self._allowed(request)
        except NotAllowed as refused:
            return _not_run(request, str(refused))
        if effect is None:
            return handler(allowed)
        with self.recorder.doing(effect) as permit:
            return _noted(permit, handler(allowed))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolAnswer]]
    ) -> ToolAnswer:
        """The same, waiting off the event loop."""
        try:
            allowed, effect = await asyncio.to_thread(self._allowed, request)
        except NotAllowed as refused:
            return _not_run(request, str(refused))
        if effect is None:
            return await handler(allowed)
        with self.recorder.doing(effect) as permit:
            return _noted(permit, await handler(allowed))

    def _allowed(self, request: ToolCallRequest) -> tuple[ToolCallRequest, Planned | None]:
        """The call that may run, as it is or as a person edited it. Raises `NotAllowed`."""
        call, edits = request.tool_call, 0
        while True:
            if call["name"] in self.reads:
                return request.override(tool_call=call), None
            effect = f"{call['id']}.{edits}" if edits else str(call["id"])
            told = self._judged(request, effect, call)
            if told is None or not told["write"]:
                return request.override(tool_call=call), None
            decision = self._answered(Verdict.of(told), effect, call, str(told["body"]))
            if decision["type"] == "edit":
                edited = decision["edited_action"]
                call = {**call, "name": edited["name"], "args": edited["args"]}
                edits += 1
                continue
            if decision["type"] != "approve":
                raise NotAllowed(str(decision.get("message") or "a person rejected this call"))
            return request.override(tool_call=call), _planned(effect, call, told)

    def _judged(self, request: ToolCallRequest, effect: str, call: Any) -> Json | None:
        """What the server says of a call; None for a read that needs no server."""
        asked = {"id": effect, "tool": call["name"], "input": call["args"], "hold": {}}
        run = quote(self.recorder.run, safe="")
        try:
            self.see(_messages(request.state))
            self.recorder.flush()
            # A graph runs this node again after an interrupt: the first answer still counts.
            key = digest([self.recorder.run, effect, call["name"], call["args"]])
            return self.recorder.client.call("POST", f"{API}/runs/{run}/calls", asked, key=key)
        except NotAllowed:
            judged = classify(Call(call["name"], call["args"]))
            if judged.write or judged.certainty != "proven":
                raise
            return None

    def _answered(self, verdict: Verdict, effect: str, call: Any, body: str) -> Decision:
        """What became of the question. Returns `approve` only for a gate that was consumed."""
        if verdict.may:
            return {"type": "approve"}
        if verdict.verdict != "gate" or not verdict.gates:
            raise NotAllowed(str(verdict))
        if self.pause:
            decision = _paused(verdict, call)
            if decision["type"] != "approve":
                for gate in verdict.gates:
                    self._withdraw(str(gate["gate"]))
                return decision
        until = time.monotonic() + self.wait_s
        self.recorder.client.use(list(verdict.gates), effect, body, until)
        return {"type": "approve"}

    def _withdraw(self, gate: str) -> None:
        """Nobody needs the answer any more."""
        self.recorder.client.call("POST", f"{API}/gates/{quote(gate, safe='')}/withdraw")


def _paused(verdict: Verdict, call: Any) -> Decision:
    """Interrupt the graph; the decision it is resumed with."""
    names = ", ".join(str(gate["gate"]) for gate in verdict.gates)
    action = {"name": call["name"], "args": call["args"]}
    asked: HITLRequest = {
        "action_requests": [{**action, "description": f"{names}: {verdict}"}],  # type: ignore[typeddict-item]
        "review_configs": [{**DECISIONS, "action_name": call["name"]}],
    }
    decisions = interrupt(asked)["decisions"]
    if len(decisions) != 1 or decisions[0].get("type") not in DECISIONS["allowed_decisions"]:
        refused: RejectDecision = {"type": "reject", "message": "one approve, edit or reject"}
        return refused
    decision: Decision = decisions[0]
    return decision


def _planned(effect: str, call: Any, told: Json) -> Planned:
    return Planned(effect, "", tool=call["name"], reversibility=told["class"], body=told["body"])


def _noted(permit: Permit, answer: ToolAnswer) -> ToolAnswer:
    """A tool that answers with an error may have done a part of it."""
    if isinstance(answer, ToolMessage) and answer.status == "error":
        permit.failed(partial=True)
    return answer


def _not_run(request: ToolCallRequest, why: str) -> ToolMessage:
    call = request.tool_call
    text = f"Not run: {' '.join(why.split())} Do not work around it."
    return ToolMessage(text, name=call["name"], tool_call_id=call["id"] or "", status="error")


def _messages(state: Any) -> Sequence[BaseMessage]:
    found = state["messages"] if isinstance(state, Mapping) else state
    return found if isinstance(found, list) else []


def _calls(messages: Iterable[BaseMessage]) -> dict[str, Json]:
    """Tool calls by their id."""
    return {
        str(call["id"]): {"name": call["name"], "args": call["args"]}
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }


def _is_digest(message: BaseMessage) -> bool:
    return message.additional_kwargs.get("lc_source") == "summarization"


def _values(facts: Mapping[str, Fact]) -> Json:
    return {name: fact.value for name, fact in facts.items()}


def _text(message: BaseMessage) -> str:
    """The words of a message and the calls it makes: what the model reads."""
    made = message.tool_calls if isinstance(message, AIMessage) else []
    return "\n".join([str(message.text), *(f"{call['name']} {call['args']}" for call in made)])


def _id(message: BaseMessage) -> str:
    """LangGraph names every message of its state; one that it did not is named by its text."""
    return (message.id or sha256(_text(message))).replace("#", "%23")
