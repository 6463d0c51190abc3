"""Bounded work: hostile texts end soon, and what was not read is said."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.facts import extract, read
from guard.facts.extraction import MOST_CHARACTERS, MOST_FACTS

SIZE = 60_000
SECONDS = 3.0
"""About ten times what the slowest takes on a busy machine; a quadratic reader takes more."""
SCOPES = ("user", "a.yaml", "a.json", "a.toml", "a.tf", "a.py", "a.ts", "shell", "a.ini", "a.md")
UNITS = {
    "quotes": '"',
    "escapes": '\\"',
    "brackets": "[",
    "braces": '{"a":',
    "dashes": "- ",
    "blanks": " ",
    "assignments": "max_retries=",
    "backticks": "`",
    "strikes": "~~",
    "pipes": "|",
    "never": "never ",
    "until": "do not push until ",
    "only": "only a b c d ",
    "before": "before a, ",
    "numbers": "1) ",
    "items": "- never push\n",
    "pairs": "max_retries: 0\n",
    "signs": "不要删除",
    "blocks": 'resource "a" "b" {\n',
    "lists": "a = [\n",
    "apostrophes": "it's don't 'a ",
    "flags": "x --max-retries ",
    "heredocs": "x <<E\n",
    "tables": "| max_retries | 0 |\n|---|---|\n",
    "comments": "/* # never push ",
    "stars": "*",
}


def _noise(seed: int) -> str:
    pick = random.Random(seed)
    return "".join(pick.choice("ab\"'`~*_-=:|[]{}()\\\n #/.,;!?") for _ in range(SIZE))


@pytest.mark.parametrize("name", UNITS)
def test_repeated_signs_do_not_stall_a_reader(name: str) -> None:
    text = UNITS[name] * (SIZE // len(UNITS[name]))
    for scope in SCOPES:
        start = time.process_time()
        extract(text, scope)
        assert time.process_time() - start < SECONDS, scope


def test_noise_does_not_stall_a_reader() -> None:
    for scope in SCOPES:
        start = time.process_time()
        extract(_noise(7), scope)
        assert time.process_time() - start < SECONDS, scope


def test_aliases_that_multiply_are_held_to_a_budget() -> None:
    lines = ["a0: &a0 {max_retries: 0}"]
    lines += [f"a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}" for n in range(1, 40)]
    start = time.process_time()
    assert len(extract("\n".join(lines), "bomb.yaml")) <= MOST_FACTS
    assert time.process_time() - start < SECONDS


def test_a_text_beyond_the_bound_says_so() -> None:
    found = read("x" * MOST_CHARACTERS + "\nmax_retries: 0", "log")
    assert found.facts == ()
    assert found.unread == (f"characters after {MOST_CHARACTERS}",)


def test_facts_beyond_the_bound_are_said() -> None:
    text = "\n".join(f"max_rows_{n}: {n}" for n in range(MOST_FACTS + 1))
    found = read(text, "many.yaml")
    assert len(found.facts) == MOST_FACTS
    assert found.unread == (f"facts after {MOST_FACTS}",)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300), st.sampled_from(SCOPES))
def test_no_text_breaks_a_reader_and_lines_stay_in_the_text(text: str, scope: str) -> None:
    last = text.count("\n") + 1
    assert all(1 <= fact.line <= last and fact.value for fact in extract(text, scope))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["#", "# note:", "##"]))
def test_a_commented_setting_is_no_fact(number: int, mark: str) -> None:
    assert extract(f"{mark} max_retries: {number}\nname: x\n", "config.yaml") == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 9999), min_size=1, max_size=5))
def test_the_last_assignment_wins(numbers: list[int]) -> None:
    text = "\n".join(f"MAX_ROWS={number}" for number in numbers)
    assert [fact.value for fact in extract(text, ".env")] == [str(numbers[-1])]
