"""Pi: trees of entries (`runtimes/others.md` 10).

The samples were written after Pi's documentation of versions 1 and 3 of its session files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import Reading
from guard.events import Edit, Effect, Policy, Record, Rollback, Span

SAMPLES = Path(__file__).parents[2] / "samples" / "pi"
PUBLIC = Path(__file__).parents[4] / "shared" / "corpus" / "public" / "pi"


def of(reading: Reading, kind: type[Any]) -> list[Any]:
    return [event for event in reading.events if isinstance(event, kind)]


@pytest.fixture(scope="module")
def tree() -> Reading:
    return adapters.reading(SAMPLES / "constructed-v3-tree-compaction.jsonl")


def test_a_compaction_takes_the_path_before_the_first_kept_entry(tree: Reading) -> None:
    edit = of(tree, Edit)[0]
    assert (edit.id, edit.op, edit.by, edit.fidelity) == ("00000009", "summarize", "model", "exact")
    assert edit.in_ == ["00000002", "00000003/0", "00000003/1", "00000004", "00000005"]
    assert edit.out.id == "00000009-summary"
    assert of(tree, Record)[0].prior.keys() == set(edit.in_)


def test_going_elsewhere_in_the_tree_undoes_what_it_crosses_and_drops_the_rest(
    tree: Reading,
) -> None:
    compaction, away, back, again = of(tree, Edit)
    first, second = of(tree, Rollback)
    assert first.edits == [compaction.id]
    assert (away.by, away.op, away.in_[:2]) == ("human", "drop", ["00000006", "00000007"])
    assert second.edits == [away.id]
    assert back.in_ == ["0000000c", "0000000d"]
    # The compaction was undone once and is on the path again: it is made anew.
    assert (again.op, again.by, again.in_, again.out.id) == (
        "restore",
        "human",
        compaction.in_,
        "00000009-summary",
    )


def test_a_command_of_the_person_is_an_effect_with_its_exit_code(tree: Reading) -> None:
    typed = [effect for effect in of(tree, Effect) if effect.tool == "user-shell"]
    assert [effect.state for effect in typed] == ["started", "committed"]


def test_the_first_model_is_the_first_policy(tree: Reading) -> None:
    assert [policy.value["model"] for policy in of(tree, Policy)] == ["claude-x"]


def test_version_1_counts_lines() -> None:
    reading = adapters.reading(SAMPLES / "constructed-v1-linear-compaction.jsonl")
    (edit,) = of(reading, Edit)
    texts = [span.id for span in of(reading, Span)]
    assert edit.in_ == texts[:2]
    assert edit.fidelity == "exact"


@pytest.fixture(scope="module")
def slice_() -> Reading:
    path = PUBLIC / "pi-before-compaction.slice.jsonl"
    if not path.is_file():
        pytest.skip("skipped: corpus not found")
    return adapters.reading(path)


def test_a_first_kept_entry_that_is_not_in_the_file_is_not_guessed(slice_: Reading) -> None:
    edits = of(slice_, Edit)
    assert [(edit.fidelity, edit.in_) for edit in edits] == [("unknown", [])] * 2
    assert all(edit.out.text.startswith("# Context Checkpoint") for edit in edits)


def test_a_result_without_its_call_is_an_effect_all_the_same(slice_: Reading) -> None:
    first = of(slice_, Effect)[0]
    assert (first.id, first.state) == ("toolu_01X7aQjc2FJMJN65GfXsTFTW", "committed")
