"""The rules, each with a page: claim, why it matters, example, what to do; then its findings."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

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
    return show(request, "rules/page.html", {"groups": groups}, here="rules")


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
        "related": [
            other for other in queries.pages() if other.group == page.group and other != page
        ],
    }
    return show(request, "rules/rule.html", context, here="rules")
