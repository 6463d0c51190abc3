"""What Codex says while it runs and does not keep in its rollout: who decided, and the threshold.

Seen in 0.171.0 (2026-11): OpenTelemetry log records (`codex.*`), payloads of hooks, and the
JSON-RPC of the app server, whose answers are marked `>> `.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from guard.adapters.emit import Replay, Shown
from guard.adapters.emit_rows import peek
from guard.adapters.emit_times import from_ms, from_ns, from_text
from guard.adapters.otlp_decode import attributes_of
from guard.adapters.shapes import Members
from guard.effects import Call, outcome
from guard.events import EffectState

_ACCEPTED = {"accept", "acceptForSession", "acceptWithExecpolicyAmendment"}
_CALL_ITEMS = {"commandExecution": "exec_command", "fileChange": "apply_patch"}


def log_time(record: Members) -> str:
    """The time of an OpenTelemetry log record, or nothing."""
    said = attributes_of(record).get("event.timestamp")
    return from_text(said) or from_ns(record.get("observedTimeUnixNano")) or ""


class DecisionLog:
    """Log records of Codex: decisions with their source, results, and the settings in force."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.version = ""
        self.conversation = ""
        self._events: dict[str, Callable[[Members], None]] = {
            "codex.conversation_starts": self._starts,
            "codex.tool_decision": self._decision,
            "codex.tool_result": self._result,
            "codex.sse_event": self._sse_event,
        }

    def take(self, record: Members) -> None:
        """One log record."""
        said = attributes_of(record)
        self.replay.at = log_time(record) or None
        self.version = str(said.get("app.version") or self.version)
        self.conversation = self.conversation or str(said.get("conversation.id") or "")
        name = str(said.get("event.name"))
        if name in self._events:
            self._events[name](said)
        else:
            self.replay.rec.skip(name)

    def _starts(self, said: Members) -> None:
        self.replay.decided_by(
            runtime="codex",
            version=self.version,
            model=said.get("model"),
            window=said.get("context_window"),
            threshold=said.get("auto_compact_token_limit"),
        )
        self.replay.settle()
        self.replay.permission(
            {
                "approval_policy": said.get("approval_policy"),
                "sandbox": said.get("sandbox_policy"),
            }
        )

    def _decision(self, said: Members) -> None:
        """`source` User: a person was asked and answered. Config: nobody was asked."""
        call, tool = str(said.get("call_id")), str(said.get("tool_name"))
        self.replay.call(call, tool)
        gate = f"gate-{call}"
        if said.get("source") != "User" or gate in self.replay.gates:
            return
        approved = str(said.get("decision")).startswith("approved")
        self.replay.ask(gate, call, "agent")
        self.replay.answer(gate, approved=approved, by="user", human=True)

    def _result(self, said: Members) -> None:
        call, tool = str(said.get("call_id")), str(said.get("tool_name"))
        if call in self.replay.settled:
            self.replay.rec.use()
            return
        arguments = said.get("arguments")
        sent = peek(arguments.encode()) if isinstance(arguments, str) else None
        sent = sent if isinstance(sent, dict) else arguments
        self.replay.call(call, tool, sent)
        good = str(said.get("success")) == "true"
        became = outcome(Call(tool, sent, said.get("output")), error=not good)
        state: EffectState = "committed" if good else "failed"
        self.replay.end(call, state, partial=became.partial, sent=sent)

    def _sse_event(self, said: Members) -> None:
        sent, answered = said.get("input_token_count"), said.get("output_token_count")
        if isinstance(sent, int) and isinstance(answered, int):
            self.replay.usage(sent, answered, window=sent + answered)
        else:
            self.replay.rec.skip("codex.sse_event")


