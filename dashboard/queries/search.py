"""Search by words, ids and hashes: ten of each kind, what is dangerous first, then the newest."""

from __future__ import annotations

from urllib.parse import quote

from django.contrib.auth.models import User
from django.db.models import Q
from django.urls import reverse
from msgspec import Struct

from dashboard import access, fulltext, words
from dashboard.models import Gate, Run, SearchRow
from dashboard.queries.runs import Filters, matching
from dashboard.words import Sign

EACH = 10
Kind = SearchRow.Kind


class Hit(Struct, frozen=True):
    """What was found: where it leads, what it is called, and what it says. Journal text in both."""

    href: str
    name: str
    text: str
    run: str
    sign: Sign


class Group(Struct, frozen=True):
    name: str
    hits: list[Hit]
    more: bool


def search(user: User, q: str) -> list[Group]:
    """Groups that have a hit, each of at most ten, and whether there are more."""
    seen = list(access.sources_for(user).values_list("pk", flat=True))
    # Texts of a journal are found by those who may write about it; ids and commands by all.
    noted = list(access.sources_for(user, "note").values_list("pk", flat=True))
    found = {
        "Runs": _runs(user, q, seen),
        "Gates": _gates(q, seen),
        "Edits": _hits(q, seen, Kind.EDIT),
        "Effects and commands": _hits(q, seen, Kind.EFFECT),
        "Findings": _hits(q, seen, Kind.FINDING),
        "Texts": _hits(q, noted, Kind.TEXT),
    }
    return [Group(name, hits[:EACH], len(hits) > EACH) for name, hits in found.items() if hits]


def _runs(user: User, q: str, seen: list[int]) -> list[Hit]:
    asked = Filters(
        q=q, worst="", runtime="", source="", gate="", since="", mine=False, sort="-last"
    )
    rows = SearchRow.objects.filter(kind=Kind.RUN, run__source__in=seen)
    by_words = fulltext.matching(rows, q).values_list("run", flat=True)
    known = list(matching(user, asked)[: EACH + 1])
    others = Run.objects.filter(pk__in=by_words).exclude(pk__in=[run.pk for run in known])
    return [
        Hit(
            href=reverse("run", args=[run.public_id]),
            name=run.title or run.external_id,
            text=f"{run.runtime} {run.agent}".strip(),
            run=run.public_id,
            sign=Sign("plain", "", "run"),
        )
        for run in [*known, *others.order_by("-last_received_at")[: EACH + 1 - len(known)]]
    ]


def _gates(q: str, seen: list[int]) -> list[Hit]:
    text = Q(public_id__istartswith=q) | Q(requester_agent__icontains=q) | Q(edit_id=q)
    text |= Q(digest_hash=q) | Q(digest_hash__endswith=f":{q}") | Q(shown_hash=q)
    rows = Gate.objects.filter(text, run__source__in=seen).select_related("run")
    return [
        Hit(
            href=reverse("gate", args=[gate.public_id]),
            name=gate.public_id,
            text=f"edit {gate.edit_id}, asked by {gate.requester_agent}",
            run=gate.run.public_id,
            sign=words.sign("gate", gate.state),
        )
        for gate in rows.order_by("-created_at")[: EACH + 1]
    ]


def _hits(q: str, sources: list[int], kind: str) -> list[Hit]:
    rows = SearchRow.objects.filter(kind=kind, run__source__in=sources)
    rows = fulltext.matching(rows, q).select_related("run").defer("words")
    return [_hit(row, q) for row in rows.order_by("-danger", "-pk")[: EACH + 1]]


def _hit(row: SearchRow, q: str) -> Hit:
    return Hit(
        href=_place(row),
        name=f"{row.code} {row.ref}".strip(),
        text=fulltext.excerpt(row.shown, q),
        run=row.run.public_id,
        sign=_SIGNS.get((row.kind, row.danger), Sign("plain", "", row.kind)),
    )


def _place(row: SearchRow) -> str:
    run = row.run.public_id
    if row.kind == Kind.EDIT:
        return reverse("edit", args=[run, row.ref])
    if row.kind == Kind.EFFECT:
        return f"{reverse('run', args=[run])}?pick=effect-{row.seq}#detail"
    if row.kind == Kind.FINDING:
        return f"{reverse('findings')}?run={run}&code={row.code}&state=all"
    return f"{reverse('window', args=[run])}?show={quote(row.ref, safe='')}"


_SIGNS = {
    (Kind.EFFECT, True): Sign("danger", "irrev", "irreversible, under a summary"),
    (Kind.FINDING, True): words.sign("severity", "error"),
}
