"""Session files on their way in: each byte once, whatever becomes of the file in the meantime."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
import zstandard
from django.test import Client as Browser

from dashboard import ingest, journals, working
from dashboard.models import Chunk, File, GapRow, Job, Run, Source, Verdict
from dashboard.receiving import Sent
from guard.cli import main, sending
from guard.client import Client, ServerAway
from guard.shipping import places
from guard.shipping.follower import Follower
from guard.shipping.marks import Busy, Marks
from guard.shipping.shipper import Shipped
from tests.dashboard.making import EDIT, HEADER, RECORD, SPAN, incident, lines

pytestmark = pytest.mark.django_db
SAMPLES = Path(__file__).parent.parent / "samples"
SESSION = SAMPLES / "claude-code" / "auto_compaction_2.1.20.jsonl"


class InProcess(Client):
    """The client of an agent's machine whose requests arrive here; `down`: no answer comes back."""

    def __init__(self, secret: str) -> None:
        super().__init__("http://guard.example", secret)
        self.down: str = ""
        self.requests = 0

    def _request(
        self, method: str, path: str, data: bytes | None, headers: Mapping[str, str], wait_s: float
    ) -> tuple[int, bytes]:
        self.requests += 1
        if self.down == "before":
            raise ServerAway("no connection")
        answer = Browser().generic(
            method,
            path,
            data or b"",
            content_type=headers["Content-Type"],
            headers={"authorization": headers["Authorization"]},
        )
        if self.down == "after":
            raise ServerAway("the answer was lost")
        return answer.status_code, answer.content


class Machine:
    """A folder of sessions, and the watcher beside it."""

    def __init__(self, folder: Path, client: InProcess) -> None:
        self.folder, self.client, self._state = folder / "sessions", client, folder / "state"
        self.folder.mkdir()
        self.told: list[tuple[str, Shipped]] = []
        self.start()

    def start(self) -> None:
        """The watcher, for the first time or again."""
        self.marks = Marks(self._state)
        say = lambda path, shipped: self.told.append((Path(path).name, shipped))  # noqa: E731
        self.follower = Follower(self.client, self.marks, say)

    def stop(self) -> None:
        self.marks.__exit__(None, None, None)

    def restart(self) -> None:
        self.stop()
        self.start()

    def turn(self) -> dict[str, str]:
        """One look; what became of each file that was looked into."""
        self.told.clear()
        self.follower.turn([self.folder])
        return {name: shipped.outcome for name, shipped in self.told}

    def file(self, name: str = "run-7.ndjson") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


@pytest.fixture
def machine(tmp_path: Path, token: Callable[[str], str]) -> Machine:
    return Machine(tmp_path, InProcess(token("ingest")))


def stored(generation: int = 1, name: str = "run-7.ndjson") -> bytes:
    """The bytes that the server has of a file."""
    chunks = Chunk.objects.filter(file__name=name, file__generation=generation)
    return b"".join(journals.unpack(chunk.data) for chunk in chunks.order_by("offset"))


def judged() -> Verdict:
    for job in Job.objects.filter(state=Job.State.PENDING):
        assert working.work_on(job.pk)
    return Verdict.objects.get(current=True)


def test_only_whole_lines_that_are_new_are_sent(machine: Machine) -> None:
    path, data = machine.file(), incident()
    path.write_bytes(data[:700])
    assert machine.turn() == {"run-7.ndjson": "sent"}
    whole = data[: data[:700].rindex(b"\n") + 1]
    assert stored() == whole
    path.write_bytes(data)
    machine.turn()
    assert [chunk.offset for chunk in Chunk.objects.order_by("pk")] == [0, len(whole)]
    assert stored() == data
    requests = machine.client.requests
    assert machine.turn() == {}
    machine.restart()
    assert machine.turn() == {}
    assert machine.client.requests == requests
    assert Run.objects.get().external_id == "run-7"


@pytest.mark.parametrize("down", ["before", "after"])
def test_what_a_server_did_not_answer_is_sent_again_and_stored_once(
    machine: Machine, down: str
) -> None:
    data = incident()
    machine.file().write_bytes(data)
    machine.client.down = down
    with pytest.raises(ServerAway):
        machine.turn()
    machine.client.down = ""
    machine.restart()
    machine.turn()
    assert stored() == data
    assert Chunk.objects.count() == 1


def test_without_its_marks_a_watcher_offers_everything_and_stores_nothing_twice(
    machine: Machine, tmp_path: Path
) -> None:
    path = machine.file()
    for length in (3, 6):
        path.write_bytes(b"".join(incident().splitlines(keepends=True)[:length]))
        machine.turn()
    machine.stop()
    shutil.rmtree(tmp_path / "state")
    path.write_bytes(incident())
    machine.start()
    assert machine.turn() == {"run-7.ndjson": "sent"}
    assert stored() == incident()
    assert File.objects.count() == 1


