"""Notices: written with their event, delivered later, signed, and never to a private net."""

from __future__ import annotations

import hashlib
import hmac
import json
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import DatabaseError, connection, transaction
from django.test import Client

from dashboard import clock, gates, notifications, recording, sweeping
from dashboard.gates import Question
from dashboard.models import Attempt, Delivery, Entry, Gate, NoticeRow, Run, Source, Target
from dashboard.notifications import Notice, delivery, posting, targets
from guard.events import Header
from tests.dashboard.making import DIGEST, EDIT, RECORD, SPAN, lines, numberless, sha

pytestmark = pytest.mark.django_db
People = Callable[..., User]
START = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)
BASE = "https://guard.example.org"


class Listening(HTTPServer):
    """A target of our own; `answers` are its next statuses."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taking)
        self.taken: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook?a=1"


class Taking(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        size = int(self.headers["Content-Length"])
        self.server.taken.append((dict(self.headers), self.rfile.read(size)))
        status = self.server.answers.pop(0) if self.server.answers else 204
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.server.url)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def listening() -> Iterator[Listening]:
    with Listening() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(autouse=True)
def configured(settings: Any) -> None:
    settings.GUARD_URL = BASE
    settings.NOTIFY_PRIVATE_HOSTS = ["127.0.0.1"]
    settings.EMAIL_HOST = "mail.example.org"


@pytest.fixture
def boss(member: People) -> User:
    return member("boss", "admin")


@pytest.fixture
def hook(boss: User, source: Source, listening: Listening) -> Target:
    return targets.add(boss, "webhook", listening.url, source)


@pytest.fixture
def run(source: Source) -> Run:
    header = Header(format="context-journal/1", id="run-7", agent="agent-1")
    made, _ = recording.open_run(source, header, "token", None)
    recording.append(made, lines(*map(numberless, (SPAN, RECORD, EDIT))), "token")
    return made


def opened(run: Run, **more: Any) -> Gate:
    question = Question(edit="e1", digest=sha(DIGEST), effects=(), **more)
    return gates.open_gate(run, question, None, "token")


def at(moment: datetime) -> Any:
    """The database's clock at this moment."""
    return mock.patch.object(clock, "now", return_value=moment)


class TestWhatIsTold:
    def test_a_gate_that_opens_and_is_answered_is_told_with_a_link_and_no_text(
        self, run: Run, hook: Target, listening: Listening, member: People
    ) -> None:
        gate = opened(run)
        answered(gate, member("ann"))
        assert [notifications.deliver() for _ in range(3)] == [True, True, False]
        told = [json.loads(body) for _, body in listening.taken]
        assert [row["event"] for row in told] == ["gate.opened", "gate.decided"]
        assert told[0]["link"] == f"{BASE}/gates/{gate.public_id}/"
        assert told[0]["ids"]["run"] == run.public_id
        assert told[1]["title"] == f"Gate {gate.public_id} was approved"
        sent = b"".join(body for _, body in listening.taken).decode()
        for text in ("e1", "agent-1", "max_retries", "uploader", DIGEST, sha(DIGEST)):
            assert f'"{text}' not in sent

    def test_what_nearly_expires_is_told_once_and_what_expires_too(
        self, run: Run, hook: Target
    ) -> None:
        with at(START):
            gate = opened(run)
            opened(run, expires_in_s=120, policy=None, needed=2)
        for minutes in (20, 55, 56, 61):
            with at(START + timedelta(minutes=minutes)):
                sweeping.sweep()
        mine = NoticeRow.objects.filter(ids__gate=gate.public_id).order_by("pk")
        assert [row.event for row in mine] == ["gate.opened", "gate.expiring", "gate.expired"]
        assert NoticeRow.objects.filter(event="gate.expiring").count() == 1

    def test_a_step_that_is_taken_back_tells_nothing(self, run: Run, hook: Target) -> None:
        class Stop(Exception):
            pass

        def taken_back() -> None:
            with transaction.atomic():
                opened(run)
                raise Stop

        with pytest.raises(Stop):
            taken_back()
        assert not NoticeRow.objects.exists()

    def test_without_a_target_nothing_is_written(self, run: Run) -> None:
        opened(run)
        assert not NoticeRow.objects.exists()

    def test_a_notice_goes_to_its_source_its_team_and_everywhere(
        self, source: Source, member: People, listening: Listening
    ) -> None:
        root = member("root", "admin", at=None)
        other = Source.objects.create(slug="other", name="Other", team="else")
        for whose, team in ((source, ""), (None, "storage"), (None, ""), (other, ""), (None, "x")):
            targets.add(root, "webhook", listening.url, whose, team)
        notice = Notice(event="alert", title="An alert", path="/", source=source, key="k")
        assert notifications.send(notice) == 3
        assert notifications.send(notice) == 0
        told = Delivery.objects.values_list("target__source__slug", "target__team")
        assert set(told) == {("lab", ""), (None, "storage"), (None, "")}

    def test_a_slack_style_target_takes_text_and_a_mail_a_letter(
        self, source: Source, boss: User, listening: Listening, mailoutbox: list[Any]
    ) -> None:
        targets.add(boss, "slack", listening.url, source)
        targets.add(boss, "email", "ann@example.org, bob@example.org", source)
        notifications.send(Notice(event="alert", title="a < b", path="/runs/", source=source))
        assert [notifications.deliver() for _ in range(3)] == [True, True, False]
        assert json.loads(listening.taken[0][1]) == {"text": f"a &lt; b\n<{BASE}/runs/>"}
        assert mailoutbox[0].to == ["ann@example.org", "bob@example.org"]
        assert f"{BASE}/runs/" in mailoutbox[0].body


