"""Claude Code sessions of the corpus: facts that independent scripts checked (its README)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading, SourceFile
from guard.adapters.claude_code import CLAUDE_CODE
from guard.events import Edit, Effect, Fork, Usage


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def corpus() -> Path:
    folder = Path(__file__).parents[4] / "shared" / "corpus" / "public" / "claude-code"
    if not folder.is_dir():
        pytest.skip("skipped: corpus not found")
    return folder


def line_of(reading: Reading, edit: Edit) -> int:
    """The line of the boundary: its summary stands on the next one."""
    assert edit.out is not None
    return reading.places[edit.out.id].line - 1


def after(reading: Reading, edit: Edit, state: str = "committed") -> list[Effect]:
    """First steps of the effects that started after an edit and reached this state."""
    reached = {e.id for e in of(reading, Effect) if e.state == state}
    return [
        e
        for e in of(reading, Effect)
        if e.state == "started" and e.id in reached and (e.seq or 0) > (edit.seq or 0)
    ]


def inputs(path: Path) -> dict[str, str]:
    """Tool call id -> its input as text."""
    found = {}
    for line in path.read_bytes().splitlines():
        content = (json.loads(line).get("message") or {}).get("content")
        for item in content if isinstance(content, list) else ():
            if item.get("type") == "tool_use":
                found[item["id"]] = json.dumps(item["input"])
    return found


def test_s02_holds_its_facts(corpus: Path) -> None:
    reading, sent = adapters.reading(corpus / "S02.jsonl"), inputs(corpus / "S02.jsonl")
    edits = of(reading, Edit)
    assert [edit.op for edit in edits] == ["evict", "summarize", "evict", "summarize"]
    assert [line_of(reading, edit) for edit in edits[1::2]] == [372, 801]
    assert [edit.trigger for edit in edits[1::2]] == ["auto", "auto"]
    assert [edit.tokens_before for edit in edits[1::2]] == [176_700, 157_925]
    assert [(b.seq or 0) - (a.seq or 0) for a, b in zip(edits[::2], edits[1::2], strict=True)] == [
        2,
        2,
    ]
    under = after(reading, edits[1])
    pushes = [
        e for e in under if "git push" in sent.get(e.id, "") and e.reversibility == "irreversible"
    ]
    assert len(pushes) == 4
    refused = [
        e
        for e in after(reading, edits[1], "failed")
        if e.reversibility == "irreversible" and "gh api" in sent.get(e.id, "")
    ]
    assert len(refused) == 1


def test_s03_holds_its_facts(corpus: Path) -> None:
    reading = adapters.reading(corpus / "S03.jsonl")
    micro, full = of(reading, Edit)
    assert (micro.op, full.op, line_of(reading, full)) == ("evict", "summarize", 155)


def test_s04_holds_its_facts(corpus: Path) -> None:
    reading, sent = adapters.reading(corpus / "S04.jsonl"), inputs(corpus / "S04.jsonl")
    (edit,) = of(reading, Edit)
    assert (line_of(reading, edit), edit.trigger) == (775, "manual")
    assert edit.tokens_before == 144_920
    under = after(reading, edit)
    leaves = [e for e in under if e.write is not False and e.reversibility == "irreversible"]
    assert len([e for e in leaves if "git push" in sent.get(e.id, "")]) == 4
    assert len([e for e in leaves if "gh pr comment" in sent.get(e.id, "")]) == 3
    edited = [*under, *after(reading, edit, "failed")]
    assert len([e for e in edited if e.tool in {"Edit", "Write"}]) == 23


def test_s12_is_one_run_with_its_sub_agents(corpus: Path) -> None:
    reading = adapters.reading(corpus / "S12.jsonl")
    (edit,) = of(reading, Edit)
    assert (line_of(reading, edit), edit.trigger) == (1481, "manual")
    assert [fork.branch for fork in of(reading, Fork)] == ["a5ba49a03bfa40bd6"]
    assert reading.skips["the summariser's own call"] == 2


def test_s22_shows_the_rewind_that_left_no_record(corpus: Path) -> None:
    reading = adapters.reading(corpus / "S22.jsonl")
    (edit,) = of(reading, Edit)
    assert (edit.op, edit.by) == ("drop", "human")
    first = min(reading.places[span].line for span in edit.in_)
    assert first == 18


def test_every_line_of_every_file_is_accounted_for(corpus: Path) -> None:
    for path in sorted(corpus.glob("*.jsonl")):
        counts = CLAUDE_CODE.read([SourceFile.of(path)]).counts
        assert counts.balanced
        assert counts.lines == sum(1 for _ in SourceFile.of(path).lines())
        assert counts.failed == 0
        assert counts.torn == (path.name.startswith("truncated"))


def test_every_boundary_is_an_edit_and_no_call_read_another_window(corpus: Path) -> None:
    for path in sorted(corpus.glob("*.jsonl")):
        written = path.read_bytes().count(b'"subtype":"compact_boundary"')
        reading = adapters.reading(path)
        done = written - reading.counts.torn
        assert sum(edit.op == "summarize" for edit in of(reading, Edit)) == done, path.name
        assert not any(usage.disagrees for usage in of(reading, Usage)), path.name
