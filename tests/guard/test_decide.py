"""A decision is an audit one step ahead: the answer for an event is that for it recorded."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from guard.decide import decide, decide_effect
from guard.errors import UnsafeSummarizationError
from guard.events import Effect, Proposal
from guard.journal import read
from guard.judge import judge
from guard.state import State
from tests.guard.short import (
    SURE,
    Event,
    answered,
    approved,
    asked,
    edit,
    effect,
    folded,
    journal,
    proposal,
    record,
    report,
    span,
)

READ = [span(fact="0")]
HEAD = [*READ, record(), edit()]
PLANNED = effect("x", "planned")
HELD = effect("x", "held")
OPEN = [asked("x"), approved()]
DONE = effect("x", "committed", depends_on=["s1"])
REACHES = {"kind": "policy", "id": "P", "digest": "p", "reaches_recovery": True}
COMMIT = {"kind": "phase", "phase": "commit"}

# What stands before the proposal `e1` over `s1`; the answer; the rules.
PROPOSALS: dict[str, tuple[list[Event], Event, str, str]] = {
    "nothing rests on it": (READ, proposal(), "proceed", ""),
    "A1, no content": (READ, proposal(store={"payload": False, "verified": True}), "refuse", "A1"),
    "A1, not verified": (READ, proposal(store={"payload": True}), "refuse", "A1"),
    "A1, lossy": (
        READ,
        proposal(store={"payload": True, "verified": True, "lossy": True}),
        "refuse",
        "A1",
    ),
    "A2, a policy": ([span(role="policy")], proposal(), "refuse", "A2"),
    "A2, once a policy": ([span(role="policy"), span()], proposal(), "refuse", "A2"),
    "A2, another span": ([span("s2", role="policy"), span()], proposal(), "proceed", ""),
    "A2, its history": (READ, proposal(targets=["policy_history"]), "refuse", "A2"),
    "A2, another word": (READ, proposal(targets=["policies"]), "proceed", ""),
    "A3, a policy that reaches": ([*READ, REACHES], proposal(), "refuse", "A3"),
    "A3, one that did": (
        [*READ, REACHES, {**REACHES, "reaches_recovery": False}],
        proposal(),
        "proceed",
        "",
    ),
    "A3, an edit without record": ([*READ, edit("e0", "s9")], proposal(), "refuse", "A3"),
    "A4 and A6": ([*READ, PLANNED], proposal(), "refuse", "A4 A6"),
    "A6, all is kept": ([*READ, PLANNED], proposal(fact="0"), "gate", "A6"),
    "a write under way": ([*READ, effect("x", "started")], proposal(), "refuse", "A4 A6"),
    "a write not answered": ([*READ, effect("x", "unknown")], proposal(), "refuse", "A4 A6"),
    "a read under way": ([*READ, effect("x", "started", write=False)], proposal(), "proceed", ""),
    "a write that failed": ([*READ, effect("x", "failed")], proposal(), "proceed", ""),
    "held, and asked for": ([*READ, HELD, asked("x")], proposal(), "gate", "A4 A6"),
    "held, and asked for others": ([*READ, HELD, asked("y")], proposal(), "gate", "A4 A6"),
    "planned, and asked for": ([*READ, PLANNED, asked("x")], proposal(), "refuse", "A4 A6"),
    "held, one of two": (
        [*READ, HELD, effect("y", "planned"), asked()],
        proposal(),
        "refuse",
        "A4 A6",
    ),
    "held and approved": ([*READ, HELD, *OPEN], proposal(), "proceed", ""),
    "planned and approved": ([*READ, PLANNED, *OPEN], proposal(), "proceed", ""),
    "another is not approved": (
        [*READ, PLANNED, effect("y", "held"), *OPEN],
        proposal(),
        "refuse",
        "A4 A6",
    ),
    "an opaque digest": (
        [span(), PLANNED],
        proposal(out={"id": "d1", "hash": "h:d1", "opaque": True}),
        "refuse",
        "A4 A6",
    ),
    "a vague one": ([span()], proposal(fidelity="count"), "gate", "A6"),
    "a vague one under a gate": ([span(), *OPEN], proposal(fidelity="count"), "proceed", ""),
    "the commit phase": ([*READ, COMMIT], proposal(fact="0"), "gate", "A6"),
    "the commit phase under a gate": (
        [*READ, COMMIT, asked(), approved()],
        proposal(),
        "proceed",
        "",
    ),
    "the phase is over": (
        [*READ, COMMIT, {"kind": "phase", "phase": "exploration"}],
        proposal(),
        "proceed",
        "",
    ),
    "A5, it rests on the span": ([*READ, DONE], proposal(), "refuse", "A5"),
    "A5, on the fact": (
        [*READ, effect("x", "committed", depends_on=["s1#cfg.yml:retries"])],
        proposal(),
        "refuse",
        "A5",
    ),
    "A5, on a fact that is kept": (
        [*READ, effect("x", "committed", depends_on=["s1#cfg.yml:retries"])],
        proposal(fact="0"),
        "proceed",
        "",
    ),
    "A5, on another fact": (
        [*READ, effect("x", "committed", depends_on=["s1#cfg.yml:other"])],
        proposal(),
        "proceed",
        "",
    ),
    "A5, on another span": (
        [*READ, effect("x", "committed", depends_on=["s2"])],
        proposal(),
        "proceed",
        "",
    ),
    "A5, on nothing": ([*READ, effect("x", "committed", depends_on=[])], proposal(), "proceed", ""),
    "A5, nobody said": ([*READ, effect("x", "committed")], proposal(), "gate", "A5"),
    "A5, asked for": ([*READ, DONE, asked()], proposal(), "gate", "A5"),
    "A5, approved": ([*READ, DONE, *OPEN], proposal(), "proceed", ""),
    "A5, a read": ([*READ, effect("x", "committed", write=False)], proposal(), "proceed", ""),
    "A5, compensated": (
        [*READ, DONE, effect("y", "committed", compensates="x", depends_on=[])],
        proposal(),
        "proceed",
        "",
    ),
    "A5, not yet": (
        [*READ, DONE, effect("y", "failed", compensates="x", depends_on=[])],
        proposal(),
        "refuse",
        "A5",
    ),
    "A5, a vague one and something named": (
        [span(), effect("x", "committed", depends_on=["s9"]), *OPEN],
        proposal(fidelity="count"),
        "proceed",
        "",
    ),
    "A5 and A6, a vague one": (
        [span(), effect("x", "committed", depends_on=["s9"])],
        proposal(fidelity="count"),
        "gate",
        "A5 A6",
    ),
    "A5, a vague one and nothing named": (
        [span(), effect("x", "committed", depends_on=[])],
        proposal(fidelity="count"),
        "gate",
        "A6",
    ),
    "A8": ([*READ, asked(), answered("rejected")], proposal(), "refuse", "A8"),
    "A8, over an approval": (
        [*READ, *OPEN, asked(gate="g2"), answered("rejected", "g2")],
        proposal(),
        "refuse",
        "A8",
    ),
    "A8, of another edit": (
        [*READ, asked(about="e2"), answered("rejected")],
        proposal(),
        "proceed",
        "",
    ),
    "by the host": ([*READ, PLANNED], proposal(by="host", store={}), "out_of_scope", ""),
    "by a human": ([*READ, PLANNED], proposal(by="human"), "refuse", "A4 A6"),
}


def proposed(name: str) -> tuple[State, Proposal]:
    before, event, _, _ = PROPOSALS[name]
    line = {**event, "seq": len(before) + 1}
    (parsed,) = read(journal(line)).numbered
    assert isinstance(parsed, Proposal)
    return folded(*before), parsed


@pytest.mark.parametrize("name", PROPOSALS)
def test_a_proposal_is_answered_as_it_is_when_recorded(name: str) -> None:
    before, event, verdict, rules = PROPOSALS[name]
    state, asked_ = proposed(name)
    answer = decide(state, asked_)
    assert (answer.subject, answer.verdict, " ".join(answer.rules)) == ("e1", verdict, rules)
    assert len(answer.reasons) == len(answer.rules)
    assert answer.edits == ()
    (recorded,) = report(*before, event)["proposals"]
    assert recorded == {"edit": "e1", "verdict": verdict, "rules": rules.split()}


@pytest.mark.parametrize(
    ("header", "verdict", "rules"),
    [
        ({"append_only": True}, "out_of_scope", []),
        ({"fixed_policy": True}, "out_of_scope", []),
        ({"ledger": "none"}, "gate", ["A7"]),
        ({"ledger": None}, "gate", ["A7"]),
        ({"ledger": [[1, 1]]}, "proceed", []),
        ({"ledger": [[2, 9]]}, "gate", ["A7"]),
        ({"ledger": [[1, 1], [2, 2]]}, "proceed", []),
    ],
)
def test_what_the_header_says_of_a_proposal(
    header: dict[str, Any], verdict: str, rules: list[str]
) -> None:
    (found,) = report(span(), proposal(), **header)["proposals"]
    assert (found["verdict"], found["rules"]) == (verdict, rules)


def test_the_ledger_must_reach_the_number_before_a_proposal() -> None:
    for last, rules in ((2, ["A7"]), (3, [])):
        found = report(span(), span("s2"), span("s3"), proposal(), ledger=[[1, last]])
        assert found["proposals"][0]["rules"] == rules


# What stands before the effect `x`; the answer; the edits in the way.
EFFECTS: dict[str, tuple[list[Event], Event, str, tuple[str, ...]]] = {
    "no edit": (READ, effect("x", "started"), "proceed", ()),
    "under an edit": (HEAD, effect("x", "started"), "gate", ("e1",)),
    "planned under an edit": (HEAD, PLANNED, "gate", ("e1",)),
    "reversible, a fact lacks": (HEAD, effect("x", "started", SURE), "gate", ("e1",)),
    "reversible, nothing lacks": (
        [span(), record(), edit()],
        effect("x", "started", SURE),
        "proceed",
        (),
    ),
    "reversible, the fact was read again": (
        [*HEAD, span("s2", fact="0")],
        effect("x", "started", SURE),
        "proceed",
        (),
    ),
    "a read": (HEAD, effect("x", "started", write=False), "proceed", ()),
    "through a gate": ([*HEAD, *OPEN], effect("x", "started"), "proceed", ()),
    "through a gate with another body": (
        [*HEAD, *OPEN],
        effect("x", "started", body="b:other"),
        "gate",
        ("e1",),
    ),
    "refused": ([*HEAD, asked(), answered("rejected")], effect("x", "started"), "refuse", ("e1",)),
    "by a human, nothing lacks": (
        [span(), edit(by="human")],
        effect("x", "started"),
        "proceed",
        (),
    ),
    "by a human, a fact lacks": (
        [*READ, edit(by="human")],
        effect("x", "started"),
        "gate",
        ("e1",),
    ),
    "by the host": ([*READ, edit(by="host")], effect("x", "started"), "proceed", ()),
    "on another branch": (HEAD, effect("x", "started", branch="sub"), "proceed", ()),
    "over a hole": ([span(seq=2)], effect("x", "started"), "gate", ()),
    "a read over a hole": ([span(seq=2)], effect("x", "started", write=False), "proceed", ()),
    "a step of one that has started": (
        [*READ, effect("x", "started"), record(), edit()],
        effect("x", "committed"),
        "proceed",
        (),
    ),
    "under a digest that is opaque": (
        [span(), edit(out={"id": "d1", "hash": "h:d1", "opaque": True})],
        effect("x", "started", SURE),
        "gate",
        ("e1",),
    ),
    "under a vague edit": (
        [span(), edit(fidelity="count")],
        effect("x", "started", SURE),
        "gate",
        ("e1",),
    ),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_an_effect_is_answered_as_it_is_when_recorded(name: str) -> None:
    before, event, verdict, edits = EFFECTS[name]
    (parsed,) = read(journal({**event, "seq": 1})).numbered
    assert isinstance(parsed, Effect)
    answer = decide_effect(folded(*before), parsed)
    assert (answer.subject, answer.verdict, answer.edits) == ("x", verdict, edits)
    assert answer.rules == (() if verdict == "proceed" else ("9.2",))
    assert bool(answer.reasons) == (verdict != "proceed")
    (recorded,) = report(*before, event)["effects"]
    assert recorded["authorization"] == {"verdict": verdict, "edits": list(edits)}


def test_an_effect_is_named_by_its_first_attempt() -> None:
    state = folded(*HEAD, effect("x", "unknown", key="k", body="b"))
    again = Effect(id="x2", state="started", key="k", body="b")
    assert decide_effect(state, again).subject == "x"


def test_reasons_name_the_edits_or_the_hole() -> None:
    write = Effect(id="x", state="started")
    assert decide_effect(folded(*HEAD), write).reasons == ("e1 stands in the way",)
    (hole,) = decide_effect(folded(span(seq=2)), write).reasons
    assert "hidden" in hole
    assert decide_effect(folded(*READ), write).reasons == ()


def test_a_proposal_has_to_wait_for_a_person_or_is_refused() -> None:
    for name in ("nothing rests on it", "by the host"):
        decide(*proposed(name)).or_raise()
    for name in ("A6, all is kept", "A4 and A6"):
        answer = decide(*proposed(name))
        with pytest.raises(UnsafeSummarizationError) as raised:
            answer.or_raise()
        assert raised.value.args == ("e1", answer.verdict, answer.rules)


def test_an_answer_changes_nothing() -> None:
    state, asked_ = proposed("held and approved")
    before = judge(state).encode()
    decide(state, asked_)
    decide_effect(state, Effect(id="x", state="committed", body="b:x", after=1, before=2))
    assert judge(state).encode() == before


@pytest.mark.parametrize("name", [*PROPOSALS])
def test_the_number_that_an_event_carries_has_no_say(name: str) -> None:
    state, asked_ = proposed(name)
    assert decide(state, replace(asked_, seq=777)) == decide(state, replace(asked_, seq=1))
