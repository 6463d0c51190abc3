"""The whole chain in a real browser: a session file, the red window, its gate, a decision."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dashboard.demo.incidents import checkmark_that_answered_less, waiting_for_a_person
from tests.browser.serving import PASSWORD, environment, manage, prepare, server

expect.set_options(timeout=30_000)

START = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
ASK = """
from dashboard import gates
from dashboard.demo.script import sha256
from dashboard.demo.incidents import DIGEST, LIFECYCLE
from dashboard.models import Run
run = Run.objects.get(external_id="uploader-maint-tonight")
stake = gates.Stake(id="patch-lifecycle", sha256=sha256(LIFECYCLE), payload=LIFECYCLE)
question = gates.Question(edit="e6", digest=sha256(DIGEST), effects=(stake,), agent=run.agent)
print(gates.open_gate(run, question, None, "test").public_id)
"""


def sign_in(page: Page, address: str, name: str = "reviewer") -> None:
    page.goto(f"{address}/login/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="What needs a person")).to_be_visible()


def drop(page: Page, address: str, *files: Path) -> None:
    """Import files by the page, as a person does."""
    page.goto(f"{address}/import/")
    page.get_by_label("Choose files").set_input_files(list(files))
    page.get_by_role("button", name="Import", exact=True).click()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> object:
    env = environment(tmp_path_factory.mktemp("data"))
    prepare(env)
    with server(env) as address:
        yield address, env


def test_from_a_dropped_file_to_the_red_window(
    page: Page, running: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    address, _ = running
    file = tmp_path / "nightly.ndjson"
    file.write_bytes(checkmark_that_answered_less(START).lines())
    sign_in(page, address)
    drop(page, address, file)
    page.get_by_role("link", name="r-").first.click(timeout=60_000)
    figure = page.locator("[data-figure]")
    expect(figure).to_contain_text("UNSAFE e1", timeout=60_000)
    page.locator("#rows").get_by_role("link", name="e1", exact=True).click()
    expect(page.locator("#detail")).to_contain_text("max_retries")


def test_a_gate_is_approved_once_and_the_page_shows_it(
    page: Page, running: tuple[str, dict[str, str]], tmp_path: Path
) -> None:
    address, env = running
    file = tmp_path / "tonight.ndjson"
    file.write_bytes(waiting_for_a_person(START).lines())
    manage(env, "ingest", "--source", "lab", str(file))
    gate = manage(env, "shell", "--verbosity", "0", "-c", ASK).strip().splitlines()[-1]
    sign_in(page, address)
    page.goto(f"{address}/gates/{gate}/")
    expect(page.locator("body")).to_contain_text("max_retries")
    page.get_by_label("Reason").fill("The limit is pinned back; the payload is the planned one.")
    page.get_by_role("button", name="Approve as it is").click()
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.locator("#decide")).to_contain_text("Approved by reviewer")
