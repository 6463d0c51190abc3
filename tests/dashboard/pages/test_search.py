"""Words are found in what was derived; no character of a query or a journal means anything."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard import fulltext, ingest, journals
from dashboard.models import Run, SearchRow, Source
from dashboard.queries.search import search
from tests.dashboard.making import incident

pytestmark = pytest.mark.django_db


def names(user: User, q: str) -> dict[str, list[str]]:
    return {group.name: [hit.name for hit in group.hits] for group in search(user, q)}


@pytest.mark.parametrize(
    ("q", "group", "name"),
    [
        ("storage BUCKETS", "Effects and commands", "patch"),
        ("eu-archive", "Effects and commands", "patch"),
        ("http.pat", "Effects and commands", "patch"),
        ("JG101", "Findings", "JG101 r1"),
        ("max_retries", "Texts", "s1"),
        ("uploader reviewed", "Texts", "d1"),
        ("e1", "Edits", "e1"),
        ("acme-agent", "Runs", "run-7"),
        ("run-7", "Runs", "run-7"),
    ],
)
def test_words_find_what_says_them(run: Run, reader: User, q: str, group: str, name: str) -> None:
    assert name in names(reader, q)[group]


@pytest.mark.parametrize("q", ["storage nowhere", "torage", "buckets OR e1", "NOT storage"])
def test_every_word_must_be_there_from_its_start(run: Run, reader: User, q: str) -> None:
    assert "Effects and commands" not in names(reader, q)


@pytest.mark.parametrize(
    "q",
    [
        *("'", '"', "*", "(", "a'b", '" OR 1=1 --', "words:storage", "^x", "NEAR(a b)", "{x}:y"),
        *("\\", "a & b | !c", "'storage':*B", "<->", "%", "_", "\u202ex", "é" * 300),
        *("🙂", "''); DROP TABLE dashboard_run; --", "a" * 5_000, "𝔘 ß İ", "a " * 200),
    ],
)
def test_no_query_means_anything_but_its_words(run: Run, ann: Client, q: str) -> None:
    assert ann.get("/search/", {"q": q}).status_code == 200
    assert Run.objects.filter(pk=run.pk).exists()
    list(fulltext.matching(SearchRow.objects.all(), q))


def test_the_index_follows_the_rows_it_speaks_of(run: Run, reader: User) -> None:
    before = sorted(SearchRow.objects.values_list("kind", "ref", "words"))
    ingest.judge_snapshot(journals.snapshot(run.pk))
    assert sorted(SearchRow.objects.values_list("kind", "ref", "words")) == before
    SearchRow.objects.filter(run=run, kind="effect").delete()
    assert "Effects and commands" not in names(reader, "storage")
    ingest.judge_snapshot(journals.snapshot(run.pk))
    assert names(reader, "storage")["Effects and commands"] == ["patch"]


def test_others_find_nothing_and_administrators_no_text(
    run: Run, member: Callable[..., User], judge: Callable[..., Run]
) -> None:
    other = Source.objects.create(slug="other", name="Other")
    judge(incident("theirs"), "theirs", other)
    stranger = member("carl", at=other)
    hits = [hit.run for group in search(stranger, "storage") for hit in group.hits]
    assert hits
    assert run.public_id not in hits
    found = names(member("root", "admin"), "max_retries")
    assert "Texts" not in found
    assert names(member("root2", "admin"), "patch")["Effects and commands"]
