"""What every adapter stands on: files, counts, ledger ranges, mending, and the way in."""

from __future__ import annotations

from pathlib import Path

import pytest

from guard import adapters
from guard.adapters.base import SourceFile, found
from guard.adapters.mend import mend
from guard.adapters.recorder import Recorder
from guard.errors import JournalError
from guard.events import Gap, Span

NATIVE = b'{"kind":"journal","format":"context-journal/1","id":"run-7"}\n'
ROW = (
    b'{"type":"user","uuid":"u-1","parentUuid":null,"sessionId":"s-1","version":"2.1.20",'
    b'"message":{"role":"user","content":"Hello."}}\n'
)


def test_lines_are_split_at_line_feeds_only() -> None:
    data = "a\u2028b\u0085c\r\n\x0bd\n\ne".encode()
    assert list(SourceFile("x", data).lines()) == [
        "a\u2028b\u0085c\r\n".encode(),
        b"\x0bd\n",
        b"\n",
        b"e",
    ]


def test_a_head_holds_the_whole_first_line(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"x" * 300_000 + b"\n" + b"y" * 300_000)
    assert SourceFile.of(path).head() == b"x" * 300_000 + b"\n"


@pytest.mark.parametrize(
    ("line", "mended", "count"),
    [
        (rb'"a\u0000b"', rb'"a\ufffdb"', 1),
        (rb'"\u0000\u0000"', rb'"\ufffd\ufffd"', 2),
        (rb'"a\\u0000b"', rb'"a\\u0000b"', 0),
        (rb'"\\\u0000"', rb'"\\\ufffd"', 1),
        (rb'"\ud83d\ude05"', rb'"\ud83d\ude05"', 0),
        (rb'"\ud83d x"', rb'"\ufffd x"', 1),
        (rb'"\uDE05\uD83D"', rb'"\ufffd\ufffd"', 2),
        (rb'"\ud83d\ud83d\ude05"', rb'"\ufffd\ud83d\ude05"', 1),
        (rb'"\\ud83d"', rb'"\\ud83d"', 0),
        (rb'"\ud7ff"', rb'"\ud7ff"', 0),
    ],
)
def test_mending_replaces_what_a_journal_may_not_hold(
    line: bytes, mended: bytes, count: int
) -> None:
    assert mend(line) == (mended, count)
    assert len(mended) == len(line), "places in the line must stay the same"


def spans(recorder: Recorder, count: int) -> None:
    for _ in range(count):
        recorder.add(Span, id="s", hash="h")


def ledger(recorder: Recorder, *, attests: bool = True) -> object:
    return recorder.reading(journal="j", runtime="r", attests=attests).header.ledger


def test_the_ledger_is_all_numbers_when_nothing_is_hidden() -> None:
    recorder = Recorder()
    spans(recorder, 4)
    assert ledger(recorder) == [(1, 4)]
    assert ledger(Recorder()) == "none"


def test_a_source_that_records_no_calls_attests_nothing() -> None:
    recorder = Recorder()
    spans(recorder, 4)
    assert ledger(recorder, attests=False) == "none"


def test_a_blind_spot_parts_the_ledger_at_the_next_number() -> None:
    recorder = Recorder()
    spans(recorder, 2)
    recorder.blind("a hook ran")
    spans(recorder, 3)
    recorder.blind("a hook ran")
    reading = recorder.reading(journal="j", runtime="r")
    assert reading.header.ledger == [(1, 2), (4, 5)]
    assert [(note.text, note.count) for note in reading.notes] == [("a hook ran", 2)]


def test_an_open_stretch_is_blind_to_the_end_and_a_covered_one_is_not_blind_at_all() -> None:
    recorder = Recorder()
    spans(recorder, 2)
    recorder.blind_from("task 1", "a task")
    recorder.blind_from("task 2", "a task")
    spans(recorder, 2)
    recorder.sighted("task 2", covered=True)
    spans(recorder, 1)
    assert ledger(recorder) == [(1, 2)]
    recorder.sighted("task 1", covered=True)
    assert ledger(recorder) == [(1, 5)]


def test_a_stretch_that_ends_uncovered_stays_blind() -> None:
    recorder = Recorder()
    spans(recorder, 2)
    recorder.blind_from("agent", "an agent")
    spans(recorder, 2)
    recorder.sighted("agent")
    spans(recorder, 3)
    assert ledger(recorder) == [(1, 2), (6, 7)]


def test_every_record_is_used_skipped_failed_or_torn() -> None:
    recorder = Recorder()
    for fate in ("event", "two events", "carried", "skip", "fail", "torn"):
        recorder.line()
        recorder.record()
        if fate.endswith(("event", "events")):
            spans(recorder, 1 + (fate == "two events"))
        elif fate == "carried":
            recorder.use()
        elif fate == "skip":
            recorder.skip("of no account")
        elif fate == "fail":
            recorder.fail("f", 5, "no JSON", b"x" * 999)
            recorder.gap("line 5", "effects may be missing")
        else:
            recorder.tear("f", 6, b"{")
    reading = recorder.reading(journal="j", runtime="r")
    counts = reading.counts
    assert (counts.records, counts.used, counts.skipped, counts.failed, counts.torn) == (
        6,
        3,
        1,
        1,
        1,
    )
    assert counts.balanced
    assert len(reading.errors[0].kept) == 200
    assert isinstance(reading.events[-1], Gap)


def test_formats_are_told_by_content_whatever_the_name_says(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(ROW)
    (tmp_path / "session.jsonl").write_bytes(b"not a journal\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.jsonl").write_bytes(NATIVE)
    runs = list(adapters.sessions(tmp_path))
    assert [(run.adapter, run.external_id) for run in runs] == [
        ("claude-code", "s-1"),
        ("native", "run-7"),
    ]
    assert [file.name for file in adapters.sort_out(found(tmp_path))[1]] == [
        str(tmp_path / "session.jsonl")
    ]
    assert len(list(adapters.sessions(tmp_path / "*.txt"))) == 1


def test_one_run_is_opened_from_bytes_path_or_several_paths(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(ROW)
    assert adapters.open_any(ROW).header.id == "s-1"
    assert adapters.open_any(path) == adapters.open_any([path]) == adapters.open_any(ROW)
    assert adapters.open_any(NATIVE).header.id == "run-7"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty: a journal begins with its header"),
        (b"hello\n", "no JSON object"),
        (b'{"kind":"span"}\n', "the first line is no `journal` line"),
        (b'{"kind":"journal","format":"context-journal/9","id":"x"}\n', "Invalid"),
    ],
)
def test_what_nobody_claims_is_refused_like_a_native_journal(data: bytes, reason: str) -> None:
    with pytest.raises(JournalError) as caught:
        adapters.open_any(data)
    assert caught.value.line == 1
    assert reason.lower() in caught.value.reason.lower()


def test_no_run_and_several_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no file there"):
        adapters.open_any(tmp_path)
    for name in "ab":
        (tmp_path / name).write_bytes(NATIVE.replace(b"run-7", name.encode()))
    with pytest.raises(JournalError, match="2 runs"):
        adapters.open_any(tmp_path)


def test_an_adapter_is_found_by_its_name() -> None:
    assert [adapters.named(adapter.name) for adapter in adapters.ADAPTERS] == list(
        adapters.ADAPTERS
    )
    with pytest.raises(KeyError, match="claude-code"):
        adapters.named("nobody")
