"""Bytes in, verdicts out: what is stored, what is answered twice, and what becomes of bad input."""

from __future__ import annotations

import gzip
import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from dashboard import imports, ingest, journals, working
from dashboard.models import (
    Chunk,
    EditRow,
    EffectRow,
    Entry,
    FactRow,
    File,
    FindingRow,
    Job,
    LineRow,
    RollbackRow,
    Run,
    SkipCount,
    Source,
    Verdict,
)
from dashboard.receiving import Conflict, Refused, Sent
from guard.adapters.base import SourceFile
from tests.dashboard.making import EDIT, HEADER, PATCH, RECORD, SPAN, incident, lines

pytestmark = pytest.mark.django_db


def send(source: Source, data: bytes, **more: Any) -> Any:
    arguments = {"offset": 0, "file_name": "run-7.ndjson", "external_id": "run-7", **more}
    return ingest.receive(source, data=data, **arguments)


def judge(source: Source, data: bytes, **more: Any) -> Run:
    receipt = send(source, data, **more)
    assert working.work_on(receipt.job_id)
    return Run.objects.get(public_id=receipt.run)


def test_bytes_are_stored_as_they_came_with_a_job_and_an_entry(source: Source) -> None:
    data = incident()
    receipt = send(source, data)
    chunk = Chunk.objects.get()
    assert journals.unpack(chunk.data) == data
    assert chunk.sha256 == hashlib.sha256(data).hexdigest() == receipt.sha256
    assert Job.objects.get(pk=receipt.job_id).state == Job.State.PENDING
    assert Entry.objects.get().body["sha256"] == chunk.sha256


def test_the_same_bytes_are_the_same_receipt(source: Source) -> None:
    first, second = send(source, incident()), send(source, incident())
    assert first.receipt == second.receipt
    assert (first.duplicate, second.duplicate) == (False, True)
    assert (Chunk.objects.count(), Job.objects.count(), Entry.objects.count()) == (1, 1, 1)


def test_other_bytes_at_one_place_are_a_conflict_that_shows_both(source: Source) -> None:
    send(source, incident())
    with pytest.raises(Conflict) as conflict:
        send(source, incident("run-8"))
    assert conflict.value.code == "other_bytes"
    assert conflict.value.shown["sent_sha256"] != conflict.value.shown["stored_sha256"]
    assert Chunk.objects.count() == 1


def test_a_file_that_grows_is_read_on_from_where_it_was(source: Source) -> None:
    data = incident()
    judge(source, data[:700])
    run = judge(source, data[700:], offset=700)
    longer = judge(source, data + lines({"kind": "seal", "seq": 7}))
    assert run == longer
    assert [chunk.offset for chunk in Chunk.objects.order_by("pk")] == [0, 700, len(data)]
    assert Verdict.objects.get(run=run, current=True).events == 7


def test_bytes_before_are_asked_for(source: Source) -> None:
    with pytest.raises(Conflict) as conflict:
        send(source, b"abc", offset=10)
    assert conflict.value.shown == {"expected_offset": 0, "generation": 1}
    assert not Run.objects.exists()


def test_a_file_that_was_rewritten_is_a_new_generation_and_the_old_one_stays(
    source: Source,
) -> None:
    judge(source, incident())
    run = judge(source, lines(HEADER, {**SPAN, "tokens": 9}), sent=Sent(rewrite=True))
    assert [(file.generation, file.current) for file in File.objects.order_by("pk")] == [
        (1, False),
        (2, True),
    ]
    verdict = Verdict.objects.get(run=run, current=True)
    assert (verdict.events, verdict.integrity) == (7, "fork")
    assert Chunk.objects.count() == 2


def test_another_prefix_is_found_by_its_hash(source: Source) -> None:
    send(source, b"abc")
    wrong = hashlib.sha256(b"abd").hexdigest()
    with pytest.raises(Conflict) as conflict:
        send(source, b"d", offset=3, sent=Sent(prefix_sha256=wrong))
    assert conflict.value.code == "other_prefix"
    right = hashlib.sha256(b"abc").hexdigest()
    assert send(source, b"d", offset=3, sent=Sent(prefix_sha256=right)).offset == 3


@pytest.mark.parametrize("name", ["", "a\nb", "a\0b", "\ud800", "x" * 600, "\x1b[31m"])
def test_a_name_that_cannot_be_shown_is_refused(source: Source, name: str) -> None:
    with pytest.raises(Refused):
        send(source, b"abc", file_name=name)
    with pytest.raises(Refused):
        send(source, b"abc", external_id=name)


