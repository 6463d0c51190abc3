"""Telemetry of Gemini CLI: log records with decisions, modes and sizes that a session file lacks.

Seen in 0.61.0 (2026-11), one JSON object a line. Records are joined by time: they name no message.
"""

from __future__ import annotations

from collections.abc import Callable

from guard.adapters.emit import Replay
from guard.adapters.emit_rows import Row, peek
from guard.adapters.emit_times import from_text
from guard.adapters.shapes import Members
from guard.events import EffectState


def session_of(record: Members) -> str | None:
    """The session that a log record names."""
    attributes = record.get("attributes")
    found = attributes.get("session.id") if isinstance(attributes, dict) else None
    return found if isinstance(found, str) else None


class Telemetry:
    """Replays log records. `alone` = no session file says the same, and more, beside it."""

    def __init__(self, replay: Replay, *, alone: bool) -> None:
        self.replay = replay
        self._alone = alone
        self._names: dict[str, Callable[[Members], None]] = {
            "gemini_cli.config": self._config,
            "gemini_cli.tool_call": self._tool_call,
            "gemini_cli.api_response": self._api_response,
            "gemini_cli.chat_compression": self._compression,
            "gemini_cli.tool_output_masking": self._masking,
            "gemini_cli.rewind": self._rewind,
            "gemini_cli.approval_mode_switch": self._mode,
            "gemini_cli.plan.approval_mode_switch": self._mode,
        }

    def take(self, row: Row) -> None:
        """One log record, as Gemini CLI writes it to a file."""
        attributes = row.value.get("attributes")
        self.event(attributes if isinstance(attributes, dict) else {})

    def event(self, said: Members) -> None:
        """One log record by its attributes."""
        self.replay.at = from_text(said.get("event.timestamp")) or self.replay.at
        name = str(said.get("event.name"))
        if name in self._names:
            self._names[name](said)
        else:
            self.replay.rec.skip(name)

    def _config(self, said: Members) -> None:
        self.replay.decided_by(runtime="gemini-cli", model=said.get("model"))
        self.replay.settle()
        self.replay.permission({"approval_mode": said.get("approval_mode")})

    def _mode(self, said: Members) -> None:
        self.replay.permission({"approval_mode": said.get("to_mode")})

    def _tool_call(self, said: Members) -> None:
        """`decision` accept, reject or modify: a person's; auto_accept: nobody was asked."""
        id_ = f"effect-{self.replay.rec.next}"
        if not self._alone:
            self._decided(said)
            return
        arguments = said.get("function_args")
        sent = peek(arguments.encode()) if isinstance(arguments, str) else None
        self.replay.call(id_, str(said.get("function_name")), sent)
        state: EffectState = "committed" if said.get("success") is True else "failed"
        refused = said.get("decision") == "reject"
        self.replay.end(id_, state, partial=not refused)

    def _decided(self, said: Members) -> None:
        """Which of the calls it was is not on record: a finding, not a gate."""
        if said.get("decision") in ("accept", "modify", "reject"):
            text = f"telemetry: a call of {said.get('function_name')} was decided: "
            self.replay.rec.note("authorization", "finding", text + str(said.get("decision")))
        self.replay.rec.use()

    def _api_response(self, said: Members) -> None:
        if not self._alone or said.get("role") != "main":
            self.replay.rec.skip(f"api_response {said.get('role')}")
            return
        sent, answered = said.get("input_token_count"), said.get("output_token_count")
        if isinstance(sent, int) and isinstance(answered, int):
            self.replay.usage(sent, answered, window=sent + answered)

    def _compression(self, said: Members) -> None:
        before, after = said.get("tokens_before"), said.get("tokens_after")
        self.replay.rec.note("closure", "finding", f"compressed from {before} to {after} tokens")
        if self._alone:
            self.replay.edit(None, "summarize", "model", [], fidelity="unknown")
        self.replay.rec.use()

    def _masking(self, said: Members) -> None:
        count = said.get("masked_count")
        if self._alone:
            known = count if isinstance(count, int) else None
            fidelity = "unknown" if known is None else "count"
            self.replay.edit(None, "evict", "host", [], fidelity=fidelity, count=known)  # type: ignore[arg-type]
        self.replay.rec.use()

    def _rewind(self, said: Members) -> None:
        text = f"a rewind by /rewind: {said.get('outcome')} (rewind_only leaves files as they are)"
        self.replay.rec.note("status", "finding", text)
        if self._alone:
            self.replay.edit(None, "drop", "human", [], fidelity="unknown")
        self.replay.rec.use()
