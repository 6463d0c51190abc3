"""Random journals with holes, forks, branches, retries, compensation and unnumbered effects.

Few names and few numbers, so that things meet.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

_pick = st.sampled_from
_SPANS = _pick(["s1", "s2", "s3", "d1", "d2"])
_EDITS = _pick(["e1", "e2", "e3"])
_EFFECTS = _pick(["x1", "x2", "x3"])
_BRANCH = _pick(["main", "main", "main", "sub"])
_FACTS = st.dictionaries(_pick(["a.yml:limit", "b.yml:limit"]), _pick(["0", "3"]), max_size=2)
_HASH = _pick(["h:1", "h:2"])
_TAKEN = st.lists(_SPANS, min_size=1, max_size=2, unique=True)
_DIGEST = st.fixed_dictionaries({"id": _SPANS, "hash": _HASH, "facts": _FACTS})
_OUT = st.one_of(st.none(), _DIGEST, _DIGEST.map(lambda out: {**out, "opaque": True}))


def _kind(
    name: str, required: dict[str, Any], **optional: Any
) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"kind": st.just(name), **required}, optional=optional)


def _edited(name: str, **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    return _kind(
        name,
        {"id": _EDITS, "op": _pick(["summarize", "drop"]), "in": _TAKEN, "out": _OUT},
        branch=_BRANCH,
        by=_pick(["model", "model", "host", "human"]),
        fidelity=_pick(["exact", "exact", "count"]),
        **more,
    )


_STEP = _kind(
    "effect",
    {
        "id": _EFFECTS,
        "state": _pick(
            ["planned", "held", "started", "committed", "committed", "failed", "unknown"]
        ),
        "body": _pick(["b:1", "b:1", "b:2"]),
    },
    **{"class": _pick(["reversible", "irreversible", "deferred", "unknown"])},
    inverse=st.booleans(),
    write=_pick([True, True, True, False]),
    branch=_BRANCH,
    key=_pick(["k1", "k2"]),
    partial=st.booleans(),
    compensates=_EFFECTS,
    depends_on=st.lists(_pick(["s1", "s1#a.yml:limit", "s2"]), max_size=1),
)
_LOOSE = st.builds(
    lambda step, after, width: {
        **step,
        "after": after,
        **({"before": after + width} if width else {}),
    },
    _STEP,
    st.integers(0, 12),
    st.integers(0, 4),
)
_GATE = st.builds(
    lambda gate, asks: {**gate, **(asks if gate["state"] == "requested" else {})},
    _kind(
        "gate",
        {
            "id": _pick(["g1", "g2"]),
            "state": _pick(
                ["requested", "requested", "approved", "approved", "rejected", "revoked"]
            ),
            "digest": _HASH,
            "by": _pick(["agent", "ann"]),
            "human": _pick([True, True, False]),
        },
    ),
    st.fixed_dictionaries(
        {"edit": _EDITS, "effects": st.dictionaries(_EFFECTS, st.just("b:1"), max_size=2)},
        optional={"until_seq": st.integers(1, 20)},
    ),
)
_STORE = st.fixed_dictionaries({"payload": _pick([True, True, False]), "verified": st.just(True)})
_EVENT = st.one_of(
    _kind("span", {"id": _SPANS, "hash": _HASH, "facts": _FACTS}, branch=_BRANCH),
    _edited("edit"),
    _edited("edit"),
    _edited("proposal", store=_STORE),
    _STEP,
    _STEP,
    _STEP,
    _GATE,
    _kind(
        "rollback",
        {"id": _pick(["r1", "r2"]), "edits": st.lists(_EDITS, min_size=1, max_size=2)},
        branch=_BRANCH,
        all_branches=st.booleans(),
        spans=_TAKEN,
    ),
    _kind("rollback", {"id": _pick(["r1", "r2"]), "to": st.integers(0, 8)}, branch=_BRANCH),
    _kind(
        "record",
        {"edit": _EDITS, "prior": st.dictionaries(_SPANS, _HASH, max_size=2)},
        payload=st.booleans(),
    ),
    _kind("observed", {"spans": st.dictionaries(_SPANS, _HASH, max_size=3)}, branch=_BRANCH),
    _kind(
        "policy",
        {"id": _pick(["P1", "P2"]), "digest": _pick(["p:1", "p:2"])},
        reaches_recovery=_pick([False, False, True]),
    ),
    _kind("merge", {"rollback": _pick(["r1", "r2"])}, dropped=_TAKEN),
    _pick(
        [
            {"kind": "seal"},
            {"kind": "gap", "what": "a file was replaced"},
            {"kind": "phase", "phase": "commit"},
            {"kind": "lost", "edit": "e1"},
            {"kind": "probe", "edit": "e1", "ok": True},
            {"kind": "inventory", "edits": ["e1"]},
            {"kind": "counter", "performed": 1},
            {"kind": "fork", "branch": "sub", "from": "main"},
        ]
    ),
)
_HEADER = st.fixed_dictionaries(
    {
        "kind": st.just("journal"),
        "format": st.just("context-journal/1"),
        "id": st.just("j"),
        "ledger": _pick(["complete", "complete", "none", [[1, 6]]]),
    },
    optional={
        "discipline": _pick(["epoch", "freeze"]),
        "checkpoint": st.builds(
            lambda count: {"count": count, "hash": "e" * 64}, st.integers(1, 20)
        ),
    },
)
_STEP_TO_NEXT = _pick([1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 2])
"""0 makes a fork of the number, 2 a hole."""


@st.composite
def journals(draw: st.DrawFn) -> list[bytes]:
    """The lines of a journal that can be read, the header first."""
    lines: list[dict[str, Any]] = [draw(_HEADER)]
    number, forked = 0, False
    for event, step in draw(st.lists(st.tuples(_EVENT, _STEP_TO_NEXT), max_size=18)):
        if event["kind"] == "fork" and forked:
            continue
        forked |= event["kind"] == "fork"
        number = max(1, number + step)
        lines.append({**event, "seq": number})
    lines += draw(st.lists(_LOOSE, max_size=3))
    return [json.dumps(line).encode() + b"\n" for line in lines]