class Hooks:
    """Payloads that Codex gives to hooks: the shape of Claude Code's, and no time in them."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.session = ""
        self._trigger: str | None = None
        self._events: dict[str, Callable[[Members], None]] = {
            "SessionStart": self._session_start,
            "UserPromptSubmit": self._prompt,
            "PermissionRequest": self._permission_request,
            "PreToolUse": self._pre_tool,
            "PostToolUse": self._post_tool,
            "PreCompact": self._pre_compact,
            "PostCompact": self._post_compact,
        }

    def take(self, payload: Members) -> None:
        """One payload."""
        self.session = self.session or str(payload.get("session_id"))
        name = str(payload.get("hook_event_name"))
        if name in self._events:
            self._events[name](payload)
        else:
            self.replay.rec.skip(name)

    def _session_start(self, payload: Members) -> None:
        self.replay.decided_by(runtime="codex", model=payload.get("model"))
        self.replay.settle()
        self.replay.permission({"permission_mode": payload.get("permission_mode")})

    def _prompt(self, payload: Members) -> None:
        id_ = f"span-{self.replay.rec.next}"
        self.replay.show(Shown(id=id_, content=str(payload.get("prompt")), role="user"))

    def _permission_request(self, payload: Members) -> None:
        call = payload.get("tool_use_id")
        if isinstance(call, str):
            self.replay.call(call, str(payload.get("tool_name")), payload.get("tool_input"))
            self.replay.ask(f"gate-{call}", call, "agent")
        else:
            self.replay.rec.skip("PermissionRequest without a call")

    def _pre_tool(self, payload: Members) -> None:
        call, tool = str(payload.get("tool_use_id")), str(payload.get("tool_name"))
        self.replay.call(call, tool, payload.get("tool_input"))

    def _post_tool(self, payload: Members) -> None:
        call, tool = str(payload.get("tool_use_id")), str(payload.get("tool_name"))
        response = payload.get("tool_response")
        self.replay.show(
            Shown(
                id=f"span-{self.replay.rec.next}",
                content=response,
                role="tool",
                tool=tool,
                effect=call,
            )
        )
        self.replay.result(call, response)

    def _pre_compact(self, payload: Members) -> None:
        trigger = payload.get("trigger")
        self._trigger = trigger if isinstance(trigger, str) else None
        self.replay.rec.use()

    def _post_compact(self, payload: Members) -> None:
        """Hooks see that it happened, neither what went nor what came."""
        trigger = str(payload.get("trigger") or self._trigger)
        self.replay.edit(None, "summarize", "model", [], fidelity="unknown", trigger=trigger)


class AppServer:
    """The JSON-RPC between the app server and its client, which alone sees every answer."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.thread = ""
        self._asked: dict[str, str] = {}
        self._methods: dict[str, Callable[[Members], None]] = {
            "thread/tokenUsage/updated": self._token_usage,
            "item/started": self._item_started,
            "item/completed": self._item_completed,
        }

    def take(self, message: Members) -> None:
        """One message of either side."""
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        self.thread = self.thread or str(params.get("threadId") or "")
        self.replay.at = from_ms(message.get("emittedAtMs") or params.get("startedAtMs"))
        method = str(message.get("method"))
        if message.get("method") is None:
            self._answer(message)
        elif method.endswith("/requestApproval"):
            self._question(message.get("id"), params)
        elif method in self._methods:
            self._methods[method](params)
        else:
            self.replay.rec.skip(method)

    def _question(self, request: Any, params: Members) -> None:
        call = str(params.get("itemId"))
        if isinstance(params.get("command"), str):
            self.replay.call(call, "exec_command", {"cmd": params["command"]})
        self.replay.ask(f"gate-{call}", call, "agent")
        self._asked[str(request)] = call

    def _answer(self, message: Members) -> None:
        call = self._asked.get(str(message.get("id")))
        result = message.get("result")
        decision = result.get("decision") if isinstance(result, dict) else None
        if call is None or decision is None:
            self.replay.rec.skip("answer to another request")
            return
        name = next(iter(decision), "") if isinstance(decision, dict) else decision
        approved = str(name) in _ACCEPTED
        # The protocol does not say who sits at the client.
        self.replay.answer(f"gate-{call}", approved=approved, by="client", human=False)

    def _token_usage(self, params: Members) -> None:
        said = params.get("tokenUsage")
        said = said if isinstance(said, dict) else {}
        last = said.get("last")
        last = last if isinstance(last, dict) else {}
        sent, answered = last.get("inputTokens"), last.get("outputTokens")
        limit = said.get("modelContextWindow")
        if isinstance(sent, int) and isinstance(answered, int) and sent:
            known = limit if isinstance(limit, int) else None
            self.replay.usage(sent, answered, window=sent + answered, limit=known)
        else:
            self.replay.rec.skip("token count without a call")

    def _item_started(self, params: Members) -> None:
        item = params.get("item")
        item = item if isinstance(item, dict) else {}
        tool = _CALL_ITEMS.get(str(item.get("type")))
        if tool is None:
            self.replay.rec.skip(f"item/started {item.get('type')}")
            return
        sent = {name: item[name] for name in ("command", "changes", "cwd") if name in item}
        self.replay.call(str(item.get("id")), tool, sent)

    def _item_completed(self, params: Members) -> None:
        item = params.get("item")
        item = item if isinstance(item, dict) else {}
        kind, call = str(item.get("type")), str(item.get("id"))
        if kind == "contextCompaction":
            self.replay.edit(call, "summarize", "model", [], fidelity="unknown")
        elif kind not in _CALL_ITEMS:
            self.replay.rec.skip(f"item/completed {kind}")
        else:
            failed = item.get("status") != "completed" or item.get("exitCode") not in (0, None)
            partial = failed and item.get("status") != "declined"
            self.replay.end(call, "failed" if failed else "committed", partial=partial)
