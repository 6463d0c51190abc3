"""Gates at work: what a hook costs a read, how soon a click releases an agent, what a proposal
takes on a long run. A real server, and a worker beside it when the environment names Redis.

python -m bench gates                      SQLite, the worker inside the web process
DATABASE_URL=… REDIS_URL=… python -m bench gates
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

from bench import _native
from guard.client import API, Client, sha256
from tests.browser.serving import PASSWORD, environment, manage, process, server

ROOT = Path(__file__).parent.parent
HOOK = ROOT / "guard" / "hook.py"
READS, AGENTS, CLICKS, EVENTS, PROPOSALS = 200, 200, 60, 100_000, 100
LOST = "region: eu-west-1\nmax_retries: 0\n"
SETUP = f"""
import time
from django.contrib.auth.models import User
from dashboard import tokens
from dashboard.models import Membership, Source
name = f"bench-{{time.time_ns()}}"
person = User.objects.create_user(name, name + "@example.org", "{PASSWORD}")
Membership.objects.create(user=person, source=None, role="reviewer")
source = Source.objects.create(slug=name, name=name)
print(name, *(tokens.issue(source, "bench", scope)[1] for scope in ("propose", "read")))
"""


def tell(what: str, seconds: list[float], *goals: tuple[str, float, float]) -> None:
    """Median, p95 and p99 in milliseconds; each goal as (name, measured, limit)."""
    ms = sorted(1000 * value for value in seconds)
    at = {part: ms[min(len(ms) - 1, len(ms) * part // 100)] for part in (50, 95, 99)}
    numbers = ", ".join(f"p{part} {value:.1f} ms" for part, value in at.items())
    sys.stdout.write(f"{what}: {numbers} (n={len(ms)})\n")
    for name, measured, limit in goals:
        met = "met" if measured <= limit else "MISSED"
        sys.stdout.write(f"  {name}: {measured:.2f}, goal {limit:g}: {met}\n")


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def part(seconds: list[float], percent: int) -> float:
    return sorted(seconds)[min(len(seconds) - 1, len(seconds) * percent // 100)]


def hook_of_a_read() -> None:
    """The hook and a Python that does nothing, in turn."""
    event = {"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "a"}}
    text = json.dumps({"session_id": "s", "tool_use_id": "t", **event})
    hook, bare = [sys.executable, "-I", "-S", str(HOOK), "claude-code"], ["python3", "-c", "pass"]
    bare[0] = sys.executable

    def run(command: list[str]) -> float:
        return timed(
            lambda: subprocess.run(command, input=text, text=True, check=True, capture_output=True)
        )

    pairs = [(run(hook), run(bare)) for _ in range(READS)]
    hooks, bares = [one for one, _ in pairs], [other for _, other in pairs]
    ratio = statistics.median(hooks) / statistics.median(bares)
    tell("python3 -c pass", bares)
    worst = part(hooks, 99) / part(bares, 99)
    tell("hook of a read", hooks, ("median ratio", ratio, 3), ("p99 ratio", worst, 6))


class Person:
    """A signed-in reviewer's browser, as far as forms go."""

    def __init__(self, address: str, name: str) -> None:
        self.address, self.jar = address, CookieJar()
        self._open = build_opener(HTTPCookieProcessor(self.jar)).open
        self.get("/login/")
        self.post("/login/", username=name, password=PASSWORD)

    def get(self, path: str) -> str:
        with self._open(self.address + path, timeout=30) as answer:
            return str(answer.read().decode())

    def post(self, path: str, **fields: str) -> str:
        fields["csrfmiddlewaretoken"] = next(c.value or "" for c in self.jar if "csrf" in c.name)
        request = Request(self.address + path, urlencode(fields).encode())  # noqa: S310 - our own
        with self._open(request, timeout=30) as answer:
            return str(answer.read().decode())


def lossy_run(client: Client, name: str) -> None:
    """A live run whose digest lost a limit."""
    facts = {"app.yml:max_retries": "0", "app.yml:region": "eu-west-1"}
    span = {"kind": "span", "id": "s1", "hash": sha256(LOST), "text": LOST, "facts": facts}
    out = {"id": "d1", "hash": sha256("Go on."), "text": "Go on.", "facts": {}}
    prior = {"s1": sha256(LOST)}
    edit = {"kind": "edit", "id": "e1", "op": "summarize", "by": "model", "in": ["s1"], "out": out}
    record = {"kind": "record", "edit": "e1", "prior": prior, "payload": True}
    client.open_run(name, agent="agent-1", ledger="complete")
    source = {"source": {"path": "app.yml", "tool": "read_file"}}
    lines = [json.dumps(row).encode() for row in ({**span, **source}, record, edit)]
    client.send_events(name, b"\n".join(lines) + b"\n", f"{name}/0")