def test_a_judged_incident_has_its_rows(source: Source) -> None:
    run = judge(source, incident())
    verdict = Verdict.objects.get(run=run)
    assert (verdict.soundness, verdict.closure, verdict.integrity) == ("unsound", "closed", "ok")
    assert verdict.worst == "soundness: unsound"
    assert (verdict.unsafe_windows, verdict.events, verdict.at) == (1, 6, 6)
    edit = EditRow.objects.get(run=run)
    assert (edit.edit_id, edit.seq, edit.end_seq, edit.unsafe) == ("e1", 3, 6, True)
    effect = EffectRow.objects.get(run=run)
    assert (effect.effect_id, effect.start_seq, effect.end_seq) == ("patch", 4, 5)
    assert (effect.danger, effect.authorization, effect.stands_in_way) == (True, "gate", ["e1"])
    rollback = RollbackRow.objects.get(run=run)
    assert (rollback.soundness, rollback.blame) == ("unsound", ["patch"])
    assert {"JG101", "JG103"} <= set(FindingRow.objects.values_list("code", flat=True))
    report = json.loads(journals.unpack(verdict.report))
    assert report["format"] == "guard-report/1"
    assert run.agent == "agent-1"


def test_facts_stand_with_their_lines(source: Source) -> None:
    run = judge(source, incident())
    fact = FactRow.objects.get(edit__run=run, key="max_retries")
    assert (fact.status, fact.scope, fact.value) == ("dropped", "config/uploader.yaml", "0")
    assert (fact.source_seq, fact.source_line) == (1, 2)
    edit = EditRow.objects.get(run=run)
    assert (edit.dropped, edit.kept) == (1, 1)


def test_judging_again_gives_the_same_bytes_and_keeps_when_a_finding_was_first_seen(
    source: Source,
) -> None:
    run = judge(source, incident())
    before = bytes(Verdict.objects.get(run=run).report)
    seen = dict(FindingRow.objects.values_list("code", "first_seen_at"))
    call_command("rejudge", stdout=StringIO())
    assert bytes(Verdict.objects.get(run=run).report) == before
    assert dict(FindingRow.objects.values_list("code", "first_seen_at")) == seen
    assert EditRow.objects.count() == 1


def test_a_verdict_that_changes_stays_in_the_history(source: Source) -> None:
    data = lines(HEADER, SPAN, RECORD, EDIT, {**PATCH, "state": "started"})
    rolled = {"kind": "rollback", "seq": 5, "id": "r1", "edits": ["e1"]}
    judge(source, data + lines(rolled))
    late = {**PATCH, "seq": 6, "state": "committed"}
    run = judge(source, data + lines(rolled, late))
    first, second = Verdict.objects.filter(run=run).order_by("pk")
    assert (first.soundness, second.soundness) == ("unknown", "unsound")
    assert (first.current, second.current) == (False, True)
    changed = {"what": "soundness", "subject": "r1", "was": "unknown", "now": "unsound"}
    assert changed in second.changes


def test_an_older_snapshot_never_replaces_a_newer_verdict(source: Source) -> None:
    data = incident()
    receipt = send(source, data[:700])
    old = journals.snapshot(Run.objects.get(public_id=receipt.run).pk)
    run = judge(source, data[700:], offset=700)
    ingest.judge_snapshot(old)
    assert Verdict.objects.get(run=run, current=True).events == 6


