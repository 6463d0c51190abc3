"""Native journals of any size: a plausible run, and shapes that invite slow judges."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

Events = Iterator[dict[str, Any]]

WORDS = ("the", "queue", "keeps", "one", "worker", "until", "its", "lease", "ends", "and", "writes")
HEADER = {"kind": "journal", "format": "context-journal/1", "id": "bench", "ledger": "complete"}


def lines(events: Events) -> Iterator[bytes]:
    """A header and numbered lines; events with `after` stay unnumbered."""
    yield json.dumps(HEADER).encode() + b"\n"
    number = 0
    for event in events:
        placed = event
        if "after" not in event:
            number += 1
            placed = {"seq": number, **event}
        yield json.dumps(placed).encode() + b"\n"


def run(count: int, text_bytes: int = 800) -> Events:
    """A run: reads, writes under summaries, a policy swap and a rollback now and then."""
    rng = random.Random(f"bench-{count}")  # noqa: S311 - no secret, only the same run each time
    edits = 0
    window: list[str] = []
    for place in range(count):
        if place % 50 == 48 and len(window) > 12:
            yield record(f"e{edits}", *window[:8])
        elif place % 50 == 49 and len(window) > 12:
            yield edit(f"e{edits}", *window[:8], out=f"d{edits}")
            window[:8] = [f"d{edits}"]
            edits += 1
        elif place % 2000 == 1999:
            yield {"kind": "policy", "id": f"P{place}", "digest": f"p{place % 3}"}
        elif place % 1000 == 998 and edits:
            yield {"kind": "rollback", "id": f"r{place}", "edits": [f"e{edits - 1}"]}
        elif place % 7 == 3:
            yield effect(f"x{place}", "committed", rng.choice(["reversible", "irreversible"]))
        else:
            window.append(f"s{place}")
            text = " ".join(rng.choices(WORDS, k=text_bytes // 5))
            yield span(f"s{place}", text=text, facts={f"c{place % 99}.yml:limit": str(place % 5)})


def span(id_: str, **members: Any) -> dict[str, Any]:
    return {"kind": "span", "id": id_, "hash": f"h:{id_}", **members}


def record(edit_id: str, *spans: str) -> dict[str, Any]:
    prior = {name: f"h:{name}" for name in spans}
    return {"kind": "record", "edit": edit_id, "prior": prior, "payload": True}


def edit(id_: str, *spans: str, out: str | None = None, **members: Any) -> dict[str, Any]:
    digest = None if out is None else {"id": out, "hash": f"h:{out}"}
    return {"kind": "edit", "id": id_, "op": "summarize", "in": spans, "out": digest, **members}


def effect(id_: str, state: str, kind: str = "irreversible", **members: Any) -> dict[str, Any]:
    return {"kind": "effect", "id": id_, "state": state, "class": kind, "body": "b", **members}


def nested(count: int) -> Events:
    """Each summary takes the digest of the one before, and a write stands under all of them."""
    yield span("d0", facts={"c.yml:limit": "0"})
    for place in range(count):
        yield record(f"e{place}", f"d{place}")
        yield edit(f"e{place}", f"d{place}", out=f"d{place + 1}")
        yield effect(f"x{place}", "committed")
    yield {"kind": "rollback", "id": "r", "to": 0}


def unanswered(count: int) -> Events:
    """So many effects of unknown outcome and class under one edit."""
    yield from (span("s", facts={"c.yml:limit": "0"}), record("e", "s"), edit("e", "s", out="d"))
    for place in range(count):
        yield effect(f"x{place}", "unknown", "unknown")
    yield {"kind": "rollback", "id": "r", "edits": ["e"]}


def unnumbered(count: int, effects: int) -> Events:
    """Events of a foreign ledger that may lie anywhere, of so many effects."""
    for place in range(10):
        yield span(f"s{place}")
        yield record(f"e{place}", f"s{place}")
        yield edit(f"e{place}", f"s{place}")
    for place in range(count):
        state = ("planned", "started", "unknown", "failed", "committed")[place // effects % 5]
        yield effect(f"x{place % effects}", state, partial=place % 3 == 0, after=place % 31)
    yield {"kind": "rollback", "id": "r", "to": 0}


def unnumbered_each(count: int) -> Events:
    """One event of each effect."""
    return unnumbered(count, count)


def unnumbered_few(count: int) -> Events:
    """Five events, in all states, of each effect."""
    return unnumbered(count, count // 5)


def unnumbered_one(count: int) -> Events:
    """All events of one effect, in all states."""
    return unnumbered(count, 1)


def branches(count: int) -> Events:
    """Forks of forks, each with an edit of its own, and a write on every branch."""
    yield from (span("s"), record("e", "s"), edit("e", "s"))
    for place in range(count):
        branch = f"b{place}"
        yield {"kind": "fork", "branch": branch, "from": f"b{place // 2}" if place else "main"}
        yield span(f"s{place}", branch=branch)
        yield record(f"e{place}", f"s{place}")
        yield edit(f"e{place}", f"s{place}", branch=branch)
        yield effect(f"x{place}", "committed", branch=branch)
    yield {"kind": "rollback", "id": "r", "edits": ["e"], "all_branches": True}


def gated(count: int) -> Events:
    """So many gates on one edit; one in fifty lets a write through."""
    yield from (span("s"), record("e", "s"), edit("e", "s", out="d"))
    for place in range(count):
        gate = {"kind": "gate", "id": f"g{place}", "digest": "h:d"}
        asked = {"state": "requested", "edit": "e", "by": "agent", "effects": {f"x{place}": "b"}}
        yield gate | asked
        yield gate | {"state": "approved", "by": "ann", "human": place % 3 > 0}
        if place % 50 == 0:
            yield effect(f"x{place}", "committed")
    yield {"kind": "rollback", "id": "r", "edits": ["e"]}


HARD: Mapping[str, tuple[Callable[[int], Events], int]] = MappingProxyType(
    {
        "nested summaries": (nested, 2_000),
        "unknown effects under one edit": (unanswered, 10_000),
        "unnumbered events of as many effects": (unnumbered_each, 500),
        "unnumbered events, five of each effect": (unnumbered_few, 500),
        "unnumbered events of one effect": (unnumbered_one, 500),
        "branches": (branches, 1_000),
        "gates on one edit": (gated, 5_000),
    }
)
"""Sizes that have to be judged within 30 s each."""
