"""Each rule has a page, a journal that fires and one that nearly does; and says what it must."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from guard.journal import read
from guard.rules import RULES, findings
from guard.rules.rule import SECTIONS
from guard.state import fold

ROOT = Path(__file__).parents[2]
JOURNALS = ROOT / "tests" / "journals"

# Severity and certainty of `report-format.md` 5.10; "varies" where the text gives several.
TABLE = """
JG101 error proven      JG102 warning possible  JG103 varies varies     JG104 warning proven
JG105 error proven      JG106 warning proven    JG107 info proven       JG108 warning proven
JG109 varies varies     JG110 error proven      JG111 warning proven    JG112 warning proven
JG113 warning proven
JG201 error proven      JG202 error proven      JG203 warning possible  JG204 warning proven
JG205 error proven      JG206 error proven
JG301 warning possible  JG302 error proven      JG303 error proven      JG304 error proven
JG305 warning proven    JG306 info possible
JG401 error proven      JG402 warning proven    JG403 warning proven    JG404 info proven
JG901 info possible     JG902 warning possible  JG903 warning possible
JG904 warning possible
"""


CASES = [(rule.code, name) for rule in RULES for name in ("fires", "near_miss")]


def found_in(data: bytes, at: int | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = msgspec.to_builtins(findings(fold(read(data), at)))
    return found


def brief(finding: dict[str, Any]) -> tuple[str, str, str, str, list[int]]:
    return (
        finding["code"],
        finding["subject"],
        finding["severity"],
        finding["certainty"],
        list(finding["seqs"]),
    )


def test_every_rule_file_is_registered_in_code_order() -> None:
    files = sorted(path.name[:5].upper() for path in (ROOT / "guard" / "rules").glob("jg*.py"))
    assert [rule.code for rule in RULES] == files


def test_the_rules_are_those_of_the_report_format() -> None:
    words = TABLE.split()
    table = list(zip(words[::3], words[1::3], words[2::3], strict=True))
    assert [(rule.code, rule.severity, rule.certainty) for rule in RULES] == table


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_every_rule_has_a_page_for_three_in_the_morning(rule: Any) -> None:
    assert 20 < len(rule.claim) < 100
    assert rule.claim.endswith(".")
    heads = [line[3:] for line in rule.page.splitlines() if line.startswith("## ")]
    assert tuple(heads) == SECTIONS
    for section in rule.page.split("\n## ")[1:]:
        assert len(section.partition("\n")[2].strip()) > 20


def test_every_folder_of_journals_is_of_a_rule() -> None:
    assert {path.name for path in JOURNALS.iterdir()} == {rule.code for rule in RULES}


@pytest.mark.parametrize(("code", "name"), CASES)
def test_a_rule_fires_where_its_journal_says_and_not_where_it_nearly_does(
    code: str, name: str
) -> None:
    data = (JOURNALS / code / f"{name}.ndjson").read_bytes()
    expected = json.loads(data.partition(b"\n")[0])["expect"]
    found = [f"{finding['code']}:{finding['subject']}" for finding in found_in(data)]
    assert found == expected
    assert any(said.startswith(code) for said in found) == (name == "fires")


@pytest.mark.parametrize(("code", "name"), CASES)
def test_what_is_only_possible_is_no_error_and_says_what_would_tell(code: str, name: str) -> None:
    data = (JOURNALS / code / f"{name}.ndjson").read_bytes()
    for finding in found_in(data):
        assert "\n" not in finding["message"]
        if finding["certainty"] == "possible":
            assert finding["severity"] != "error"
            assert "would tell" in finding["message"]


def journal(*events: dict[str, Any], **header: Any) -> bytes:
    head = {"kind": "journal", "format": "context-journal/1", "id": "j", "ledger": "complete"}
    numbered = ({"seq": number, **event} for number, event in enumerate(events, 1))
    return b"".join(json.dumps(line).encode() + b"\n" for line in ({**head, **header}, *numbered))


def span(id_: str = "s1", **facts: str) -> dict[str, Any]:
    named = {f"cfg.yml:{key}": value for key, value in facts.items()}
    return {"kind": "span", "id": id_, "hash": f"h:{id_}", "facts": named}


def edited(*, by: str = "model", fidelity: str = "exact") -> list[dict[str, Any]]:
    record = {"kind": "record", "edit": "e1", "prior": {"s1": "h:s1"}, "payload": True}
    out = {"id": "d1", "hash": "h:d1"}
    edit = {"kind": "edit", "id": "e1", "op": "summarize", "by": by, "in": ["s1"], "out": out}
    return [record, {**edit, "fidelity": fidelity}]


def effect(state: str, kind: str = "irreversible", **members: Any) -> dict[str, Any]:
    return {"kind": "effect", "id": "x", "state": state, "class": kind, "body": "b", **members}


LACKING = [span(limit="0"), *edited()]
CLEAR = [span(), *edited()]
REJECTED = [
    {"kind": "gate", "id": "g", "state": "requested", "edit": "e1", "digest": "h:d1", "by": "a"},
    {"kind": "gate", "id": "g", "state": "rejected", "by": "ann"},
]

VARYING = {
    "waits": ([*LACKING, effect("planned")], ("warning", "proven", [3, 4])),
    "never happened": (
        [*LACKING, effect("planned"), effect("failed")],
        ("info", "proven", [3, 4]),
    ),
    "failed in part": ([*LACKING, effect("failed", partial=True)], ("error", "proven", [3, 4])),
    "lacked a fact": (
        [*LACKING, effect("planned"), effect("started", "unknown")],
        ("error", "proven", [3, 5]),
    ),
    "was refused": (
        [*CLEAR, *REJECTED, effect("committed", "unknown")],
        ("error", "proven", [3, 6]),
    ),
    "is irreversible": ([*CLEAR, effect("committed")], ("warning", "proven", [3, 4])),
    "is deferred": ([*CLEAR, effect("committed", "deferred")], ("warning", "proven", [3, 4])),
    "may be irreversible": (
        [*CLEAR, effect("committed", "unknown")],
        ("warning", "possible", [3, 4]),
    ),
    "hidden by a vague edit": (
        [span(), *edited(fidelity="count"), effect("committed")],
        ("warning", "proven", [3, 4]),
    ),
}


@pytest.mark.parametrize("case", VARYING)
def test_an_effect_without_authorization_is_as_bad_as_what_was_seen(case: str) -> None:
    events, expected = VARYING[case]
    (found,) = [brief(f) for f in found_in(journal(*events)) if f["code"] == "JG103"]
    assert found == ("JG103", "x", *expected)


UNDER_EDIT = {
    "lacked a fact": ([*LACKING, effect("committed")], ("error", "proven", [3, 4])),
    "nothing seen lacking": ([*CLEAR, effect("committed")], ("warning", "proven", [3, 4])),
    "perhaps": ([*CLEAR, effect("started")], ("info", "possible", [3, 4])),
    "by a human over a lacking fact": (
        [span(limit="0"), *edited(by="human"), effect("committed")],
        ("error", "proven", [3, 4]),
    ),
    "by a human, nothing lacking": ([span(), *edited(by="human"), effect("committed")], None),
    "by a human, perhaps": ([span(limit="0"), *edited(by="human"), effect("started")], None),
    "by the host": ([span(limit="0"), *edited(by="host"), effect("committed")], None),
}


@pytest.mark.parametrize("case", UNDER_EDIT)
def test_an_edit_in_force_is_as_bad_as_what_happened_under_it(case: str) -> None:
    events, expected = UNDER_EDIT[case]
    found = [brief(f) for f in found_in(journal(*events)) if f["code"] == "JG109"]
    assert found == ([] if expected is None else [("JG109", "e1", *expected)])


EXAMPLE_A = [
    span("s1", max_retries="0"),
    *edited(),
    effect("started", id="patch"),
    effect("committed", id="patch"),
    {"kind": "rollback", "id": "r1", "edits": ["e1"]},
    {"kind": "observed", "spans": {"s1": "h:s1"}},
]


def test_the_worked_example_of_the_report_format() -> None:
    assert list(map(brief, found_in(journal(*EXAMPLE_A)))) == [
        ("JG103", "patch", "error", "proven", [3, 4]),
        ("JG101", "r1", "error", "proven", [4, 6]),
    ]
    assert list(map(brief, found_in(journal(*EXAMPLE_A), at=4))) == [
        ("JG103", "patch", "error", "proven", [3, 4]),
        ("JG109", "e1", "info", "possible", [3, 4]),
    ]
    assert found_in(journal(*EXAMPLE_A), at=3) == []


@pytest.mark.parametrize(
    ("spans", "lacking"),
    [
        ([], True),
        ([{**span(limit="0"), "hash": "h:other"}], False),
        ([{**span(limit="1"), "hash": "h:other"}], True),
        ([span("s2", limit="0")], False),
        ([span("s2", limit="0"), {**span("s2"), "hash": "h:other"}], True),
        ([{**span(limit="0"), "branch": "sub"}], True),
    ],
)
def test_a_fact_lacks_unless_the_window_held_it_at_the_start(
    spans: list[dict[str, Any]], lacking: bool
) -> None:
    events = [*LACKING, *spans, effect("committed")]
    found = {f["code"]: f["severity"] for f in found_in(journal(*events))}
    assert found["JG103"] == found["JG109"] == ("error" if lacking else "warning")