def test_a_server_that_lost_bytes_gets_them_again(machine: Machine, source: Source) -> None:
    path, data = machine.file(), incident()
    cut = data.index(b"\n") + 1
    path.write_bytes(data)
    machine.turn()
    mark = next(iter(machine.marks))
    ingest.receive(source, "restored", "run-7.ndjson", 0, data[:cut])
    machine.marks.keep(msgspec.structs.replace(mark, run="restored", seen=None))
    machine.restart()
    path.write_bytes(data + lines({"kind": "seal", "seq": 7}))
    assert machine.turn() == {"run-7.ndjson": "sent"}
    chunks = Chunk.objects.filter(file__run__external_id="restored").order_by("offset")
    assert [chunk.offset for chunk in chunks] == [0, cut]
    assert sum(chunk.size_bytes for chunk in chunks) == path.stat().st_size


def test_a_rewritten_session_is_a_gap_and_the_earlier_copy_stays(machine: Machine) -> None:
    rows = SESSION.read_bytes().splitlines(keepends=True)
    path = machine.file("session.jsonl")
    path.write_bytes(b"".join(rows))
    machine.turn()
    before = judged().events
    path.write_bytes(b"".join(rows[:8] + rows[12:]))
    assert machine.turn() == {"session.jsonl": "sent"}
    verdict = judged()
    assert stored(1, "session.jsonl") == b"".join(rows)
    assert stored(2, "session.jsonl") == path.read_bytes()
    gap = GapRow.objects.get(what__contains="rewritten")
    assert 1 < gap.first_seq <= verdict.events
    assert verdict.integrity == "gap"
    assert before > 0
    path.write_bytes(path.read_bytes() + rows[10])
    machine.turn()
    judged()
    assert GapRow.objects.get(what__contains="rewritten").first_seq == gap.first_seq
    assert File.objects.count() == 2


def test_a_session_cut_short_is_a_gap_where_it_ends(machine: Machine) -> None:
    rows = SESSION.read_bytes().splitlines(keepends=True)
    path = machine.file("session.jsonl")
    path.write_bytes(b"".join(rows))
    machine.turn()
    judged()
    path.write_bytes(b"".join(rows[:8]))
    machine.turn()
    verdict = judged()
    assert GapRow.objects.get().first_seq == verdict.events
    path.unlink()
    assert machine.turn() == {}
    assert stored(1, "session.jsonl") == b"".join(rows)


def test_a_rewritten_native_journal_forks(machine: Machine) -> None:
    path = machine.file()
    path.write_bytes(incident())
    machine.turn()
    assert judged().integrity == "ok"
    path.write_bytes(lines(HEADER, SPAN, RECORD, {**EDIT, "op": "evict"}))
    machine.turn()
    verdict = judged()
    assert (verdict.integrity, verdict.events) == ("fork", 7)


def test_a_document_that_grows_is_no_gap(machine: Machine) -> None:
    path = machine.file("task/api_conversation_history.json")
    sample = SAMPLES / "cline" / "classic" / "1783000000000" / path.name
    messages = json.loads(sample.read_text())
    for length in (2, 3):
        path.write_text(json.dumps(messages[:length], indent=1))
        os.utime(path, (1, length))
        machine.turn()
        judged()
    assert [(f.generation, f.rewrites) for f in File.objects.order_by("pk")] == [
        (1, False),
        (2, False),
    ]
    assert not GapRow.objects.exists()
    path.write_text(json.dumps(messages[:1] + messages[2:], indent=1))
    os.utime(path, (1, 9))
    machine.turn()
    judged()
    assert GapRow.objects.count() == 1


def test_a_log_that_rotates_goes_on_under_another_name(machine: Machine) -> None:
    data = incident().splitlines(keepends=True)
    path = machine.file()
    path.write_bytes(b"".join(data[:4]))
    machine.turn()
    path.rename(machine.file("run-7.ndjson.1"))
    path.write_bytes(data[0] + b"".join(data[4:]))
    machine.turn()
    with machine.file("run-7.ndjson.1").open("ab") as late:
        late.write(lines({"kind": "seal", "seq": 7}))
    machine.turn()
    assert stored() == b"".join(data[:4]) + lines({"kind": "seal", "seq": 7})
    assert stored(1, "run-7.ndjson~2") == data[0] + b"".join(data[4:])
    assert {file.generation for file in File.objects.all()} == {1}


