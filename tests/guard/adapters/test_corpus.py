"""Every line of every file of the corpus is an event, a named skip or an error with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard import adapters
from guard.adapters.base import SourceFile, found

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
FILES = [file for file in found(CORPUS) if not file.name.endswith("README.md")]

SAMPLES = Path(__file__).parents[2] / "samples"
DOCUMENTS = [file for file in found(SAMPLES) if file.name.endswith(".json")]


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: Path(file.name).name)
def test_a_document_that_ends_too_early_is_torn(file: SourceFile) -> None:
    cut = SourceFile(file.name, file.data().rstrip()[:-1])
    adapter = adapters.sniff(cut.head())
    assert adapter is not None
    reading = adapter.read([cut])
    assert reading.torn is not None
    assert reading.events == []
    assert reading.counts.balanced


@pytest.mark.skipif(not FILES, reason="skipped: corpus not found")
def test_no_file_is_unclaimed_and_none_is_claimed_twice() -> None:
    claims = {
        file.name: [a.name for a in adapters.ADAPTERS if a.sniff(file.head())] for file in FILES
    }
    assert {name: who for name, who in claims.items() if len(who) != 1} == {}


@pytest.mark.parametrize("file", FILES, ids=lambda file: Path(file.name).name)
def test_nothing_in_a_file_is_silent(file: SourceFile, capsys: pytest.CaptureFixture[str]) -> None:
    runs, unclaimed = adapters.sort_out([file])
    assert unclaimed == []
    for run in runs:
        reading = adapters.named(run.adapter).read(run.files)
        assert reading.counts.balanced
        assert reading.counts.records > 0
        assert all(error.reason for error in reading.errors)
        assert all(reading.skips)
        with capsys.disabled():
            print(f"\n{run.adapter:12} {Path(file.name).name:60} {reading.counts}", end="")  # noqa: T201
