"""Findings across runs, and the notes with which people acknowledge them."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, cases, exports
from dashboard.forms import NoteForm
from dashboard.queries import findings as queries
from dashboard.views.page import show
from dashboard.views.params import place_to_go

HEAD = ("run", "code", "subject", "severity", "certainty", "message", "seqs", "seen", "notes")


@require_GET
def findings(request: HttpRequest) -> HttpResponse:
    ask = queries.asked(request)
    context = {**listed(request, ask), "sources": access.sources_for(request.user)}
    return show(request, "findings/page.html", context, here="findings")


def listed(request: HttpRequest, ask: queries.Asked) -> dict[str, object]:
    """A page of findings, also for the page of a rule."""
    page = queries.page(queries.matching(request.user, ask), request.GET.get("page", "1"))
    return {
        "ask": ask,
        "page": page,
        "lines": queries.lines(list(page.object_list)),
        "counts": queries.counts(request.user, ask),
        "states": queries.STATES,
        "noting": request.GET.get("note", ""),
    }


@require_GET
def table(request: HttpRequest, kind: str) -> HttpResponse:
    """The findings that match, as CSV or JSON."""
    rows = queries.matching(request.user, queries.asked(request))[: exports.MOST_ROWS]
    lines = (
        (
            row.run.public_id,
            row.code,
            row.subject,
            row.severity,
            row.certainty,
            row.message,
            " ".join(str(seq) for seq in row.seqs),
            row.first_seen_at,
            int(row.noted),
        )
        for row in rows.iterator(500)
    )
    return exports.table(kind, "findings", HEAD, lines)


@require_POST
def note(request: HttpRequest) -> HttpResponse:
    """Acknowledge a finding: a note is required, and it cannot be changed later."""
    form = NoteForm(request.POST)
    back = place_to_go(request, reverse("findings"))
    if not form.is_valid():
        messages.error(request, "Not noted: say what you found; a note cannot be empty.")
        return redirect(back)
    run = access.run_for(request.user, form.cleaned_data["run"])
    code, subject = form.cleaned_data["code"], form.cleaned_data["subject"]
    if not run.findings.filter(code=code, subject=subject).exists():
        raise Http404(f"no finding {code} about that subject")
    cases.add_note(
        run, request.user, form.cleaned_data["text"], kind="finding", code=code, subject=subject
    )
    messages.success(request, f"Noted on {code}. Nothing is hidden and no verdict changed.")
    return redirect(back)
