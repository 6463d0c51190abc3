"""Chromium for tests. Where it is missing the tests say so; in CI that is a failure."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.demo import Demo, demo, sign_in

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """Where Chromium is on this machine."""
    return shutil.which("chromium")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/browser/" in str(item.path).replace(os.sep, "/"):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium a module. Playwright keeps an event loop in the thread while it is open, and
    tests of other modules start their own there."""
    path = chromium()
    if path is None:
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail("Chromium is required here")
        pytest.skip("skipped: chromium not found")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    fresh = browser.new_context(viewport={"width": 1440, "height": 1000})
    yield fresh
    fresh.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """One server with the sample data for all modules."""
    if chromium() is None:
        pytest.skip("skipped: chromium not found")
    with demo(tmp_path_factory.mktemp("sample")) as running:
        yield running


@pytest.fixture(scope="module")
def reviewing(browser: Browser, sample: Demo) -> Iterator[BrowserContext]:
    """The windows of one reviewer who signed in once."""
    desk = browser.new_context(viewport={"width": 1440, "height": 1000})
    page = desk.new_page()
    sign_in(page, sample.address)
    page.close()
    yield desk
    desk.close()


@pytest.fixture
def mary(reviewing: BrowserContext) -> Iterator[Page]:
    """A new window of the reviewer."""
    page = reviewing.new_page()
    yield page
    page.close()
