"""Labelled journals: each label is a path into the report and the value that must stand there."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from guard.journal import read
from guard.judge import judge
from guard.state import fold

CASES = Path(__file__).parent / "golden"
NAMES = sorted(path.name.removesuffix(".ndjson") for path in CASES.glob("*.ndjson"))
ABSENT = object()


def report(data: bytes, at: int | None = None) -> bytes:
    return judge(fold(read(data), at)).encode()


def pick(node: Any, path: list[Any]) -> Any:
    """Follow keys, indices and row selectors; `#` is the length."""
    for step in path:
        if step == "#":
            node = len(node)
        elif isinstance(step, dict):
            rows = [row for row in node if step.items() <= row.items()]
            node = rows[0] if len(rows) == 1 else ABSENT
        elif isinstance(node, dict):
            node = node.get(step, ABSENT)
        else:
            node = node[step] if isinstance(node, list) and step < len(node) else ABSENT
        if node is ABSENT:
            return ABSENT
    return node


@pytest.mark.parametrize("name", NAMES)
def test_every_label_holds(name: str) -> None:
    data = (CASES / f"{name}.ndjson").read_bytes()
    labels = json.loads((CASES / f"{name}.expect.json").read_text())["expect"]
    assert labels
    reports = {at: json.loads(report(data, at)) for at in {label["at"] for label in labels}}
    wrong = [
        (label["path"], label["want"], got)
        for label in labels
        if json.dumps(got := pick(reports[label["at"]], label["path"]), default=str)
        != json.dumps(label["want"])
    ]
    assert wrong == []


@pytest.mark.parametrize("name", NAMES[::3])
def test_the_order_and_number_of_arrivals_have_no_say(name: str) -> None:
    data = (CASES / f"{name}.ndjson").read_bytes()
    header, *events = data.splitlines(keepends=True)
    if not data.endswith(b"\n"):
        pytest.skip("a torn last line has to stand last")
    shuffled = events + events[::2]
    random.Random(name).shuffle(shuffled)
    assert report(header + b"".join(shuffled)) == report(data)
