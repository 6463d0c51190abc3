"""Spellings of keys and values, lines, and the form in which a journal carries facts."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guard.facts import Fact, as_journal, extract, normalise_key, normalise_value


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("maxRetries", "max_retries"),
        ("MAX_RETRIES", "max_retries"),
        ("max-retries", "max_retries"),
        ("--max-retries", "max_retries"),
        ('"maxRetries"', "max_retries"),
        ("http.maxRetries", "http.max_retries"),
        ("delivery.timeout.ms", "delivery.timeout.ms"),
        ("program:worker", "program:worker"),
        ("PGHOST", "pghost"),
        ("DBName", "db_name"),
        ("PreToolUse", "pre_tool_use"),
        ("rate limit", "rate_limit"),
    ],
)
def test_one_spelling_for_keys(written: str, key: str) -> None:
    assert normalise_key(written) == key


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "true"),
        ("On", "true"),
        ("OFF", "false"),
        ("no", "false"),
        ('"no"', "no"),
        ("'true'", "true"),
        ("null", "none"),
        ("None", "none"),
        ("~", "none"),
        ("1_000", "1000"),
        ("100.00", "100.00"),
        ("30s,", "30s"),
        ("512Mi;", "512Mi"),
        ("${RETRIES:-0}", "${RETRIES:-0}"),
        ("5 *  60", "5 * 60"),
        ('"eu-west-1"', "eu-west-1"),
    ],
)
def test_one_spelling_for_values(written: str, value: str) -> None:
    assert normalise_value(written) == value


@given(st.text(max_size=60) | st.text("aZ0_-$@'\" .", max_size=20))
@example("0'_")
@example("_$a")
def test_a_normalised_key_is_its_own_normal_form(name: str) -> None:
    assert normalise_key(normalise_key(name)) == normalise_key(name)


@pytest.mark.parametrize(
    ("scope", "text", "lines"),
    [
        ("a.yaml", "# Never point this at production.\nhost: a\nretry:\n  max: 0\n", [1, 2, 4]),
        ("a.json", '{\n "maxRetries": 0,\n "region": "eu-west-1"\n}', [2, 3]),
        ("a.toml", "[x]\nhosts = [\n 'a',\n 'b',\n]\nmax_rows = 1", [3, 4, 6]),
        ("a.py", 'A = 1\n"""\nMAX = 3\n"""\nMAX_ROWS = 5', [5]),
        ("CLAUDE.md", "# Rules\n\n- Keep it short.\n- Do not push\n  to main.\n", [4]),
        ("user", "Hi.\nPlease look.\nDo not push. max_rows: 5", [3, 3]),
        ("a.py", "     1→A = 1\n     2→MAX_ROWS = 5\n     3→B = 2", [2]),
    ],
)
def test_facts_know_their_lines(scope: str, text: str, lines: list[int]) -> None:
    assert [fact.line for fact in extract(text, scope)] == lines


def _rule(value: str, scope: str = "user") -> Fact:
    return Fact(scope, "rule", value, "rule", 1)


def test_rules_of_one_scope_do_not_push_each_other_out() -> None:
    carried = as_journal([_rule("Do not push"), _rule("Do not delete")])
    assert sorted(carried.values()) == ["Do not delete", "Do not push"]
    assert all(name.rpartition(":")[2] == "rule" for name in carried)


def test_the_same_rule_meets_itself_in_other_company() -> None:
    alone = as_journal([_rule("Do not push")])
    assert alone.items() <= as_journal([_rule("Do not delete"), _rule("Do not push")]).items()


def test_what_is_left_of_a_list_meets_the_names_of_the_whole() -> None:
    whole = [Fact("p.yaml", "denied_tables", v, "permission", 1) for v in ("payouts", "users")]
    assert as_journal(whole[:1]).items() <= as_journal(whole).items()


def test_a_plain_setting_has_the_name_of_the_format() -> None:
    fact = Fact("cfg.yml", "max_retries", "0", "retry", 1)
    assert as_journal([fact]) == {"cfg.yml:max_retries": "0"}


def test_a_colon_in_a_key_does_not_move_the_border_to_the_scope() -> None:
    fact = Fact("s.conf", "program:worker.startretries", "0", "retry", 1)
    assert as_journal([fact]) == {"s.conf:program/worker.startretries": "0"}


def test_lines_out_of_the_middle_of_a_json_file_hold_their_settings() -> None:
    text = '    },\n    "max_retries": 0,\n    "dry_run": true\n  },\n  "name": "x",\n'
    found = {fact.key: fact.value for fact in extract(text, "config/retry.json")}
    assert found == {"max_retries": "0", "dry_run": "true"}


def test_a_comment_that_calls_itself_a_rule_is_one_of_its_own() -> None:
    text = "# read by every worker\n# rule: one charge per invoice\nmax_batch: 5\n"
    found = [(fact.key, fact.value, fact.line) for fact in extract(text, "config/limits.yml")]
    assert found == [("rule", "one charge per invoice", 2), ("max_batch", "5", 3)]
