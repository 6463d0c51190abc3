"""Spans and log records of an instrumented agent, replayed: each model call shows a window.

The window of one call is compared with what is known from the call before it. Conventions: see
`otlp_messages`. No attribute says what a compaction took, who wrote it or why: it is a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field

from guard.adapters.codex_live import DecisionLog
from guard.adapters.emit import PERMISSION_MODE, Replay, Shown, content_hash, safe_id
from guard.adapters.emit_rows import peek
from guard.adapters.emit_times import from_ns
from guard.adapters.gemini_telemetry import Telemetry
from guard.adapters.otlp_decode import Signal
from guard.adapters.otlp_messages import Part, instructions_of, parts_of
from guard.adapters.shapes import Members
from guard.events import MAIN, Gap, Out

_MODEL_CALLS = {"chat", "text_completion", "generate_content"}
_COMPACTIONS = {"compact", "compact_events"}
_ERROR = {"2", "STATUS_CODE_ERROR", "ERROR"}
_SHRUNK = 0.8
"""A window that lost everything sends fewer tokens than this part of the call before it."""


class Agent(Struct):
    """What is known of one window: whether a call showed it, and the size of that call."""

    calls: int = 0
    captured_output: bool = False
    flagged: bool = False
    sent: int = 0
    instructions: list[str] = field(default_factory=list)


class Conversation:
    """Replays the signals of one conversation."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.service = self.version = ""
        self._agents: dict[str, Agent] = {}
        self._main_agent = ""
        self._seen: set[str] = set()
        self._codex = DecisionLog(replay)
        self._gemini = Telemetry(replay, alone=True)

    def take(self, signal: Signal) -> None:
        """One span or log record."""
        said = signal.attributes
        self.replay.at = time_of(signal)
        self._resource(signal.resource)
        name = str(said.get("event.name") or signal.record.get("eventName") or "")
        if name.startswith("codex."):
            self._codex.take(signal.record)
        elif name.startswith("gemini_cli."):
            self._gemini.event(said)
        else:
            self._genai(signal)
        self.replay.rec.skip(name or f"span {operation_of(said) or signal.record.get('name')}")

    def _resource(self, resource: Members) -> None:
        self.service = self.service or str(resource.get("service.name") or "")
        self.version = self.version or str(resource.get("service.version") or "")

    def _genai(self, signal: Signal) -> None:
        said = signal.attributes
        operation = operation_of(said)
        takers: dict[str, Callable[[Signal], None]] = {
            **dict.fromkeys(_MODEL_CALLS, self._model_call),
            **dict.fromkeys(_COMPACTIONS, self._compaction),
            "execute_tool": self._tool,
        }
        span = str(signal.record.get("spanId") or "")
        again = bool(span) and f"{span} {operation}" in self._seen
        if operation in takers and not again:
            self._seen.add(f"{span} {operation}")
            self._enter(said)
            takers[operation](signal)
        if signal.record.get("droppedAttributesCount"):
            text = "attributes were dropped by the sender: this record is not whole"
            self.replay.rec.note("reading", "finding", text)

    def _enter(self, said: Members) -> None:
        """Each agent has its own window; one that is not named is the first one."""
        agent = str(said.get("gen_ai.agent.id") or said.get("gen_ai.agent.name") or "")
        self._main_agent = self._main_agent or agent
        branch = MAIN if agent in {"", self._main_agent} else agent
        if not self.replay.has_branch(branch):
            self.replay.branch = MAIN
            self.replay.fork(branch)
        self.replay.branch = branch

    # Model calls

    def _model_call(self, signal: Signal) -> None:
        said = signal.attributes
        self.replay.decided_by(
            runtime=self.service or None,
            version=self.version or None,
            model=said.get("gen_ai.request.model") or said.get("llm.model_name"),
        )
        self.replay.settle()
        agent = self._agents.setdefault(self.replay.branch, Agent())
        flag = said.get("gen_ai.conversation.compacted") is True
        read = parts_of(said, "input")
        sent = _count(
            said,
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.prompt_tokens",
            "llm.token_count.prompt",
        )
        if read is None:
            self._unseen(flag=flag, agent=agent)
        else:
            self._instructions(agent, instructions_of(said))
            self._window(read, agent, flag=flag, sent=sent)
        self._usage(said, sent)
        wrote = parts_of(said, "output")
        for part in wrote or []:
            self._show(part)
        agent.calls += 1
        agent.captured_output = wrote is not None
        agent.flagged, agent.sent = flag, sent

    def _unseen(self, *, flag: bool, agent: Agent) -> None:
        """Without messages the flag is all there is; some senders leave it on ever after."""
        if flag and not agent.flagged:
            self.replay.edit(None, "summarize", "model", [], fidelity="unknown")

    def _instructions(self, agent: Agent, parts: Sequence[Part]) -> None:
        for index, part in enumerate(parts):
            id_ = f"instructions-{self.replay.branch}-{index}"
            self.replay.show(Shown(id=id_, content=part.content, text=part.text, role="system"))
            if id_ not in agent.instructions:
                agent.instructions.append(id_)

    def _window(self, read: Sequence[Part], agent: Agent, *, flag: bool, sent: int) -> None:
        kept, fresh = self._match(read)
        held = [
            s for s in self.replay.window if s not in agent.instructions and s != PERMISSION_MODE
        ]
        gone = [span for span in held if span not in kept]
        digest = next((part for part in fresh if part.kind == "compaction"), None)
        if gone and not kept and digest is None and not flag and self._only_news(agent, sent):
            gone = []
        if digest is None and not flag and agent.captured_output and _unknown_words(fresh):
            self.replay.rec.add(
                Gap,
                at=self.replay.at,
                what="a model call is missing: its answer is in the window of this one",
                consequence="calls of tools and edits may be missing",
            )
        if digest is not None or gone or (flag and not agent.flagged):
            fresh = self._edit(gone, fresh, digest, flag=flag, known=agent.calls > 0)
        for part in fresh:
            self._show(part)

    def _match(self, read: Sequence[Part]) -> tuple[set[str], list[Part]]:
        """Spans that are still read, and parts that are new. Nothing has an id of its own."""
        free: dict[str, list[str]] = {}
        for span, hash_ in self.replay.window.items():
            free.setdefault(hash_, []).append(span)
        kept: set[str] = set()
        fresh: list[Part] = []
        for part in read:
            spans = free.get(content_hash(part.content))
            if spans:
                kept.add(spans.pop(0))
            else:
                fresh.append(part)
        return kept, fresh

    def _only_news(self, agent: Agent, sent: int) -> bool:
        """Some senders record the new messages only; then the call is as large as before."""
        if not agent.sent or not sent or sent < agent.sent * _SHRUNK:
            return False
        text = "this sender records new messages only: what left the window cannot be seen"
        self.replay.rec.note("closure", "cannot prove", text)
        return True

    def _edit(
        self, gone: list[str], fresh: list[Part], digest: Part | None, *, flag: bool, known: bool
    ) -> list[Part]:
        """What left, and what stands in its place. Gives back the parts that are still new."""
        if digest is None and not flag:
            stubs = self._cleared(gone, fresh)
            rest = [span for span in gone if span not in stubs]
            if rest:
                self.replay.edit(None, "drop", "host", rest, fidelity="derived")
            return [part for part in fresh if part not in stubs.values()]
        fidelity = "derived" if known else "unknown"
        digest = digest or next((part for part in fresh if part.kind == "text"), None)
        out = None if digest is None else self._out(digest, gone, known=known)
        self.replay.edit(None, "summarize", "model", gone, out, fidelity=fidelity)  # type: ignore[arg-type]
        return [part for part in fresh if part is not digest]

    def _out(self, digest: Part, gone: Sequence[str], *, known: bool) -> Out:
        edit = self.replay.next_edit(recorded=known)
        id_ = safe_id(digest.id) if digest.id else f"{edit}-summary"
        if not digest.text:
            return self.replay.opaque(id_, digest.content)
        return self.replay.digest(id_, digest.content, gone, digest.text)

    def _cleared(self, gone: Sequence[str], fresh: Sequence[Part]) -> dict[str, Part]:
        """Results that stay under their calls with another content: the host cleared them."""
        stubs: dict[str, Part] = {}
        for part in fresh:
            span = next(
                (s for s in gone if part.kind == "result" and s == f"{part.id}/result"), None
            )
            if span is not None:
                stubs[span] = part
                out = self.replay.digest(span, part.content, [span], part.text)
                self.replay.edit(None, "evict", "host", [span], out, fidelity="derived")
        return stubs

    def _show(self, part: Part) -> None:
        id_ = f"span-{self.replay.rec.next}"
        if part.kind == "result" and part.id:
            id_ = safe_id(f"{part.id}/result")
        effect = part.id if part.kind in {"call", "result"} and part.id else None
        self.replay.show(
            Shown(id=id_, content=part.content, text=part.text, role=part.role, effect=effect)
        )
        if part.kind == "call" and part.id:
            sent = part.content.get("arguments") if isinstance(part.content, dict) else None
            self.replay.call(part.id, part.tool, sent)
        elif self._is_answer(part):
            self.replay.result(part.id, part.text)

    def _is_answer(self, part: Part) -> bool:
        known = self.replay.has_call(part.id) and part.id not in self.replay.settled
        return part.kind == "result" and known

    def _usage(self, said: Members, sent: int) -> None:
        answered = _count(
            said,
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
        )
        if sent:
            self.replay.usage(sent, answered, window=sent + answered)

    # Tools and compactions

    def _tool(self, signal: Signal) -> None:
        said, record = signal.attributes, signal.record
        call = str(
            said.get("gen_ai.tool.call.id")
            or said.get("tool_call.id")
            or said.get("tool.id")
            or record.get("spanId")
        )
        tool = str(said.get("gen_ai.tool.name") or said.get("tool.name") or record.get("name"))
        sent = _first(said, "gen_ai.tool.call.arguments", "tool.parameters", "input.value")
        answer = _first(said, "gen_ai.tool.call.result", "output.value")
        self.replay.call(call, tool, sent)
        if call in self.replay.settled:
            return
        status = record.get("status")
        code = status.get("code") if isinstance(status, dict) else None
        failed = str(code) in _ERROR or bool(said.get("error.type"))
        if answer is not None:
            self.replay.result(call, answer, error=failed)
        else:
            self.replay.end(call, "failed" if failed else "committed", partial=failed)

    def _compaction(self, signal: Signal) -> None:
        """A span of its own for a compaction, with a count at best (ADK, some harnesses)."""
        said = signal.attributes
        count = said.get("gen_ai.compaction.event_count")
        trigger = said.get("gen_ai.compaction.trigger")
        self.replay.edit(
            None,
            "summarize",
            "model",
            [],
            fidelity="count" if isinstance(count, int) else "unknown",
            trigger=trigger if isinstance(trigger, str) else None,
            count=count if isinstance(count, int) else None,
        )


