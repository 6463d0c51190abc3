"""What two runs have in common and what only one of them has."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from dashboard.models import Run, Verdict
from dashboard.queries.lights import Light, lights
from dashboard.queries.run import current

MOST = 2_000


class Side(Struct, frozen=True):
    run: Run
    verdict: Verdict | None
    lights: list[Light]
    edits: int
    effects: dict[str, int]
    findings: dict[str, int]
    tools: dict[str, int]


def side(run: Run) -> Side:
    verdict = current(run)
    effects = list(
        run.effects.filter(write=True).values_list("reversibility", "tool", "danger")[:MOST]
    )
    kinds = Counter(kind for kind, _, _ in effects)
    kinds["not let through"] = sum(danger for _, _, danger in effects)
    return Side(
        run=run,
        verdict=verdict,
        lights=lights(run, verdict),
        edits=run.edits.count(),
        effects=dict(kinds),
        findings=dict(Counter(run.findings.values_list("code", flat=True)[:MOST])),
        tools=dict(Counter(tool for _, tool, _ in effects if tool)),
    )


class Difference(Struct, frozen=True):
    """A row with the number on either side."""

    what: str
    name: str
    one: int
    other: int


def differences(one: Side, other: Side) -> list[Difference]:
    """Rows whose numbers differ, findings first."""
    out = []
    for what in ("findings", "effects", "tools"):
        mine, theirs = getattr(one, what), getattr(other, what)
        for name in sorted({*mine, *theirs}):
            pair = mine.get(name, 0), theirs.get(name, 0)
            if pair[0] != pair[1]:
                out.append(Difference(what, name, *pair))
    return out[:200]
