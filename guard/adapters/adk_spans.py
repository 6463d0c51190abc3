"""OpenTelemetry spans of ADK: what started a compaction, its settings, and the tools that ran.

Seen in 2.13.0 (2026-11), as the console exporter writes them. `gen_ai.compaction.*` are ADK's own
names; they are no semantic convention.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from guard.adapters.emit import Replay
from guard.adapters.emit_times import from_text
from guard.adapters.shapes import Members

_SETTINGS = (
    "summarizer_type",
    "token_threshold",
    "event_retention_size",
    "compaction_interval",
    "overlap_size",
)


class Span(Struct, frozen=True):
    """One span, as far as it concerns a journal."""

    name: str
    start: str
    attributes: Members
    failed: bool

    def _text(self, name: str) -> str:
        value = self.attributes.get(name)
        return value if isinstance(value, str) else ""

    @property
    def result(self) -> str:
        """The event that a compaction wrote."""
        return self._text("gen_ai.compaction.result_event_id")

    @property
    def event(self) -> str:
        """An event of the session that this span names."""
        return self.result or self._text("gcp.vertex.agent.event_id")

    @property
    def conversation(self) -> str:
        """The session."""
        return self._text("gen_ai.conversation.id")

    @property
    def trigger(self) -> str | None:
        """What started a compaction."""
        return self._text("gen_ai.compaction.trigger") or None

    @property
    def settings(self) -> Members:
        """The settings in force at a compaction."""
        found = {name: self.attributes.get(f"gen_ai.compaction.{name}") for name in _SETTINGS}
        return {name: value for name, value in found.items() if value is not None}


def spans_of(document: Any) -> Iterator[Span]:
    """The spans of a document: a list of them, or a single one."""
    for value in document if isinstance(document, list) else [document]:
        if isinstance(value, dict) and isinstance(value.get("attributes"), dict):
            status = value.get("status")
            code = status.get("status_code") if isinstance(status, dict) else None
            start = str(value.get("start_time") or "")
            yield Span(str(value.get("name")), start, value["attributes"], code == "ERROR")


def replay_spans(replay: Replay, spans: Sequence[Span], *, alone: bool) -> None:
    """Beside the events of the session, spans add nothing more; `alone` they tell what they can."""
    for span in sorted(spans, key=lambda span: span.start):
        replay.rec.record()
        replay.at = from_text(span.start)
        operation = span.attributes.get("gen_ai.operation.name")
        if not alone:
            _beside(replay, span)
        elif operation == "execute_tool":
            _tool(replay, span)
        elif operation == "compact_events":
            _compaction(replay, span)
        else:
            replay.rec.skip(f"span {operation or span.name}")


def _beside(replay: Replay, span: Span) -> None:
    if span.result:
        replay.rec.use()
    else:
        replay.rec.skip(f"span {span.attributes.get('gen_ai.operation.name') or span.name}")


def _tool(replay: Replay, span: Span) -> None:
    """A tool ran; with what, and whether it waited for a confirmation, is not in a span."""
    call = str(span.attributes.get("gen_ai.tool.call.id"))
    replay.call(call, str(span.attributes.get("gen_ai.tool.name")))
    replay.end(call, "failed" if span.failed else "committed", partial=span.failed)


def _compaction(replay: Replay, span: Span) -> None:
    count = span.attributes.get("gen_ai.compaction.event_count")
    replay.decided_by(runtime="google-adk", **span.settings)
    replay.edit(
        span.result or None,
        "summarize",
        "model",
        [],
        fidelity="count" if isinstance(count, int) else "unknown",
        trigger=span.trigger,
        count=count if isinstance(count, int) else None,
    )
