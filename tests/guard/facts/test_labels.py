"""The labelled texts: the given set by the figures of the issue, our own set case by case."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from guard.facts import extract, label_facts
from tests.guard.facts import scoring

HERE = Path(__file__).parent
LABELS = HERE.parents[1] / "labels" / "facts.jsonl"


OWN = scoring.rows(HERE / "own.jsonl")


def test_the_given_labels_are_met_at_the_figures_of_the_issue() -> None:
    right = keys = got = want = 0
    for row in scoring.rows(LABELS):
        wanted = scoring.pairs((f["key"], f["value"]) for f in row["want"])
        found = scoring.pairs((f.key, f.value) for f in extract(row["text"], row["scope"]))
        right += sum((wanted & found).values())
        keys += sum((_keys(wanted) & _keys(found)).values())
        got, want = got + sum(found.values()), want + sum(wanted.values())
    precision, both = scoring.f1(right, got, want)
    assert (precision, both) >= (0.97, 0.97)
    assert scoring.f1(keys, got, want)[1] >= 0.97


def _keys(found: Counter[tuple[str, str]]) -> Counter[str]:
    return Counter(key for key, _ in found.elements())


def test_texts_without_facts_stay_empty() -> None:
    empty = [row for row in scoring.rows(LABELS) if not row["want"]]
    found = {row["id"]: extract(row["text"], row["scope"]) for row in empty}
    assert {id_: facts for id_, facts in found.items() if facts} == {}


def test_kinds_are_those_of_the_labels() -> None:
    wrong = []
    for row in scoring.rows(LABELS):
        kinds = {(f["key"], f["value"]): f["kind"] for f in row["want"]}
        for fact in extract(row["text"], row["scope"]):
            wanted = kinds.get((fact.key, fact.value), fact.kind)
            if wanted != fact.kind:
                wrong.append((row["id"], fact.key, fact.kind, wanted))
    assert wrong == []


@pytest.mark.parametrize("row", OWN, ids=[str(row["id"]) for row in OWN])
def test_our_own_labels_hold_case_by_case(row: dict[str, object]) -> None:
    found = scoring.pairs((f.key, f.value) for f in extract(str(row["text"]), str(row["scope"])))
    assert found == scoring.pairs(tuple(pair) for pair in row["want"])


def test_a_record_of_the_labels_gives_an_answer_of_their_shape() -> None:
    record = {"id": "x1", "scope": "config.yaml", "text": "max_retries: 0", "topic": "yaml"}
    got = [{"key": "max_retries", "value": "0", "kind": "retry"}]
    assert label_facts(record) == {"id": "x1", "got": got}


def test_a_record_without_text_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="text"):
        label_facts({"id": "x1", "scope": "user"})
