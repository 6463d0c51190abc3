"""The sample data on a real server, and the address of one page of every kind on it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct
from playwright.sync_api import Page, expect

from tests.browser.serving import PASSWORD, environment, manage, server

REVIEWER = "m.okafor"
FEW = (8, 6)

# The product's own generator and loader; only the crowd around the incidents is smaller.
FILL = """
import json
from django.contrib.auth.models import User
from django.urls import reverse
from dashboard import cases, working
from dashboard.demo import load
from dashboard.models import FindingRow, Gate, Job, Membership, Role, Run
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
print(json.dumps(at))
"""


class Demo(Struct, frozen=True):
    """A running server with the sample data. `at` has the paths of the story by name."""

    address: str
    env: dict[str, str]
    at: dict[str, str]

    def url(self, path: str) -> str:
        return f"{self.address}{path}"

    @property
    def pages(self) -> dict[str, str]:
        """Every page by name: what axe reads and what is photographed."""
        nightly, planner = self.at["uploader-maint-nightly"], self.at["planner-96k"]
        first, second = nightly.split("/")[2], planner.split("/")[2]
        return {
            "team": "/?range=7d",
            "runs": "/runs/",
            "run": nightly,
            "run-missing-records": self.at["trace-hunter-340k"],
            "run-swap": planner,
            "run-time": f"{nightly}?axis=time&idle=1",
            "edit": f"{nightly}edits/e1/",
            "rollback": f"{nightly}rollback?to=3",
            "rollback-swap": f"{planner}rollback?to=9",
            "window": f"{nightly}window?at=9",
            "compare": f"/compare/?a={first}&b={second}",
            "gates": "/gates/",
            "gate": self.at["gate"],
            "findings": "/findings/",
            "rules": "/rules/",
            "rule": "/rules/JG101/",
            "cases": "/cases/",
            "case": self.at["case"],
            "import": "/import/",
            "search": "/search/?q=patch",
            "settings": "/settings/",
            "audit": "/audit/",
            "not-found": "/runs/r-none/",
        }


@contextmanager
def demo(data: Path, native: int = FEW[0], claude: int = FEW[1]) -> Iterator[Demo]:
    """Fill a new data folder and serve it while the block runs."""
    env = environment(data)
    (data / "demo-password").write_text(PASSWORD)
    manage(env, "migrate", "--verbosity", "0")
    fill = FILL.format(native=native, claude=claude) + "\nload.password()\n"
    said = manage(env, "shell", "--verbosity", "0", "-c", fill)
    with server(env) as address:
        yield Demo(address, env, json.loads(said.splitlines()[-1]))


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
