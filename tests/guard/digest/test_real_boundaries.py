"""Real compactions, read line by line: is the constraint found, and is no loss called kept?

The sessions are not ours to copy: the test reads them where they are and skips where they are not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from guard.digest import Checked, compare
from guard.facts import extract

SHARED = Path(__file__).parents[4] / "shared"
SESSIONS = SHARED / "corpus" / "public" / "claude-code"
BOUNDARIES = SHARED / "labels" / "real_boundaries.jsonl"
LOST = {"altered", "dropped", "weakened"}
SIGN = {
    "b015": "skip", "b017": "implement", "b019": "outstanding", "b020": "skip", "b022": "dev31",
    "b023": "skip", "b026": "start", "b029": "order", "b030": "directive", "b032": "stop",
    "b033": "manually", "b034": "test", "b067": "silent", "b068": "traceparent", "b069": "ash_",
    "b070": "raise", "b071": "routes", "b072": "schemas", "b073": "bodies", "b074": "spotter-4te",
    "b075": "first",
}  # fmt: skip
"""A word by which a reader recognises each constraint among the facts of its row."""


@pytest.fixture(scope="module")
def boundaries() -> list[dict[str, Any]]:
    if not (SESSIONS.is_dir() and BOUNDARIES.is_file()):
        pytest.skip("skipped: corpus not found")
    return [json.loads(line) for line in BOUNDARIES.read_text().splitlines() if line.strip()]


@cache
def _rows(name: str) -> list[str]:
    return (SESSIONS / name).read_text().split("\n")


def _words(content: object) -> Iterator[str]:
    """The text of a message, whatever its shape."""
    if isinstance(content, str):
        yield content
        return
    for item in content if isinstance(content, list) else ():
        yield from _words(item.get("text") or item.get("content"))


def _text(name: str, row: int) -> tuple[str, str]:
    message = json.loads(_rows(name)[row - 1]).get("message") or {}
    content = message.get("content")
    from_tool = isinstance(content, list) and any(i.get("type") == "tool_result" for i in content)
    return "Bash" if from_tool else "user", "\n".join(_words(content))


def _checked(row: dict[str, Any]) -> Checked | None:
    """The fact of the source row that is the constraint, held against the summary."""
    scope, source = _text(row["file"], row["source_row"])
    _, summary = _text(row["file"], row["summary_row"])
    result = compare(extract(source, scope), source, summary)
    sign = SIGN.get(row["id"])
    hits = (c for c in result.checked if sign and sign in c.fact.value.lower())
    return next(hits, None)


def test_most_constraints_are_found(boundaries: list[dict[str, Any]]) -> None:
    found = [row["id"] for row in boundaries if _checked(row) is not None]
    assert len(found) >= 0.7 * len(boundaries), sorted(SIGN.keys() - set(found))


def test_no_lost_constraint_is_called_kept(boundaries: list[dict[str, Any]]) -> None:
    lost = [row for row in boundaries if row["fate"] in LOST]
    states = {row["id"]: checked.status for row in lost if (checked := _checked(row))}
    assert states
    assert "kept" not in states.values(), states


def test_constraints_kept_word_for_word_are_called_kept(boundaries: list[dict[str, Any]]) -> None:
    kept = [row for row in boundaries if row.get("form") == "verbatim" and row["fate"] == "kept"]
    states = {row["id"]: checked.status for row in kept if (checked := _checked(row))}
    assert set(states.values()) == {"kept"}, states