def held(client: Client, run: str, number: int) -> str:
    """One more gate."""
    payload = f"push {number}"
    step = {"id": f"x{number}", "state": "held", "class": "irreversible", "body": sha256(payload)}
    told = client.effect(run, {**step, "tool": "git.push", "payload": payload, "hold": {}})
    return str(told.gates[0]["gate"])


def click_to_released(client: Client, person: Person) -> None:
    """As many agents wait as there are gates; some are answered, one after the other."""
    run = f"clicks-{time.time_ns()}"
    lossy_run(client, run)
    gates = [held(client, run, number) for number in range(AGENTS)]
    released: dict[str, float] = {}

    def wait(gate: str) -> None:
        while client.follow(gate, 60).get("state") == "pending":
            pass
        released[gate] = time.perf_counter()

    agents = {gate: threading.Thread(target=wait, args=(gate,), daemon=True) for gate in gates}
    for agent in agents.values():
        agent.start()
    time.sleep(2)
    seconds = []
    for gate in gates[:CLICKS]:
        clicked = answer(person, gate)
        agents[gate].join()
        seconds.append(released[gate] - clicked)
    for gate in gates[CLICKS:]:
        client.call("POST", f"{API}/gates/{gate}/withdraw", {})
        agents[gate].join()
    middle, late = statistics.median(seconds) * 1000, part(seconds, 99) * 1000
    tell(
        f"click to released, {AGENTS} waiting",
        seconds,
        ("median ms", middle, 300),
        ("p99 ms", late, 1000),
    )


def answer(person: Person, gate: str) -> float:
    """Read the page, click twice; when the second click was made."""
    page = person.get(f"/gates/{gate}/")
    fields = {
        name: re.findall(rf'name="{name}" value="([^"]*)"', page)[0]
        for name in ("shown_hash", "digest_hash")
    }
    clicked = time.perf_counter()
    said = {"answer": "approve", "reason": "I have looked.", "confirmed": "1"}
    person.post(f"/gates/{gate}/decide", **fields, **said)
    return clicked


def propose_on_a_long_run(client: Client, reader: Client) -> None:
    """A run of many events is sent and judged; then summaries are proposed, one at a time."""
    run = f"long-{time.time_ns()}"
    client.open_run(run, agent="agent-1", ledger="complete")
    client.timeout_s = 120
    for number, batch in enumerate(batches()):
        client.send_events(run, batch, f"{run}/{number}")
    while not judged(reader, run):
        time.sleep(0.5)
    asked = {"op": "summarize", "by": "model", "in": [], "store": {"payload": True}}
    texts = [f"Summary {number}." for number in range(PROPOSALS)]
    outs = [{"id": f"pd{n}", "hash": sha256(text), "text": text} for n, text in enumerate(texts)]
    seconds = [
        timed(lambda n=n, out=out: client.propose(run, {"id": f"p{n}", **asked, "out": out}))
        for n, out in enumerate(outs)
    ]
    tell(f"propose, {EVENTS:,} events", seconds, ("p95 ms", part(seconds, 95) * 1000, 50))


def batches() -> Iterator[bytes]:
    lines = [json.dumps(event).encode() for event in _native.run(EVENTS, 200)]
    for first in range(0, len(lines), 10_000):
        yield b"\n".join(lines[first : first + 10_000]) + b"\n"


def judged(client: Client, run: str) -> bool:
    told: dict[str, Any] = client.call("GET", f"{API}/runs/{run}")
    return bool(told["judged"])


@contextmanager
def served() -> Iterator[tuple[Client, Client, Person]]:
    """Clients that may propose and read, and a person."""
    with tempfile.TemporaryDirectory() as data, ExitStack() as stack:
        services = {"DATABASE_URL", "REDIS_URL"} & os.environ.keys()
        named = {name: os.environ[name] for name in services}
        env = environment(Path(data), **named)
        manage(env, "migrate", "--verbosity", "0")
        name, *secrets = manage(env, "shell", "--verbosity", "0", "-c", SETUP).split()[-3:]
        address = stack.enter_context(server(env))
        if "REDIS_URL" in named:
            stack.enter_context(process(env, "worker"))
        proposing, reading = (Client(address, secret) for secret in secrets)
        yield proposing, reading, Person(address, name)


def main() -> None:
    hook_of_a_read()
    with served() as (client, reader, person):
        click_to_released(client, person)
        propose_on_a_long_run(client, reader)


if __name__ == "__main__":
    main()
