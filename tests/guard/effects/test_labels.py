"""The visible labels, scored as the labels' own script scores them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from guard.effects import classify, label, read_ndjson

LABELS = Path(__file__).parents[2] / "labels" / "effects.jsonl"
CALL_FIELDS = ("tool", "input", "result", "annotations", "context")


def _rows() -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in LABELS.read_bytes().splitlines() if line.strip()]


def _got(row: dict[str, Any]) -> dict[str, Any]:
    return label(classify(read_ndjson({name: row[name] for name in CALL_FIELDS if name in row})))


@pytest.fixture(scope="module")
def scored() -> list[tuple[dict[str, Any], dict[str, Any], str]]:
    return [(row["want"], _got(row), row["id"]) for row in _rows()]


def test_no_write_is_called_a_read(
    scored: list[tuple[dict[str, Any], dict[str, Any], str]],
) -> None:
    assert [name for want, got, name in scored if want["write"] and not got["write"]] == []


def test_nothing_irreversible_is_called_reversible(
    scored: list[tuple[dict[str, Any], dict[str, Any], str]],
) -> None:
    found = [
        name
        for want, got, name in scored
        if want["class"] == "irreversible" and got["class"] == "reversible"
    ]
    assert found == []


@pytest.mark.parametrize(
    ("field", "at_least"),
    [("write", 0.99), ("class", 0.98), ("domain", 0.98), ("certainty", 0.97)],
)
def test_each_field_agrees_with_the_labels(
    scored: list[tuple[dict[str, Any], dict[str, Any], str]], field: str, at_least: float
) -> None:
    wrong = [name for want, got, name in scored if want[field] != got[field]]
    assert 1 - len(wrong) / len(scored) >= at_least, wrong
