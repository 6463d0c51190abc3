"""The sample data on a real server, and the address of one page of every kind on it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct
from playwright.sync_api import Page, expect

from guard.client import Client
from tests.browser.serving import PASSWORD, environment, manage, server

REVIEWER = "m.okafor"
FEW = (8, 6)

PAGES = {
    "team": "/?range=7d",
    "runs": "/runs/",
    "run": "{nightly}",
    "edit": "{nightly}edits/e1/",
    "rollback": "{nightly}rollback?to=20&at=34",
    "window": "{nightly}window?at=9",
    "compare": "/compare/?a={first}&b={second}",
    "gates": "/gates/",
    "gate": "{gate}",
    "findings": "/findings/",
    "rules": "/rules/",
    "rule": "/rules/JG101/",
    "cases": "/cases/",
    "case": "{case}",
    "import": "/import/",
    "search": "/search/?q=patch",
    "settings": "/settings/",
    "audit": "/audit/",
    "not-found": "/runs/r-none/",
}
# The same pages on other runs: worth a look, not a test of their own.
ALSO = {
    "run-missing-records": "{traces}",
    "run-swap": "{planner}",
    "run-time": "{nightly}?axis=time&idle=1",
    "rollback-swap": "{planner}rollback?to=9&at=50",
}

# The product's own generator and loader; only the crowd around the incidents is smaller.
FILL = """
import json
import time
from django.contrib.auth.models import User
from django.urls import reverse
from dashboard import cases, tokens, working
from dashboard.demo import load
from dashboard.models import Gate, Job, Membership, Role, Run, Scope
load.NATIVE_RUNS, load.CLAUDE_RUNS = {native}, {claude}
load.people()
load.runs()
for job in Job.objects.filter(state=Job.State.PENDING).order_by("pk"):
    working.work_on(job.pk)
load.gates()
mary = User.objects.get(username=load.REVIEWER)
Membership.objects.get_or_create(user=mary, source=None, role=Role.ADMIN)
runs = {{name: Run.objects.get(external_id=name) for name in (
    "uploader-maint-nightly", "trace-hunter-340k", "planner-96k", "uploader-maint-tonight")}}
nightly = runs["uploader-maint-nightly"]
case = cases.open_case(mary, "The checkmark that answered less")
found = nightly.findings.order_by("code").first()
shown = cases.Range(run=nightly, from_seq=1, to_seq=30, code=found.code, subject=found.subject)
cases.add_step(case, mary, shown, "The window went back; the PATCH did not.")
at = {{"case": reverse("case", args=[case.public_id])}}
at["gate"] = reverse("gate", args=[Gate.objects.get(run=runs["uploader-maint-tonight"]).public_id])
for name, run in runs.items():
    at[name] = reverse("run", args=[run.public_id])
lab = nightly.source
keys = {{scope: tokens.issue(lab, scope, scope)[1] for scope in Scope.values}}
print(json.dumps({{"at": at, "tokens": keys}}))
"""


class Demo(Struct, frozen=True):
    """A running server with the sample data: paths by name, tokens of the agents by scope."""

    address: str
    env: dict[str, str]
    at: dict[str, str]
    tokens: dict[str, str]

    def agent(self, scope: str) -> Client:
        """What the runtime of the sample agents uses."""
        return Client(self.address, self.tokens[scope])

    def append(self, name: str, *events: dict[str, Any]) -> None:
        """The file of a run grows by these events; returns when they are judged."""
        known = self.agent("read").call("GET", f"/api/v1/runs/{name}")
        lines = b"".join(
            json.dumps({"seq": seq, **event}).encode() + b"\n"
            for seq, event in enumerate(events, start=known["next_seq"])
        )
        where = f"file={name}.ndjson&offset={known['received_bytes']}"
        self.agent("ingest").call("POST", f"/api/v1/runs/{name}/chunks?{where}", lines)
        end = time.monotonic() + 30
        while not self.agent("read").call("GET", f"/api/v1/runs/{name}")["judged"]:
            assert time.monotonic() < end, f"{name} was not judged"
            time.sleep(0.1)

    def url(self, path: str) -> str:
        return f"{self.address}{path}"

    @property
    def pages(self) -> dict[str, str]:
        """Every page by name, on the runs of the story."""
        nightly, planner = self.at["uploader-maint-nightly"], self.at["planner-96k"]
        names = {
            "nightly": nightly,
            "planner": planner,
            "traces": self.at["trace-hunter-340k"],
            "first": nightly.split("/")[2],
            "second": planner.split("/")[2],
            "gate": self.at["gate"],
            "case": self.at["case"],
        }
        return {name: path.format(**names) for name, path in (PAGES | ALSO).items()}


@contextmanager
def demo(data: Path, native: int = FEW[0], claude: int = FEW[1]) -> Iterator[Demo]:
    """Fill a new data folder and serve it while the block runs."""
    env = environment(data)
    (data / "demo-password").write_text(PASSWORD)
    manage(env, "migrate", "--verbosity", "0")
    fill = FILL.format(native=native, claude=claude) + "\nload.password()\n"
    said = manage(env, "shell", "--verbosity", "0", "-c", fill)
    with server(env) as address:
        yield Demo(address, env, **json.loads(said.splitlines()[-1]))


def sign_in(page: Page, address: str, name: str = REVIEWER, password: str = PASSWORD) -> None:
    page.goto(f"{address}/login/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="What needs a person")).to_be_visible()


def settled(page: Page) -> None:
    """Wait until every figure of the page is drawn."""
    page.wait_for_load_state("load")
    page.wait_for_function(
        "() => [...document.querySelectorAll('.plot[data-figure]')]"
        ".every((plot) => plot.classList.contains('is-drawn') && !plot.ariaBusy)"
    )
