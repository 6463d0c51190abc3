"""The labelled digests: the given set by the figures of the issue, our own set case by case."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from guard.digest import compare, label_comparison
from guard.facts import Fact

HERE = Path(__file__).parent
LABELS = HERE.parents[1] / "labels" / "digests.jsonl"
LOST = {"altered", "dropped", "weakened"}


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def _answers() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(row, label_comparison(row)["got"]) for row in _rows(LABELS)]  # type: ignore[misc]


def _statuses() -> list[tuple[str, str]]:
    return [
        (want, got["status"][fact]) for row, got in _answers() for fact, want in row["want"].items()
    ]


def test_the_given_labels_are_met_at_the_figures_of_the_issue() -> None:
    found = Counter(_statuses())
    right = sum(count for (want, got), count in found.items() if want == got)
    assert right >= 0.97 * sum(found.values())
    lost = sum(n for (want, got), n in found.items() if want in LOST and got in LOST)
    assert lost >= 0.97 * sum(n for (want, _), n in found.items() if want in LOST)
    assert lost >= 0.97 * sum(n for (_, got), n in found.items() if got in LOST)


def test_no_loss_is_called_kept() -> None:
    assert [pair for pair in _statuses() if pair[0] in LOST and pair[1] == "kept"] == []


def test_added_authority_is_found_where_the_labels_have_it_and_quoted_exactly() -> None:
    for row, got in _answers():
        assert bool(got["added"]) == bool(row.get("added")), row["id"]
        assert all(text in row["digest"] for text in got["added"]), row["id"]


OWN = _rows(HERE / "own.jsonl")


@pytest.mark.parametrize("row", OWN, ids=[row["id"] for row in OWN])
def test_our_own_labels_hold_case_by_case(row: dict[str, Any]) -> None:
    facts = [Fact(scope, key, value, kind, 1) for scope, key, value, kind in row["facts"]]
    result = compare(facts, row["before"], row["digest"])
    assert [checked.status for checked in result.checked] == row["want"]
    assert sorted(claim.text for claim in result.added) == row["added"]


def test_a_record_of_the_labels_gives_an_answer_of_their_shape() -> None:
    fact = {"id": "a", "scope": "x", "key": "max_retries", "value": "0", "kind": "retry"}
    record = {"id": "y1", "facts": [fact], "before": "", "digest": "max_retries: 3"}
    got = {"status": {"a": "altered"}, "added": []}
    assert label_comparison(record) == {"id": "y1", "got": got}


def test_a_fact_of_an_unknown_kind_is_refused_by_name() -> None:
    fact = {"id": "a", "scope": "x", "key": "k", "value": "0", "kind": "wish"}
    with pytest.raises(ValueError, match="kind"):
        label_comparison({"id": "y1", "facts": [fact], "before": "", "digest": ""})
