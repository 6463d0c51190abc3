"""The page of a rollback on paper says what `guard.rollback` says, for every point."""

from __future__ import annotations

from pathlib import Path

import pytest

from dashboard.queries import paper
from guard import rollback
from guard.events import MAIN
from guard.journal import read
from guard.state import fold

GOLDEN = Path(__file__).parent.parent.parent / "guard" / "golden"
JOURNALS = sorted(GOLDEN.glob("*.ndjson"))


@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_every_point_has_the_verdict_of_the_plan(path: Path) -> None:
    state = fold(read(path.read_bytes()))
    found = paper.of_state(state, 0, MAIN)
    assert [row.low for row in found.stretches[1:]] == [
        row.high + 1 for row in found.stretches[:-1]
    ]
    for row in found.stretches:
        for to in {row.low, row.high}:
            plan = rollback.plan(state, to=to, branch=MAIN)
            assert (row.edits, row.mode) == (plan.edits, plan.mode)
            assert (row.soundness, row.blame) == (plan.soundness, plan.blame)
            assert (row.residue, row.watch) == (plan.residue, plan.watch)


def test_asking_twice_gives_the_same_answer() -> None:
    state = fold(read(JOURNALS[0].read_bytes()))
    assert paper.of_state(state, 0, MAIN) == paper.of_state(state, 0, MAIN)
