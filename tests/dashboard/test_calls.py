"""Raw tool calls and digests, as a hook sends them: classified, judged, held, compared."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User

from dashboard.demo.claude import Session
from dashboard.models import EffectRow, Gate, JournalGateRow, Redaction
from guard.canonical import digest
from tests.dashboard.agent_with_hooks import CONFIG, DIGEST, PUSH
from tests.dashboard.making import EDIT, HEADER, RECORD, SPAN, lines, numberless
from tests.dashboard.test_api import Runtime, approve, judged
from tests.dashboard.test_redaction import TOKEN

pytestmark = pytest.mark.django_db
CALL = {"id": "toolu_1", "tool": "Bash", "input": PUSH, "hold": {}}


@pytest.fixture
def agent(token: Callable[[str], str]) -> Runtime:
    return Runtime(token("propose"))


@pytest.fixture
def live(agent: Runtime) -> str:
    """A live run whose digest lost a limit."""
    opened = agent.post("/runs", {"id": "run-7", "agent": "agent-1", "ledger": "complete"})
    agent.post("/runs/run-7/events", lines(*map(numberless, (SPAN, RECORD, EDIT))))
    return str(opened.json()["run"])


def session() -> Session:
    made = Session(Random(3), datetime(2026, 11, 30, 9, 0, tzinfo=UTC))
    made.say("Publish the uploader.")
    made.read("/srv/app/config/app.yml", CONFIG)
    return made


@pytest.mark.parametrize(
    ("tool", "given", "write", "class_", "verdict"),
    [
        ("Bash", {"command": "git push"}, True, "irreversible", "gate"),
        ("Bash", {"command": "ls | wc -l"}, False, "reversible", "proceed"),
        ("Read", {"file_path": "/a"}, False, "reversible", "proceed"),
        ("mcp__github__list_commits", {"repo": "r"}, False, "reversible", "proceed"),
        ("mcp__pay__charge", {"eur": 5}, True, None, "gate"),
        ("unheard-of", None, True, "unknown", "gate"),
    ],
)
def test_a_call_is_classified_and_judged(
    agent: Runtime,
    live: str,
    tool: str,
    given: Any,
    write: bool,
    class_: str | None,
    verdict: str,
) -> None:
    told = agent.post(f"/runs/{live}/calls", {**CALL, "tool": tool, "input": given}).json()
    assert (told["write"], told["verdict"]) == (write, verdict)
    assert class_ is None or told["class"] == class_
    assert told["body"] == digest(given)
    assert bool(told["gates"]) is (verdict == "gate")


def test_a_read_leaves_no_event(agent: Runtime, live: str) -> None:
    told = agent.post(f"/runs/{live}/calls", {**CALL, "tool": "Read"}).json()
    assert told["seq"] is None
    written = agent.post(f"/runs/{live}/calls", CALL).json()
    assert written["seq"] == 4


def test_the_gate_binds_the_exact_input(agent: Runtime, live: str) -> None:
    told = agent.post(f"/runs/{live}/calls", CALL).json()
    gate = Gate.objects.get()
    assert told["gates"][0]["effects"] == [{"id": "toolu_1", "sha256": told["body"]}]
    assert gate.effects[0]["payload"] == '{"command":"git push origin main","description":"Push"}'
    assert agent.post(f"/runs/{live}/calls", CALL).json()["gates"][0]["gate"] == gate.public_id


def test_without_hold_nobody_is_asked(agent: Runtime, live: str) -> None:
    told = agent.post(f"/runs/{live}/calls", {**CALL, "hold": None}).json()
    assert (told["verdict"], told["gates"]) == ("gate", [])
    assert not Gate.objects.exists()


def test_a_call_of_a_run_that_is_not_here_is_unknown(agent: Runtime) -> None:
    assert agent.post("/runs/none/calls", CALL).status_code == 404
    assert agent.post("/runs/none/calls", {**CALL, "tool": "Read"}).status_code == 404


def test_a_read_token_may_not_ask(token: Callable[[str], str], live: str) -> None:
    reader = Runtime(token("read"))
    assert reader.post(f"/runs/{live}/calls", CALL).status_code == 403
    assert reader.post(f"/runs/{live}/digests", {}).status_code == 403


@pytest.mark.parametrize("on_record", [True, False], ids=["in the file", "not yet in the file"])
def test_what_a_digest_lost_is_told_with_its_source(agent: Runtime, on_record: bool) -> None:
    made = session()
    if on_record:
        made.compact(DIGEST)
    agent.post(f"/runs/{made.session_id}/chunks?file=s.jsonl", made.lines())
    told = agent.post(f"/runs/{made.session_id}/digests", {"text": DIGEST}).json()
    assert (told["edit"] is not None) is on_record
    lost = {row["name"].rpartition(":")[2]: row for row in told["lost"]}
    assert lost.keys() == {"max_retries", "timeout_s"}
    assert lost["max_retries"]["verbatim"] == "max_retries: 0"
    assert (lost["max_retries"]["source"], lost["max_retries"]["line"]) == ("config/app.yml", 2)


def test_a_digest_that_keeps_everything_loses_nothing(agent: Runtime) -> None:
    made = session()
    agent.post(f"/runs/{made.session_id}/chunks?file=s.jsonl", made.lines())
    text = f"Summary:\nconfig/app.yml says\n{CONFIG}"
    told = agent.post(f"/runs/{made.session_id}/digests", {"text": text}).json()
    assert told["lost"] == []


def test_before_any_summary_a_call_proceeds(agent: Runtime) -> None:
    made = session()
    agent.post(f"/runs/{made.session_id}/chunks?file=s.jsonl", made.lines())
    told = agent.post(f"/runs/{made.session_id}/calls", CALL).json()
    assert (told["verdict"], told["write"]) == ("proceed", True)


def test_behind_a_hole_the_agent_is_told_what_to_do(agent: Runtime) -> None:
    other = lines(HEADER, SPAN, {**SPAN, "seq": 4, "id": "s4"})
    run = agent.post("/runs/holed/chunks?file=holed.ndjson", other).json()["run"]
    told = agent.post(f"/runs/{run}/calls", CALL).json()
    assert (told["verdict"], told["edits"], told["gates"]) == ("gate", [], [])
    assert told["reasons"] == ["the journal is not whole before this effect: number 2 is missing"]
    assert "send what is missing" in told["next_step"]


@pytest.mark.parametrize("secret", ["", TOKEN, "postgres://mira:s3cretpw@db.example/tides"])
@pytest.mark.parametrize("on_record", [True, False], ids=["in the file", "not yet in the file"])
def test_an_approval_binds_the_call_whose_line_is_kept_without_its_secret(
    agent: Runtime, member: Callable[..., User], secret: str, on_record: bool
) -> None:
    made = session()
    made.compact(DIGEST)
    given = {"command": f"git push origin main {secret}", "description": "Push"}
    block = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": given}
    asked = made.answer(block) if on_record else None
    sent = made.lines()
    run = agent.post(f"/runs/{made.session_id}/chunks?file=s.jsonl", sent).json()["run"]
    told = agent.post(f"/runs/{run}/calls", {**CALL, "input": given}).json()
    gate = Gate.objects.get()
    approve(gate.public_id, member("ann"))
    use = {"effect": "toolu_1", "digest": gate.digest_hash, "payload_sha256": told["body"]}
    assert agent.post(f"/gates/{gate.public_id}/consume", use, key="k").json()["code"] == "ok"
    asked = asked or made.answer(block)
    made.row(
        "user",
        message={
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}],
        },
        toolUseResult={"stdout": "done", "stderr": "", "interrupted": False},
        sourceToolAssistantUUID=asked,
    )
    path = f"/runs/{made.session_id}/chunks?file=s.jsonl&offset={len(sent)}"
    agent.post(path, made.lines()[len(sent) :])
    assert Redaction.objects.count() == bool(secret)
    judged()
    effect = EffectRow.objects.get(effect_id="toolu_1")
    assert (effect.state, effect.authorization, effect.danger) == ("committed", "proceed", False)
    assert JournalGateRow.objects.get().state == "valid"


class TestSubAgents:
    """A sub-agent's window is a branch: it begins with what the main one holds (4.3)."""

    def rows(self, made: Session, agent_id: str, digest: str | None) -> bytes:
        """The file of a sub-agent that read the configuration, and perhaps was summarised."""
        own = Session(Random(9), datetime(2026, 11, 30, 9, 30, tzinfo=UTC))
        own.say("Publish it.")
        own.read("/srv/app/config/app.yml", CONFIG)
        if digest is not None:
            own.compact(digest)
        told = [json.loads(line) for line in own.lines().splitlines()]
        side = {"isSidechain": True, "agentId": agent_id, "sessionId": made.session_id}
        return b"".join(json.dumps({**row, **side}).encode() + b"\n" for row in told)

    @pytest.mark.parametrize(
        ("main_lost", "own", "verdict"),
        [
            (False, None, "proceed"),
            (True, "none yet", "gate"),
            (False, "whole", "proceed"),
            (False, "lost", "gate"),
        ],
    )
    def test_its_calls_are_judged_by_its_own_window(
        self, agent: Runtime, main_lost: bool, own: str | None, verdict: str
    ) -> None:
        made = session()
        if main_lost:
            made.compact(DIGEST)
        agent.post(f"/runs/{made.session_id}/chunks?file=s.jsonl", made.lines())
        if own in {"whole", "lost"}:
            data = self.rows(made, "a1", DIGEST if own == "lost" else None)
            agent.post(f"/runs/{made.session_id}/chunks?file=agent-a1.jsonl", data)
        told = agent.post(f"/runs/{made.session_id}/calls", {**CALL, "agent": "a1"}).json()
        assert told["verdict"] == verdict
        assert bool(told["gates"]) is (verdict == "gate")
        main = agent.post(f"/runs/{made.session_id}/calls", {**CALL, "id": "toolu_2"}).json()
        assert main["verdict"] == ("gate" if main_lost else "proceed")

    def test_what_its_digest_lost_is_told(self, agent: Runtime) -> None:
        made = session()
        agent.post(f"/runs/{made.session_id}/chunks?file=s.jsonl", made.lines())
        data = self.rows(made, "a1", DIGEST)
        agent.post(f"/runs/{made.session_id}/chunks?file=agent-a1.jsonl", data)
        path = f"/runs/{made.session_id}/digests"
        told = agent.post(path, {"text": DIGEST, "agent": "a1"}).json()
        assert {row["verbatim"] for row in told["lost"]} == {"max_retries: 0", "timeout_s: 30"}
        assert told["edit"] is not None
        assert agent.post(path, {}).json()["edit"] is None
