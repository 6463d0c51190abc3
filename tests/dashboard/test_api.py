"""The API as a runtime uses it: send, ask, wait, use; and what it never lets a token do."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import json
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings

from dashboard import gates, ingest, tokens, waiting, working
from dashboard.models import Chunk, Decision, EffectRow, Entry, Gate, Job, Run, Source, Token
from tests.dashboard.making import (
    DIGEST,
    EDIT,
    HEADER,
    PATCH,
    PAYLOAD,
    RECORD,
    SPAN,
    incident,
    lines,
    numberless,
    sha,
)

pytestmark = pytest.mark.django_db
API = "/api/v1"
Call = Callable[..., Any]


class Runtime:
    """A program with a token."""

    def __init__(self, secret: str) -> None:
        self.client = Client(raise_request_exception=False)
        self.headers = {"authorization": f"Bearer {secret}"}

    def get(self, path: str) -> Any:
        return self.client.get(API + path, headers=self.headers)

    def post(self, path: str, body: Any = None, key: str = "", **headers: str) -> Any:
        data = body if isinstance(body, bytes) else json.dumps(body or {})
        extra = {"idempotency-key": key} if key else {}
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(
            API + path, data, content_type=kind, headers=self.headers | extra | headers
        )


@pytest.fixture
def agent(token: Callable[[str], str]) -> Runtime:
    return Runtime(token("propose"))


@pytest.fixture
def reader(token: Callable[[str], str]) -> Runtime:
    return Runtime(token("read"))


@pytest.fixture
def live(agent: Runtime) -> str:
    """A live run with a digest that lost a limit."""
    run = agent.post("/runs", {"id": "run-7", "agent": "agent-1", "ledger": "complete"})
    assert run.status_code == 201, run.content
    sent = agent.post("/runs/run-7/events", lines(*map(numberless, (SPAN, RECORD, EDIT))))
    assert sent.status_code == 202, sent.content
    return str(run.json()["run"])


def judged() -> None:
    for job in Job.objects.filter(state=Job.State.PENDING):
        assert working.work_on(job.pk)


HELD = numberless(PATCH) | {"state": "held", "payload": PAYLOAD}
del HELD["kind"]


class TestSending:
    def test_bytes_are_taken_and_the_same_bytes_again(self, agent: Runtime) -> None:
        first = agent.post("/runs/run-7/chunks?file=a.ndjson", incident())
        second = agent.post("/runs/run-7/chunks?file=a.ndjson", incident())
        assert (first.status_code, second.status_code) == (202, 202)
        assert first.json()["receipt"] == second.json()["receipt"]
        assert (first.json()["duplicate"], second.json()["duplicate"]) == (False, True)
        assert Run.objects.get().public_id == first.json()["run"]

    def test_packed_bytes_are_stored_unpacked(self, agent: Runtime) -> None:
        sent = agent.post("/runs/run-7/chunks", gzip.compress(incident()), content_encoding="gzip")
        assert sent.json()["size_bytes"] == len(incident())

    def test_other_bytes_are_409_with_both_hashes(self, agent: Runtime) -> None:
        agent.post("/runs/run-7/chunks", incident())
        other = agent.post("/runs/run-7/chunks", incident("run-8"))
        assert other.status_code == 409
        assert other.headers["Content-Type"] == "application/problem+json"
        problem = other.json()
        assert problem["code"] == "other_bytes"
        assert problem["sent_sha256"] != problem["stored_sha256"]

    def test_a_file_is_sent_on_where_it_ended(self, agent: Runtime) -> None:
        data = incident()
        agent.post("/runs/run-7/chunks", data[:500])
        gap = agent.post("/runs/run-7/chunks?offset=600", data[600:])
        assert (gap.status_code, gap.json()["expected_offset"]) == (409, 500)
        assert agent.post("/runs/run-7/chunks?offset=500", data[500:]).status_code == 202

    @pytest.mark.parametrize(
        ("body", "encoding", "status"),
        [
            (gzip.compress(bytes(101 << 20)), "gzip", 413),
            (gzip.compress(gzip.compress(b"abc")), "gzip", 415),
            (b"abc", "br", 415),
            (b"abc", "gzip", 400),
            (gzip.compress(b"abcabc")[:-4], "gzip", 400),
            (b"x" * ((20 << 20) + 1), "", 413),
            (b"", "", 422),
        ],
        ids=["bomb", "two layers", "brotli", "no gzip", "cut off", "too large", "empty"],
    )
    def test_a_body_beyond_the_limits_stores_nothing(
        self, agent: Runtime, body: bytes, encoding: str, status: int
    ) -> None:
        answer = agent.post("/runs/run-7/chunks", body, content_encoding=encoding)
        assert answer.status_code == status
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert not Chunk.objects.exists()
        assert not Run.objects.exists()

    def test_a_database_that_is_away_is_503_and_no_202(
        self, agent: Runtime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away(*_: object, **__: object) -> None:
            raise OperationalError("server closed the connection unexpectedly")

        monkeypatch.setattr(ingest, "receive", away)
        answer = agent.post("/runs/run-7/chunks", incident())
        assert (answer.status_code, answer.json()["code"]) == (503, "database")
        assert int(answer.headers["Retry-After"]) > 0

    def test_one_token_cannot_flood(self, agent: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
        from dashboard.api import auth
        from dashboard.limits import Rate

        rate = Rate(2)
        monkeypatch.setattr(auth, "_rate", lambda: rate)
        codes = [agent.post("/runs/run-7/chunks", incident()).status_code for _ in range(3)]
        assert codes == [202, 202, 429]
        late = agent.post("/runs/run-7/chunks", incident())
        assert int(late.headers["Retry-After"]) > 0


class TestEvents:
    def test_the_product_gives_the_numbers(self, agent: Runtime, live: str) -> None:
        sent = agent.post(f"/runs/{live}/events", lines({"kind": "seal"}, {"kind": "seal"}))
        assert (sent.json()["first_seq"], sent.json()["last_seq"]) == (4, 5)
        judged()
        assert (
            Runtime(tokens.issue(Source.objects.get(), "r", "read")[1])
            .get(f"/runs/{live}")
            .json()["next_seq"]
            == 6
        )

    def test_a_batch_is_taken_whole_or_not_at_all(self, agent: Runtime, live: str) -> None:
        before = Chunk.objects.count()
        bad = lines({"kind": "seal"}) + b"nonsense\n" + lines({"kind": "seal"})
        refused = agent.post(f"/runs/{live}/events", bad)
        assert (refused.status_code, refused.json()["line"]) == (422, 2)
        assert Chunk.objects.count() == before

    @pytest.mark.parametrize(
        ("body", "line"),
        [
            (b'{"kind":"seal"}\n{"kind":"se', 2),
            (b'{"kind":"seal"}{"kind":"seal"}\n', 1),
            (b'{"kind":"seal","kind":"seal"}\n', 1),
            (b'{"kind":"x","v":NaN}\n', 1),
            (b'{"kind":"x","v":1e400}\n', 1),
            (b'{"kind":"x","v":' + b"9" * 5000 + b"}\n", 1),
            (b'{"kind":"x","v":"\\ud800"}\n', 1),
            (b'{"kind":"x","v":"\\u0000"}\n', 1),
            (b'\xef\xbb\xbf{"kind":"seal"}\n', 1),
            ('{"kind":"seal"}\n'.encode("utf-16"), 1),
            (b'{"kind":"x","v":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", 1),
            (b'{"kind":"x","v":[' + b"1," * 20_001 + b"1]}\n", 1),
            (b'{"kind":"x","v":"' + b"y" * (2 << 20) + b'"}\n', 1),
            (b"\n", 1),
            (b"[]\n", 1),
            (b'{"kind":"edit"}\n', 1),
            (b'{"kind":"gate","id":"g1","state":"approved","digest":"x","by":"ann"}\n', 1),
            (b'{"kind":"journal","format":"context-journal/2","id":"run-7"}\n', 1),
        ],
    )
    def test_a_bad_line_is_named(self, agent: Runtime, live: str, body: bytes, line: int) -> None:
        refused = agent.post(f"/runs/{live}/events", body)
        assert (refused.status_code, refused.json().get("line")) == (422, line)
        assert refused.json()["reason"]

    def test_ten_thousand_lines_are_a_batch_and_one_more_is_none(
        self, agent: Runtime, live: str
    ) -> None:
        line = b'{"kind":"seal"}\n'
        assert agent.post(f"/runs/{live}/events", line * 10_001).status_code == 422
        assert agent.post(f"/runs/{live}/events", line * 10_000).status_code == 202

    def test_a_key_makes_a_retry_the_same_batch(self, agent: Runtime, live: str) -> None:
        body = lines({"kind": "seal"})
        first = agent.post(f"/runs/{live}/events", body, key="b1")
        second = agent.post(f"/runs/{live}/events", body, key="b1")
        assert first.json() == second.json()
        other = agent.post(f"/runs/{live}/events", body * 2, key="b1")
        assert (other.status_code, other.json()["code"]) == (409, "idempotency_key")

    def test_lines_with_numbers_are_known_again(self, agent: Runtime) -> None:
        body = incident("whole")
        first = agent.post("/runs/whole/events", body)
        second = agent.post("/runs/whole/events", body)
        assert first.json()["receipt"] == second.json()["receipt"]
        assert second.json()["duplicate"]

    def test_a_number_that_a_gate_has_is_taken(self, agent: Runtime, live: str) -> None:
        agent.post(f"/runs/{live}/effects", HELD | {"hold": {}})
        taken = agent.post(f"/runs/{live}/events", lines({"kind": "seal", "seq": 5}))
        assert (taken.status_code, taken.json()["code"]) == (409, "seq_taken")
        assert taken.json()["next_seq"] == 6

    def test_a_run_is_recorded_or_read_from_files_and_never_both(
        self, agent: Runtime, live: str
    ) -> None:
        assert agent.post(f"/runs/{live}/chunks", b"abc").json()["code"] == "is_live"
        agent.post("/runs/files/chunks", incident("files"))
        mixed = agent.post("/runs/files/events", lines({"kind": "seal"}))
        assert mixed.json()["code"] == "has_files"

    def test_a_run_is_opened_once(self, agent: Runtime, live: str) -> None:
        body = {"id": "run-7", "agent": "agent-1", "ledger": "complete"}
        assert agent.post("/runs", body).status_code == 200
        other = agent.post("/runs", body | {"agent": "agent-2"})
        assert (other.status_code, other.json()["code"]) == (409, "other_header")


class TestBeforeItHappens:
    def test_a_held_write_under_a_lossy_digest_waits_for_a_person_and_goes_on(
        self, agent: Runtime, live: str, member: Callable[..., User]
    ) -> None:
        said = agent.post(f"/runs/{live}/effects", HELD | {"hold": {"words": "please"}})
        assert said.status_code == 200, said.content
        told = said.json()
        assert (told["verdict"], told["edits"], told["seq"]) == ("gate", ["e1"], 4)
        (asked,) = told["gates"]
        assert "Wait" in told["next_step"]
        use = {"effect": "patch", "digest": sha(DIGEST), "payload_sha256": sha(PAYLOAD)}
        path = f"/gates/{asked['gate']}"
        assert agent.post(f"{path}/consume", use).json()["code"] == "pending"
        approve(asked["gate"], member("ann"))
        followed = agent.get(path).json()
        assert (followed["state"], followed["by"], followed["reason"]) == (
            "approved",
            "ann",
            "checked",
        )
        consumed = agent.post(f"{path}/consume", use, key="k1")
        assert (consumed.status_code, consumed.json()["code"]) == (200, "ok")
        assert agent.post(f"{path}/consume", use, key="k2").json()["code"] == "consumed"
        assert agent.post(f"{path}/consume", use, key="k1").json()["code"] == "ok"
        step = numberless(PATCH)
        del step["kind"]
        agent.post(f"/runs/{live}/effects", step | {"state": "started"})
        agent.post(f"/runs/{live}/effects", step | {"state": "committed"})
        judged()
        row = EffectRow.objects.get()
        assert (row.authorization, row.danger, row.state) == ("proceed", False, "committed")

    def test_a_read_goes_ahead(self, agent: Runtime, live: str) -> None:
        read = {"id": "look", "state": "planned", "write": False}
        told = agent.post(f"/runs/{live}/effects", read).json()
        assert (told["verdict"], told["gates"]) == ("proceed", [])

    def test_a_proposal_that_loses_a_limit_is_judged_with_its_rules(
        self, agent: Runtime, live: str
    ) -> None:
        agent.post(f"/runs/{live}/effects", numberless_effect("planned"))
        body = {
            "id": "p1",
            "op": "summarize",
            "in": ["d1"],
            "out": {"id": "d2", "hash": sha("short"), "text": "short"},
            "store": {"payload": True, "verified": True},
        }
        told = agent.post(f"/runs/{live}/proposals", body).json()
        assert told["verdict"] == "refuse"
        assert "A4" in told["codes"]
        assert len(told["reasons"]) == len(told["codes"])

    def test_a_proposal_says_all_that_is_wrong_with_its_store(
        self, agent: Runtime, live: str
    ) -> None:
        body = {"id": "p1", "op": "evict", "in": ["d1"], "out": None}
        told = agent.post(f"/runs/{live}/proposals", body).json()
        assert (told["verdict"], "A1" in told["codes"]) == ("refuse", True)

    def test_a_gate_asked_for_with_bytes_that_are_not_here_is_422_and_records_nothing(
        self, agent: Runtime, live: str
    ) -> None:
        before = Chunk.objects.count()
        told = agent.post(f"/runs/{live}/effects", HELD | {"payload": "other", "hold": {}})
        assert (told.status_code, told.json()["code"]) == (422, "missing")
        assert told.json()["missing"]
        assert Chunk.objects.count() == before
        assert not Gate.objects.exists()

    def test_a_gate_can_be_asked_for_by_itself_and_withdrawn(
        self, agent: Runtime, live: str
    ) -> None:
        body = {
            "run": live,
            "edit": "e1",
            "digest": sha(DIGEST),
            "effects": [{"id": "patch", "sha256": sha(PAYLOAD), "payload": PAYLOAD}],
        }
        first = agent.post("/gates", body, key="g1")
        second = agent.post("/gates", body, key="g1")
        assert (first.status_code, first.json()) == (201, second.json())
        name = first.json()["gate"]
        assert [gate["gate"] for gate in agent.get("/gates").json()] == [name]
        assert agent.post(f"/gates/{name}/withdraw").json()["state"] == "withdrawn"
        assert agent.post(f"/gates/{name}/withdraw").json()["state"] == "withdrawn"

    def test_pinned_facts_come_back_to_the_agent(
        self, agent: Runtime, live: str, member: Callable[..., User]
    ) -> None:
        told = agent.post(f"/runs/{live}/effects", HELD | {"hold": {}}).json()
        name = told["gates"][0]["gate"]
        approve(name, member("ann"), pins=["config/uploader.yaml:max_retries"])
        old = agent.get(f"/gates/{name}").json()
        assert (old["state"], old["why"]) == ("withdrawn", "pinned")
        new = agent.get(f"/gates/{old['replaced_by']}").json()
        assert "max_retries: 0" in new["digest_text"]
        assert new["digest"] == sha(new["digest_text"])


def numberless_effect(state: str) -> dict[str, Any]:
    step = numberless(PATCH) | {"state": state}
    del step["kind"]
    return step


def approve(name: str, by: User, **more: Any) -> None:
    gate = Gate.objects.get(public_id=name)
    gates.decide(
        gate,
        by,
        "approved",
        "checked",
        shown_hash=gates.shown(gate).sha256,
        digest_hash=gate.digest_hash,
        signed_in_at=timezone.now(),
        **more,
    )


class TestReading:
    def test_runs_reports_and_findings(self, agent: Runtime, reader: Runtime) -> None:
        sent = agent.post("/runs/run-7/chunks", incident()).json()
        early = reader.get(f"/runs/{sent['run']}/report")
        assert (early.status_code, early.json()["code"]) == (409, "not_judged")
        judged()
        report = reader.get(f"/runs/{sent['run']}/report").json()
        assert report["rollbacks"][0]["soundness"]["verdict"] == "unsound"
        found = reader.get("/runs/run-7/findings").json()["findings"]
        assert {"JG101", "JG103"} <= {row["code"] for row in found}
        listed = reader.get("/runs").json()
        assert [row["id"] for row in listed["runs"]] == ["run-7"]
        assert listed["runs"][0]["judged"]

    def test_a_refused_journal_has_no_report_but_a_reason(
        self, agent: Runtime, reader: Runtime
    ) -> None:
        agent.post("/runs/run-7/chunks", lines(HEADER) + b"nonsense\n")
        judged()
        report = reader.get("/runs/run-7/report")
        assert report.status_code == 409
        assert "2: " in report.json()["detail"]


class TestTokens:
    PATHS = (
        ("post", "/runs", {"id": "x"}, "ingest"),
        ("post", "/runs/r/chunks", b"abc", "ingest"),
        ("post", "/runs/r/events", b"abc", "ingest"),
        ("post", "/runs/r/proposals", {}, "propose"),
        ("post", "/runs/r/effects", {}, "propose"),
        ("post", "/runs/r/calls", {}, "propose"),
        ("post", "/runs/r/digests", {}, "propose"),
        ("post", "/gates", {}, "propose"),
        ("post", "/gates/g-1/consume", {}, "propose"),
        ("post", "/gates/g-1/withdraw", {}, "propose"),
        ("get", "/runs", None, "read"),
        ("get", "/runs/r", None, "read"),
        ("get", "/runs/r/report", None, "read"),
        ("get", "/runs/r/findings", None, "read"),
        ("get", "/gates", None, "read"),
        ("get", "/gates/g-1", None, "read"),
    )

    @pytest.mark.parametrize(("method", "path", "body", "right"), PATHS)
    def test_each_call_takes_its_scope(
        self,
        token: Callable[[str], str],
        method: str,
        path: str,
        body: Any,
        right: str,
    ) -> None:
        assert call(Runtime("jg_nothing"), method, path, body).status_code == 401
        wrong = {"ingest": "read", "propose": "ingest", "read": "ingest"}[right]
        refused = call(Runtime(token(wrong)), method, path, body)
        assert (refused.status_code, refused.json()["code"]) == (403, "scope")
        allowed = call(Runtime(token(right)), method, path, body)
        assert allowed.status_code not in {401, 403, 500}

    def test_every_path_of_the_schema_is_in_that_table(self) -> None:
        schema = Client().get(f"{API}/openapi.json").json()
        known = {(method, path.replace("/r", "/{run}").replace("/g-1", "/{gate}"))
                 for method, path, _, _ in self.PATHS}  # fmt: skip
        known = {(method, path.replace("{run}uns", "runs").replace("{run}eport", "report"))
                 for method, path in known}  # fmt: skip
        found = {
            (method, path.removeprefix(API))
            for path, methods in schema["paths"].items()
            for method in methods
        }
        assert found == known

    def test_a_revoked_token_is_none(self, source: Source) -> None:
        token, secret = tokens.issue(source, "t", "read")
        assert Runtime(secret).get("/runs").status_code == 200
        tokens.revoke(token)
        assert Runtime(secret).get("/runs").status_code == 401

    def test_only_the_hash_of_a_secret_is_stored(self, source: Source) -> None:
        _, secret = tokens.issue(source, "t", "read")
        row = Token.objects.values().get()
        assert secret not in str(row)
        assert secret.startswith(row["prefix"])
        assert len(secret) >= 40

    def test_another_sources_things_do_not_exist(self, agent: Runtime, live: str) -> None:
        agent.post(f"/runs/{live}/effects", HELD | {"hold": {}})
        gate = Gate.objects.get().public_id
        other = Source.objects.create(slug="other", name="Other")
        stranger = Runtime(tokens.issue(other, "t", "propose")[1])
        looker = Runtime(tokens.issue(other, "t", "read")[1])
        assert looker.get(f"/runs/{live}").status_code == 404
        assert looker.get(f"/runs/{live}/report").status_code == 404
        assert looker.get(f"/gates/{gate}").status_code == 404
        assert stranger.post(f"/runs/{live}/effects", HELD).status_code == 404
        use = {"effect": "patch", "digest": None, "payload_sha256": "x"}
        assert stranger.post(f"/gates/{gate}/consume", use).json()["code"] == "unknown"
        sent = stranger.post("/runs/run-7/chunks", incident())
        assert sent.json()["run"] != live

    def test_no_call_answers_a_gate(self, agent: Runtime, live: str) -> None:
        agent.post(f"/runs/{live}/effects", HELD | {"hold": {}})
        gate = Gate.objects.get()
        for path in ("decide", "approve", "claim", "revoke"):
            assert agent.post(f"/gates/{gate.public_id}/{path}").status_code == 404
            page = agent.client.post(f"/gates/{gate.public_id}/{path}", headers=agent.headers)
            assert page.status_code in {302, 403, 404, 405}
        gate.refresh_from_db()
        assert gate.state == Gate.State.PENDING
        assert not Decision.objects.exists()

    @pytest.mark.parametrize("field", ["state", "decided_by", "team", "is_staff", "owner_id"])
    def test_members_that_nobody_asked_for_are_refused(
        self, agent: Runtime, live: str, field: str
    ) -> None:
        body = {"run": live, "edit": "e1", "digest": sha(DIGEST), field: "approved"}
        assert agent.post("/gates", body).status_code == 422
        assert agent.post("/runs", {"id": "y", field: "x"}).status_code == 422


def call(runtime: Runtime, method: str, path: str, body: Any) -> Any:
    return runtime.get(path) if method == "get" else runtime.post(path, body)


class TestBadRequests:
    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"nonsense",
            b"[]",
            b'{"id":"x","id":"y"}',
            b'{"id":NaN}',
            b'{"id":"\\ud800"}',
            b'{"id":"\\u0000"}',
            b'{"id":1e400}',
            b'{"id":' + b"9" * 5000 + b"}",
            b'{"id":' + b"[" * 100_000,
            b'{"id":"' + b"x" * (1 << 20) + b'"}',
            b'{"id":"x","ledger":"all"}',
            b'{"id":""}',
            b"\xff\xfe",
            b'{"id":"' + b"x" * (3 << 20) + b'"}',
        ],
    )
    def test_a_body_that_cannot_be_read_is_a_problem_and_no_failure(
        self, agent: Runtime, body: bytes
    ) -> None:
        answer = agent.client.post(
            f"{API}/runs", body, content_type="application/json", headers=agent.headers
        )
        assert answer.status_code in {400, 413, 422}
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["detail"]

    @pytest.mark.parametrize(
        "path",
        [
            "/runs/a%00b",
            "/runs/r/chunks?file=a%00b",
            "/runs/r/chunks?file=a%0Ab",
            "/runs/r/chunks?offset=-1",
            "/runs/r/chunks?offset=x",
            "/runs/r/chunks?offset=99999999999999999999",
            "/runs/r/chunks?prefix_sha256=x",
            "/runs/" + "x" * 300 + "/chunks",
            "/gates?state=%00",
            "/gates/g-%F0%9F%92%A9",
        ],
    )
    def test_an_address_that_cannot_be_read_is_no_failure(self, agent: Runtime, path: str) -> None:
        assert 400 <= agent.post(path, b"abc").status_code < 500
        assert 400 <= agent.get(path).status_code < 500


@pytest.mark.django_db(transaction=True)
class TestWaiting:
    def test_a_waiting_agent_is_released_by_the_click(
        self, agent: Runtime, live: str, member: Callable[..., User]
    ) -> None:
        told = agent.post(f"/runs/{live}/effects", HELD | {"hold": {}}).json()
        name, ann = told["gates"][0]["gate"], member("ann")
        secret = agent.headers["authorization"].removeprefix("Bearer ")
        clicked: list[float] = []

        def click() -> None:
            from django.db import connection

            time.sleep(0.5)
            approve(name, ann)
            clicked.append(time.monotonic())
            connection.close()

        clicking = threading.Thread(target=click)
        clicking.start()
        released = asyncio.run(_wait(name, secret, 30))
        clicking.join()
        assert -0.2 < released - clicked[0] < 2

    def test_who_may_not_see_a_gate_does_not_wait(self, agent: Runtime, live: str) -> None:
        told = agent.post(f"/runs/{live}/effects", HELD | {"hold": {}}).json()
        begun = time.monotonic()
        asyncio.run(_wait(told["gates"][0]["gate"], "jg_nothing", 30))
        asyncio.run(_wait("g-none", "jg_nothing", 30))
        assert time.monotonic() - begun < 5

    def test_a_wait_ends_when_its_time_is_over(self, agent: Runtime, live: str) -> None:
        told = agent.post(f"/runs/{live}/effects", HELD | {"hold": {}}).json()
        secret = agent.headers["authorization"].removeprefix("Bearer ")
        begun = time.monotonic()
        asyncio.run(_wait(told["gates"][0]["gate"], secret, 1))
        assert 0.9 < time.monotonic() - begun < 5


async def _wait(name: str, secret: str, seconds: int) -> float:
    """When the application behind the long poll is reached."""
    reached: list[float] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        reached.append(time.monotonic())

    scope = {
        "type": "http",
        "method": "GET",
        "path": f"{API}/gates/{name}",
        "query_string": f"wait={seconds}".encode(),
        "headers": [(b"authorization", f"Bearer {secret}".encode())],
    }
    await waiting.LongPoll(application)(scope, None, None)
    return reached[0]


def test_health_and_numbers_need_no_sign_in(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"
    assert client.get("/readyz").json()["database"] == "ok"
    numbers = client.get("/metrics").content.decode()
    for name in ("guard_runs", "guard_jobs", "guard_gates", "guard_oldest_waiting_job_seconds"):
        assert f"# HELP {name} " in numbers


def test_the_docs_load_nothing_from_elsewhere(client: Client) -> None:
    page = client.get(f"{API}/docs")
    assert page.status_code == 200
    assert b"://" not in page.content.replace(b"http://www.w3.org", b"")
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]


def test_every_step_of_a_gate_is_in_the_ledger(
    agent: Runtime, live: str, member: Callable[..., User]
) -> None:
    told = agent.post(f"/runs/{live}/effects", HELD | {"hold": {}}).json()
    name = told["gates"][0]["gate"]
    approve(name, member("ann"))
    use = {"effect": "patch", "digest": sha(DIGEST), "payload_sha256": sha(PAYLOAD)}
    agent.post(f"/gates/{name}/consume", use)
    kinds = list(Entry.objects.order_by("seq").values_list("kind", flat=True))
    assert [kind for kind in kinds if kind.startswith("gate.")] == [
        "gate.requested",
        "gate.approved",
        "gate.consumed",
    ]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_api_keeps_to_its_own_schema(
    agent: Runtime, live: str, token: Callable[[str], str]
) -> None:
    """Generated calls of every operation: no failure of ours, no status that is not documented.

    Every other call is about a run and a gate that are here, so that it gets past 404. What is
    well-formed may still be refused with 422 (`gates.md`: bytes that are not here), so the check
    that all valid data is accepted is left out.
    """
    from dashboard.wsgi import application

    gate = agent.post(f"/runs/{live}/effects", HELD | {"hold": {}}).json()["gates"][0]["gate"]
    schemathesis.serializer("application/x-ndjson")(_raw)
    schema = schemathesis.openapi.from_wsgi(f"{API}/openapi.json", application)
    secrets = {"get": token("read"), "post": token("propose")}
    reached: set[int] = set()
    for found in schema.get_all_operations():
        operation = found.ok()
        secret = f"Bearer {secrets[operation.method]}"
        reached |= _keeps_to(operation, secret, {"run": live, "gate": gate})
    assert {200, 201, 404, 409, 422} <= reached


def _keeps_to(operation: Any, authorization: str, here: dict[str, str]) -> set[int]:
    """Try an operation; the statuses that it answered with."""
    reached: set[int] = set()
    turn = itertools.cycle([True, False])

    @hypothesis_settings(
        max_examples=12,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def keeps(case: Any) -> None:
        if next(turn):
            case.path_parameters = {
                name: here.get(name, value) for name, value in (case.path_parameters or {}).items()
            }
            if isinstance(case.body, dict) and "run" in case.body:
                case.body = {**case.body, "run": here["run"], "edit": "e1"}
        answer = case.call_and_validate(
            headers={"Authorization": authorization, "Host": "localhost"},
            excluded_checks=[schemathesis.checks.positive_data_acceptance],
        )
        reached.add(answer.status_code)

    keeps()
    return reached


def _raw(_context: Any, value: Any) -> bytes | None:
    return value if isinstance(value, bytes) else str(value).encode()
