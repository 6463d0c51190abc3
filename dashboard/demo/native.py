"""Short native runs of many agents, drawn from a seed: mostly healthy, now and then not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

from dashboard.demo.script import Script, sha256

AGENTS = ("release-notes", "refund-helper", "infra-bot", "janitor", "docs-sync", "triage", "etl")
CONFIGS = {
    "deploy/policy.toml": ("max_surge = 1", "deploy/policy.toml:max_surge", "1"),
    "ops/limits.yml": ("daily_refund_eur: 200", "ops/limits.yml:daily_refund_eur", "200"),
    "config/mail.yml": ("dry_run: true", "config/mail.yml:dry_run", "true"),
    "config/db.yml": ("read_only: true", "config/db.yml:read_only", "true"),
}
WRITES = (
    ("git_push", "git push origin main", "irreversible"),
    ("http_post", "POST /v1/refunds", "irreversible"),
    ("write_file", "write src/report.py", "reversible"),
    ("write_file", "write docs/index.md", "reversible"),
    ("send_mail", "mail to ops@example.org", "irreversible"),
    ("run", "make migrate", "unknown"),
)
NOTES = (
    "The nightly job read every shard and found no gap.",
    "Three of the checks wait for the second reviewer.",
    "The queue drains at the usual rate; no alarm is open.",
    "Shard seven answers late, all others are in time.",
    "The report of last week is the template for this one.",
)


class Run:
    """One generated run: reads, summaries, writes, sometimes a rollback."""

    def __init__(self, number: int, rng: Random, start: datetime) -> None:
        self._rng = rng
        self._edits: list[str] = []
        self._made = 0
        self._live: list[str] = []
        self._count = 0
        agent = rng.choice(AGENTS)
        self.script = Script(
            f"{agent}-{number:04}",
            start,
            runtime="acme-agent",
            runtime_version=rng.choice(("2.3.1", "2.4.0")),
            agent=agent,
            ledger="complete" if rng.random() < 0.8 else "none",
        )
        self.script.add("policy", id="P1", digest=sha256("0.80 LRU"), value={"compact_at": 0.8})
        self._window = 4_000

    def _name(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def read(self) -> None:
        rng = self._rng
        name = self._name("s")
        text = "\n".join(rng.choices(NOTES, k=rng.randint(4, 20)))
        facts: dict[str, str] = {}
        source: dict[str, str] = {"tool": "search"}
        if rng.random() < 0.3:
            path = rng.choice(sorted(CONFIGS))
            line, key, value = CONFIGS[path]
            text, facts, source = f"{line}\n{text}", {key: value}, {"path": path, "tool": "read"}
        size = rng.randint(1_500, 9_000)
        self.script.span(name, text, facts, source=source, tokens=size)
        self._live.append(name)
        self._window += size
        self.script.usage(self._window)

    def summarise(self) -> None:
        rng = self._rng
        if len(self._live) < 3:
            return
        taken = self._live[: rng.randint(2, len(self._live))]
        self._made += 1
        edit = f"e{self._made}"
        keep = rng.random() < 0.75
        lines = [rng.choice(NOTES)] + (
            [line for line, _, _ in CONFIGS.values()] if keep else ["The configuration was read."]
        )
        facts = {key: value for _, key, value in CONFIGS.values()} if keep else {}
        self.script.record(edit, taken)
        out = self.script.out(edit, "\n".join(lines), facts)
        self.script.add("edit", id=edit, op="summarize", **{"in": taken}, out=out)
        self._edits.append(edit)
        self._live = [out["id"], *self._live[len(taken) :]]
        self._window = max(4_000, self._window // 3)
        self.script.usage(self._window)

    def write(self) -> None:
        rng = self._rng
        tool, summary, kind = rng.choices(WRITES, weights=(2, 1, 9, 9, 1, 3))[0]
        if kind == "irreversible" and self._edits and rng.random() < 0.85:
            return
        step = {
            "id": self._name("x"),
            "body": sha256(f"{summary} {rng.random()}"),
            "class": kind,
            "inverse": kind == "reversible",
            "tool": tool,
            "target": summary.rsplit(" ", 1)[-1],
            "summary": summary,
        }
        self.script.add("effect", state="started", **step)
        self.script.wait(rng.uniform(0.2, 20))
        end = rng.choices(("committed", "failed", "unknown"), weights=(93, 5, 2))[0]
        self.script.add("effect", state=end, **step)

    def undo(self) -> None:
        if self._edits and self._rng.random() < 0.5:
            self.script.add("rollback", id=f"r{self._count}", edits=[self._edits.pop()])


def native_runs(count: int, seed: int, now: datetime) -> Iterator[Script]:
    """`count` runs spread over the fourteen days before `now`; the same seed, the same runs."""
    for number in range(count):
        rng = Random(f"native-{seed}-{number}")  # noqa: S311
        age = timedelta(minutes=rng.uniform(20, 14 * 24 * 60) ** (1 if rng.random() < 0.5 else 0.8))
        run = Run(number, rng, now - age)
        for _ in range(rng.randint(8, 40)):
            run.script.wait(rng.uniform(1, 90))
            step = rng.choices((run.read, run.write, run.summarise, run.undo), (10, 6, 2, 0.4))[0]
            step()
        yield run.script