def operation_of(said: Members) -> str:
    """The kind of work, in the words of the GenAI conventions."""
    kind = str(said.get("openinference.span.kind"))
    if kind in {"LLM", "TOOL"}:
        return "chat" if kind == "LLM" else "execute_tool"
    operation = said.get("gen_ai.operation.name")
    if isinstance(operation, str):
        return operation
    return (
        "chat" if "gen_ai.prompt.0.role" in said or said.get("llm.request.type") == "chat" else ""
    )


def time_of(signal: Signal) -> str | None:
    """When the work began, or the log record was made."""
    names = ("startTimeUnixNano", "timeUnixNano", "observedTimeUnixNano")
    return next(filter(None, (from_ns(signal.record.get(name)) for name in names)), None)


def _unknown_words(fresh: Sequence[Part]) -> bool:
    """Whether the model reads words of its own that were never heard."""
    return any(part.role == "assistant" and part.kind in {"text", "call"} for part in fresh)


def _count(said: Members, *names: str) -> int:
    found = next((said[name] for name in names if name in said), 0)
    return found if isinstance(found, int) and found > 0 else 0


def _first(said: Members, *names: str) -> Any:
    value = next((said[name] for name in names if name in said), None)
    inner = peek(value.encode()) if isinstance(value, str) else None
    return inner if isinstance(inner, dict) else value
