"""Every adapter against every sample: what `runtimes/mapping.md` asks of all of them.

The samples of an adapter are the files under `tests/samples/<its name>/`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from guard import adapters
from guard.adapters.base import Adapter, Reading, Session, SourceFile, found
from guard.journal import read
from guard.judge import judge
from guard.state import fold

SAMPLES = Path(__file__).parents[2] / "samples"
FOREIGN = [adapter for adapter in adapters.ADAPTERS if adapter.name != "native"]
LINES = (".jsonl", ".ndjson")
MOST_CUTS = 40


def samples(adapter: Adapter) -> list[SourceFile]:
    return found(SAMPLES / adapter.name)


RUNS = [
    pytest.param(run, id=f"{adapter.name}:{Path(run.files[0].name).name}")
    for adapter in FOREIGN
    for run in adapter.group(samples(adapter))
]
FILES = [
    pytest.param(adapter, file, id=f"{adapter.name}:{Path(file.name).name}")
    for adapter in FOREIGN
    for file in samples(adapter)
]


def reading_of(run: Session) -> Reading:
    return adapters.named(run.adapter).read(run.files)


@pytest.mark.parametrize("adapter", FOREIGN, ids=lambda adapter: adapter.name)
def test_an_adapter_has_samples_and_loses_none(adapter: Adapter) -> None:
    files = samples(adapter)
    assert files
    grouped = [file for run in adapter.group(files) for file in run.files]
    assert sorted(file.name for file in grouped) == sorted(file.name for file in files)


@pytest.mark.parametrize(("adapter", "file"), FILES)
def test_a_sample_is_claimed_by_its_own_adapter_and_no_other(
    adapter: Adapter, file: SourceFile
) -> None:
    head = file.head()
    assert [other.name for other in adapters.ADAPTERS if other.sniff(head)] == [adapter.name]


@pytest.mark.parametrize("run", RUNS)
def test_no_record_is_silent(run: Session) -> None:
    reading = reading_of(run)
    assert reading.counts.balanced, reading.counts
    assert reading.counts.records > 0
    assert reading.notes, "a source says what it cannot prove"


@pytest.mark.parametrize("run", RUNS)
def test_two_readings_are_equal(run: Session) -> None:
    first, second = reading_of(run), reading_of(run)
    assert first.header == second.header
    assert first.events == second.events


@pytest.mark.parametrize("run", RUNS)
def test_the_native_form_gives_the_same_report(run: Session) -> None:
    reading = reading_of(run)
    native = read(reading.native(), keep_text=True)
    assert native.numbered == tuple(reading.events)
    assert judge(fold(native)).encode() == judge(fold(reading.journal())).encode()


@pytest.mark.parametrize("run", RUNS)
def test_events_are_numbered_from_one_without_holes(run: Session) -> None:
    events = reading_of(run).events
    assert [event.seq for event in events] == list(range(1, len(events) + 1))


def whole_lines(run: Session) -> list[bytes]:
    """The lines of the main file, each with its end; none for a source that is no lines."""
    name = run.files[0].name
    return (
        [line for line in run.files[0].lines() if line.endswith(b"\n")]
        if name.endswith(LINES)
        else []
    )


def cut(run: Session, data: bytes) -> Session:
    return Session(
        (SourceFile(run.files[0].name, data), *run.files[1:]), run.adapter, run.external_id
    )


@pytest.mark.parametrize("run", RUNS)
def test_a_torn_last_line_is_held_back(run: Session) -> None:
    lines = whole_lines(run)
    if len(lines) < 2 or len(lines[-1]) < 40:
        pytest.skip("no line to tear")
    before = reading_of(cut(run, b"".join(lines[:-1])))
    torn = reading_of(cut(run, b"".join(lines)[:-25]))
    assert torn.torn is not None
    assert torn.events == before.events
    assert torn.counts.balanced
    assert torn.journal().torn is not None


@pytest.mark.parametrize("run", RUNS)
def test_what_comes_later_changes_no_earlier_event(run: Session) -> None:
    lines = whole_lines(run)
    whole = reading_of(cut(run, b"".join(lines))) if lines else None
    for end in range(1, len(lines), len(lines) // MOST_CUTS + 1):
        part = reading_of(cut(run, b"".join(lines[:end])))
        assert whole is not None
        if len(run.files) == 1:
            assert part.events == whole.events[: len(part.events)], f"after line {end}"
            assert covered(part) <= covered(whole), f"the ledger shrinks after line {end}"


def covered(reading: Reading) -> set[int]:
    ledger = reading.header.ledger
    assert ledger != "complete"
    ranges = [] if ledger == "none" else ledger
    return {seq for first, last in ranges for seq in range(first, last + 1)}


@pytest.mark.parametrize("run", RUNS)
def test_the_text_of_a_span_is_found_again(run: Session) -> None:
    reading = reading_of(run)
    adapter = adapters.named(run.adapter)
    for span in reading.places:
        assert adapters.text_of(reading, run.files, adapter, span) is not None
