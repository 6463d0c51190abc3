"""The timeline and the rollback on paper, worked with mouse, wheel and keys."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.demo import Demo, settled

WHOLE = 37
RANGE = re.compile(r"(\d+) to (\d+) of")

PLACE = """(key) => {
  const canvas = document.querySelector("[data-timeline] .plot-canvas");
  const box = canvas.getBoundingClientRect(), {xaxis} = canvas._fullLayout;
  for (const trace of canvas._fullData) {
    const n = (trace.customdata || []).findIndex((row) => row?.[0] === key);
    if (n < 0) continue;
    const yaxis = canvas._fullLayout[trace.yaxis.replace("y", "yaxis")];
    const x = box.left + xaxis._offset + xaxis.d2p(trace.x[n]);
    return [x, box.top + yaxis._offset + yaxis.d2p(trace.y[n])];
  }
}"""


def open_run(page: Page, sample: Demo, more: str = "") -> None:
    page.goto(sample.url(sample.at["uploader-maint-nightly"] + more))
    settled(page)


def shown(page: Page) -> tuple[int, int]:
    """The range of the figure as the page says it; the address must say the same."""
    settled(page)
    text = page.locator("[data-timeline] .frame-head [data-range]").text_content() or ""
    found = RANGE.search(text)
    assert found, text
    low, high = int(found[1]), int(found[2])
    query = parse_qs(urlsplit(page.url).query)
    assert (query.get("from", ["1"]), query.get("to", [f"{WHOLE}"])) == ([f"{low}"], [f"{high}"])
    return low, high


def after(page: Page, act: object, before: tuple[int, int]) -> tuple[int, int]:
    """The range once it is another one."""
    act()  # type: ignore[operator]
    place = page.locator("[data-timeline] .frame-head [data-range]")
    expect(place).not_to_contain_text(f"{before[0]} to {before[1]} of")
    page.wait_for_timeout(200)
    return shown(page)


def centre(place: Locator, x: float, y: float = 0.5) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def test_the_range_moves_by_buttons_keys_wheel_and_brush_and_stands_in_the_address(
    mary: Page, sample: Demo
) -> None:
    open_run(mary, sample)
    whole = shown(mary)
    assert whole == (1, WHOLE)
    zoomed = after(mary, lambda: mary.get_by_role("button", name="Zoom in").click(), whole)
    assert whole[0] < zoomed[0] < zoomed[1] < whole[1]
    later = after(mary, lambda: mary.keyboard.press("]"), zoomed)
    assert later[0] > zoomed[0]
    mary.reload()
    settled(mary)
    assert shown(mary) == later, "a link carries what its sender saw"
    again = after(mary, lambda: mary.keyboard.press("0"), later)
    assert again == whole

    figure = mary.locator("[data-timeline] .plot-canvas")
    mary.mouse.move(*centre(figure, 0.8, 0.3))
    wheeled = after(mary, lambda: mary.mouse.wheel(0, -240), whole)
    assert wheeled[1] - wheeled[0] < WHOLE - 1

    strip = mary.locator("[data-whole]")
    strip.scroll_into_view_if_needed()

    def brush() -> None:
        mary.mouse.move(*centre(strip, 0.7))
        mary.mouse.down()
        mary.mouse.move(*centre(strip, 0.95), steps=4)
        mary.mouse.up()

    brushed = after(mary, brush, wheeled)
    assert 22 <= brushed[0] <= 30
    assert 32 <= brushed[1] <= WHOLE
    rows = mary.locator("#rows [data-seq]")
    seqs = [int(row.get_attribute("data-seq") or 0) for row in rows.all()]
    assert seqs
    assert all(brushed[0] <= seq <= brushed[1] for seq in seqs), "the table follows the figure"


def test_a_mark_and_the_next_danger_open_the_detail_beside(mary: Page, sample: Demo) -> None:
    open_run(mary, sample)
    expect(mary.locator("#dt")).to_contain_text("e1")
    place = mary.evaluate(PLACE, "effect-30")
    mary.mouse.move(place[0] - 3, place[1])
    mary.mouse.move(*place)
    expect(mary.locator(".hoverlayer")).to_contain_text("patch-lif…ycle · seq 30")
    mary.mouse.click(*place)
    expect(mary.locator("#dt")).to_contain_text("patch-lifecycle")
    assert "pick=effect-30" in mary.url
    mary.keyboard.press("d")
    expect(mary.locator("#dt")).to_contain_text("e1")
    mary.keyboard.press("d")
    expect(mary.locator("#dt")).to_contain_text("patch-lifecycle")


def test_time_instead_of_order_and_idle_stretches_are_said(mary: Page, sample: Demo) -> None:
    open_run(mary, sample)
    mary.get_by_role("link", name="Time", exact=True).click()
    settled(mary)
    figure = mary.locator("[data-timeline] .plot-canvas")
    expect(figure).to_contain_text("Time")
    expect(figure).not_to_contain_text("idle")
    mary.get_by_role("link", name="Idle compressed").click()
    settled(mary)
    expect(mary.locator("[data-timeline] .plot-canvas")).to_contain_text("idle 31 min")
    assert {"axis": ["time"], "idle": ["1"]}.items() <= parse_qs(urlsplit(mary.url).query).items()


def test_what_arrives_while_the_page_is_open_appears_without_a_reload(
    mary: Page, sample: Demo
) -> None:
    mary.goto(sample.url(sample.at["trace-hunter-340k"]))
    settled(mary)
    mary.evaluate("window.same = true")
    effect = {"kind": "effect", "id": "late-push", "state": "committed", "class": "irreversible"}
    sample.append("trace-hunter-340k", {**effect, "body": "sha256:1"})
    expect(mary.locator("#rows")).to_contain_text("late-push", timeout=30_000)
    expect(mary.locator("[data-timeline] .plot-canvas")).to_contain_text("UNSAFE")
    assert mary.evaluate("window.same"), "the page was loaded again"


def test_the_handle_the_slider_and_the_field_are_one_value(mary: Page, sample: Demo) -> None:
    mary.goto(sample.url(f"{sample.at['uploader-maint-nightly']}rollback?at=34&to=20"))
    settled(mary)
    hand, field = mary.locator("[data-hand]"), mary.locator("#to")
    restored = mary.get_by_role("region", name="Tokens restored")
    expect(restored).to_contain_text("+29,425")
    mary.mouse.move(*centre(hand, 0.5, 0.1))
    mary.mouse.down()
    mary.mouse.move(*centre(mary.locator(".plot-canvas"), 0.9, 0.3), steps=5)
    mary.mouse.up()
    mary.wait_for_url(re.compile(r"[?&]to=(2[89]|3[0-4])"))
    expect(restored).not_to_contain_text("+29,425")
    dragged = int(field.input_value())
    mary.locator("#at").focus()
    mary.keyboard.press("ArrowLeft")
    expect(field).to_have_value(str(dragged - 1))
    field.fill("20")
    field.press("Enter")
    expect(restored).to_contain_text("+29,425")
    assert "to=20" in mary.url


def test_of_several_quick_picks_the_last_one_is_shown(mary: Page, sample: Demo) -> None:
    open_run(mary, sample)
    picks = "[...document.querySelectorAll('#rows a[data-pick]')]"
    names = mary.evaluate(f"{picks}.map((link) => link.textContent)")
    assert len(names) > 3
    mary.evaluate(f"{picks}.reverse().forEach((link) => link.click())")
    expect(mary.locator("#dt")).to_contain_text(names[0][:8])
    settled(mary)
    expect(mary.locator("#dt")).to_contain_text(names[0][:8])
