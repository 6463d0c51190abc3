"""Secrets are gone before a byte is stored, and everything that rests on bytes still works."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
import zstandard
from django.db import DatabaseError, transaction
from django.test import Client

from dashboard import bodies, imports, ingest, journals, working
from dashboard.demo.claude import Session
from dashboard.models import Chunk, Entry, FactRow, File, Redaction, Run, Source, Verdict
from dashboard.receiving import Conflict, Sent
from guard.adapters.base import SourceFile
from guard.adapters.emit_shown import value_hash
from guard.chain import START, link
from tests.dashboard.making import HEADER, SPAN, lines

pytestmark = pytest.mark.django_db
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7aB3dE6gH9"
NAME = "run-7.ndjson"
PASSWORD = "tr0ub4dor-and-3"


def send(source: Source, data: bytes, offset: int = 0, **sent: Any) -> ingest.Receipt:
    return ingest.receive(source, "run-7", NAME, offset, data, sent=Sent(**sent))


def stored() -> bytes:
    chunks = Chunk.objects.filter(file__current=True).order_by("offset")
    return b"".join(journals.unpack(chunk.data) for chunk in chunks)


def journal(*texts: str) -> bytes:
    spans = [{**SPAN, "seq": n, "id": f"s{n}", "text": text} for n, text in enumerate(texts, 1)]
    return lines(HEADER, *spans)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_secret_is_counted_and_never_stored(source: Source) -> None:
    data = journal(f"export TOKEN={TOKEN}", "nothing")
    receipt = send(source, data)
    assert TOKEN.encode() not in stored()
    assert len(stored()) == len(data) == receipt.size_bytes
    assert (receipt.redacted, receipt.sha256) == (1, sha(data))
    noted = Redaction.objects.get()
    assert noted.counts == {"github-token": 1}
    assert (noted.raw, noted.stored_sha256) == (None, sha(stored()))
    entry = Entry.objects.get(kind="received").body
    assert (entry["sha256"], entry["stored_sha256"]) == (sha(data), sha(stored()))
    assert working.work_on(receipt.job_id or 0)
    assert Verdict.objects.get(current=True).integrity == "ok"


def test_without_a_secret_nothing_is_noted(source: Source) -> None:
    data = journal("nothing")
    assert send(source, data).redacted == 0
    assert stored() == data
    assert not Redaction.objects.exists()


def test_a_sender_knows_its_bytes_again(source: Source) -> None:
    data, more = journal(f"a {TOKEN} b", "c"), lines({**SPAN, "seq": 3, "text": TOKEN})
    first = send(source, data, through_sha256=sha(data))
    assert send(source, data).receipt == first.receipt
    longer = send(source, data + more)
    assert (longer.offset, longer.duplicate) == (len(data), False)
    assert send(source, data[40:], 40).duplicate
    assert File.objects.count() == 1
    assert Redaction.objects.count() == 2


def test_other_bytes_under_the_stars_are_other_bytes(source: Source) -> None:
    data = journal(TOKEN)
    send(source, data)
    other = data.replace(TOKEN.encode(), TOKEN.swapcase().replace("GHP_", "ghp_").encode())
    with pytest.raises(Conflict) as conflict:
        send(source, other)
    assert conflict.value.code == "other_bytes"
    assert TOKEN not in json.dumps(conflict.value.shown)


@pytest.mark.parametrize(
    ("other", "status"),
    [
        (f"postgres://mira:{PASSWORD}@db/tides", "kept"),
        (f"postgres://mira:{PASSWORD[::-1]}@db/tides", "altered"),
        (f"postgres://mira:{PASSWORD}@staging/tides", "altered"),
    ],
    ids=["the same", "another password", "another host"],
)
def test_a_secret_that_became_another_one_was_not_kept(
    source: Source, other: str, status: str
) -> None:
    made = Session(Random(3), datetime(2026, 11, 30, 9, 0, tzinfo=UTC))
    made.read("/srv/app/config/app.yml", f"database_url: postgres://mira:{PASSWORD}@db/tides\n")
    made.compact(f"Summary:\n- config/app.yml: database_url: {other}\n")
    send(source, made.lines())
    assert PASSWORD.encode() not in stored()
    ingest.judge_snapshot(journals.snapshot(Run.objects.get().pk))
    assert [fact.status for fact in FactRow.objects.all()] == [status]


def test_what_was_taken_out_of_one_run_cannot_be_tried_in_another(source: Source) -> None:
    for run in ("one", "two"):
        ingest.receive(source, run, NAME, 0, journal(TOKEN))
    one, two = (journals.unpack(chunk.data) for chunk in Chunk.objects.all())
    assert one != two


def test_the_hash_of_what_came_before_is_that_of_the_sender(source: Source) -> None:
    data, more = journal(TOKEN), b'{"kind":"seal","seq":2}\n'
    send(source, data, through_sha256=sha(data))
    with pytest.raises(Conflict) as conflict:
        send(source, more, len(data), prefix_sha256=sha(stored()))
    assert conflict.value.code == "other_prefix"
    assert not send(source, more, len(data), prefix_sha256=sha(data)).duplicate


def test_what_came_before_cannot_be_compared_when_the_sender_told_nothing(source: Source) -> None:
    data = journal(TOKEN)
    send(source, data)
    assert not send(source, b"{}\n", len(data), prefix_sha256=sha(b"else")).duplicate


@pytest.mark.parametrize("cut", [5, 20, 30])
def test_the_second_half_of_a_secret_is_not_stored(source: Source, cut: int) -> None:
    data = journal(f"a {TOKEN} b")
    place = data.index(TOKEN.encode()) + cut
    send(source, data[:place])
    send(source, data[place:], place)
    assert TOKEN[cut:].encode() not in stored()
    assert send(source, data).duplicate


def chained(*events: dict[str, Any]) -> list[bytes]:
    prev, made = START, []
    for event in events:
        now = link(prev, event)
        made.append(lines({**event, "prev": prev, "chain": now}))
        prev = now
    return made


@pytest.mark.parametrize(("forged", "integrity"), [(False, "ok"), (True, "tampered")])
def test_a_chain_that_held_holds_and_one_that_did_not_does_not(
    source: Source, forged: bool, integrity: str
) -> None:
    rows = chained(
        *({**SPAN, "seq": n, "id": f"s{n}", "text": f"use {TOKEN} {n}"} for n in (1, 2, 3))
    )
    if forged:
        rows[1] = rows[1].replace(b"use ", b"try ")
    receipt = send(source, lines(HEADER) + b"".join(rows))
    assert TOKEN.encode() not in stored()
    working.work_on(receipt.job_id or 0)
    assert Verdict.objects.get(current=True).integrity == integrity


def test_a_kept_line_that_is_changed_later_breaks_its_chain(source: Source) -> None:
    rows = chained({**SPAN, "text": f"use {TOKEN}"})
    send(source, lines(HEADER) + b"".join(rows))
    shot = journals.snapshot(Run.objects.get().pk)
    assert journals.open_snapshot(shot).journal.broken == ()
    chunk = Chunk.objects.get()
    changed = stored().replace(b"use ", b"try ")
    another = Chunk(file=File.objects.create(run=Run.objects.get(), name="x"), offset=0)
    another.size_bytes, another.sha256 = chunk.size_bytes, chunk.sha256
    another.data = journals.pack(changed)
    another.save()
    part = journals.Part(another.file_id, NAME)
    shot = journals.Snapshot(
        shot.run_id, shot.head, (part,), journals.snapshot(shot.run_id).marks, ()
    )
    assert journals.open_snapshot(shot).journal.broken == (1,)


def test_a_live_batch_is_redacted_too(source: Source) -> None:
    from dashboard import recording
    from guard import journal as native

    header = native.read(lines(HEADER)).header
    run, _ = recording.open_run(source, header, "agent", None)
    event = {name: value for name, value in SPAN.items() if name != "seq"}
    recorded = recording.append(run, lines({**event, "text": TOKEN}), "agent")
    assert recorded.receipt.redacted == 1
    assert TOKEN.encode() not in stored()


@pytest.mark.parametrize(
    ("setting", "kept", "raw"), [("off", True, None), ("keep-raw", False, True)]
)
def test_what_is_kept_is_set(
    source: Source, settings: Any, setting: str, kept: bool, raw: bool | None
) -> None:
    settings.REDACT = setting
    data = journal(TOKEN)
    send(source, data)
    assert (TOKEN.encode() in stored()) is kept
    noted = Redaction.objects.first()
    assert (bytes(noted.raw or b"") == data if noted else None) is raw


def test_the_database_refuses_to_change_what_was_noted(source: Source) -> None:
    send(source, journal(TOKEN))
    for change in (Redaction.objects.all().delete, lambda: Redaction.objects.update(counts={})):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_a_page_shows_what_was_taken_and_only_a_role_sees_the_bytes_on_record(
    source: Source, settings: Any, member: Callable[..., Any]
) -> None:
    settings.REDACT = "keep-raw"
    data = journal(TOKEN)
    rid = send(source, data).run
    key = Redaction.objects.get().pk
    for role, status in (("reviewer", 404), ("lead", 404), ("investigator", 200), ("admin", 200)):
        person = Client()
        person.force_login(member(role, role))
        page = person.get(f"/runs/{rid}/secrets").content.decode()
        assert "github-token" in page
        assert TOKEN not in page
        assert "1 secret" in person.get(f"/runs/{rid}/").content.decode()
        answer = person.post(f"/runs/{rid}/secrets/{key}")
        assert answer.status_code == status
        assert (answer.content == data) is (status == 200)
    looks = Entry.objects.filter(kind="raw.seen").values_list("actor", flat=True)
    assert list(looks) == ["investigator", "admin"]


def test_bytes_that_were_not_kept_cannot_be_seen(
    source: Source, member: Callable[..., Any]
) -> None:
    rid = send(source, journal(TOKEN)).run
    person = Client()
    person.force_login(member("ivy", "investigator"))
    answer = person.post(f"/runs/{rid}/secrets/{Redaction.objects.get().pk}")
    assert answer.status_code == 404
    assert not Entry.objects.filter(kind="raw.seen").exists()


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_a_packed_file_is_unpacked_before_its_secrets_are_looked_for(
    source: Source, tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "run-7.ndjson.packed"
    path.write_bytes(pack(journal(TOKEN)))
    twice = tmp_path / "twice.packed"
    twice.write_bytes(gzip.compress(pack(journal(TOKEN))))
    answers = {
        t.file: t.answer for t in imports.take(source, map(SourceFile.of, (path, twice)), "ann")
    }
    assert answers == {str(path): "stored", str(twice): "refused"}
    assert TOKEN.encode() not in stored()
    assert Redaction.objects.get().counts == {"github-token": 1}


@pytest.mark.parametrize(
    ("came", "body"),
    [
        (json.dumps({"input": {"b": [TOKEN]}}).encode(), {"b": [TOKEN]}),
        (json.dumps({"arguments": json.dumps({"b": TOKEN})}).encode(), {"b": TOKEN}),
        (json.dumps({"calls": [{"input": {TOKEN: 1}}]}, indent=1).encode(), {TOKEN: 1}),
        (b'{"a":1}\nno JSON\n' + json.dumps({"input": f"ls {TOKEN}"}).encode(), f"ls {TOKEN}"),
        (b'{"a":' * 700 + f'"{TOKEN}"'.encode() + b"}" * 700, None),
    ],
    ids=["object", "JSON in a text", "document of many lines", "text", "deeper than any input"],
)
def test_the_hash_of_what_held_a_secret_is_noted(came: bytes, body: Any) -> None:
    noted = bodies.noted(came, came.replace(TOKEN.encode(), b"*" * len(TOKEN)))
    kept = json.loads(json.dumps(body).replace(TOKEN, "*" * len(TOKEN)))
    assert noted.get(value_hash(kept)) == (value_hash(body) if body else None)


def test_of_two_inputs_that_became_one_neither_is_said() -> None:
    assert bodies.one_each([("k", "a"), ("k", "a")]) == {"k": "a"}
    assert bodies.one_each([("k", "a"), ("k", "b"), ("k", "a")]) == {"k": "k"}
