"""The coverage page says what `guard coverage` says, from what was stored with the verdict."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.test import Client

from dashboard.models import Run
from guard import adapters
from guard.adapters.coverage import VERDICTS

pytestmark = pytest.mark.django_db
SAMPLES = Path(__file__).parents[2] / "samples"


def shown(client: Client, run: Run) -> str:
    text = client.get(f"/runs/{run.public_id}/coverage").content.decode()
    return html.unescape(re.sub(r"<[^>]+>", "", text))


@pytest.mark.parametrize(
    "name",
    [
        "claude-code/damaged_2.1.7.jsonl",
        "codex/codex-0.171.0-after-thread-revert.seg2.jsonl",
        "../journals/JG901/fires.ndjson",
    ],
)
def test_every_note_and_every_skip_of_a_reading_is_on_the_page(
    name: str, ann: Client, judge: Callable[..., Run]
) -> None:
    data = (SAMPLES / name).read_bytes()
    reading, text = adapters.reading(data), shown(ann, judge(data))
    assert reading.notes
    for note in reading.notes:
        assert note.text in text
    for kind in reading.skips:
        assert kind in text
    assert f"{reading.counts.records} records" in text
    for _, title in VERDICTS:
        assert title in text


def test_a_journal_that_is_refused_proves_nothing_and_says_where(
    ann: Client, judge: Callable[..., Run]
) -> None:
    text = shown(ann, judge(b'{"kind":"journal","format":"context-journal/1","id":"j"}\n[]\n'))
    assert "Not known." in text
    assert "line 2" in text


def test_the_page_of_a_run_leads_to_it(ann: Client, run: Run) -> None:
    assert (
        f'href="/runs/{run.public_id}/coverage"'
        in ann.get(f"/runs/{run.public_id}/").content.decode()
    )
