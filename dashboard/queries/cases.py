"""Cases as stories: steps with their place in the run, evidence, notes, and what is not known."""

from __future__ import annotations

import re
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import Http404
from msgspec import Struct

from dashboard import access
from dashboard.cases import Range
from dashboard.models import Case, CaseItem, FindingRow, Note, Run, Verdict
from dashboard.queries import twin
from dashboard.queries.run import current

MOST_EVIDENCE = 8
STRIP_WIDTH = 1000
_LINK = re.compile(r"(?:.*/runs/)?(?P<run>r-[0-9a-z]{1,14})/?(?:\?(?P<query>.*))?$")
_RANGE = re.compile(r"(?:^|[&?\s])(?P<name>from|to)=(?P<value>\d{1,16})")
_PLAIN = re.compile(
    r"(?P<run>r-[0-9a-z]{1,14})\s+(?P<a>\d{1,16})(?:\s*(?:-|to)\s*(?P<b>\d{1,16}))?$"
)


class Strip(Struct, frozen=True):
    """Where a step stands in its run: bars and dangers of the whole run, and the range. In px."""

    bars: list[tuple[float, float, bool]]
    dangers: list[float]
    gaps: list[tuple[float, float]]
    x0: float
    width: float


class Step(Struct, frozen=True):
    item: CaseItem
    run: Run
    verdict: Verdict | None
    finding: FindingRow | None
    evidence: list[twin.Row]
    notes: list[Note]
    strip: Strip | None
    href: str


class Told(Struct, frozen=True):
    """A whole case for one reader. `hidden`: steps of runs that the reader may not see."""

    case: Case
    steps: list[Step]
    hidden: int
    unknowns: list[tuple[str, str]]


def cases_for(user: User) -> QuerySet[Any]:
    """Cases that the reader made, or that show a run which the reader may see."""
    seen = CaseItem.objects.filter(case=OuterRef("pk"), run__source__in=access.sources_for(user))
    rows = Case.objects.select_related("by").annotate(steps=Count("items"), seen=Exists(seen))
    return (rows.filter(by_id=user.pk) | rows.filter(seen=True)).order_by("-created_at")


def case_for(user: User, public_id: str) -> Case:
    """The case, or 404: also when it exists and belongs to others."""
    found = cases_for(user).filter(public_id=public_id).first()
    if found is None:
        raise Http404(f"no case {public_id}")
    case: Case = found
    return case


def told(user: User, case: Case) -> Told:
    items = list(case.items.select_related("run__source", "by").order_by("pk"))
    allowed = set(access.sources_for(user).values_list("pk", flat=True))
    mine = [item for item in items if item.run.source_id in allowed]
    steps = [_step(item) for item in mine]
    return Told(case, steps, len(items) - len(mine), _unknowns(steps))


def _step(item: CaseItem) -> Step:
    run, finding = item.run, None
    if item.code:
        finding = run.findings.filter(code=item.code, subject=item.subject).first()
    first, last = item.from_seq or 1, item.to_seq or 0
    if finding is not None and item.from_seq is None and finding.seqs:
        first, last = max(1, min(finding.seqs)), max(finding.seqs)
    verdict = current(run)
    total = verdict.at if verdict else 0
    last = last or total or first
    evidence = []
    for row in twin.rows(run, first, last, twin.USUAL):
        evidence.append(row)
        if len(evidence) > MOST_EVIDENCE:
            break
    notes = Note.objects.filter(run=run, subject=item.subject).select_related("by")
    return Step(
        item=item,
        run=run,
        verdict=verdict,
        finding=finding,
        evidence=evidence,
        notes=list(notes) if item.subject else [],
        strip=strip(run, total, first, last) if total else None,
        href=f"/runs/{run.public_id}/?from={first}&to={max(last, first + 1)}",
    )


def strip(run: Run, total: int, first: int, last: int) -> Strip:
    """The small figure of a step: where in the run it is."""
    scale = STRIP_WIDTH / max(1, total)
    bars = [
        (seq * scale, ((end or total) - seq) * scale, soundness == "unsound")
        for seq, end, soundness in run.edits.order_by("-soundness", "seq").values_list(
            "seq", "end_seq", "soundness"
        )[:60]
    ]
    dangers = run.effects.filter(danger=True).order_by("seq").values_list("seq", flat=True)[:60]
    gaps = run.gaps.values_list("first_seq", "last_seq")[:30]
    return Strip(
        bars=bars,
        dangers=[seq * scale for seq in dangers],
        gaps=[(low * scale, max(6.0, (high - low + 1) * scale)) for low, high in gaps],
        x0=first * scale,
        width=max(8.0, (last - first) * scale),
    )


def _unknowns(steps: list[Step]) -> list[tuple[str, str]]:
    """What the case does not show, and what would make it known."""
    out = []
    for step in {step.run.pk: step for step in steps}.values():
        name = step.run.public_id
        if step.verdict is None:
            out.append((f"{name} is not judged yet", "the verdict"))
            continue
        out += [
            (f"{light} of {name}", f"see the light on the page of {name}")
            for light in ("closure", "soundness", "retention")
            if getattr(step.verdict, light) == "unknown"
        ]
        if step.verdict.integrity == "gap":
            out.append((f"missing numbers of {name}", "the lines that hold them"))
    out.append(("Whether the world did what the journals say", "the other side's own log"))
    out.append(("The clocks of the sources", "order is proven, times are their word"))
    return out


def read_range(user: User, text: str) -> Range:
    """A range from a link or from `r-1a2b 640 to 668`. Raises 404 for a run one may not see.

    Raises `ValueError` with what was expected when the text is neither.
    """
    plain = _PLAIN.fullmatch(text.strip())
    if plain:
        run = access.run_for(user, plain["run"])
        low = int(plain["a"])
        return Range(run, low, int(plain["b"] or low))
    link = _LINK.fullmatch(text.strip())
    if link is None:
        raise ValueError("expected a link to a run, or a run and numbers: r-7f3a91c2 640 to 668")
    run = access.run_for(user, link["run"])
    ends = {found["name"]: int(found["value"]) for found in _RANGE.finditer(link["query"] or "")}
    return Range(run, ends.get("from"), ends.get("to"))
