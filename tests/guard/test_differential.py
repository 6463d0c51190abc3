"""The judge against an independent one, when that stands beside the checkout.

It enumerates possible worlds, on random journals. Where the two differ in findings, it is about
things that share an id; the comment at each kind says which statement decides for us.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from guard.journal import read
from guard.judge import judge
from guard.state import fold

GOLDEN = Path(__file__).parents[2].parent / "shared" / "golden"
SEED, COUNT = "suite", 400

Finding = tuple[str, str, str, str, tuple[int, ...]]


@pytest.fixture(scope="module")
def other() -> ModuleType:
    if not (GOLDEN / "differential.py").is_file():
        pytest.skip("skipped: no independent judge in ../shared/golden")
    sys.path.insert(0, str(GOLDEN))
    try:
        import differential
    finally:
        sys.path.remove(str(GOLDEN))
    return differential


def ours(lines: list[str], at: int | None) -> dict[str, Any]:
    data = "".join(f"{line}\n" for line in lines).encode()
    found: dict[str, Any] = json.loads(judge(fold(read(data), at)).encode())
    return found


def theirs(oracle: ModuleType, lines: list[str], at: int | None) -> dict[str, Any] | None:
    """Its report; None where there are too many worlds for it."""
    try:
        found: dict[str, Any] = json.loads(json.dumps(oracle.report(lines, at=at), default=list))
    except oracle.TooManyWorlds:
        return None
    return found


def briefs(report: dict[str, Any]) -> set[Finding]:
    return {
        (f["code"], f["subject"], f["severity"], f["certainty"], tuple(f["seqs"]))
        for f in report["findings"]
    }


def explained(finding: Finding, report: dict[str, Any], events: list[dict[str, Any]]) -> bool:
    code, subject = finding[:2]
    effects = Counter(row["id"] for row in report["effects"])
    shared = {name for name, count in effects.items() if count > 1}
    if code == "JG103":
        # One finding for two effects: ours is about the worse, whole. And the first event of an
        # effect is the numbered one (5.1), also when one without a number may be earlier.
        loose = {e["id"] for e in events if e["kind"] == "effect" and "seq" not in e}
        return subject in shared | loose
    if code in {"JG101", "JG102", "JG109"}:
        # `blame` is effects (6.7); an id that two of them share is not both of them.
        rows = {row["id"]: row["soundness"] for row in report["rollbacks"]}
        rows |= {
            row["id"]: row["if_undone"]["soundness"] for row in report["edits"] if row["if_undone"]
        }
        return not shared.isdisjoint(rows[subject]["blame"])
    # An edit that is undone is not open (11.8), also when its id stands on an open one.
    edits = Counter(e["id"] for e in events if e["kind"] == "edit")
    return code == "JG303" and max(edits.values()) > 1


@pytest.mark.shared
def test_an_independent_judge_says_the_same_of_random_journals(other: ModuleType) -> None:
    oracle = other.load(str(GOLDEN / "oracle.py"))
    compared = 0
    for place in range(COUNT):
        luck = random.Random(f"{SEED}-{place}")
        lines = other.smallgen.make(luck)
        at = luck.randint(0, len(lines)) if luck.random() < 0.3 else None
        expected = theirs(oracle, lines, at)
        if expected is None:
            continue
        compared += 1
        found = ours(lines, at)
        assert other.differ(expected, found) == [], (place, at)
        events = [json.loads(line) for line in lines]
        for finding in briefs(expected) ^ briefs(found):
            assert explained(finding, found, events), (place, at, finding)
    assert compared > COUNT * 0.9
