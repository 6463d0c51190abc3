"""A native journal being written: numbers, times and hashes for the events of a sample run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any


def sha256(text: str) -> str:
    """The hash of a text as the journal writes it: `sha256:` and 64 hex digits of its UTF-8."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def tokens(text: str) -> int:
    """Roughly the size of a text in tokens: four characters each."""
    return len(text) // 4 + 1


class Script:
    """Appends events to one sample journal; `seq` and `at` are given here, never by the caller."""

    def __init__(self, run_id: str, start: datetime, **header: Any) -> None:
        self.run_id = run_id
        self._now = start
        self._texts: dict[str, str] = {}
        self._rows: list[dict[str, Any]] = [
            {"kind": "journal", "format": "context-journal/1", "id": run_id, **header}
        ]

    @property
    def seq(self) -> int:
        """The number of the last event, 0 before the first one."""
        return len(self._rows) - 1

    def wait(self, seconds: float) -> None:
        """Let time pass before the next event."""
        self._now += timedelta(seconds=seconds)

    def add(self, kind: str, **fields: Any) -> int:
        """Append one event and return its number."""
        self.wait(2)
        at = self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._rows.append({"kind": kind, "seq": self.seq + 1, "at": at, **fields})
        return self.seq

    def span(
        self, span_id: str, text: str, facts: Mapping[str, str] | None = None, **fields: Any
    ) -> None:
        """A span whose hash and size come from its text."""
        self._texts[span_id] = text
        self.add(
            "span",
            id=span_id,
            hash=sha256(text),
            text=text,
            tokens=fields.pop("tokens", tokens(text)),
            facts=dict(facts or {}),
            **fields,
        )

    def hash_of(self, span_id: str) -> str:
        return sha256(self._texts[span_id])

    def record(self, edit: str, taken: list[str], *, payload: bool = True) -> None:
        prior = {span_id: self.hash_of(span_id) for span_id in taken}
        self.add("record", edit=edit, prior=prior, payload=payload)

    def out(
        self, edit: str, text: str, facts: Mapping[str, str] | None = None, **more: Any
    ) -> dict[str, Any]:
        """What an edit puts into the window: a digest with its text, size and facts."""
        span_id = f"d:{edit}"
        self._texts[span_id] = text
        return {
            "id": span_id,
            "hash": sha256(text),
            "text": text,
            "tokens": tokens(text),
            "facts": dict(facts or {}),
            **more,
        }

    def usage(self, window: int, limit: int = 200_000, output: int = 400) -> None:
        self.add(
            "usage",
            input_tokens=window,
            output_tokens=output,
            window_tokens=window + output,
            limit_tokens=limit,
        )

    def lines(self) -> bytes:
        """The journal as NDJSON."""
        return b"".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for row in self._rows
        )