@pytest.mark.parametrize(
    ("ending", "pack"),
    [(".zst", zstandard.ZstdCompressor().compress), (".gz", gzip.compress)],
)
def test_a_log_that_was_packed_is_the_same_log(
    machine: Machine, ending: str, pack: Callable[[bytes], bytes]
) -> None:
    path, data = machine.file(), incident()
    path.write_bytes(data[: data.index(b"\n") + 1])
    machine.turn()
    path.unlink()
    machine.file(f"run-7.ndjson{ending}").write_bytes(pack(data))
    machine.turn()
    assert stored() == data
    assert Chunk.objects.count() == 2
    machine.file(f"other{ending}").write_bytes(pack(data)[:60])
    assert machine.turn() == {f"other{ending}": "refused"}


def test_a_file_that_another_run_took_over_is_that_run(machine: Machine) -> None:
    path = machine.file()
    for name in ("run-7", "run-8"):
        path.write_bytes(incident(name))
        machine.turn()
    assert {run.external_id for run in Run.objects.all()} == {"run-7", "run-8"}
    assert {file.generation for file in File.objects.all()} == {1}


def test_a_sub_agent_that_works_alone_stays_with_its_session(machine: Machine) -> None:
    shutil.copytree(SAMPLES / "claude-code" / "agents_2.1.39", machine.file("project"))
    machine.turn()
    assert Run.objects.count() == 1
    agents = sorted(machine.folder.rglob("agent-*.jsonl"))
    with agents[0].open("ab") as stream:
        stream.write(agents[0].read_bytes().splitlines(keepends=True)[-1])
    assert machine.turn() == {agents[0].name: "sent"}
    shutil.copy(agents[0], agents[0].with_name("agent-new.jsonl"))
    machine.turn()
    assert Run.objects.count() == 1


def test_what_nobody_reads_is_named_once_and_looked_at_again_when_it_changes(
    machine: Machine,
) -> None:
    machine.file("notes.txt").write_text("remember the milk")
    assert machine.turn() == {"notes.txt": "refused"}
    assert "no adapter" in machine.told[0][1].reason
    assert machine.turn() == {}
    machine.file("notes.txt").write_bytes(incident())
    assert machine.turn() == {"notes.txt": "sent"}


def test_one_watcher_at_a_time(machine: Machine, tmp_path: Path) -> None:
    with pytest.raises(Busy):
        Marks(tmp_path / "state")


def test_a_generation_begins_once_and_only_at_its_start(source: Source) -> None:
    def send(data: bytes, offset: int, generation: int) -> Any:
        sent = Sent(generation=generation)
        return ingest.receive(source, "run-7", "a.jsonl", offset, data, sent=sent)

    assert send(b"one\n", 0, 1).generation == 1
    assert send(b"two\n", 0, 2).generation == 2
    again = send(b"two\n", 0, 2)
    assert (again.generation, again.duplicate) == (2, True)
    assert send(b"more\n", 4, 2).offset == 4
    for offset, generation in ((4, 3), (0, 1), (0, 4)):
        with pytest.raises(ingest.receiving.Conflict) as conflict:
            send(b"x\n", offset, generation)
        assert (conflict.value.code, conflict.value.shown["generation"]) == ("generation", 2)


@pytest.mark.parametrize(
    ("names", "status"),
    [(["run-7.ndjson"], 0), (["run-7.ndjson", "notes.txt"], 1), (["notes.txt"], 2), (["none"], 2)],
)
def test_import_says_what_became_of_each_file_and_ends_with_a_status(
    tmp_path: Path,
    token: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    names: list[str],
    status: int,
) -> None:
    monkeypatch.setattr(sending, "Client", lambda _address, secret, _wait: InProcess(secret))
    (tmp_path / "token").write_text(token("ingest") + "\n")
    (tmp_path / "run-7.ndjson").write_bytes(incident() + b'{"kind": "se')
    (tmp_path / "notes.txt").write_text("remember the milk")
    command = ["import", *(str(tmp_path / name) for name in names), "--server", "http://x"]
    command += ["--token-file", str(tmp_path / "token"), "--state", str(tmp_path / "state")]
    for outcome in ("sent", "here already"):
        assert main(command) == status
        told = capsys.readouterr().out.splitlines()
        assert sorted(line.split(": ")[0] for line in told) == sorted(
            str(tmp_path / name) for name in names if name != "none"
        )
        assert ("run-7.ndjson" in names) is any(f": {outcome}" in line for line in told)
    if "run-7.ndjson" in names:
        assert stored() == (tmp_path / "run-7.ndjson").read_bytes()


def test_without_a_server_nothing_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GUARD_HOOK_CONFIG", str(tmp_path / "none"))
    assert main(["import", str(SESSION)]) == 2
    assert "--server" in capsys.readouterr().err


def test_the_usual_folders_are_those_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("CLAUDE_CONFIG_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    assert places.usual() == []
    there = [tmp_path / ".claude" / "projects", tmp_path / "elsewhere" / "sessions"]
    for folder in there:
        folder.mkdir(parents=True)
    assert places.usual() == there
