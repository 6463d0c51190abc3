"""Cases: a story told from ranges, findings and notes, with links; to read, print and hand over."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, exports
from dashboard import cases as writing
from dashboard.bundle import bundle
from dashboard.case_files import as_json, as_markdown
from dashboard.cases import Range
from dashboard.forms import BundleForm, CaseForm, StepForm
from dashboard.models import Case, FindingRow
from dashboard.queries import cases as queries
from dashboard.queries.frame import zone_of
from dashboard.views.page import show

PER_PAGE = 25


@require_GET
def cases(request: HttpRequest) -> HttpResponse:
    rows = queries.cases_for(request.user)
    ask = request.GET
    start = ""
    if ask.get("run"):
        start = f"/runs/{ask['run'][:16]}/?from={ask.get('from', '1')}&to={ask.get('to', '')}"
    context = {
        "page": Paginator(rows, PER_PAGE).get_page(ask.get("page", "1")),
        "open": list(rows.filter(by_id=request.user.pk, closed_at=None)[:20]),
        "start": start,
        "finding": ask.get("finding", "")[:20],
    }
    return show(request, "cases/page.html", context, here="cases")


@require_GET
def case(request: HttpRequest, cid: str) -> HttpResponse:
    found = queries.case_for(request.user, cid)
    context = {"told": queries.told(request.user, found), "case": found}
    return show(request, "cases/case.html", context, here="cases")


@require_GET
def case_file(request: HttpRequest, cid: str, kind: str) -> HttpResponse:
    """The case as Markdown, HTML or JSON, each escaped for what reads it."""
    found = queries.case_for(request.user, cid)
    told = queries.told(request.user, found)
    name = exports.file_name("case", found.public_id)
    with timezone.override(zone_of(request)):
        if kind == "md":
            return exports.attachment(
                as_markdown(told), f"{name}.md", "text/markdown; charset=utf-8"
            )
        if kind == "html":
            text = render_to_string("cases/file.html", {"told": told, "case": found})
            return exports.attachment(text, f"{name}.html", "text/html; charset=utf-8")
        data = exports.indented(as_json(told))
    return exports.attachment(data, f"{name}.json", "application/json")


@require_POST
def case_bundle(request: HttpRequest, cid: str) -> HttpResponse:
    """The case with everything it rests on, to be checked offline; each export is logged."""
    found = queries.case_for(request.user, cid)
    told = queries.told(request.user, found)
    form = BundleForm(request.POST)
    since = (form.cleaned_data["since"] or 0) if form.is_valid() else 0
    try:
        data = bundle(told, since)
    except ValueError as error:
        messages.error(request, f"Not exported: {error}.")
        return redirect("case", cid)
    writing.note_export(found, request.user, [step.run for step in told.steps], data)
    return exports.attachment(data, f"case-{found.public_id}.zip", "application/zip")


@require_POST
def new_case(request: HttpRequest) -> HttpResponse:
    """Open a case, with a first step when a range or a finding came along."""
    form = CaseForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Not opened: a case needs a title.")
        return redirect("cases")
    shown = _first_range(request)
    if isinstance(shown, str):
        messages.error(request, f"Not opened: {shown}")
        return redirect("cases")
    opened = writing.open_case(request.user, form.cleaned_data["title"])
    if shown is not None:
        writing.add_step(opened, request.user, shown, request.POST.get("text", ""))
    messages.success(request, f"Case {opened.public_id} is open.")
    return redirect("case", opened.public_id)


def _first_range(request: HttpRequest) -> Range | str | None:
    """What the case begins with: a finding, a range, nothing, or why the range cannot be read."""
    finding = request.POST.get("finding", "")
    if finding.isascii() and finding.isdigit():
        seen = access.runs_for(request.user)
        row = FindingRow.objects.filter(pk=int(finding), run__in=seen).select_related("run").first()
        if row is not None:
            return Range(row.run, code=row.code, subject=row.subject)
    text = request.POST.get("range", "").strip()
    if not text:
        return None
    try:
        return queries.read_range(request.user, text)
    except ValueError as error:
        return str(error)


@require_POST
def add_step(request: HttpRequest, cid: str) -> HttpResponse:
    found: Case = queries.case_for(request.user, cid)
    form = StepForm(request.POST)
    if not form.is_valid() and "range" in form.errors:
        messages.error(request, "Not added: paste a link to a run, or type run and numbers.")
        return redirect("case", cid)
    try:
        shown = queries.read_range(request.user, form.cleaned_data["range"])
    except ValueError as error:
        messages.error(request, f"Not added: {error}")
        return redirect("case", cid)
    writing.add_step(found, request.user, shown, form.cleaned_data.get("text", ""))
    messages.success(request, "Step added.")
    return redirect("case", cid)


@require_POST
def close_case(request: HttpRequest, cid: str) -> HttpResponse:
    found = queries.case_for(request.user, cid)
    writing.close_case(found, request.user)
    messages.success(request, "Case closed. It stays readable.")
    return redirect("case", cid)
