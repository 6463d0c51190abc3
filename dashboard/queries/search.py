"""Search by id, name, tool, target, message or hash. A page of each kind, the best known first."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.urls import reverse
from msgspec import Struct

from dashboard import access, words
from dashboard.models import EditRow, EffectRow, FindingRow, Gate
from dashboard.queries.runs import Filters, matching
from dashboard.words import Sign

EACH = 10


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
    makers = (
        ("Runs", _runs),
        ("Gates", _gates),
        ("Edits", _edits),
        ("Effects", _effects),
        ("Findings", _findings),
    )
    out = []
    for name, maker in makers:
        hits = maker(user, q)
        if hits:
            out.append(Group(name, hits[:EACH], len(hits) > EACH))
    return out


def _runs(user: User, q: str) -> list[Hit]:
    asked = Filters(
        q=q, worst="", runtime="", source="", gate="", since="", mine=False, sort="-last"
    )
    return [
        Hit(
            href=reverse("run", args=[run.public_id]),
            name=run.title or run.external_id,
            text=f"{run.runtime} {run.agent}".strip(),
            run=run.public_id,
            sign=Sign("plain", "", "run"),
        )
        for run in matching(user, asked)[: EACH + 1]
    ]


def _seen(user: User) -> Any:
    return access.sources_for(user)


def _gates(user: User, q: str) -> list[Hit]:
    text = Q(public_id__istartswith=q) | Q(requester_agent__icontains=q) | Q(edit_id=q)
    text |= Q(digest_hash=q) | Q(digest_hash__endswith=f":{q}") | Q(shown_hash=q)
    rows = Gate.objects.filter(text, run__source__in=_seen(user)).select_related("run")
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


def _edits(user: User, q: str) -> list[Hit]:
    text = Q(edit_id__istartswith=q) | Q(out_hash=q) | Q(out_hash__endswith=f":{q}")
    rows = EditRow.objects.filter(text, run__source__in=_seen(user)).select_related("run")
    rows = rows.only("run", "edit_id", "op", "by", "seq", "soundness", "status", "run__public_id")
    return [
        Hit(
            href=reverse("edit", args=[row.run.public_id, row.edit_id]),
            name=row.edit_id,
            text=f"{words.OPS.get(row.op, row.op)} by {row.by} at {row.seq:,}",
            run=row.run.public_id,
            sign=words.sign("soundness", row.soundness)
            if row.soundness
            else words.sign("status", row.status),
        )
        for row in rows.order_by("-pk")[: EACH + 1]
    ]


def _effects(user: User, q: str) -> list[Hit]:
    text = Q(effect_id__istartswith=q) | Q(tool__icontains=q) | Q(target__icontains=q)
    text |= Q(summary__icontains=q)
    rows = EffectRow.objects.filter(text, run__source__in=_seen(user)).select_related("run")
    return [
        Hit(
            href=f"{reverse('run', args=[row.run.public_id])}?pick=effect-{row.seq}#detail",
            name=row.effect_id,
            text=(row.summary or f"{row.tool} {row.target}")[:300],
            run=row.run.public_id,
            sign=Sign("danger", "irrev", "irreversible, under a summary")
            if row.danger
            else words.sign("class", row.reversibility),
        )
        for row in rows.order_by("-danger", "-pk")[: EACH + 1]
    ]


def _findings(user: User, q: str) -> list[Hit]:
    text = Q(code__iexact=q) | Q(subject__istartswith=q) | Q(message__icontains=q)
    rows = FindingRow.objects.filter(text, run__source__in=_seen(user)).select_related("run")
    return [
        Hit(
            href=f"{reverse('findings')}?run={row.run.public_id}&code={row.code}&state=all",
            name=f"{row.code} {row.subject}",
            text=row.message,
            run=row.run.public_id,
            sign=words.sign("severity", row.severity),
        )
        for row in rows.order_by("severity", "-pk")[: EACH + 1]
    ]
