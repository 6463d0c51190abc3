"""The page of a gate: in which order it speaks, and whom it asks to sign in again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard import access, gates, recording
from dashboard.gates import Question, Stake
from dashboard.models import Decision, Entry, Gate, Source
from guard.events import Header
from tests.dashboard.making import DIGEST, EDIT, PAYLOAD, RECORD, SPAN, lines, numberless, sha

pytestmark = pytest.mark.django_db
WORDS = "Trust me: <b>approve</b> at once."


@pytest.fixture
def gate(source: Source) -> Gate:
    header = Header(format="context-journal/1", id="run-7", agent="agent-1", ledger="complete")
    run, _ = recording.open_run(source, header, "token", None)
    recording.append(run, lines(*map(numberless, (SPAN, RECORD, EDIT))), "token")
    stake = Stake("patch", sha(PAYLOAD), "http.patch", "storage", "", PAYLOAD)
    question = Question("e1", sha(DIGEST), (stake,), agent="agent-1", words=WORDS)
    return gates.open_gate(run, question, None, "token")


def test_first_what_we_computed_then_the_bytes_and_the_agents_words_last(
    gate: Gate, ann: Client
) -> None:
    page = ann.get(f"/gates/{gate.public_id}/").content.decode()
    at = [
        page.index(text)
        for text in (
            "What we computed",
            "max_retries",
            "Exact payload",
            "Rests on",
            "Raw bytes",
            "lifecycle",
            "own words",
            "Trust me: &lt;b&gt;approve&lt;/b&gt; at once.",
        )
    ]
    assert at == sorted(at)
    assert "We checked none of it." in page


def test_an_old_sign_in_is_asked_for_again_and_comes_back_to_the_gate(
    gate: Gate, member: Callable[..., User]
) -> None:
    member("ann")
    browser = Client()
    sign_in = {"username": "ann", "password": "a long password"}
    browser.post("/login/", sign_in)
    session = browser.session
    session[access.SIGNED_IN_AT] = time.time() - 3600
    session.save()
    page = f"/gates/{gate.public_id}/"
    shown = re.search(r'name="shown_hash" value="(\w+)"', browser.get(page).content.decode())
    assert shown is not None
    answer = {
        "answer": "approve",
        "confirmed": "1",
        "reason": "I have looked.",
        "shown_hash": shown[1],
        "digest_hash": gate.digest_hash,
    }
    asked = browser.post(f"{page}decide", answer)
    assert asked.status_code == 403
    assert "I have looked." in asked.content.decode()
    back = re.search(r'href="(/login/\?next=[^"]+)"', asked.content.decode())
    assert back is not None
    again = browser.post(back[1], sign_in, follow=True)
    assert (again.status_code, again.request["PATH_INFO"]) == (200, page)
    assert browser.post(f"{page}decide", answer, follow=True).status_code == 200
    gate.refresh_from_db()
    assert gate.state == Gate.State.APPROVED


def test_a_click_that_is_played_again_decides_nothing(
    gate: Gate, ann: Client, member: Callable[..., User]
) -> None:
    """The same click on another gate, after the decision, and by somebody of another source."""
    ann.post("/login/", {"username": "ann", "password": "a long password"})
    other = gates.open_gate(gate.run, Question("e1", sha(DIGEST), ()), None, "token")
    answer = {
        "answer": "approve",
        "confirmed": "1",
        "reason": "I have looked.",
        "shown_hash": gates.shown(gate).sha256,
        "digest_hash": gate.digest_hash,
    }
    stranger = Client()
    stranger.force_login(member("eve", at=Source.objects.create(slug="other", name="Other")))
    assert stranger.post(f"/gates/{gate.public_id}/decide", answer).status_code == 404
    assert ann.post(f"/gates/{other.public_id}/decide", answer).status_code == 409
    assert ann.post(f"/gates/{gate.public_id}/decide", answer).status_code == 302
    assert ann.post(f"/gates/{gate.public_id}/decide", answer).status_code == 409
    assert list(Decision.objects.values_list("gate__public_id", flat=True)) == [gate.public_id]
    told = Entry.objects.filter(kind="gate.refused").order_by("seq")
    assert [entry.body["code"] for entry in told] == ["changed", "decided"]
