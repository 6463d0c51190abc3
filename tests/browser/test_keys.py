"""Everything by keys alone; a decision asks once more before it counts."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.demo import Demo


def test_the_keys_are_listed_and_move_through_rows(mary: Page, sample: Demo) -> None:
    mary.goto(sample.url("/runs/"))
    keys = mary.get_by_role("dialog")
    mary.keyboard.press("?")
    expect(keys).to_be_visible()
    expect(keys).to_contain_text("gate: claim")
    mary.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    rows = mary.locator("[data-row]")
    mary.keyboard.press("j")
    expect(rows.nth(0)).to_be_focused()
    mary.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    mary.keyboard.press("k")
    expect(rows.nth(0)).to_be_focused()
    mary.keyboard.press("/")
    expect(mary.locator("#q")).to_be_focused()
    mary.keyboard.press("Escape")
    rows.nth(0).focus()
    mary.keyboard.press("Enter")
    expect(mary.get_by_role("heading", name="Timeline")).to_be_visible()


def test_a_gate_is_claimed_and_answered_by_keys_with_a_second_step(
    mary: Page, sample: Demo
) -> None:
    mary.goto(sample.url(sample.at["gate"]))
    decide = mary.locator("#decide")
    mary.keyboard.press("c")
    expect(decide).to_contain_text("Claimed by you")
    reason = mary.get_by_label("Reason")
    mary.keyboard.press("r")
    expect(reason).to_be_focused()
    expect(decide).not_to_contain_text("Reject g-")
    mary.keyboard.type("rack and pinion: a, r and c are letters here")
    mary.keyboard.press("Escape")
    mary.keyboard.press("r")
    expect(decide).to_contain_text("The runtime is told no")
    expect(mary.get_by_role("button", name="Reject")).to_be_focused()
    mary.get_by_role("link", name="Back").press("Enter")
    mary.get_by_label("Reason").fill("read")
    mary.keyboard.press("Escape")
    mary.keyboard.press("a")
    expect(mary.get_by_role("button", name="Pin and approve")).to_be_focused()
    mary.goto(sample.url(sample.at["gate"]))
    expect(decide).to_contain_text("Expires in")
    mary.get_by_role("button", name="Release").press("Enter")
    expect(decide).to_contain_text("nobody claimed it")
