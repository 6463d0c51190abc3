"""A journal in which every text is hostile: on every page, part and export it is seen and inert."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dashboard import cases
from dashboard.models import Case, FindingRow, Gate, Run
from dashboard.visible import is_hidden
from tests.dashboard.making import HEADER, lines, sha
from tests.dashboard.pages.conftest import Judge

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
LARGEST = 150_000
EVIL = (
    "=1+1|'\"><img src=x onerror=alert(1)><script>alert(1)</script>"
    "<a hx-get=/evil hx-on:click=alert(1) href=javascript:alert(1)>{{ 7|add:7 }}{% now %}"
    "\u202e\u200b\x1b[31m\u0430bc\r# *x* ![y](//evil.example/z)"
)
SHORT = "-<b hx-get=/evil>\u202e\u200b\x1b[1m"
LONG = EVIL + "A" * 1_000_000
BODY = f"region: eu-west-1\nmax_retries: 0\n{LONG}\n{EVIL}\n"
DIGEST = f"Region is eu-west-1. {EVIL}"
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "path", "use"}
SENT = {"hidden", "checkbox"}
SWITCHES = {"hx-get", "hx-post", "hx-put", "hx-delete", "hx-patch", "href", "action", "src"}


def hostile() -> bytes:
    effect = {
        "kind": "effect",
        "id": f"x{SHORT}",
        "class": "irreversible",
        "body": sha(EVIL),
        "tool": f"http{EVIL}",
        "target": EVIL,
        "summary": EVIL,
    }
    span = {
        "kind": "span",
        "seq": 1,
        "at": "2026-11-30T10:00:00Z",
        "id": f"s{SHORT}",
        "hash": sha(BODY),
        "text": BODY,
        "name": EVIL,
        "source": {"path": EVIL, "tool": EVIL},
        "facts": {f"{EVIL}:max_retries": EVIL, f"{SHORT}:region": "eu-west-1"},
    }
    out = {"id": f"d{SHORT}", "hash": sha(DIGEST), "text": DIGEST, "tokens": 40, "facts": {}}
    edit = {
        "kind": "edit",
        "at": "2026-11-30T10:01:00Z",
        "op": "summarize",
        "by": "model",
        "in": [f"s{SHORT}"],
        "out": out,
        "author": EVIL,
        "trigger": EVIL,
    }
    return lines(
        {**HEADER, "id": f"run{SHORT}", "runtime": f"rt{SHORT}", "agent": EVIL, "owner": EVIL},
        span,
        {"kind": "record", "seq": 2, "edit": f"e{SHORT}", "prior": {f"s{SHORT}": sha(BODY)}},
        {**edit, "seq": 3, "id": f"e{SHORT}"},
        {**effect, "seq": 4, "state": "started"},
        {**effect, "seq": 5, "state": "committed"},
        {"kind": "epoch", "seq": 6, "policy": f"p{SHORT}"},
        {"kind": EVIL, "seq": 7, "text": EVIL},
        {"kind": "rollback", "seq": 9, "id": f"r{SHORT}", "edits": [f"e{SHORT}"]},
    )


class Page(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self, *, has_htmx: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.has_htmx = has_htmx
        self.wrong: list[str] = []
        self.text: list[str] = []
        self.open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "img" or (tag == "script" and not given.get("src", "").startswith("/static/")):
            self.wrong.append(f"<{tag} {given}>")
        for name, value in given.items():
            if name.startswith(("on", "hx-on")) or name == "style":
                self.wrong.append(f"{tag} {name}={value}")
            if name in SWITCHES and not value.startswith(("/", "?", "#")):
                self.wrong.append(f"{tag} {name}={value}")
            sent = name == "value" and (tag == "option" or given.get("type") in SENT)
            if any(map(is_hidden, value)) and not sent:
                self.wrong.append(f"{tag} {name}={value!r}")
        if tag not in VOID:
            self.open.append("hx-ignore" in given or tag == "title")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self.open:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if any(map(is_hidden, data)):
            self.wrong.append(repr(data[:200]))
        if self.has_htmx and "hx-get=/evil" in data and not any(self.open):
            self.wrong.append(f"outside hx-ignore: {data[:200]!r}")


def read(markup: str, *, has_htmx: bool = True) -> Page:
    page = Page(has_htmx=has_htmx)
    page.feed(markup)
    return page


@pytest.fixture
def evil(judge: Judge) -> Run:
    return judge(hostile(), "=run<b hx-get=/evil>")


@pytest.fixture
def case(evil: Run, reader: User) -> Case:
    made = cases.open_case(reader, EVIL[:100])
    cases.add_step(made, reader, cases.Range(evil, 1, 9), EVIL)
    finding = FindingRow.objects.filter(run=evil).first()
    assert finding is not None
    cases.add_note(evil, reader, EVIL, kind="finding", code=finding.code, subject=finding.subject)
    return made


@pytest.fixture
def gate(evil: Run) -> Gate:
    now = timezone.now()
    fact = {"scope": EVIL, "key": SHORT, "value": EVIL, "status": "dropped"}
    return Gate.objects.create(
        public_id="g-1a2b3c4d",
        run=evil,
        edit_id=f"e{SHORT}",
        digest_hash=sha(DIGEST),
        digest_text=DIGEST,
        edit_hash=sha(DIGEST),
        shown_hash="0" * 64,
        rules_version="1",
        requester_agent=EVIL[:100],
        effects=[{"id": SHORT, "sha256": sha(EVIL), "tool": EVIL, "target": EVIL, "payload": LONG}],
        facts=[fact],
        agent_words=EVIL,
        created_at=now,
        expires_at=now + timedelta(minutes=30),
    )


def addresses(run: Run, gate: Gate, case: Case) -> Iterator[tuple[str, str]]:
    rid = run.public_id
    edit = reverse("edit", args=[rid, f"e{SHORT}"])
    keys = ("edit-3", "effect-4", "epoch-6", "gap-8", "rollback-9")
    yield from ((f"run {key}", f"/runs/{rid}/?pick={key}") for key in keys)
    yield "edit", edit
    yield "edit, all lines", f"{edit}?lines=all"
    yield "rollback", f"/runs/{rid}/rollback?to=2"
    yield "window", f"/runs/{rid}/window?at=4&against=2&show=s{SHORT}"
    yield "compare", f"/compare/?a={rid}&b={rid}"
    yield "gate", f"/gates/{gate.public_id}/"
    yield "case", f"/cases/{case.public_id}/"
    yield "search", "/search/?q=run"
    for name in ("team", "runs", "gates", "findings", "cases", "import", "settings", "audit"):
        yield name, "/" if name == "team" else f"/{name}/"
    yield "all findings", "/findings/?state=all"
    yield "what was typed", f"/search/?q={EVIL[5:100]}"
    yield "filters", f"/runs/?q={EVIL[5:80]}&worst={EVIL[5:80]}"


def test_every_page_shows_hostile_text_and_does_not_act_on_it(
    ann: Client, evil: Run, gate: Gate, case: Case
) -> None:
    seen = set()
    for name, url in addresses(evil, gate, case):
        for headers in ({}, HTMX):
            answer = ann.get(url, headers=headers)
            assert answer.status_code == 200, name
            assert len(answer.content) < LARGEST, f"{name}: {len(answer.content)}"
            page = read(answer.content.decode())
            assert page.wrong == [], f"{name}: {page.wrong}"
            if "hx-get=/evil" in "".join(page.text):
                seen.add(name.split()[0])
    assert seen >= {"run", "edit", "gate", "case", "window", "findings", "runs"}


def test_hidden_characters_are_named_where_bytes_are_read(ann: Client, evil: Run) -> None:
    page = ann.get(reverse("edit", args=[evil.public_id, f"e{SHORT}"])).content.decode()
    for code in ("U+202E", "U+200B", "U+001B", "U+0430", "U+000D"):
        assert code in page


def test_a_figure_holds_no_markup_and_no_hidden_character(ann: Client, evil: Run) -> None:
    for url in ("figure?w=900", "rollback/figure?w=900"):
        figure = ann.get(f"/runs/{evil.public_id}/{url}").json()
        texts = list(strings(figure))
        assert not any(is_hidden(char) for text in texts for char in text if char != "\u00a0")
        marked = [text for text in texts if "<" in text.replace("<br>", "").replace("<extra>", "")]
        assert [text for text in marked if "</extra>" not in text] == []
        assert not any("{{" in text or "alert" in text for text in texts)


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def tables(run: Run, case: Case) -> Iterator[str]:
    rid = run.public_id
    for kind in ("csv", "json"):
        yield f"/runs.{kind}"
        yield f"/runs/{rid}/rows.{kind}"
        yield f"/runs/{rid}/window.{kind}?at=4"
        yield f"/gates.{kind}"
        yield f"/findings.{kind}?state=all"
        yield f"/audit.{kind}"
    yield f"/runs/{rid}/rollback.txt?to=2"
    yield f"/runs/{rid}/rollback.json?to=2"
    for kind in ("md", "html", "json"):
        yield f"/cases/{case.public_id}/case.{kind}"


def test_no_export_acts_on_what_it_holds(ann: Client, evil: Run, gate: Gate, case: Case) -> None:
    for url in tables(evil, case):
        answer = ann.get(url)
        assert answer.status_code == 200, url
        text = answer.content.decode()
        kind = url.split("?")[0].rsplit(".")[-1]
        if kind != "json":
            assert not any(is_hidden(char) for char in text if char != "\r"), url
        if kind == "csv":
            for row in csv.reader(io.StringIO(text)):
                assert not any(field.lstrip().startswith(tuple("=+-@")) for field in row), url
        elif kind == "html":
            assert read(text, has_htmx=False).wrong == [], url
        elif kind == "md":
            assert not re.search(r"(?<!\\)[<\[!]", text), url
        elif kind == "json":
            json.loads(text)
