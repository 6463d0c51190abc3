"""Rules as pages: the docstring of a rule, cut at its headings, and what it found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q
from msgspec import Struct

from dashboard.clock import now
from dashboard.queries.findings import OPEN, visible
from guard.rules import RULES
from guard.rules.rule import Rule

GROUPS = {
    "JG1": "Effects and gates",
    "JG2": "Recovery and closure",
    "JG3": "Epochs and replay",
    "JG4": "Integrity",
    "JG9": "What a source does not tell",
}
RECENT = timedelta(days=7)
_CODE = re.compile(r"`([^`]+)`")


class Section(Struct, frozen=True):
    """A heading and its paragraphs; a paragraph is pieces of (text, is it code)."""

    title: str
    paragraphs: list[list[tuple[str, bool]]]


class RulePage(Struct, frozen=True):
    """A rule as its page tells it. `varies`: its findings are not all as bad or as sure."""

    code: str
    group: str
    severity: str
    certainty: str
    varies: bool
    claim: list[tuple[str, bool]]
    sections: list[Section]


class RuleCount(Struct, frozen=True):
    """What a rule found in what the reader may see."""

    open: int
    noted: int
    runs: int
    recent: int
    last: datetime | None


def pages() -> list[RulePage]:
    """All rules, in code order."""
    return [_page(rule) for rule in RULES]


def page_of(code: str) -> RulePage | None:
    return next((page for page in pages() if page.code == code), None)


def _page(rule: Rule) -> RulePage:
    claim, *rest = re.split(r"^## +", rule.page, flags=re.MULTILINE)
    return RulePage(
        code=rule.code,
        group=GROUPS.get(rule.code[:3], "Other"),
        severity=rule.severity,
        certainty=rule.certainty,
        varies=rule.verdict is None,
        claim=pieces(" ".join(claim.split())),
        sections=[_section(part) for part in rest],
    )


def _section(text: str) -> Section:
    title, _, body = text.partition("\n")
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", body) if part.strip()]
    return Section(title.strip(), [pieces(paragraph) for paragraph in paragraphs])


def pieces(text: str) -> list[tuple[str, bool]]:
    """Text and code of a paragraph: `code` stands between backticks."""
    return list(_pieces(text))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    last = 0
    for found in _CODE.finditer(text):
        if found.start() > last:
            yield text[last : found.start()], False
        yield found[1], True
        last = found.end()
    if last < len(text):
        yield text[last:], False


def counts(user: User) -> dict[str, RuleCount]:
    """Findings by rule."""
    since = now() - RECENT
    counted = (
        visible(user)
        .values("code")
        .annotate(
            open=Count("pk", filter=OPEN),
            notes=Count("pk", filter=Q(noted=True)),
            runs=Count("run", distinct=True),
            recent=Count("pk", filter=Q(first_seen_at__gte=since)),
            last=Max("first_seen_at"),
        )
    )
    return {
        row["code"]: RuleCount(
            open=row["open"],
            noted=row["notes"],
            runs=row["runs"],
            recent=row["recent"],
            last=row["last"],
        )
        for row in counted.order_by("code")
    }
