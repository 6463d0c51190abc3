"""How labelled facts are counted: pairs of key and value, white space and final stop aside."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

Pair = tuple[str, str]


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def plain(value: str) -> str:
    one = re.sub(r"\s+", " ", unicodedata.normalize("NFC", value)).strip()
    return one.rstrip(".!。।").casefold()


def pairs(found: Iterable[Pair]) -> Counter[Pair]:
    return Counter((key, plain(value)) for key, value in found)


def f1(right: int, got: int, want: int) -> tuple[float, float]:
    """Precision and F1."""
    precision, recall = right / got, right / want
    return precision, 2 * precision * recall / (precision + recall)
