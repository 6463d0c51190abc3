"""No value of a record can stop a reading: what a member means is checked, never assumed."""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest

from guard import adapters
from guard.adapters.base import SourceFile, found
from guard.journal import read

SAMPLES = Path(__file__).parents[2] / "samples"
FILES = [file for file in found(SAMPLES) if not file.name.endswith(".pb")]
STRANGE = (
    None,
    True,
    -1,
    2**60,
    1e300,
    "",
    "a#b",
    "\x00",
    [],
    [None],
    [[]],
    [{"type": "text"}],
    {},
    {"id": None},
)
LINES_AT_MOST = 150
CHANGED = 0.03


def strange(value: Any, dice: Random, odd: Any) -> Any:
    """The value with a few of its members replaced."""
    if isinstance(value, dict):
        return {name: _either(inner, dice, odd) for name, inner in value.items()}
    if isinstance(value, list):
        return [_either(inner, dice, odd) for inner in value]
    return value


def _either(value: Any, dice: Random, odd: Any) -> Any:
    return next(odd) if dice.random() < CHANGED else strange(value, dice, odd)


def changed(data: bytes, seed: int) -> bytes:
    """A document, or JSON lines, with strange values in it."""
    dice, odd = Random(seed), cycle(STRANGE[seed:] + STRANGE[:seed])
    try:
        return json.dumps(strange(json.loads(data), dice, odd)).encode()
    except json.JSONDecodeError:
        lines = data.splitlines(keepends=True)[:LINES_AT_MOST]
        return b"".join(_line(line, dice, odd) for line in lines)


def _line(line: bytes, dice: Random, odd: Any) -> bytes:
    start = line.find(b"{")
    try:
        value = strange(json.loads(line[start:]), dice, odd)
    except ValueError:
        return line
    return line[:start] + json.dumps(value).encode() + b"\n"


@pytest.mark.parametrize("file", FILES, ids=lambda file: Path(file.name).name)
@pytest.mark.parametrize("seed", range(0, len(STRANGE), 3))
def test_strange_values_leave_a_whole_reading(file: SourceFile, seed: int) -> None:
    adapter = adapters.sniff(file.head())
    assert adapter is not None
    odd = SourceFile(file.name, changed(file.data(), seed))
    assert odd.data() != file.data()
    reading = adapter.read([odd])
    assert reading.counts.balanced
    assert read(reading.native(), keep_text=True).numbered == tuple(reading.events)
    for span in reading.places:
        adapters.text_of(reading, [odd], adapter, span)
