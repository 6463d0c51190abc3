"""The rules, each with a page: claim, why it matters, example, what to do; then its findings."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from dashboard import configure
from dashboard.forms import SwitchForm
from dashboard.models import RuleSwitch
from dashboard.queries import findings as found
from dashboard.queries import rules as queries
from dashboard.views.findings import listed
from dashboard.views.page import show

NOTHING = queries.RuleCount(0, 0, 0, 0, None)


@require_GET
def rules(request: HttpRequest) -> HttpResponse:
    counted = queries.counts(request.user)
    rows = [(page, counted.get(page.code, NOTHING)) for page in queries.pages()]
    groups = {
        name: [(page, count) for page, count in rows if page.group == name]
        for name in dict.fromkeys(page.group for page, _ in rows)
    }
    off = set(RuleSwitch.objects.filter(off=True).values_list("code", flat=True))
    return show(request, "rules/page.html", {"groups": groups, "off": off}, here="rules")


@require_GET
def rule(request: HttpRequest, code: str) -> HttpResponse:
    page = queries.page_of(code)
    if page is None:
        raise Http404(f"no rule {code}")
    codes = [other.code for other in queries.pages()]
    at = codes.index(code)
    ask = found.asked(request, code)
    context = {
        **listed(request, ask),
        "rule": page,
        "count": queries.counts(request.user).get(code, NOTHING),
        "previous": codes[at - 1] if at else "",
        "next": codes[at + 1] if at + 1 < len(codes) else "",
        "switch": RuleSwitch.objects.filter(code=code).select_related("by").first(),
        "may_switch": configure.may_configure_all(request.user),
        "related": [
            other for other in queries.pages() if other.group == page.group and other != page
        ],
    }
    return show(request, "rules/rule.html", context, here="rules")


@require_POST
def switch(request: HttpRequest, code: str) -> HttpResponse:
    """Switch a rule off or on, with a reason."""
    if queries.page_of(code) is None:
        raise Http404(f"no rule {code}")
    form = SwitchForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Nothing was changed: a switch needs a reason.")
        return redirect("rule", code)
    off = form.cleaned_data["off"]
    configure.switch_rule(request.user, code, form.cleaned_data["reason"], off=off)
    messages.success(request, f"{code} is switched {'off' if off else 'on'}.")
    return redirect("rule", code)
