"""The bytes of a report: long lists are put together from blocks, and say what plain ones would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.journal import read
from guard.judge import judge
from guard.listing import Listing, Numbered
from guard.state import fold
from guard.timeline import Timeline

CASES = sorted((Path(__file__).parent / "golden").glob("*.ndjson"))
SETS = st.lists(st.integers(0, (1 << 600) - 1) | st.integers(0, 1 << 20), min_size=1, max_size=12)


def members(bits: int) -> list[int]:
    return [place for place in range(600) if bits >> place & 1]


@given(SETS)
def test_a_list_from_blocks_is_the_plain_list_whatever_came_before(asked: list[int]) -> None:
    names = [f"x{place}" for place in range(600)]
    listing = Listing([json.dumps(name).encode() for name in names])
    for bits in asked:
        found = json.loads(b"[" + listing.text(bits) + b"]")
        assert found == [names[place] for place in members(bits)]


@given(
    st.lists(st.integers(1, 900), min_size=1, max_size=600, unique=True),
    SETS,
    st.sets(st.integers(0, 910), max_size=4),
)
def test_numbers_of_sets_stand_in_order_with_the_own_ones_among_them(
    numbers: list[int], asked: list[int], own: set[int]
) -> None:
    numbered = Numbered((number, bit) for bit, number in enumerate(numbers))
    for bits in asked:
        arranged = numbered.arranged(bits)
        placed = [numbers[place] for place in members(bits) if place < len(numbers)]
        assert numbered.lowest(arranged) == min(placed, default=None)
        assert numbered.listed(own, arranged) == sorted({*own, *placed})
        assert json.loads(b"[" + numbered.text(own, arranged) + b"]") == sorted({*own, *placed})


def test_a_number_of_two_things_stands_once() -> None:
    numbered = Numbered([(4, 0), (2, 1), (4, 2)])
    assert numbered.text([3], numbered.arranged(0b111)) == b"2,3,4"


@given(st.lists(st.integers(1, 60), max_size=150), st.integers(0, 62))
def test_a_timeline_knows_what_stands_before_a_place(where: list[int], border: int) -> None:
    timeline = Timeline((place, bit) for bit, place in enumerate(where))
    before = sum(1 << bit for bit, place in enumerate(where) if place < border)
    assert timeline.before(border) == before


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_bytes_are_compact_json_and_say_the_findings(path: Path) -> None:
    report = judge(fold(read(path.read_bytes())))
    data = report.encode()
    said = json.loads(data)
    compact = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    assert data == compact
    found = [(finding.code, finding.subject, list(finding.seqs)) for finding in report.findings]
    assert [(row["code"], row["subject"], row["seqs"]) for row in said["findings"]] == found
