"""What holds for every digest: verbatim is kept, another number is not, authority is quoted."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from guard.digest import compare
from guard.digest.statements import LONGEST, MOST_STATEMENTS
from guard.facts import Fact, extract

KEYS = st.sampled_from(["max_retries", "http.read_timeout", "max_rows", "limits.spend_usd"])
HOSTS = st.sampled_from(["db-stg.example.net", "db-prd.example.net", "q1.example.org"])
NUMBERS = st.integers(0, 10**6)
SETTINGS = settings(max_examples=120, deadline=None)
FRAMES = ("{}", "{}.", "Rule: {}.", "- {}", "**{}**", 'The user said: "{}."', "1. Goal.\n2. {}.\n")
RULES = (
    "Do not push until I confirm",
    "Never delete branches except tmp/*",
    "Deploy only after the tests pass",
    "Spend at most 20 dollars on this",
    "Refunds above 200 EUR need a second signature",
    "Nichts löschen, bevor ich zugestimmt habe",
    "No envíes correos a clientes",
    "本番データベースには書き込まないこと",
)


def _number(key: str, value: int) -> Fact:
    return Fact("config.yaml", key, str(value), "limit", 1)


def _status(fact: Fact, digest: str) -> str:
    return compare([fact], "", digest).checked[0].status


@SETTINGS
@given(KEYS, NUMBERS, st.sampled_from(["{}: {}", "{} = {}", "`{}` is {}", "We keep {} at {}."]))
def test_a_setting_word_for_word_is_kept(key: str, value: int, form: str) -> None:
    assert _status(_number(key, value), form.format(key, value)) == "kept"


@SETTINGS
@given(KEYS, NUMBERS, NUMBERS, st.sampled_from(["{}: {}", "{} = {}", "`{}` is {}"]))
def test_another_number_is_altered(key: str, value: int, other: int, form: str) -> None:
    assume(value != other)
    assert _status(_number(key, value), form.format(key, other)) == "altered"


@SETTINGS
@given(HOSTS, HOSTS)
def test_a_host_is_kept_if_and_only_if_it_is_the_same(mine: str, said: str) -> None:
    wanted = "kept" if mine == said else "altered"
    assert _status(Fact("log", "host", mine, "target", 1), f"host: {said}") == wanted


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("frame", FRAMES)
def test_a_rule_word_for_word_is_kept_in_any_frame(rule: str, frame: str) -> None:
    assert _status(Fact("user", "rule", rule, "rule", 1), frame.format(rule)) == "kept"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "frame",
    ["{} no longer applies.", "~~{}~~", "Old rule: {}.", "Ideally: {}.", "{}, if possible.", ""],
)
def test_a_rule_taken_back_or_softened_is_never_kept(rule: str, frame: str) -> None:
    assert _status(Fact("user", "rule", rule, "rule", 1), frame.format(rule)) != "kept"


@SETTINGS
@given(st.text(max_size=200), st.sampled_from(RULES))
def test_any_digest_gets_an_answer_with_its_place(digest: str, rule: str) -> None:
    facts = [Fact("user", "rule", rule, "rule", 1), _number("max_rows", 5)]
    result = compare(facts, "", digest)
    last = digest.count("\n") + 1
    assert [checked.fact for checked in result.checked] == facts
    assert all(c.why and (c.line is None or 1 <= c.line <= last) for c in result.checked)
    assert all(claim.text in digest for claim in result.added)


@SETTINGS
@given(st.sampled_from(RULES), NUMBERS)
def test_the_text_itself_as_digest_keeps_all_its_facts(rule: str, number: int) -> None:
    text = f"{rule}.\nmax_rows: {number}\n"
    facts = extract(text, "user")
    assert [c.status for c in compare(facts, text, text).checked] == ["kept"] * len(facts)


def test_an_empty_digest_drops_everything() -> None:
    facts = extract("Do not push.\nmax_rows: 5\nhost: a.example.net", "user")
    assert {c.status for c in compare(facts, "", "...").checked} == {"dropped"}


def test_the_place_of_the_deciding_words_is_given() -> None:
    digest = "1. Goal.\n2. Config: max_rows: 50.\n3. Next: push."
    checked = compare([_number("max_rows", 5)], "", digest).checked[0]
    assert (checked.status, checked.line, checked.found) == ("altered", 2, "max_rows: 50")


def test_a_digest_beyond_the_bound_says_so() -> None:
    long = compare([_number("max_rows", 5)], "", "x" * LONGEST + "\nmax_rows: 5")
    assert long.unread == (f"characters after {LONGEST}",)
    assert long.checked[0].status == "dropped"
    many = "\n".join(f"sentence number {n}" for n in range(MOST_STATEMENTS + 1))
    assert compare([], "", many).unread == (f"sentences after {MOST_STATEMENTS}",)


@pytest.mark.parametrize(
    "digest",
    ["max_rows and " * 6000, "never push to main. " * 4000, "approved " * 9000, "[" * 80_000],
)
def test_repeated_words_do_not_stall_the_check(digest: str) -> None:
    facts = [Fact("user", "rule", rule, "rule", 1) for rule in RULES] + [_number("max_rows", 5)]
    start = time.process_time()
    compare(facts, digest, digest)
    assert time.process_time() - start < 6.0
