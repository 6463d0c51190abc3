"""Every page: axe, a phone's width, the content security policy, weight, a focus one can see."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Request

from tests.browser.demo import PAGES, Demo, settled

MOST_BYTES = 150_000
PLOT_BUNDLE = "/static/vendor/plotly"
EXPECTED = {"not-found": "404"}
TABS = 14

UNSEEN = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return "";
  const look = getComputedStyle(at), box = at.getBoundingClientRect();
  const drawn = [look, getComputedStyle(at.parentElement)]
    .some((of) => of.outlineStyle !== "none" && parseFloat(of.outlineWidth) > 0);
  const shown = box.width > 0 && box.height > 0 && look.visibility !== "hidden";
  return drawn && shown ? "" : at.outerHTML.slice(0, 160);
}"""
WIDER = """() => {
  const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return [];
  return [...document.querySelectorAll("body *")]
    .filter((at) => at.getBoundingClientRect().right > most + 1)
    .slice(0, 5).map((at) => at.outerHTML.slice(0, 120));
}"""


def grave(page: Page) -> list[str]:
    """What axe finds serious or critical, with the elements."""
    found = Axe().run(page).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]}"
        for rule in found
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_what_everybody_expects(mary: Page, sample: Demo, name: str) -> None:
    said: list[str] = []
    weights: list[int] = []
    mary.on("console", lambda message: said.append(complaint(message)))
    mary.on("requestfinished", lambda request: weights.append(weight(request)))
    # A route, even one that changes nothing, keeps Chromium from answering out of its cache.
    mary.route("**/*", lambda route: route.continue_())
    mary.goto(sample.url(sample.pages[name]))
    settled(mary)
    loaded_bytes = sum(weights)
    found = {"axe, light": grave(mary), "focus": unseen(mary)}
    mary.set_viewport_size({"width": 390, "height": 844})
    mary.emulate_media(color_scheme="dark")
    mary.wait_for_timeout(400)
    settled(mary)
    found |= {"wider than a phone": mary.evaluate(WIDER), "axe, dark, phone": grave(mary)}
    found["console"] = [text for text in said if text and EXPECTED.get(name, "no such") not in text]
    assert {what: where for what, where in found.items() if where} == {}
    assert 10_000 < loaded_bytes < MOST_BYTES


def weight(request: Request) -> int:
    """Bytes that came for it, as they travelled; none for the plot bundle."""
    return 0 if PLOT_BUNDLE in request.url else request.sizes()["responseBodySize"]


def unseen(page: Page) -> list[str]:
    """Elements that take the focus and do not show it."""
    found = []
    for _ in range(TABS):
        page.keyboard.press("Tab")
        found.append(page.evaluate(UNSEEN))
    return [element for element in found if element]


def complaint(message: ConsoleMessage) -> str:
    """What the console says against a page, a refusal by the policy above all."""
    return message.text[:300] if message.type in {"error", "warning"} else ""
