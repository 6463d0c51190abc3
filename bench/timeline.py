"""A run of a million events beside one of a thousand, in Chromium: first figure, zoom, marks.

`python -m bench.timeline [EVENTS]`. Both runs come in through the real door (chunks received,
judged by the worker's own function) and are read from a real server. Prints the time from the
click to the drawn figure, the time of zoom steps, the marks drawn, and the dangers that the figure
draws or counts.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench._native import lines, run
from tests.browser.conftest import FLAGS, chromium
from tests.browser.demo import settled, sign_in
from tests.browser.serving import PASSWORD, environment, prepare, server

SMALL, LARGE = 1_000, 1_000_000
CHUNK_BYTES = 16_000_000
TEXT_BYTES = 10
REPEATS = 5
STEPS = 6
DRAWN = """() => new Promise((done) => {
  const plot = document.querySelector("[data-timeline] .plot");
  const start = performance.now();
  plot.addEventListener("guard:redrawn", () => done(performance.now() - start), {once: true});
  document.querySelector(`[data-do="${arguments[0]}"]`).click();
})"""


def fill(count: int) -> str:
    """Receive and judge a run of `count` events; returns its path."""
    from dashboard import ingest, working
    from dashboard.models import Job, Source

    source = Source.objects.get(slug="lab")
    start, offset = time.perf_counter(), 0
    for data in chunks(count):
        receipt = ingest.receive(source, f"bench-{count}", f"{count}.ndjson", offset, data)
        offset += len(data)
    stored = time.perf_counter() - start
    while (job := Job.objects.filter(state=Job.State.PENDING).first()) is not None:
        working.work_on(job.pk)
    judged = time.perf_counter() - start
    size = f"{count:,} events, {offset / 1e6:.0f} MB"
    say(f"{size}: stored in {stored:.1f} s, judged in {judged:.1f} s")
    return f"/runs/{receipt.run}/"


def chunks(count: int) -> list[bytes]:
    parts, held, size = [], [], 0
    for line in lines(run(count, TEXT_BYTES)):
        held.append(line)
        size += len(line)
        if size >= CHUNK_BYTES:
            parts.append(b"".join(held))
            held, size = [], 0
    return [*parts, b"".join(held)]


def first_figure(page: Page, url: str) -> float:
    """Milliseconds from the click on a link to the drawn figure, the median of some."""
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        page.goto(url)
        page.wait_for_selector(".plot.is-drawn")
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


def zoom_steps(page: Page) -> list[float]:
    """Milliseconds of each step from the button to the drawn figure."""
    taken = []
    for step in ["in"] * STEPS + ["later"] * 2 + ["out"] * STEPS:
        page.wait_for_load_state("networkidle")
        taken.append(page.evaluate(DRAWN.replace("arguments[0]", json.dumps(step))))
    return taken


def drawn(page: Page, url: str) -> dict[str, int]:
    """What the figure of the whole run says it draws."""
    answer = page.request.get(f"{url}figure?w=1000")
    return answer.json()["meta"]


def measure(page: Page, address: str, path: str) -> float:
    url = f"{address}{path}"
    first_ms = first_figure(page, url)
    settled(page)
    steps = zoom_steps(page)
    meta = drawn(page, url)
    say(
        f"{meta['total']:,} events: first figure {first_ms:.0f} ms; zoom step median "
        f"{statistics.median(steps):.0f} ms, longest {max(steps):.0f} ms; {meta['marks']:,} marks; "
        f"{meta['dangers']:,} dangers drawn or counted"
    )
    return first_ms


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(events: int) -> None:
    path = chromium()
    if path is None:
        say("skipped: chromium not found")
        return
    with tempfile.TemporaryDirectory() as data:
        env = environment(Path(data))
        prepare(env)
        os.environ["GUARD_DATA"] = data
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
        import django

        django.setup()
        paths = [fill(SMALL), fill(events)]
        with server(env) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            sign_in(page, address, "reviewer", PASSWORD)
            first_figure(page, f"{address}{paths[0]}")
            small, large = (measure(page, address, run_path) for run_path in paths)
            say(f"first figure: {large / small:.2f} x")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LARGE)
