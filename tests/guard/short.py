"""Journals in short form: events as dicts, numbered in the order in which they are written."""

from __future__ import annotations

import json
from typing import Any

from guard.journal import read
from guard.judge import judge
from guard.state import State, fold

Event = dict[str, Any]
IRR: Event = {"class": "irreversible"}
REV: Event = {"class": "reversible"}
SURE: Event = {"class": "reversible", "inverse": True}
"""Reversible, with an inverse on record."""


def journal(*events: Event, ledger: Any = "complete", **header: Any) -> bytes:
    """The lines. `seq` 0 leaves an event without a number; another one is where counting goes on.

    `ledger` None leaves it out.
    """
    head = {"kind": "journal", "format": "context-journal/1", "id": "j", **header}
    lines: list[Event] = [head if ledger is None else {**head, "ledger": ledger}]
    number = 0
    for event in events:
        number = event.get("seq") or (number if event.get("seq") == 0 else number + 1)
        seq = {} if event.get("seq") == 0 else {"seq": number}
        lines.append({**event, **seq} if seq else {k: v for k, v in event.items() if k != "seq"})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def folded(*events: Event, at: int | None = None, **header: Any) -> State:
    return fold(read(journal(*events, **header)), at)


def report(*events: Event, at: int | None = None, **header: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(judge(folded(*events, at=at, **header)).encode())
    return found


def row(rows: list[dict[str, Any]], name: str, key: str = "id") -> dict[str, Any]:
    """The first row with an id."""
    return next(found for found in rows if found[key] == name)


def brief(finding: dict[str, Any]) -> tuple[str, str, str, str, list[int]]:
    """A finding as the contract has it: all but the message."""
    head = (finding["code"], finding["subject"], finding["severity"], finding["certainty"])
    return (*head, list(finding["seqs"]))


def span(name: str = "s1", fact: str | None = None, **members: Any) -> Event:
    """`fact`: its value of `cfg.yml:retries`."""
    facts = {} if fact is None else {"cfg.yml:retries": fact}
    return {"kind": "span", "id": name, "hash": f"h:{name}", "facts": facts, **members}


def record(name: str = "e1", *spans: str, **members: Any) -> Event:
    """A good one of an edit that takes `spans`, else `s1`."""
    prior = {taken: f"h:{taken}" for taken in spans or ("s1",)}
    return {"kind": "record", "edit": name, "prior": prior, "payload": True, **members}


def edit(
    name: str = "e1", *spans: str, out: Any = ..., fact: str | None = None, **members: Any
) -> Event:
    """It takes `spans`, else `s1`, and writes `d1` for `e1`. `fact`: what the digest keeps."""
    digest = f"d{name[1:]}"
    facts = {} if fact is None else {"cfg.yml:retries": fact}
    written = {"id": digest, "hash": f"h:{digest}", "facts": facts} if out is ... else out
    head = {"kind": "edit", "id": name, "op": "summarize", "in": list(spans or ("s1",))}
    return {**head, "out": written, **members}


def proposal(name: str = "e1", *spans: str, fact: str | None = None, **members: Any) -> Event:
    store = {"payload": True, "verified": True, "lossy": False}
    return {**edit(name, *spans, fact=fact), "kind": "proposal", "store": store, **members}


def effect(name: str, state: str, how: Event = IRR, **members: Any) -> Event:
    return {"kind": "effect", "id": name, "state": state, "body": f"b:{name}", **how, **members}


def rollback(name: str, *edits: str, **members: Any) -> Event:
    named = {} if "to" in members else {"edits": list(edits)}
    return {"kind": "rollback", "id": name, **named, **members}


def asked(*effects: str, gate: str = "g1", about: str = "e1", **members: Any) -> Event:
    bound = {name: f"b:{name}" for name in effects}
    head = {"kind": "gate", "id": gate, "state": "requested", "edit": about, "by": "agent"}
    return {**head, "digest": f"h:d{about[1:]}", "effects": bound, **members}


def approved(gate: str = "g1", about: str = "e1", **members: Any) -> Event:
    head = {"kind": "gate", "id": gate, "state": "approved", "by": "ann", "human": True}
    return {**head, "digest": f"h:d{about[1:]}", **members}


def answered(state: str, gate: str = "g1", **members: Any) -> Event:
    """`rejected` or `revoked`."""
    return {"kind": "gate", "id": gate, "state": state, "by": "bob", **members}


def policy(name: str, **members: Any) -> Event:
    return {"kind": "policy", "id": name, "digest": f"p:{name}", **members}


def observed(*spans: str, **members: Any) -> Event:
    return {"kind": "observed", "spans": {name: f"h:{name}" for name in spans}, **members}
