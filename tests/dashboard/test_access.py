"""Who sees what, who may sign in, and what every answer carries."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.management import call_command
from django.http import Http404
from django.test import Client, RequestFactory
from django.utils import timezone

from dashboard import access, gates, recording
from dashboard.models import Decision, Gate, LoginFailure, Membership, Run, Source
from guard.events import Header
from tests.dashboard.making import DIGEST, EDIT, RECORD, SPAN, lines, numberless, sha

pytestmark = pytest.mark.django_db
People = Callable[..., User]


@pytest.fixture
def run(source: Source) -> Run:
    header = Header(format="context-journal/1", id="run-7", agent="agent-1")
    made, _ = recording.open_run(source, header, "token", None)
    recording.append(made, lines(*map(numberless, (SPAN, RECORD, EDIT))), "token")
    return made


@pytest.fixture
def gate(run: Run) -> Gate:
    question = gates.Question(edit="e1", digest=sha(DIGEST), effects=())
    return gates.open_gate(run, question, None, "token")


class TestSeeing:
    @pytest.mark.parametrize("role", ["reviewer", "investigator", "lead", "admin"])
    def test_every_role_sees_its_source(self, run: Run, member: People, role: str) -> None:
        assert access.run_for(member("ann", role), run.public_id) == run

    def test_a_role_everywhere_sees_every_source(self, run: Run, member: People) -> None:
        assert access.run_for(member("ann", at=None), run.public_id) == run

    def test_what_belongs_to_others_does_not_exist(
        self, run: Run, gate: Gate, member: People
    ) -> None:
        other = Source.objects.create(slug="other", name="Other")
        stranger = member("carl", at=other)
        assert not access.runs_for(stranger).exists()
        assert not access.gates_for(stranger).exists()
        with pytest.raises(Http404):
            access.run_for(stranger, run.public_id)
        with pytest.raises(Http404):
            access.gate_for(stranger, gate.public_id)

    def test_who_is_not_signed_in_or_disabled_sees_nothing(self, run: Run, member: People) -> None:
        ann = member("ann")
        ann.is_active = False
        assert not access.runs_for(ann).exists()
        assert not access.runs_for(AnonymousUser()).exists()

    def test_a_superuser_sees_all_and_decides_nothing(self, run: Run, source: Source) -> None:
        root = User.objects.create_superuser("root", "root@example.org", "a long password")
        assert access.run_for(root, run.public_id) == run
        assert access.may(root, "configure", source)
        assert not access.may(root, "decide", source)

    @pytest.mark.parametrize(
        ("role", "rights"),
        [
            ("reviewer", {"see", "decide", "note"}),
            ("investigator", {"see", "see raw", "note"}),
            ("lead", {"see", "note"}),
            ("admin", {"see", "see raw", "configure"}),
        ],
    )
    def test_a_role_is_a_set_of_rights(
        self, source: Source, member: People, role: str, rights: set[str]
    ) -> None:
        ann = member("ann", role)
        assert {right for right in access.MAY if access.may(ann, right, source)} == rights


class TestPersons:
    def test_two_accounts_with_one_address_are_one_person(self) -> None:
        one = User(pk=1, username="a", email="Ann@Example.org")
        two = User(pk=2, username="b", email="ann@example.org ")
        assert access.same_person(one, two)
        assert not access.same_person(one, User(pk=3, username="c", email=""))
        assert not access.same_person(User(pk=3, email=""), User(pk=4, email=""))

    @pytest.mark.parametrize("text", ["ann", "ANN", "ann@example.org", "Ann Ash", " ann "])
    def test_a_journal_may_name_a_person_in_several_ways(self, text: str) -> None:
        ann = User(username="ann", email="ann@example.org", first_name="Ann", last_name="Ash")
        assert access.is_named(ann, text)
        assert not access.is_named(ann, "anna")
        assert not access.is_named(User(username="x"), "")


class TestAddresses:
    @pytest.mark.parametrize(
        ("proxies", "forwarded", "address"),
        [
            (0, "6.6.6.6", "127.0.0.1"),
            (1, "6.6.6.6, 1.2.3.4", "1.2.3.4"),
            (2, "6.6.6.6, 1.2.3.4", "6.6.6.6"),
            (2, "1.2.3.4", "127.0.0.1"),
            (1, "", "127.0.0.1"),
        ],
    )
    def test_a_header_counts_only_behind_our_own_proxies(
        self, settings: object, proxies: int, forwarded: str, address: str
    ) -> None:
        settings.TRUSTED_PROXIES = proxies
        request = RequestFactory().get("/", headers={"x-forwarded-for": forwarded})
        assert access.address_of(request) == address


class TestSigningIn:
    def attempt(self, client: Client, name: str, password: str) -> int:
        return client.post("/login/", {"username": name, "password": password}).status_code

    def test_a_sign_in_is_remembered_with_its_time(self, client: Client, member: People) -> None:
        member("ann")
        old = client.session.session_key
        assert self.attempt(client, "ann", "a long password") == 302
        assert client.session.session_key != old
        request = RequestFactory().get("/")
        request.session = client.session
        at = access.signed_in_at(request)
        assert at is not None
        assert timezone.now() - at < timedelta(minutes=1)

    def test_too_many_failures_have_to_wait(self, client: Client, member: People) -> None:
        member("ann")
        codes = [self.attempt(client, "ann", "wrong") for _ in range(6)]
        assert codes == [422] * 5 + [429]
        assert self.attempt(client, "ann", "a long password") == 429
        answer = client.post("/login/", {"username": "ann", "password": "x"})
        assert 0 < int(answer.headers["Retry-After"]) <= 15 * 60

    def test_names_that_do_not_exist_are_counted_alike(
        self, client: Client, member: People
    ) -> None:
        codes = [self.attempt(client, "nobody", "wrong") for _ in range(6)]
        assert codes == [422] * 5 + [429]

    def test_another_account_is_not_kept_out(self, client: Client, member: People) -> None:
        member("ann")
        for _ in range(6):
            self.attempt(client, "bob", "wrong")
        assert self.attempt(client, "ann", "a long password") == 302

    def test_failures_are_forgotten_with_time_and_with_success(
        self, client: Client, member: People
    ) -> None:
        member("ann")
        for _ in range(5):
            self.attempt(client, "ann", "wrong")
        LoginFailure.objects.update(at=timezone.now() - timedelta(minutes=16))
        assert self.attempt(client, "ann", "a long password") == 302
        assert not LoginFailure.objects.exists()

    def test_no_name_and_no_password_is_kept(self, client: Client) -> None:
        self.attempt(client, "my password typed in the wrong field", "wrong")
        assert "password" not in str(LoginFailure.objects.values().get())

    def test_a_disabled_account_is_out_at_once(self, client: Client, member: People) -> None:
        ann = member("ann")
        client.force_login(ann)
        User.objects.filter(pk=ann.pk).update(is_active=False)
        assert client.get("/runs/").status_code == 302

    @pytest.mark.parametrize("path", ["/", "/runs/", "/gates/", "/audit/", "/settings/", "/no/"])
    def test_every_page_takes_a_sign_in(self, client: Client, path: str) -> None:
        answer = client.get(path)
        assert answer.status_code in {302, 404}
        if answer.status_code == 302:
            assert answer.headers["Location"].startswith("/login/")

    def test_a_redirect_stays_on_this_host(self, client: Client, member: People) -> None:
        member("ann")
        body = {"username": "ann", "password": "a long password", "next": "//evil.example/"}
        assert client.post("/login/?next=//evil.example/", body).headers["Location"] == "/"


class TestHeaders:
    @pytest.mark.parametrize("path", ["/login/", "/healthz", "/api/v1/docs", "/no-such-page"])
    def test_every_answer_is_guarded(self, client: Client, path: str) -> None:
        headers = client.get(path).headers
        policy = headers["Content-Security-Policy"]
        for rule in ("script-src 'self';", "frame-ancestors 'none'", "object-src 'none'"):
            assert rule in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Referrer-Policy"] == "same-origin"
        assert "no-store" in headers["Cache-Control"]

    def test_a_form_without_its_secret_is_refused(self, member: People) -> None:
        client = Client(enforce_csrf_checks=True)
        client.force_login(member("ann"))
        assert client.post("/logout/").status_code == 403

    @pytest.mark.parametrize("path", ["/runs/a%00b/", "/runs/?q=a%00b", "/gates/%00/"])
    def test_nul_in_an_address_is_a_bad_request(self, client: Client, path: str) -> None:
        assert client.get(path).status_code == 400


class TestTheAdminSite:
    def test_it_changes_no_gate_and_no_decision(self, gate: Gate) -> None:
        root = User.objects.create_superuser("root", "root@example.org", "a long password")
        client = Client()
        client.force_login(root)
        for table in ("gate", "decision", "token", "run", "entry", "verdict", "job"):
            assert client.get(f"/admin/dashboard/{table}/add/").status_code == 403
        page = f"/admin/dashboard/gate/{gate.pk}/"
        assert client.get(f"{page}change/").status_code == 200
        assert client.post(f"{page}change/", {"state": "approved"}).status_code == 403
        assert client.post(f"{page}delete/", {"post": "yes"}).status_code == 403
        gate.refresh_from_db()
        assert gate.state == Gate.State.PENDING
        assert not Decision.objects.exists()

    def test_it_edits_who_has_which_role(self, source: Source, member: People) -> None:
        root = User.objects.create_superuser("root", "root@example.org", "a long password")
        ann = member("ann")
        client = Client()
        client.force_login(root)
        body = {"user": ann.pk, "source": source.pk, "role": "lead"}
        assert client.post("/admin/dashboard/membership/add/", body).status_code == 302
        assert Membership.objects.filter(user=ann, role="lead").exists()


def test_a_membership_everywhere_stands_once(member: People) -> None:
    from django.db import IntegrityError, transaction

    ann = member("ann", at=None)
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.create(user=ann, source=None, role="reviewer")


def test_a_deployment_is_asked_for_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from django.core.management.base import SystemCheckError

    monkeypatch.delenv("SECRET_KEY", raising=False)
    with pytest.raises(SystemCheckError, match="SECRET_KEY"):
        call_command("check", deploy=True)
