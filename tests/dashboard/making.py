"""Journals and requests that several tests of the dashboard use."""

from __future__ import annotations

import hashlib
import json
from typing import Any

HEADER = {
    "kind": "journal",
    "format": "context-journal/1",
    "id": "run-7",
    "runtime": "acme-agent",
    "agent": "agent-1",
    "ledger": "complete",
}
PAYLOAD = '{"lifecycle":{"days":1}}'
DIGEST = "The uploader was reviewed. Region is eu-west-1."


def sha(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


CONFIG = "region: eu-west-1\nmax_retries: 0\n"
SPAN = {
    "kind": "span",
    "seq": 1,
    "at": "2026-11-30T10:00:00Z",
    "id": "s1",
    "hash": sha(CONFIG),
    "text": CONFIG,
    "source": {"path": "config/uploader.yaml", "tool": "read_file"},
    "facts": {
        "config/uploader.yaml:max_retries": "0",
        "config/uploader.yaml:region": "eu-west-1",
    },
}
RECORD = {
    "kind": "record",
    "seq": 2,
    "edit": "e1",
    "prior": {"s1": sha(CONFIG)},
    "payload": True,
}
EDIT = {
    "kind": "edit",
    "seq": 3,
    "at": "2026-11-30T10:01:00Z",
    "id": "e1",
    "op": "summarize",
    "by": "model",
    "in": ["s1"],
    "out": {
        "id": "d1",
        "hash": sha(DIGEST),
        "text": DIGEST,
        "tokens": 40,
        "facts": {"config/uploader.yaml:region": "eu-west-1"},
    },
}
PATCH = {
    "kind": "effect",
    "seq": 4,
    "id": "patch",
    "class": "irreversible",
    "body": sha(PAYLOAD),
    "tool": "http.patch",
    "target": "storage.example.net/v2/buckets/eu-archive",
}


def lines(*events: dict[str, Any]) -> bytes:
    """Events as native lines."""
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def incident(journal: str = "run-7") -> bytes:
    """A digest loses a limit, an irreversible patch follows, the window is rolled back."""
    return lines(
        {**HEADER, "id": journal},
        SPAN,
        RECORD,
        EDIT,
        {**PATCH, "state": "started"},
        {**PATCH, "seq": 5, "state": "committed", "at": "2026-11-30T10:02:00Z"},
        {"kind": "rollback", "seq": 6, "id": "r1", "edits": ["e1"]},
    )


def numberless(event: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in event.items() if name != "seq"}
