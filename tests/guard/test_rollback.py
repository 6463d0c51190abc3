"""A rollback on paper: what comes back, what does not, and how it would have to be replayed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guard.errors import GuardError
from guard.journal import Journal, read
from guard.rollback import Moved, Owed, Plan, plan, sizes_of
from guard.state import fold


def journal(*events: dict[str, Any], **header: Any) -> Journal:
    head = {"kind": "journal", "format": "context-journal/1", "id": "j", "ledger": "complete"}
    numbered = ({"seq": number, **event} for number, event in enumerate(events, 1))
    lines = ({**head, **header}, *numbered)
    return read(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def drawn(*events: dict[str, Any], header: dict[str, Any] | None = None, **asked: Any) -> Plan:
    opened = journal(*events, **(header or {}))
    return plan(fold(opened), sizes=sizes_of(opened.numbered), **asked)


def span(id_: str, tokens: int | None = None) -> dict[str, Any]:
    return {"kind": "span", "id": id_, "hash": f"h:{id_}", "tokens": tokens}


def edit(id_: str, *spans: str, out: str | None = None, tokens: int = 1) -> list[dict[str, Any]]:
    prior = {span_id: f"h:{span_id}" for span_id in spans}
    digest = None if out is None else {"id": out, "hash": f"h:{out}", "tokens": tokens}
    return [
        {"kind": "record", "edit": id_, "prior": prior, "payload": True},
        {"kind": "edit", "id": id_, "op": "summarize", "in": list(spans), "out": digest},
    ]


def effect(id_: str, state: str, **members: Any) -> dict[str, Any]:
    return {"kind": "effect", "id": id_, "state": state, "body": f"b:{id_}", **members}


def policy(digest: str) -> dict[str, Any]:
    return {"kind": "policy", "id": f"P:{digest}", "digest": digest}


def done(found: Plan) -> list[tuple[str, tuple[str, ...]]]:
    return [(step.do, step.edits) for step in found.steps]


TWO = [span("s1", 40), span("s2"), *edit("e1", "s1", out="d1", tokens=7), *edit("e2", "s2")]


def test_spans_and_tokens_come_back_newest_edit_first() -> None:
    found = drawn(*TWO, to=0)
    assert (found.mode, found.edits) == ("linear", ("e2", "e1"))
    assert found.restored == Moved(("s1", "s2"), tokens=40, unsized=1)
    assert found.removed == Moved(("d1",), tokens=7, unsized=0)
    assert done(found) == [("undo", ("e2",)), ("undo", ("e1",)), ("observe", ())]
    assert (found.soundness, found.lost) == ("sound", ())


@pytest.mark.parametrize(
    ("asked", "edits"),
    [
        ({"to": 4}, ("e2",)),
        ({"to": 6}, ()),
        ({"to": 900}, ()),
        ({"edits": ["e1"]}, ("e1",)),
        ({"edits": ["e1", "e2"]}, ("e2", "e1")),
        ({"to": 0, "branch": "sub"}, ()),
    ],
)
def test_the_range_is_what_was_asked_for(asked: dict[str, Any], edits: tuple[str, ...]) -> None:
    found = drawn(*TWO, **asked)
    assert found.edits == edits
    assert (found.mode == "noop") == (not edits)


@pytest.mark.parametrize("asked", [{}, {"to": 1, "edits": ["e1"]}])
def test_either_edits_or_a_number_is_named(asked: dict[str, Any]) -> None:
    with pytest.raises(GuardError):
        drawn(*TWO, **asked)


def test_what_happened_stays_and_is_for_a_person_to_compensate() -> None:
    gates = [
        {"kind": "gate", "id": "g1", "state": "requested", "edit": "e1", "digest": "h:d1"},
        {"kind": "gate", "id": "g1", "state": "approved", "digest": "h:d1", "human": True},
    ]
    gates[0] |= {"by": "agent", "effects": {"mail": "b:mail"}}
    gates[1] |= {"by": "ann"}
    found = drawn(
        *TWO[:1],
        *TWO[2:4],
        *gates,
        effect("mail", "committed", **{"class": "irreversible"}, tool="send_mail", target="a@b"),
        effect("push", "committed", **{"class": "irreversible"}, key="k"),
        effect("later", "planned"),
        to=0,
    )
    assert (found.soundness, found.blame) == ("unsound", ("push",))
    assert (found.residue, found.watch) == (("mail",), ("later",))
    assert found.voided == ("g1",)
    assert found.compensate == (
        Owed("mail", "committed", "irreversible", True, "send_mail", "a@b", None),
        Owed("push", "committed", "irreversible", False, None, None, "k"),
    )


def test_a_missing_record_stops_it_before_anything_is_undone() -> None:
    found = drawn(span("s1", 9), edit("e1", "s1")[1], to=0)
    assert (found.mode, done(found)) == ("halt", [("stop", ("e1",))])
    assert found.restored == Moved((), 0, 0)
    assert found.lost == ("s1",)


def test_an_edit_that_is_not_there_stops_it_too() -> None:
    found = drawn(*TWO, edits=["e9"])
    assert (found.mode, done(found)) == ("halt", [("stop", ("e9",))])
    assert found.soundness == "unknown"


def test_each_epoch_is_replayed_under_its_own_policy_and_reconciled_at_its_border() -> None:
    found = drawn(
        policy("p1"), span("s1"), span("s2"), span("s3"), *edit("e1", "s1"), policy("p2"),
        *edit("e2", "s2"), *edit("e3", "s3"), policy("p3"), to=0,
    )  # fmt: skip
    assert found.mode == "epoch"
    assert [(step.do, step.edits, step.policy, step.spans) for step in found.steps[:-1]] == [
        ("reconcile", ("e3", "e2"), "p2", ("s2", "s3")),
        ("undo", ("e3", "e2"), "p2", ("s2", "s3")),
        ("reconcile", ("e1",), "p1", ("s1",)),
        ("undo", ("e1",), "p1", ("s1",)),
    ]


def test_an_edit_edited_again_is_merged_and_says_with_what() -> None:
    found = drawn(span("s1"), *edit("e1", "s1", out="d1"), *edit("e2", "d1"), edits=["e1"])
    assert found.mode == "merge"
    assert done(found) == [("undo", ("e1",)), ("merge", ("e2",)), ("observe", ())]


def test_it_speaks_as_of_the_last_event() -> None:
    found = drawn(*TWO, header={"ledger": [[1, 6]]}, to=0)
    assert found.soundness == "sound"
    found = drawn(*TWO, header={"ledger": [[1, 5]]}, to=0)
    assert (found.soundness, found.would_tell is not None) == ("unknown", True)


def test_drawing_it_changes_nothing() -> None:
    state = fold(journal(*TWO))
    assert plan(state, to=0) == plan(state, to=0)
    assert (state.at, len(state.rollbacks)) == (6, 0)
