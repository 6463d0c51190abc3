"""The middleware inside real LangChain agents: summaries are journalled, calls are held."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from guard import journal
from guard.canonical import digest
from guard.client import Recorder
from guard.langchain import JournalGuard, decision_of
from guard.state import fold
from tests.guard.test_client import Server, server

__all__ = ["server"]
CONFIG = "region: eu-west-1\nmax_retries: 0\n"
PUSH = {"branch": "main"}
BODY = digest(PUSH)
done: list[str] = []


@tool
def read_config(path: str) -> str:
    """Read a file of settings."""
    return CONFIG


@tool
def push(branch: str) -> str:
    """Publish a branch."""
    done.append(branch)
    return f"pushed {branch}"


class Model(GenericFakeChatModel):
    """Says what it was given, in order; tools are bound to it in vain."""

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    done.clear()


@pytest.fixture
def recorder(server: Server, tmp_path: Path) -> Iterator[Recorder]:
    with Recorder(server.client, "run-7", tmp_path / "spool") as made:
        yield made


def asks(name: str, args: dict[str, Any], call: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call}])


def agent(recorder: Recorder, *said: AIMessage, summary: str = "", **options: Any) -> Any:
    """An agent whose model says `said`; with `summary`, four messages are summarised as that."""
    guard = JournalGuard(recorder, reads={"read_config"}, **options)
    middleware: list[Any] = [guard]
    if summary:
        writer = Model(messages=iter([AIMessage(summary)]))
        cut = SummarizationMiddleware(writer, trigger=("messages", 4), keep=("messages", 1))
        middleware = [cut, guard]
    model = Model(messages=iter([*said, AIMessage("Done.")]))
    saver = InMemorySaver()
    return create_agent(model, [read_config, push], middleware=middleware, checkpointer=saver)


def run(graph: Any, given: Any = None) -> Any:
    begin = {"messages": [HumanMessage("Publish the uploader.", id="m-order")]}
    return graph.invoke(given or begin, {"configurable": {"thread_id": "t1"}})


def says(server: Server, verdict: str, **more: Any) -> None:
    server.answers["calls"] = (
        200,
        {"write": True, "class": "irreversible", "verdict": verdict, "body": BODY, **more},
    )


def held(server: Server, state: str = "approved", code: str = "ok", **more: Any) -> None:
    """The server holds the push at a gate; a person has answered like this."""
    bound = [{"id": "c1", "sha256": BODY}]
    gate = {"gate": "g1", "digest": "sha256:d", "effects": bound}
    says(server, "gate", gates=[{**gate, "state": "pending"}])
    server.answers["gate"] = (200, {**gate, "state": state, **more})
    server.answers["consume"] = (200 if code == "ok" else 409, {"code": code})
    server.answers["withdraw"] = (200, {})


def answer(result: Any) -> ToolMessage:
    return next(row for row in reversed(result["messages"]) if isinstance(row, ToolMessage))


def read_back(server: Server) -> journal.Journal:
    """The events that arrived, as a journal that a strict reader accepts."""
    header = {"kind": "journal", "format": "context-journal/1", "id": "run-7"}
    rows = [header, *({**row, "seq": n} for n, row in enumerate(server.events, 1))]
    return journal.read("".join(json.dumps(row) + "\n" for row in rows).encode())


def test_a_summary_is_an_edit_that_says_what_it_took_and_kept(
    server: Server, recorder: Recorder
) -> None:
    said = [
        asks("read_config", {"path": "config/app.yml"}, "c0"),
        asks("read_config", {"path": "config/b.yml"}, "c9"),
    ]
    run(agent(recorder, *said, summary="config/app.yml: region is eu-west-1."))
    edit = next(row for row in server.events if row["kind"] == "edit")
    span = next(row for row in server.events if "max_retries" in row.get("text", ""))
    assert span["source"] == {"path": "config/app.yml", "tool": "read_config"}
    assert span["facts"]["config/app.yml:max_retries"] == "0"
    assert {"m-order", span["id"]} <= set(edit["in"])
    assert edit["op"] == "summarize"
    assert "config/app.yml:max_retries" not in edit["out"]["facts"]
    kinds = [row["kind"] for row in server.events]
    assert kinds.index("record") == kinds.index("edit") - 1
    took = fold(read_back(server)).edits.first(edit["id"])
    assert took is not None
    assert ("config/app.yml:max_retries", "0") in took.elided
    assert ("config/app.yml:region", "eu-west-1") not in took.elided


def test_a_summary_from_before_the_first_look_is_of_unknown_extent(
    server: Server, recorder: Recorder
) -> None:
    old = HumanMessage("Summary.", id="m1", additional_kwargs={"lc_source": "summarization"})
    run(agent(recorder), {"messages": [old]})
    edit = next(row for row in server.events if row["kind"] == "edit")
    assert (edit["in"], edit["fidelity"], edit["out"]["id"]) == ([], "unknown", "m1")
    read_back(server)


def test_a_call_that_may_run_is_journalled_with_its_outcome(
    server: Server, recorder: Recorder
) -> None:
    says(server, "proceed")
    run(agent(recorder, asks("push", PUSH, "c1")))
    steps = [row for row in server.events if row["kind"] == "effect"]
    assert [step["state"] for step in steps] == ["started", "committed"]
    assert {step["body"] for step in steps} == {BODY}
    assert done == ["main"]


def test_a_held_call_waits_for_its_gate_and_runs_once(server: Server, recorder: Recorder) -> None:
    held(server)
    run(agent(recorder, asks("push", PUSH, "c1")))
    assert done == ["main"]
    used = {"effect": "c1", "digest": "sha256:d", "payload_sha256": BODY}
    assert server.consumed == [used]


@pytest.mark.parametrize(
    ("state", "code"),
    [("rejected", "ok"), ("expired", "ok"), ("approved", "digest_mismatch"), ("", "ok")],
)
def test_without_a_clear_yes_the_model_reads_why_not(
    server: Server, recorder: Recorder, state: str, code: str
) -> None:
    held(server, state, code, by="ann", reason="not tonight")
    told = answer(run(agent(recorder, asks("push", PUSH, "c1"))))
    assert (done, told.status) == ([], "error")
    assert "Not run: " in told.text
    assert not [row for row in server.events if row["kind"] == "effect"]


def test_without_the_server_reads_go_on_and_writes_do_not(
    server: Server, recorder: Recorder
) -> None:
    server.away = True
    said = [asks("read_config", {"path": "a.yml"}, "c0"), asks("push", PUSH, "c1")]
    result = run(agent(recorder, *said))
    texts = [row.text for row in result["messages"] if isinstance(row, ToolMessage)]
    assert texts[0] == CONFIG
    assert texts[1].startswith("Not run: ")
    assert done == []


def resumed(graph: Any, *decisions: dict[str, Any]) -> Any:
    return run(graph, Command(resume={"decisions": list(decisions)}))


def paused(server: Server, recorder: Recorder, state: str = "approved") -> Any:
    """A graph that stands at the interrupt of a held push."""
    held(server, state)
    graph = agent(recorder, asks("push", PUSH, "c1"), pause=True, wait_s=1)
    asked = run(graph)["__interrupt__"][0].value
    assert asked["action_requests"][0]["args"] == PUSH
    assert "g1" in asked["action_requests"][0]["description"]
    assert asked["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject"]
    assert done == []
    return graph


def test_approve_runs_what_a_person_approved_on_the_server(
    server: Server, recorder: Recorder
) -> None:
    resumed(paused(server, recorder), {"type": "approve"})
    assert done == ["main"]
    assert len(server.consumed) == 1


def test_approve_alone_lets_nothing_through(server: Server, recorder: Recorder) -> None:
    told = answer(resumed(paused(server, recorder, "pending"), {"type": "approve"}))
    assert (done, told.status) == ([], "error")


def test_reject_tells_the_model_the_reason(server: Server, recorder: Recorder) -> None:
    told = answer(resumed(paused(server, recorder), {"type": "reject", "message": "not tonight"}))
    assert (done, told.status) == ([], "error")
    assert "not tonight" in told.text


def test_an_edited_call_is_judged_anew(server: Server, recorder: Recorder) -> None:
    graph = paused(server, recorder)
    says(server, "proceed")
    action = {"name": "push", "args": {"branch": "draft"}}
    # The node runs again from its start: the first question has its first answer.
    first = server.answers["calls"]
    answers = iter([(200, {**first[1], "verdict": "gate", "gates": [{"gate": "g1"}]}), first])
    server.answers = _Answers(server.answers, answers)
    resumed(graph, {"type": "edit", "edited_action": action})
    assert done == ["draft"]
    assert server.consumed == []
    effect = next(row for row in server.events if row["kind"] == "effect")
    assert effect["id"] == "c1.1"


class _Answers(dict[str, Any]):
    """Gives `calls` a new answer each time."""

    def __init__(self, known: dict[str, Any], calls: Iterator[Any]) -> None:
        super().__init__(known)
        self._calls = calls

    def get(self, name: str, default: Any = None) -> Any:
        return next(self._calls) if name == "calls" else super().get(name, default)


def test_other_decisions_let_nothing_through(server: Server, recorder: Recorder) -> None:
    told = answer(resumed(paused(server, recorder), {"type": "respond", "message": "pushed"}))
    assert (done, told.status) == ([], "error")


def test_the_same_holds_for_an_agent_that_runs_on_a_loop(
    server: Server, recorder: Recorder
) -> None:
    held(server)
    graph = agent(recorder, asks("push", PUSH, "c1"))
    begin = {"messages": [HumanMessage("Publish.")]}
    asyncio.run(graph.ainvoke(begin, {"configurable": {"thread_id": "t1"}}))
    assert (done, len(server.consumed)) == (["main"], 1)


@pytest.mark.parametrize(
    ("gate", "decision"),
    [
        ({"state": "approved"}, {"type": "approve"}),
        ({"state": "rejected", "reason": "no"}, {"type": "reject", "message": "no"}),
        ({"state": "void", "next_step": "ask"}, {"type": "reject", "message": "ask"}),
        ({}, {"type": "reject", "message": "None"}),
    ],
)
def test_a_gate_speaks_langchain(gate: dict[str, Any], decision: dict[str, Any]) -> None:
    assert decision_of(gate) == decision
