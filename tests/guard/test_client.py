"""The client against a server that is there, away, slow or wrong: nothing lost, nothing let by."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from guard.client import Client, NotAllowed, Planned, Recorder, Refused, ServerAway, sha256
from tests.guard import agent_loop

PUSH = Planned("push-1", "to main", tool="git.push", reversibility="irreversible")
BODY = sha256("to main")


class Server(HTTPServer):
    """Answers from a table by the last word of the path; remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, tuple[int, Any]] = {}
        self.events: list[dict[str, Any]] = []
        self.keys: dict[str, bytes] = {}
        self.away = False
        self.lose_answers = False
        self.consumed: list[dict[str, Any]] = []

    @property
    def client(self) -> Client:
        return Client(f"http://127.0.0.1:{self.server_address[1]}", "token", timeout_s=2)


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self._say(*self.server.answers.get("gate", (404, {})))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if self.server.away:
            self._say(503, {})
            return
        last = self.path.rpartition("/")[2]
        if last == "events":
            self._events(body)
            return
        if last == "consume":
            self.server.consumed.append(json.loads(body))
        self._say(*self.server.answers.get(last, (404, {"code": "unknown"})))

    def _events(self, body: bytes) -> None:
        """As the real one: one key is one batch, and a line that is no event refuses the batch."""
        key = self.headers["Idempotency-Key"]
        if self.server.keys.setdefault(key, body) != body:
            self._say(409, {"code": "idempotency_key"})
            return
        rows = [json.loads(line) for line in body.splitlines()]
        if any(row.get("kind") == "nonsense" for row in rows):
            self._say(422, {"code": "refused_line", "detail": "line 1: no such kind"})
            return
        if [row for row in rows if row not in self.server.events]:
            self.server.events += rows
        self._say(500 if self.server.lose_answers else 202, {})

    def _say(self, status: int, body: Any) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.shutdown()
    thread.join()
    running.server_close()


@pytest.fixture
def recorder(server: Server, tmp_path: Path) -> Iterator[Recorder]:
    with Recorder(server.client, "run-7", tmp_path / "spool") as made:
        yield made


def gate(**more: Any) -> dict[str, Any]:
    bound = [{"id": "push-1", "sha256": BODY}]
    return {"gate": "g1", "state": "approved", "digest": "sha256:d", "effects": bound, **more}


def held(server: Server, answer: dict[str, Any], code: str = "ok") -> None:
    """The server holds every effect at a gate, and has this answer for it."""
    server.answers["effects"] = (200, {"verdict": "gate", "gates": [gate(state="pending")]})
    server.answers["gate"] = (200, answer)
    server.answers["consume"] = (200 if code == "ok" else 409, {"code": code, "next_step": "No."})


def numbered(n: int) -> dict[str, Any]:
    return {"kind": "seal", "n": n}


class TestRecording:
    def test_what_is_recorded_while_the_server_is_away_arrives_later_in_order(
        self, server: Server, recorder: Recorder
    ) -> None:
        server.away = True
        assert [recorder.append(numbered(n)) for n in range(3)] == [1, 2, 3]
        server.away = False
        recorder.flush()
        assert [event["n"] for event in server.events] == [0, 1, 2]
        assert recorder.waiting() == []

    def test_a_new_process_goes_on_where_the_last_one_ended(
        self, server: Server, tmp_path: Path
    ) -> None:
        server.away = True
        for n in range(3):
            with Recorder(server.client, "run-7", tmp_path / "spool") as recorder:
                recorder.append(numbered(n))
        server.away = False
        with Recorder(server.client, "run-7", tmp_path / "spool") as recorder:
            recorder.append(numbered(3))
        assert [event["n"] for event in server.events] == [0, 1, 2, 3]

    def test_a_batch_whose_receipt_was_lost_is_sent_again_under_its_key(
        self, server: Server, recorder: Recorder
    ) -> None:
        server.lose_answers = True
        assert recorder.append(numbered(0)) == 1
        server.lose_answers = False
        recorder.append(numbered(1))
        recorder.flush()
        assert [event["n"] for event in server.events] == [0, 1]
        assert len(server.keys) == 2

    def test_a_file_that_was_half_written_is_no_batch(
        self, server: Server, recorder: Recorder, tmp_path: Path
    ) -> None:
        (tmp_path / "spool" / "000000000001-x.part").write_bytes(b'{"kind":"se')
        assert recorder.append(numbered(0)) == 0
        assert server.events == [numbered(0)]

    def test_a_refused_batch_is_set_aside_with_its_reason_and_later_ones_go_on(
        self, server: Server, recorder: Recorder, tmp_path: Path
    ) -> None:
        with pytest.raises(Refused, match="no such kind"):
            recorder.append({"kind": "nonsense"})
        assert recorder.append(numbered(1)) == 0
        kept = sorted(path.suffix for path in (tmp_path / "spool" / "refused").iterdir())
        assert kept == [".ndjson", ".reason"]

    def test_two_processes_never_share_a_spool(
        self, server: Server, recorder: Recorder, tmp_path: Path
    ) -> None:
        with pytest.raises(BlockingIOError):
            Recorder(server.client, "run-7", tmp_path / "spool")


