"""Rollback on paper: one point, one address (`?to=`), and nothing is executed."""

from __future__ import annotations

from typing import Any

import msgspec
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from msgspec.structs import replace

from dashboard import access, cases, exports
from dashboard.charts import CHARTS
from dashboard.models import Run
from dashboard.queries import paper as queries
from dashboard.queries import series
from dashboard.queries.run import current, total_of
from dashboard.queries.timeline import timeline
from dashboard.views.page import show
from dashboard.views.params import place_to_go, whole
from dashboard.visible import brief, plain
from guard.events import MAIN

PARTS = {"answer": "rollback/part.html"}
WIDEST_PX = 4_000


@require_GET
def rollback(request: HttpRequest, rid: str) -> HttpResponse:
    run = access.run_for(request.user, rid)
    verdict = current(run)
    context: dict[str, Any] = {"run": run, "verdict": verdict, "paper": _paper(request, run)}
    context["branch"] = request.GET.get("branch", MAIN) or MAIN
    context["rollbacks"] = list(run.rollbacks.order_by("seq").values_list("rollback_id", "seq")[:8])
    at = whole(request, "at", 0)
    context["as_of"] = at if verdict and 0 < at < verdict.at else None
    context["here"] = reverse("rollback", args=[run.public_id])
    return show(request, "rollback/page.html", context, here="runs", parts=PARTS)


def _paper(request: HttpRequest, run: Run) -> queries.Paper | None:
    total = total_of(current(run))
    at = whole(request, "at", 0, max(total, 0))
    as_of = at if 0 < at < total else None
    first = _first(run, as_of)
    to = whole(request, "to", max(0, first - 1), max(total, 0))
    found = queries.plan(run, to, request.GET.get("branch", MAIN) or MAIN, as_of)
    if found is None:
        return None
    sizes = series.usage(run)
    known = [
        size
        for seq, size in zip(sizes.seq, sizes.window_tokens, strict=True)
        if size is not None and seq <= found.at
    ]
    return queries.paper(run, found, known[-1] if known else None, sizes.limit)


def _first(run: Run, as_of: int | None) -> int:
    """Number of the first edit that stands: the page begins before it."""
    rows = run.edits.order_by("seq").values_list("seq", flat=True)
    rows = rows.exclude(status="undone") if as_of is None else rows.exclude(end_seq__lte=as_of)
    return rows.first() or 1


@require_GET
def figure(request: HttpRequest, rid: str) -> HttpResponse:
    """The timeline of the whole run with the strip that says the verdict for every point."""
    run = access.run_for(request.user, rid)
    total = total_of(current(run))
    width = max(200, whole(request, "w", 900, WIDEST_PX))
    rows = timeline(run, total, width_px=width)
    found = _paper(request, run)
    if found is not None and not rows.empty:
        ends = None
        if found.window is not None and found.after is not None and found.tokens:
            ends = (found.window / 1000, found.after / 1000)
        rows = replace(rows, verdicts=queries.strip(found.plan), paper=ends)
    drawn = CHARTS["rollback"](rows)
    drawn["meta"] = {"from": rows.view.first, "to": rows.view.last, "total": total, "axis": "order"}
    return HttpResponse(msgspec.json.encode(drawn), content_type="application/json")


@require_GET
def plan_file(request: HttpRequest, rid: str, kind: str) -> HttpResponse:
    """What a person must still do, as text or JSON."""
    run = access.run_for(request.user, rid)
    found = _paper(request, run)
    if found is None:
        raise Http404(f"what was received of {rid} cannot be read")
    name = exports.file_name(run.public_id, f"rollback-{found.plan.to}")
    if kind == "json":
        data = exports.indented(_as_json(run, found))
        return exports.attachment(data, f"{name}.json", "application/json")
    text = "\n".join(_as_text(run, found)) + "\n"
    return exports.attachment(text, f"{name}.txt", "text/plain; charset=utf-8")


def _as_json(run: Run, found: queries.Paper) -> dict[str, Any]:
    here = found.plan.here
    return {
        "run": run.public_id,
        "to": found.plan.to,
        "at": found.plan.at,
        "edits": list(here.edits),
        "soundness": {
            "verdict": here.soundness,
            "blame": list(here.blame),
            "residue": list(here.residue),
            "watch": list(here.watch),
        },
        "mode": here.mode,
        "tokens_restored": found.tokens,
        "steps": [{"do": step.strong, "why": step.text} for step in found.steps],
        "to_do": [
            {"effect": line.id, "part": line.part, "done": line.tick is not None}
            for line in found.effects
        ],
    }


def _as_text(run: Run, found: queries.Paper) -> list[str]:
    here = found.plan.here
    out = [
        f"Rollback on paper: {run.public_id}, back to {found.plan.to} (judged at {found.plan.at})",
        f"soundness: {here.soundness}; mode: {here.mode}; nothing was executed",
        "",
    ]
    out += [f"{number}. {step.strong} ({step.text})" for number, step in enumerate(found.steps, 1)]
    out += ["", "A person must still look at:"]
    out += [
        f"[{'x' if line.tick else ' '}] {plain(line.id)}: {line.part}" for line in found.effects
    ]
    return out


@require_POST
def tick(request: HttpRequest, rid: str) -> HttpResponse:
    """A tick is a note with a name and a time: it changes no verdict."""
    run = access.run_for(request.user, rid)
    subject = request.POST.get("subject", "")
    back = place_to_go(request, reverse("rollback", args=[run.public_id]))
    if not run.effects.filter(effect_id=subject).exists():
        raise Http404("no effect of that id")
    text = request.POST.get("text", "").strip() or "done"
    cases.add_note(run, request.user, text, kind=queries.TICK, subject=subject)
    messages.success(request, f"Noted on {plain(brief(subject))}. No verdict changed.")
    return redirect(back)