BAD = {
    "not JSON": (lines(HEADER) + b"nonsense\n", 2, "no JSON"),
    "two objects on one line": (lines(HEADER) + b'{"kind":"seal","seq":1}{}\n', 2, "no JSON"),
    "a line of 2 MB": (lines(HEADER) + b'{"kind":"' + b"x" * (2 << 20) + b'"}\n', 2, "bytes"),
    "NUL": (lines(HEADER) + b'{"kind":"a\\u0000","seq":1}\n', 2, "NUL"),
    "a lone surrogate": (lines(HEADER) + b'{"kind":"a\\ud800","seq":1}\n', 2, "surrogate"),
    "a wrong format": (lines({**HEADER, "format": "context-journal/2"}), 1, "format"),
    "no header": (lines(SPAN), 1, ""),
    "bytes that are no text": (b"\xff\xfe\x00\x01", 1, ""),
    "an unknown kind without a number": (lines(HEADER, {"kind": "x-new"}), 2, ""),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_refused_with_line_and_reason(source: Source, case: str) -> None:
    data, line, reason = BAD[case]
    run = judge(source, data)
    row = LineRow.objects.get(run=run)
    assert (row.answer, row.line) == ("refused", line)
    assert reason in row.reason
    assert row.kept or not data.split(b"\n")[line - 1].strip()
    verdict = Verdict.objects.get(run=run, current=True)
    assert verdict.worst.startswith("refused: ")
    assert (verdict.soundness, verdict.closure, verdict.integrity) == ("unknown",) * 3
    assert Job.objects.get(run=run).state == Job.State.DONE
    assert journals.unpack(Chunk.objects.get().data) == data


def test_bytes_that_spoil_a_journal_take_its_verdicts_away(source: Source) -> None:
    run = judge(source, incident())
    judge(source, b"nonsense\n{}\n", offset=len(incident()))
    assert not EditRow.objects.filter(run=run).exists()
    assert Verdict.objects.get(run=run, current=True).soundness == "unknown"
    assert Verdict.objects.filter(run=run, soundness="unsound").count() == 1


def test_a_torn_last_line_is_quarantined_and_the_rest_is_judged(source: Source) -> None:
    run = judge(source, incident() + b'{"kind":"effect","seq":7,"id":"f9","sta')
    row = LineRow.objects.get(run=run)
    assert (row.answer, row.line) == ("quarantined", 8)
    assert row.kept.startswith('{"kind":"effect"')
    assert Verdict.objects.get(run=run).events == 6


def test_an_unknown_kind_is_a_named_skip(source: Source) -> None:
    run = judge(source, incident() + lines({"kind": "x-telemetry", "seq": 7}))
    skip = SkipCount.objects.get(run=run)
    assert (skip.name, skip.count) == ("x-telemetry", 1)
    assert FindingRow.objects.filter(run=run, code="JG404").exists()


def test_what_no_database_keeps_is_kept_readable(source: Source) -> None:
    long = "e" * 3000
    edit = {**EDIT, "id": long, "author": "\u202e" * 20}
    run = judge(source, lines(HEADER, SPAN, {**RECORD, "edit": long}, edit))
    assert len(EditRow.objects.get(run=run).edit_id) <= 512


def test_nothing_is_stored_of_an_empty_file(source: Source) -> None:
    with pytest.raises(Refused, match="empty"):
        send(source, b"")
    assert not Run.objects.exists()


def test_the_database_refuses_to_change_a_chunk(source: Source) -> None:
    send(source, incident())
    for statement in (
        "UPDATE dashboard_chunk SET sha256 = 'x'",
        "DELETE FROM dashboard_chunk",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


class TestTheCommand:
    def run(self, *paths: object, **options: object) -> str:
        out = StringIO()
        call_command("ingest", *map(str, paths), source="lab", stdout=out, **options)
        return out.getvalue()

    def test_a_file_goes_in_and_is_judged(self, source: Source, tmp_path: Path) -> None:
        path = tmp_path / "run-7.ndjson"
        path.write_bytes(incident())
        said = self.run(path)
        assert "stored as r-" in said
        assert "soundness: unsound" in said
        assert "here already" in self.run(path)
        assert Run.objects.count() == 1

    def test_a_folder_and_a_glob_go_in(self, source: Source, tmp_path: Path) -> None:
        for number in range(3):
            (tmp_path / f"{number}.ndjson").write_bytes(incident(f"run-{number}"))
        self.run(tmp_path)
        assert Run.objects.count() == 3
        assert "here already" in self.run(tmp_path / "*.ndjson")

    def test_a_packed_file_goes_in(self, source: Source, tmp_path: Path) -> None:
        path = tmp_path / "run-7.ndjson.gz"
        path.write_bytes(gzip.compress(incident()))
        self.run(path)
        assert File.objects.get().name == "run-7.ndjson"

    def test_the_same_run_under_another_name_is_the_same_file(
        self, source: Source, tmp_path: Path
    ) -> None:
        for name in ("a.ndjson", "b.ndjson"):
            (tmp_path / name).write_bytes(incident())
            self.run(tmp_path / name)
        assert File.objects.get().name == "a.ndjson"

    @pytest.mark.parametrize(
        ("content", "reason", "status"),
        [
            (b"", "empty", 2),
            (b"hello\n", "1: ", 2),
            (lines(HEADER) + b"nonsense\n", "2: refused", 1),
        ],
    )
    def test_a_bad_file_is_named_with_line_and_reason(
        self, source: Source, tmp_path: Path, content: bytes, reason: str, status: int
    ) -> None:
        path = tmp_path / "bad.ndjson"
        path.write_bytes(content)
        out = StringIO()
        with pytest.raises(CommandError) as failed:
            call_command("ingest", str(path), stdout=out)
        assert failed.value.returncode == status
        assert reason in out.getvalue()

    @pytest.mark.parametrize("what", ["nowhere", "empty folder", "folder without sessions"])
    def test_nothing_to_read_is_an_error(self, source: Source, tmp_path: Path, what: str) -> None:
        if what == "folder without sessions":
            (tmp_path / "notes.txt").write_text("hello")
        with pytest.raises(CommandError) as failed:
            self.run(tmp_path / "nowhere" if what == "nowhere" else tmp_path)
        assert failed.value.returncode == 2


def test_files_beside_a_bad_one_are_not_touched_by_it(source: Source) -> None:
    files = [SourceFile("good.ndjson", incident()), SourceFile("bad.txt", b"hello")]
    taken = {one.file: one.answer for one in imports.take(source, files, "test")}
    assert taken == {"good.ndjson": "stored", "bad.txt": "refused"}