class TestHolding:
    def steps(self, server: Server) -> list[str]:
        return [event["state"] for event in server.events]

    def test_a_verdict_of_proceed_lets_it_through(self, server: Server, recorder: Recorder) -> None:
        server.answers["effects"] = (200, {"verdict": "proceed"})
        with recorder.hold(PUSH):
            assert self.steps(server) == ["started"]
        assert self.steps(server) == ["started", "committed"]

    def test_an_approval_is_used_for_exactly_these_bytes(
        self, server: Server, recorder: Recorder
    ) -> None:
        held(server, gate(digest_text="Pinned: max_retries: 0"))
        with recorder.hold(PUSH) as permit:
            assert permit.pinned == ("Pinned: max_retries: 0",)
        used = {"effect": "push-1", "digest": "sha256:d", "payload_sha256": BODY}
        assert server.consumed == [used]

    @pytest.mark.parametrize(
        ("answer", "code"),
        [
            (gate(state="rejected", by="ann", reason="not tonight"), "ok"),
            (gate(state="expired"), "ok"),
            (gate(state="void"), "ok"),
            (gate(state="consumed"), "ok"),
            (gate(state="of tomorrow"), "ok"),
            ({}, "ok"),
            (gate(effects=[]), "ok"),
            (gate(effects=[{"id": "push-1", "sha256": "sha256:other"}]), "ok"),
            (gate(effects=[{"id": "push-2", "sha256": BODY}]), "ok"),
            (gate(), "digest_mismatch"),
            (gate(), "consumed"),
            (gate(), "error"),
        ],
    )
    def test_everything_but_ok_means_do_not_act(
        self, server: Server, recorder: Recorder, answer: dict[str, Any], code: str
    ) -> None:
        held(server, answer, code)
        with pytest.raises(NotAllowed), recorder.hold(PUSH):
            raise AssertionError("it acted")
        assert server.events == []

    def test_the_reason_of_a_rejection_reaches_the_agent(
        self, server: Server, recorder: Recorder
    ) -> None:
        held(server, gate(state="rejected", by="ann", reason="not tonight"))
        with pytest.raises(NotAllowed, match="rejected by ann: not tonight"), recorder.hold(PUSH):
            pass

    @pytest.mark.parametrize(
        "answer", [(200, {"verdict": "refuse"}), (200, {}), (200, b"<html>"), (403, {}), (500, {})]
    )
    def test_no_clear_yes_is_no(
        self, server: Server, recorder: Recorder, answer: tuple[int, Any]
    ) -> None:
        server.answers["effects"] = answer
        with pytest.raises(NotAllowed), recorder.hold(PUSH):
            raise AssertionError("it acted")

    def test_nobody_answers_in_time(self, server: Server, recorder: Recorder) -> None:
        held(server, gate(state="pending"))
        with pytest.raises(NotAllowed, match="in time"), recorder.hold(PUSH, wait_s=0.3):
            raise AssertionError("it acted")

    def test_without_the_server_a_write_stops_and_a_read_goes_on(self, tmp_path: Path) -> None:
        client = Client("http://127.0.0.1:9", "token", timeout_s=1)
        with Recorder(client, "run-7", tmp_path) as recorder:
            with pytest.raises(ServerAway), recorder.hold(PUSH):
                raise AssertionError("it acted")
            with recorder.hold(Planned("look", "", write=False)):
                pass
            assert len(recorder.waiting()) == 2

    @pytest.mark.parametrize("left", [KeyboardInterrupt, ValueError])
    def test_an_effect_that_broke_off_may_have_left(
        self, server: Server, recorder: Recorder, left: type[BaseException]
    ) -> None:
        server.answers["effects"] = (200, {"verdict": "proceed"})
        with pytest.raises(left), recorder.hold(PUSH):
            raise left
        assert self.steps(server) == ["started", "unknown"]

    def test_a_failure_is_said_by_the_agent(self, server: Server, recorder: Recorder) -> None:
        server.answers["effects"] = (200, {"verdict": "proceed"})
        with recorder.hold(PUSH) as permit:
            permit.failed(partial=True)
        assert (server.events[-1]["state"], server.events[-1]["partial"]) == ("failed", True)


@pytest.mark.parametrize("address", ["", "guard.example.org", "file:///etc", "ftp://x"])
def test_an_address_that_is_none_is_refused_at_once(address: str) -> None:
    with pytest.raises(ValueError, match="no http or https"):
        Client(address, "token")


def test_the_example_is_sixty_lines() -> None:
    assert len(Path(agent_loop.__file__).read_text().splitlines()) <= 60
