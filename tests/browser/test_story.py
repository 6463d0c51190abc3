"""The three minutes of the product, by three people, on the sample data.

The outsider's part, `verify.py`, needs no browser and stands in a test of its own.
"""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from dashboard.demo.incidents import LIFECYCLE
from guard.client import NotAllowed, sha256
from tests.browser.demo import Demo, settled, sign_in
from tests.browser.serving import manage

EFFECT = "patch-lifecycle"
OWNER_IS_A_REVIEWER = """
from django.contrib.auth.models import User
from dashboard.models import Membership
owner = User.objects.get(username="j.lindqvist")
Membership.objects.get_or_create(user=owner, source=None, role="reviewer")
"""


def test_the_lead_sees_first_what_needs_a_person(mary: Page, sample: Demo) -> None:
    mary.goto(sample.url("/?range=7d"))
    settled(mary)
    expect(mary.locator(".head")).to_contain_text("summaries received")
    for title in ("Irreversible under a summary", "Dropped a gating fact"):
        trend = mary.locator(".chart").filter(has=mary.get_by_role("heading", name=title))
        expect(trend.locator("[data-trend]")).not_to_have_text(re.compile(r"^(0\b.*|)$"))
    closures = mary.get_by_role("region", name="Violated closures")
    expect(closures).to_contain_text("no good recovery record")
    closures.get_by_role("listitem").get_by_role("link").first.click()
    expect(mary.locator("#head")).to_contain_text("violated")


def test_the_reviewer_pins_what_was_dropped_and_the_agent_goes_on(
    mary: Page, browser: Browser, sample: Demo
) -> None:
    agent = sample.agent("propose")
    manage(sample.env, "shell", "--verbosity", "0", "-c", OWNER_IS_A_REVIEWER)
    gate = sample.at["gate"].strip("/").split("/")[-1]
    the_owner_may_not_decide(browser, sample)

    answer = ThreadPoolExecutor(1).submit(agent.answered, gate, time.monotonic() + 30)
    mary.goto(sample.url("/"))
    mary.locator("#open").get_by_role("link", name=gate, exact=True).click()
    fact = mary.get_by_role("row").filter(has_text="max_retries")
    expect(fact).to_contain_text("dropped")
    expect(fact).to_contain_text("config/uploader.yaml line 12")
    before = digest_of(mary)
    pin_and_approve(mary)
    told = answer.result(timeout=30)
    assert told["state"] == "approved"
    assert told["gate"] != gate, "the digest changed, so the approval is of a new gate"
    assert told["digest"] != before
    with pytest.raises(NotAllowed):
        agent.consume(told["gate"], EFFECT, before, sha256(LIFECYCLE))
    apply_the_edit(sample, told)
    agent.consume(told["gate"], EFFECT, told["digest"], sha256(LIFECYCLE))
    mary.goto(sample.url(f"/gates/{told['gate']}/"))
    expect(mary.locator("#decide")).to_contain_text("Used")
    expect(mary.locator("#decide")).to_contain_text(EFFECT)


def apply_the_edit(sample: Demo, gate: dict[str, Any]) -> None:
    """What the runtime does with an approval: the pinned digest goes into its window."""
    out = {"id": "d:e6", "hash": gate["digest"], "text": gate["digest_text"]}
    taken = {"order": "sha256:0"}
    sample.append(
        "uploader-maint-tonight",
        {"kind": "record", "edit": "e6", "prior": taken, "payload": True},
        {"kind": "edit", "id": "e6", "op": "summarize", "in": list(taken), "out": out},
    )


def the_owner_may_not_decide(browser: Browser, sample: Demo) -> None:
    desk = browser.new_context()
    page = desk.new_page()
    sign_in(page, sample.address, "j.lindqvist")
    page.goto(sample.url(sample.at["gate"]))
    expect(page.locator("#decide")).to_contain_text("Your own agent asked")
    expect(page.get_by_role("button", name="Reject")).to_have_count(0)
    desk.close()


def digest_of(page: Page) -> str:
    shown = page.locator("dt", has_text="Digest").locator("xpath=following-sibling::dd[1]/button")
    return str(shown.first.get_attribute("data-copy"))


def pin_and_approve(page: Page) -> None:
    page.get_by_label("Reason").fill("The limits are pinned back; the payload is the planned one.")
    page.get_by_role("button", name="Pin the chosen and approve").click()
    expect(page.locator("#decide")).to_contain_text("Digest with pins")
    page.get_by_role("button", name="Pin and approve").click()
    expect(page.locator("#decide")).to_contain_text("Approved by m.okafor")


def test_the_investigator_reads_the_three_incidents(mary: Page, sample: Demo) -> None:
    mary.goto(sample.url(sample.at["uploader-maint-nightly"]))
    settled(mary)
    expect(mary.locator("[data-figure]")).to_contain_text("UNSAFE e1")
    expect(mary.locator("#head")).to_contain_text("undoes nothing outside")

    mary.goto(sample.url(f"{sample.at['uploader-maint-nightly']}rollback?at=34&to=20"))
    expect(card(mary, "Tokens restored")).to_contain_text("+29,425")
    expect(card(mary, "Consequences not undone")).to_contain_text(EFFECT)
    expect(stretch(mary, 20)).to_contain_text("unsound")
    mary.goto(sample.url(f"{sample.at['uploader-maint-nightly']}rollback?at=29&to=20"))
    before_the_commit = stretch(mary, 20)
    expect(before_the_commit).not_to_contain_text("unsound")
    expect(before_the_commit).to_contain_text("sound")

    mary.goto(sample.url(f"{sample.at['planner-96k']}rollback?to=9"))
    mary.get_by_role("link", name=re.compile("before r1")).click()
    steps = mary.locator("#answer section", has_text="Steps")
    expect(steps).to_contain_text("linear refused")
    for span in ("span_3", "span_7", "span_8"):
        expect(steps).to_contain_text(span)

    mary.goto(sample.url(sample.at["trace-hunter-340k"]))
    lights = mary.locator("#head")
    expect(lights).to_contain_text("violated")
    rows = mary.locator("#rows")
    for edit in ("e1", "e2"):
        expect(row(rows, edit)).to_contain_text("no recovery record")
    expect(row(rows, "e3")).not_to_contain_text("no recovery record")


def row(table: Locator, name: str) -> Locator:
    link = table.page.get_by_role("link", name=name, exact=True)
    return table.get_by_role("row").filter(has=link)


def card(page: Page, title: str) -> Locator:
    return page.locator("#answer section").filter(has=page.get_by_role("heading", name=title))


def stretch(page: Page, seq: int) -> Locator:
    rows = page.locator("[data-stretch]")
    for row in rows.all():
        low, high = row.get_attribute("data-stretch"), row.get_attribute("data-high")
        if int(low or 0) <= seq <= int(high or 0):
            return row
    raise AssertionError(f"no stretch holds {seq}")
