"""Every page, whole and in parts: who sees it, what it costs, how large it is, what it shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, reverse
from django.utils import timezone

from dashboard import cases, ingest, journals, page_urls
from dashboard.models import Case, FindingRow, Gate, Note, Run, SavedView, Source
from tests.dashboard.making import DIGEST, PAYLOAD, sha

pytestmark = pytest.mark.django_db
LARGEST = 150_000
HTMX = {"HX-Request": "true"}


def gate_of(run: Run, **more: Any) -> Gate:
    now = timezone.now()
    return Gate.objects.create(
        **{"public_id": "g-1a2b3c4d", **more},
        run=run,
        edit_id="e1",
        digest_hash=sha(DIGEST),
        digest_text=DIGEST,
        edit_hash=sha(DIGEST),
        shown_hash="0" * 64,
        rules_version="1",
        requester_agent="agent-1",
        effects=[{"id": "patch", "sha256": sha(PAYLOAD), "tool": "http.patch", "target": "x"}],
        facts=[],
        created_at=now,
        expires_at=now + timedelta(minutes=30),
    )


@pytest.fixture
def gate(run: Run) -> Gate:
    return gate_of(run)


@pytest.fixture
def case(run: Run, reader: User) -> Case:
    made = cases.open_case(reader, "The patch")
    cases.add_step(made, reader, cases.Range(run, 1, 5), "What happened")
    return made


@pytest.fixture
def addresses(run: Run, gate: Gate, case: Case) -> dict[str, str]:
    """Every page by its name."""
    rid, gid, cid = run.public_id, gate.public_id, case.public_id
    return {
        "team": "/",
        "runs": "/runs/",
        "run": f"/runs/{rid}/",
        "run_figure": f"/runs/{rid}/figure?w=900",
        "coverage": f"/runs/{rid}/coverage",
        "run_secrets": f"/runs/{rid}/secrets",
        "edit": f"/runs/{rid}/edits/e1/",
        "rollback": f"/runs/{rid}/rollback",
        "rollback_figure": f"/runs/{rid}/rollback/figure",
        "window": f"/runs/{rid}/window?at=3&against=2&show=s1",
        "compare": f"/compare/?a={rid}&b={rid}",
        "gates": "/gates/",
        "gate": f"/gates/{gid}/",
        "findings": "/findings/?state=all",
        "rules": "/rules/",
        "rule": "/rules/JG101/",
        "cases": "/cases/",
        "case": f"/cases/{cid}/",
        "import": "/import/",
        "search": "/search/?q=patch",
        "settings": "/settings/",
        "notices": "/settings/notices/",
        "retention": "/settings/retention/",
        "alerts": "/settings/alerts/",
        "audit": "/audit/?verify=1",
        "trend": "/team/figures/summaries",
    }


# How many questions a page asks, however much there is to show. A page that asks one for each row
# fails here.
NO_QUESTIONS = ("SAVEPOINT", "RELEASE SAVEPOINT", "BEGIN", "COMMIT", "SELECT clock_timestamp()")
"""Borders of transactions, and the time: SQLite's clock is this process's, PostgreSQL is asked."""
QUERIES = {
    "team": 25,
    "runs": 20,
    "run": 55,
    "run_figure": 18,
    "coverage": 13,
    "run_secrets": 14,
    "edit": 28,
    "rollback": 23,
    "rollback_figure": 30,
    "window": 20,
    "compare": 29,
    "gates": 13,
    "gate": 41,
    "findings": 18,
    "rules": 12,
    "rule": 22,
    "cases": 11,
    "case": 26,
    "import": 13,
    "search": 19,
    "settings": 14,
    "notices": 19,
    "retention": 15,
    "alerts": 18,
    "audit": 13,
    "trend": 5,
}


@pytest.mark.parametrize("name", sorted(QUERIES))
def test_a_page_answers_within_its_questions_and_its_size(
    name: str, addresses: dict[str, str], ann: Client
) -> None:
    with CaptureQueriesContext(connection) as asked:
        answer = ann.get(addresses[name])
    assert answer.status_code == 200
    assert len(answer.content) < LARGEST
    questions = [query["sql"] for query in asked if not query["sql"].startswith(NO_QUESTIONS)]
    assert len(questions) <= QUERIES[name], "\n".join(questions)


@pytest.mark.parametrize("name", ["team", "runs", "gates", "findings", "search"])
def test_more_rows_do_not_cost_more_questions(
    name: str, addresses: dict[str, str], ann: Client, judge: Callable[..., Run]
) -> None:
    from tests.dashboard.making import incident

    with CaptureQueriesContext(connection) as few:
        ann.get(addresses[name])
    for number in range(4):
        judge(incident(f"more-{number}"), f"more-{number}")
    from django.core.cache import cache

    cache.clear()
    with CaptureQueriesContext(connection) as many:
        ann.get(addresses[name])
    assert len(many) <= len(few)


PARTS = {
    "team": ("open", "health"),
    "runs": ("news",),
    "run": ("head", "detail", "rows", "whole"),
    "rollback": ("answer",),
    "gates": ("queue",),
    "gate": ("state",),
    "import": ("files",),
}


@pytest.mark.parametrize(("name", "part"), [(n, p) for n, parts in PARTS.items() for p in parts])
def test_a_part_is_asked_for_by_htmx_only_and_its_link_shows_the_page(
    name: str, part: str, addresses: dict[str, str], ann: Client
) -> None:
    url = f"{addresses[name]}{'&' if '?' in addresses[name] else '?'}part={part}"
    piece, whole = ann.get(url, headers=HTMX), ann.get(url)
    assert piece.status_code == whole.status_code == 200
    assert b"<html" not in piece.content
    assert b"<html" in whole.content


def test_every_route_is_known_to_this_file(addresses: dict[str, str]) -> None:
    named = {route.name for route in page_urls.urlpatterns if isinstance(route, URLPattern)}
    tried = set(addresses) | set(POSTS) | set(TABLES) | {"bell"}
    assert named == tried


POSTS = {
    "save_view": {},
    "drop_view": {"key": 1},
    "tick": {"rid": "r-1"},
    "run_raw": {"rid": "r-1", "key": 1},
    "gate_decide": {"gid": "g-1"},
    "gate_claim": {"gid": "g-1"},
    "gate_release": {"gid": "g-1"},
    "gate_revoke": {"gid": "g-1"},
    "note": {},
    "switch_rule": {"code": "JG101"},
    "new_case": {},
    "add_step": {"cid": "c-1"},
    "close_case": {"cid": "c-1"},
    "case_bundle": {"cid": "c-1"},
    "import_take": {},
    "import_forget": {},
    "add_source": {},
    "add_token": {},
    "revoke_token": {"key": 1},
    "give_role": {},
    "take_role": {"key": 1},
    "add_effect_rule": {},
    "retire_effect_rule": {"key": 1},
    "add_target": {},
    "set_retention": {},
    "hold": {},
    "lift_hold": {"key": 1},
    "add_alert": {},
    "remove_alert": {"key": 1},
    "test_target": {"key": 1},
    "remove_target": {"key": 1},
    "theme": {},
    "zone": {},
}
TABLES = {
    "trend_table": {"name": "lag", "kind": "csv"},
    "runs_table": {"kind": "csv"},
    "run_report": {"rid": ""},
    "run_rows": {"rid": "", "kind": "csv"},
    "plan_file": {"rid": "", "kind": "txt"},
    "window_table": {"rid": "", "kind": "json"},
    "gates_table": {"kind": "csv"},
    "findings_table": {"kind": "json"},
    "case_file": {"cid": "", "kind": "md"},
    "checkpoint": {},
    "verifier": {},
    "import_lines": {"kind": "csv"},
    "audit_table": {"kind": "csv"},
    "alerts_table": {"kind": "csv"},
}


@pytest.mark.parametrize("name", sorted(POSTS))
def test_a_get_never_changes_anything(name: str, ann: Client) -> None:
    assert ann.get(reverse(name, kwargs=POSTS[name])).status_code == 405


@pytest.mark.parametrize("name", sorted(POSTS))
def test_a_post_without_the_sign_of_its_session_is_refused(name: str, reader: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(reader)
    answer = strict.post(reverse(name, kwargs=POSTS[name]), content_type="text/plain", data="x")
    assert answer.status_code == 403


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_table_is_a_download_with_a_safe_name(
    name: str, addresses: dict[str, str], ann: Client, run: Run, case: Case
) -> None:
    own = {"rid": run.public_id, "cid": case.public_id}
    kwargs = {key: own.get(key, value) for key, value in TABLES[name].items()}
    answer = ann.get(reverse(name, kwargs=kwargs))
    assert answer.status_code == 200
    assert re.fullmatch(r'attachment; filename="[\w.-]+"', answer.headers["Content-Disposition"])


@pytest.mark.parametrize(
    "name",
    ["run", "run_figure", "coverage", "run_secrets", "edit", "rollback", "window", "gate", "case"],
)
def test_what_belongs_to_others_does_not_exist(
    name: str, addresses: dict[str, str], member: Callable[..., User]
) -> None:
    other = Source.objects.create(slug="other", name="Other")
    stranger = Client()
    stranger.force_login(member("eve", at=other))
    assert stranger.get(addresses[name]).status_code == 404
    assert (
        stranger.get(f"{addresses[name].split('?')[0]}?part=rows", headers=HTMX).status_code == 404
    )


def test_lists_hold_nothing_of_others(
    addresses: dict[str, str], member: Callable[..., User]
) -> None:
    other = Source.objects.create(slug="other", name="Other")
    stranger = Client()
    stranger.force_login(member("eve", at=other))
    for name in ("team", "runs", "gates", "findings", "cases", "search", "audit", "import"):
        text = stranger.get(addresses[name]).content.decode()
        assert not re.search(r"/runs/r-\w", text)
        assert "run-7" not in text


def test_without_a_sign_in_every_page_leads_to_it(addresses: dict[str, str]) -> None:
    for url in addresses.values():
        answer = Client().get(url)
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/login/")


def test_the_run_says_the_worst_first_and_keeps_five_lights(ann: Client, run: Run) -> None:
    text = ann.get(f"/runs/{run.public_id}/").content.decode()
    assert "restores" in text
    assert "undoes nothing outside" in text
    lights = re.findall(r'<div class="light is-(\w+)">\s*<h3>([^<]+)</h3>', text)
    assert [name for _, name in lights] == [
        "Integrity",
        "Closure",
        "Soundness",
        "Replay mode",
        "Retention",
    ]
    assert {name: look for look, name in lights}["Soundness"] == "danger"


def test_the_edit_names_what_it_lost_and_what_lacked_it(ann: Client, run: Run) -> None:
    text = ann.get(f"/runs/{run.public_id}/edits/e1/").content.decode()
    assert "max_retries" in text
    assert "absent" in text
    assert "lacked" in text
    assert "config/uploader.yaml" in text


def test_the_figure_counts_its_dangers_and_holds_no_text_of_the_journal(
    ann: Client, run: Run
) -> None:
    figure = ann.get(f"/runs/{run.public_id}/figure?w=900").json()
    assert figure["meta"]["dangers"] >= 2
    text = str(figure)
    assert "http.patch" not in text
    assert "storage.example.net" not in text
    assert "uploader" not in text


def test_a_note_is_kept_with_its_name_and_changes_no_verdict(
    ann: Client, run: Run, reader: User
) -> None:
    finding = FindingRow.objects.filter(run=run).order_by("code").first()
    data = {"run": run.public_id, "code": finding.code, "subject": finding.subject}
    before = list(FindingRow.objects.filter(run=run).values_list("code", "message"))
    assert ann.post("/findings/note", {**data, "text": " "}).status_code == 302
    assert not Note.objects.exists()
    ann.post("/findings/note", {**data, "text": "Config was right.", "by": "bob"})
    note = Note.objects.get()
    assert (note.by, note.text) == (reader, "Config was right.")
    assert list(FindingRow.objects.filter(run=run).values_list("code", "message")) == before
    assert "Config was right." in ann.get("/findings/?state=noted").content.decode()


def test_a_note_survives_a_judgement(ann: Client, run: Run, reader: User) -> None:
    cases.add_note(run, reader, "looked at it", kind="finding", code="JG101", subject="r1")
    ingest.judge_snapshot(journals.snapshot(run.pk))
    assert ann.get("/findings.json?code=JG101").json() == []
    assert "looked at it" in ann.get("/findings/?code=JG101&state=noted").content.decode()


def test_a_saved_view_is_a_name_for_an_address(ann: Client, run: Run) -> None:
    ann.post("/runs/views/", {"name": "Mine", "url": "worst=unsound"})
    view = SavedView.objects.get()
    assert view.url == "worst=unsound"
    assert 'href="/runs/?worst=unsound"' in ann.get("/runs/").content.decode()
    ann.post(f"/runs/views/{view.pk}/drop")
    assert not SavedView.objects.exists()


@pytest.mark.parametrize(
    "query",
    [
        "sort=source__owner__password",
        "sort=-verdicts__report",
        "sort=pk;drop",
        "worst=nothing",
        "since=99y",
        "page=abc",
        "page=-1",
    ],
)
def test_what_is_not_on_the_list_sorts_and_filters_nothing(
    query: str, ann: Client, run: Run
) -> None:
    for url in ("/runs/", "/findings/", "/gates/"):
        assert ann.get(f"{url}?{query}").status_code == 200


def test_a_gate_asks_once_more_and_repeats_the_hashes(ann: Client, gate: Gate) -> None:
    page = ann.get(f"/gates/{gate.public_id}/").content.decode()
    shown = re.search(r'name="shown_hash" value="([0-9a-f]+)"', page)
    assert shown is not None
    answer = {
        "answer": "reject",
        "reason": "The limit is gone.",
        "shown_hash": shown[1],
        "digest_hash": gate.digest_hash,
    }
    asked = ann.post(f"/gates/{gate.public_id}/decide", answer)
    assert asked.status_code == 200
    assert gate.digest_hash in asked.content.decode()
    assert sha(PAYLOAD) in asked.content.decode()
    gate.refresh_from_db()
    assert gate.state == Gate.State.PENDING


def test_a_gate_without_a_reason_is_not_decided(ann: Client, gate: Gate) -> None:
    data = {"answer": "approve", "reason": " ", "shown_hash": "0" * 64, "confirmed": "1"}
    answer = ann.post(f"/gates/{gate.public_id}/decide", data)
    assert answer.status_code == 422
    gate.refresh_from_db()
    assert gate.state == Gate.State.PENDING


def test_ones_own_agent_is_explained_and_cannot_be_decided(
    ann: Client, run: Run, reader: User
) -> None:
    own = gate_of(run, public_id="g-5e6f7a8b", owner=reader)
    text = ann.get(f"/gates/{own.public_id}/").content.decode()
    assert "Your own agent asked" in text
    assert 'value="approve"' not in text


def test_times_carry_a_date_and_the_readers_zone(ann: Client, run: Run) -> None:
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", ann.get("/runs/").content.decode())
    ann.post("/me/zone", {"zone": "Europe/Berlin", "next": "/runs/"})
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d CES?T", ann.get("/runs/").content.decode())
    ann.post("/me/zone", {"zone": "Nowhere/Land"})
    assert (
        "CES" in ann.get("/runs/").content.decode() or "CET" in ann.get("/runs/").content.decode()
    )


def test_the_theme_stands_in_the_page_before_it_is_drawn(ann: Client) -> None:
    assert "data-theme" not in ann.get("/runs/").content.decode().split(">")[1]
    ann.post("/me/theme")
    assert 'data-theme="light"' in ann.get("/runs/").content.decode()


def test_a_case_is_told_in_three_formats(ann: Client, case: Case) -> None:
    for kind, sign in (("md", "# Case c-"), ("html", "<h1>Case c-"), ("json", '"steps"')):
        text = ann.get(f"/cases/{case.public_id}/case.{kind}").content.decode()
        assert sign in text
        assert "What happened" in text or "happened" in text


@pytest.mark.parametrize("text", ["{rid} 2 to 4", "/runs/{rid}/?from=2&to=4", "{rid}"])
def test_a_range_is_read_from_a_link_or_from_words(
    text: str, ann: Client, case: Case, run: Run
) -> None:
    data = {"range": text.format(rid=run.public_id), "text": "here"}
    ann.post(f"/cases/{case.public_id}/steps", data)
    assert case.items.count() == 2
    ann.post(f"/cases/{case.public_id}/steps", {"range": "nonsense", "text": "here"})
    assert case.items.count() == 2


def test_a_rollback_on_paper_changes_nothing(ann: Client, run: Run) -> None:
    before = run.head
    text = ann.get(f"/runs/{run.public_id}/rollback?to=2&at=5").content.decode()
    assert "unsound" in text
    assert "patch" in text
    run.refresh_from_db()
    assert run.head == before


def test_import_tells_each_file_what_became_of_it(ann: Client, source: Source) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from tests.dashboard.making import incident

    files = [
        SimpleUploadedFile("good.ndjson", incident("by-page")),
        SimpleUploadedFile("bad.ndjson", b"not json\n"),
        SimpleUploadedFile("../../evil\u202e.txt", b""),
    ]
    answer = ann.post("/import/take", {"source": source.slug, "files": files}, follow=True)
    text = answer.content.decode()
    assert Run.objects.filter(external_id="by-page").exists()
    assert text.count("refused") >= 2
    assert "\u202e" not in text