def answered(gate: Gate, by: User) -> None:
    from django.utils import timezone

    gates.decide(
        gate,
        by,
        "approved",
        "I have looked.",
        shown_hash=gates.shown(gate).sha256,
        digest_hash=gate.digest_hash,
        signed_in_at=timezone.now(),
    )


class TestDelivering:
    def test_what_is_sent_is_signed(self, run: Run, hook: Target, listening: Listening) -> None:
        opened(run)
        notifications.deliver()
        headers, body = listening.taken[0]
        told = dict(part.split("=") for part in headers["Journal-Guard-Signature"].split(","))
        key = targets.secret(hook.created_by, hook).encode()
        text = told["t"].encode() + b"." + body
        assert told["v1"] == hmac.new(key, text, hashlib.sha256).hexdigest()
        assert headers["Journal-Guard-Notice"] == NoticeRow.objects.get().public_id
        assert key.decode() not in str(Target.objects.values().get())

    def test_a_failure_is_tried_again_later_each_time_and_then_given_up(
        self, source: Source, hook: Target, listening: Listening
    ) -> None:
        listening.answers = [500] * 20
        with at(START):
            notifications.send(Notice(event="alert", title="x", path="/", source=source))
        moment, tries = START, []
        while Delivery.objects.filter(state="waiting").exists():
            moment = max(moment, Delivery.objects.get().next_at)
            with at(moment - timedelta(seconds=1)):
                assert not notifications.deliver()
            with at(moment):
                assert notifications.requeue()
                assert notifications.deliver()
            tries.append(moment)
        waits = [int((b - a).total_seconds()) for a, b in pairwise(tries)]
        assert waits == list(delivery.PAUSES_S)
        log = Attempt.objects.order_by("pk")
        assert [row.status for row in log] == ["failed"] * 6 + ["given up"]
        assert {row.detail for row in log} == {"it answered 500"}
        assert Delivery.objects.get().state == "given up"
        assert len({json.loads(body)["id"] for _, body in listening.taken}) == 1

    def test_a_worker_that_died_has_used_an_attempt(self, source: Source, hook: Target) -> None:
        with at(START):
            notifications.send(Notice(event="alert", title="x", path="/", source=source))
            assert delivery._take() is not None
            assert not notifications.deliver()
        with at(START + timedelta(seconds=61)):
            assert notifications.deliver()
        assert [(row.number, row.status) for row in Attempt.objects.all()] == [(2, "sent")]

    def test_a_dead_target_holds_up_no_other(
        self, source: Source, boss: User, hook: Target, listening: Listening
    ) -> None:
        gone = targets.add(boss, "webhook", f"http://127.0.0.1:{_closed_port()}/", source)
        with at(START):
            for _ in range(5):
                notifications.send(Notice(event="alert", title="x", path="/", source=source))
            while notifications.deliver():
                pass
        assert len(listening.taken) == 5
        assert Attempt.objects.filter(delivery__target=gone).count() == 1
        assert Delivery.objects.filter(target=gone, attempts=0).count() == 4

    def test_a_target_that_never_ends_its_answer_is_cut_off(
        self, source: Source, boss: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(posting, "LIMIT_S", 0.3)
        with socket.create_server(("127.0.0.1", 0)) as slow:
            targets.add(boss, "webhook", f"http://127.0.0.1:{slow.getsockname()[1]}/", source)
            notifications.send(Notice(event="alert", title="x", path="/", source=source))
            threading.Thread(target=_drip, args=(slow,), daemon=True).start()
            notifications.deliver()
        assert Attempt.objects.get().detail == "no answer in time"

    def test_a_removed_target_gets_nothing_more(
        self, source: Source, boss: User, hook: Target, listening: Listening
    ) -> None:
        notifications.send(Notice(event="alert", title="x", path="/", source=source))
        targets.remove(boss, hook)
        notifications.deliver()
        assert notifications.send(Notice(event="a", title="x", path="/", source=source)) == 0
        assert listening.taken == []
        assert Attempt.objects.get().status == "given up"

    def test_outbox_and_log_are_append_only(
        self, source: Source, hook: Target, listening: Listening
    ) -> None:
        notifications.send(Notice(event="alert", title="x", path="/", source=source))
        notifications.deliver()
        for table in ("noticerow", "attempt"):
            for change in (
                f"UPDATE dashboard_{table} SET at = at",
                f"DELETE FROM dashboard_{table}",
            ):
                with pytest.raises(DatabaseError), transaction.atomic():
                    connection.cursor().execute(change)


def _closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _drip(server: socket.socket) -> None:
    """One byte of a header at a time, each well within the limit of a read."""
    taken, _ = server.accept()
    with taken:
        try:
            taken.sendall(b"HTTP/1.1 200 OK\r\n")
            for _ in range(100):
                taken.sendall(b"X")
                threading.Event().wait(0.05)
        except OSError:
            return


PRIVATE = [
    *("http://127.0.0.2/", "http://localhost/", "http://[::1]/", "http://169.254.169.254/latest"),
    *("http://10.1.2.3/", "http://192.168.0.1/", "http://172.16.0.1/", "http://100.64.0.1/"),
    *("http://0.0.0.0/", "http://[::]/", "http://[fe80::1]/", "http://[fc00::1]/"),
    *("http://2130706433/", "http://0177.0.0.1/", "http://0x7f.1/", "http://127.1/"),
    *("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/"),
    *("http://[2002:7f00:1::]/", "http://[fec0::1]/", "http://224.0.0.1/", "http://[ff02::1]/"),
    *("http://255.255.255.255/", "http://[::7f00:1]/", "http://127.0.0.2./"),
    *("file:///etc/passwd", "gopher://example.org/", "ftp://example.org/", "//example.org/"),
    *("http:///x", "http://a@93.184.215.14/", "http://93.184.215.14:99999/", "http://93.1\t/"),
    *("http://93.184.215.14\\@127.0.0.2/", "http://\u2460.example.org/", "example.org"),
]


class TestWhereTo:
    @pytest.mark.parametrize("url", PRIVATE)
    def test_what_is_not_public_is_refused_at_save_and_at_send(
        self, url: str, source: Source, boss: User
    ) -> None:
        with pytest.raises(ValidationError):
            targets.add(boss, "webhook", url, source)
        assert not Target.objects.exists()
        Target.objects.create(
            kind="webhook", source=source, address=url, created_by=boss, created_at=START
        )
        notifications.send(Notice(event="alert", title="x", path="/", source=source))
        notifications.deliver()
        assert Attempt.objects.get().status == "failed"
        assert "it answered" not in Attempt.objects.get().detail

    @pytest.mark.parametrize("url", ["https://93.184.215.14/", "http://[2606:2800:21f:cb07::1]/"])
    def test_what_is_public_is_taken(self, url: str) -> None:
        assert posting.checked(url).pinned in url

    def test_every_address_of_a_name_must_be_public(self, monkeypatch: pytest.MonkeyPatch) -> None:
        answers(monkeypatch, [["93.184.215.14", "127.0.0.1"]])
        with pytest.raises(posting.AddressRefused):
            posting.checked("http://hooks.example.org/")

    def test_a_name_that_changes_its_answer_is_called_where_it_was_checked(
        self, monkeypatch: pytest.MonkeyPatch, listening: Listening
    ) -> None:
        """The first answer is taken for public; a second look-up would be answered otherwise."""
        asked = answers(monkeypatch, [["127.0.0.1"], ["127.0.0.3"]])
        monkeypatch.setattr(posting, "is_public", lambda _: True)
        place = posting.checked(f"http://hooks.example.org:{listening.server_port}/")
        assert posting.post(place, b"{}", {}) == 204
        assert listening.taken[0][0]["Host"] == f"hooks.example.org:{listening.server_port}"
        assert asked == ["hooks.example.org"]

    def test_a_redirect_is_not_followed(
        self, source: Source, hook: Target, listening: Listening
    ) -> None:
        listening.answers = [302]
        notifications.send(Notice(event="alert", title="x", path="/", source=source))
        notifications.deliver()
        assert len(listening.taken) == 1
        assert Attempt.objects.get().detail == "it answered 302"

    @pytest.mark.parametrize(
        ("name", "kind", "address"),
        [
            ("GUARD_URL", "webhook", "http://127.0.0.1/"),
            ("EMAIL_HOST", "email", "ann@example.org"),
            ("", "email", "ann"),
            ("", "email", " , "),
        ],
    )
    def test_what_cannot_be_sent_is_not_saved(
        self, name: str, kind: str, address: str, source: Source, boss: User, settings: Any
    ) -> None:
        if name:
            setattr(settings, name, "")
        with pytest.raises(ValidationError):
            targets.add(boss, kind, address, source)


def answers(monkeypatch: pytest.MonkeyPatch, found: list[list[str]]) -> list[str]:
    """A name service with these answers, one after the other; what it was asked."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def look_up(host: str, port: int, *args: Any, **more: Any) -> Any:
        if host != "hooks.example.org":
            return real(host, port, *args, **more)
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in found.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


class TestThePage:
    @pytest.fixture
    def admin(self, boss: User) -> Client:
        client = Client()
        client.force_login(boss)
        return client

    def test_a_target_is_added_tested_and_removed(
        self, admin: Client, listening: Listening, source: Source
    ) -> None:
        data = {"kind": "webhook", "scope": "source:lab", "address": listening.url}
        admin.post("/settings/notices/add", data)
        target = Target.objects.get()
        page = admin.get("/settings/notices/").content.decode()
        assert targets.secret(target.created_by, target) in page
        assert "hook?a=1" not in page
        assert (
            targets.secret(target.created_by, target)
            not in admin.get("/settings/notices/").content.decode()
        )
        admin.post(f"/settings/notices/{target.pk}/test")
        assert "Waiting" in admin.get("/settings/notices/").content.decode()
        notifications.deliver()
        assert json.loads(listening.taken[0][1])["event"] == "test"
        assert "it answered 204" in admin.get("/settings/notices/").content.decode()
        admin.post(f"/settings/notices/{target.pk}/remove")
        assert "No target" in admin.get("/settings/notices/").content.decode()
        kinds = Entry.objects.filter(kind__startswith="settings.target")
        assert sorted(kinds.values_list("kind", flat=True)) == [
            "settings.target",
            "settings.target_removed",
        ]
        assert "hook?a=1" not in str(list(Entry.objects.values()))

    def test_a_refused_address_is_told_why(self, admin: Client, source: Source) -> None:
        data = {"kind": "slack", "scope": "source:lab", "address": "http://10.0.0.1/"}
        page = admin.post("/settings/notices/add", data, follow=True).content.decode()
        assert "10.0.0.1 is not on the public net" in page

    def test_others_neither_see_nor_change_it(
        self, hook: Target, member: People, source: Source
    ) -> None:
        other = Source.objects.create(slug="other", name="Other")
        client = Client()
        client.force_login(member("eve", "admin", at=other))
        assert "127.0.0.1" not in client.get("/settings/notices/").content.decode()
        for what in ("test", "remove"):
            assert client.post(f"/settings/notices/{hook.pk}/{what}").status_code == 404
        for scope in ("all", "team:storage"):
            data = {"kind": "webhook", "scope": scope, "address": "http://127.0.0.1/"}
            assert client.post("/settings/notices/add", data).status_code == 403
        data = {"kind": "webhook", "scope": "source:lab", "address": "http://127.0.0.1/"}
        assert client.post("/settings/notices/add", data).status_code == 404
        with pytest.raises(PermissionDenied):
            targets.secret(member("ann"), hook)
