"""`make shots`: every page in both themes, at phone and desk width, into `build/shots/`.

`python -m tests.browser.shots [NAME...]` takes the named pages alone.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import FLAGS, chromium
from tests.browser.demo import Demo, demo, settled, sign_in
from tests.browser.serving import ROOT

OUT = ROOT / "build" / "shots"
WIDTHS_PX = (390, 1440)
THEMES = ("light", "dark")
NATIVE_RUNS, CLAUDE_RUNS = 30, 12


def main(wanted: list[str]) -> int:
    path = chromium()
    if path is None:
        sys.stderr.write("no pictures: chromium not found\n")
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as data,
        demo(Path(data), NATIVE_RUNS, CLAUDE_RUNS) as running,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        names = wanted or [*running.pages, "login"]
        for theme in THEMES:
            for width in WIDTHS_PX:
                take(browser, running, names, theme, width)
        browser.close()
    sys.stdout.write(f"{OUT}: {len(names) * len(THEMES) * len(WIDTHS_PX)} pictures\n")
    return 0


def take(browser: Browser, running: Demo, names: list[str], theme: str, width_px: int) -> None:
    size = {"width": width_px, "height": 900}
    context = browser.new_context(viewport=size, color_scheme=theme, reduced_motion="reduce")
    page = context.new_page()
    page.goto(running.url("/login/"))
    if "login" in names:
        page.screenshot(path=OUT / f"login-{width_px}-{theme}.png", full_page=True)
    sign_in(page, running.address)
    for name, path in running.pages.items():
        if name in names:
            page.goto(running.url(path))
            settled(page)
            page.screenshot(path=OUT / f"{name}-{width_px}-{theme}.png", full_page=True)
    context.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
