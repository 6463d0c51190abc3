"""Every page: axe, a phone's width, the content security policy, weight, a focus one can see."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Page, Response

from tests.browser.demo import PAGES, Demo, settled

MOST_BYTES = 150_000
PLOT_BUNDLE = "/static/vendor/plotly"
# Plotly writes style rules of its own, which the policy refuses; `plot.css` has them instead.
PLOTLY_WARNS = ("plotly", "Cannot read properties of null (reading 'insertRule')")
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
    loaded: list[Response] = []
    mary.on("console", lambda message: said.append(complaint(message)))
    mary.on("response", lambda answer: loaded.append(answer))
    mary.goto(sample.url(sample.pages[name]))
    settled(mary)
    weight = sum(len(answer.body()) for answer in loaded if PLOT_BUNDLE not in answer.url)
    found = {"axe, light": grave(mary), "focus": unseen(mary)}
    mary.set_viewport_size({"width": 390, "height": 844})
    mary.emulate_media(color_scheme="dark")
    mary.wait_for_timeout(400)
    settled(mary)
    found |= {"wider than a phone": mary.evaluate(WIDER), "axe, dark, phone": grave(mary)}
    found["console"] = [text for text in said if text and not (name == "not-found" and "404" in text)]
    assert {what: where for what, where in found.items() if where} == {}
    assert weight < MOST_BYTES


def unseen(page: Page) -> list[str]:
    """Elements that take the focus and do not show it."""
    found = []
    for _ in range(TABS):
        page.keyboard.press("Tab")
        found.append(page.evaluate(UNSEEN))
    return [element for element in found if element]


def complaint(message: ConsoleMessage) -> str:
    """What the console says against a page; nothing for what plotly is known to try."""
    if message.type not in {"error", "warning"}:
        return ""
    return message.text[:300] + str(message.location)
