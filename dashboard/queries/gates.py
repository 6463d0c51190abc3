"""Gates as lines of a queue: what is at stake, who asks, until when, and who may answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Case, QuerySet, Value, When
from msgspec import Struct

from dashboard import access
from dashboard.models import Decision, Gate
from dashboard.words import FACT_ORDER

SOON = timedelta(minutes=20)
LATE = timedelta(minutes=5)
SORTS = {
    "age": ("created_at",),
    "-age": ("-created_at",),
    "expires": ("expires_at",),
    "-expires": ("-expires_at",),
    "run": ("run__public_id", "created_at"),
}
STATES = ("open", "decided", "ended", "all")


class GateLine(Struct, frozen=True):
    """A gate for a reader. `marks` are (status, how many); `urgency` is late, soon or empty."""

    gate: Gate
    marks: list[tuple[str, int]]
    first_effect: dict[str, object] | None
    effects: int
    claim: str
    urgency: str
    action: str


def lines(gates: Iterable[Gate], reader: User, now: datetime) -> list[GateLine]:
    return [line(gate, reader, now) for gate in gates]


def line(gate: Gate, reader: User, now: datetime) -> GateLine:
    counted = Counter(str(fact.get("status", "")) for fact in gate.facts)
    marks = [(status, counted[status]) for status in FACT_ORDER if counted[status]]
    worst = [mark for mark in marks if mark[0] != "kept"] or marks
    open_ = gate.state == Gate.State.PENDING and gate.expires_at > now
    return GateLine(
        gate=gate,
        marks=worst,
        first_effect=gate.effects[0] if gate.effects else None,
        effects=len(gate.effects),
        claim=_claim(gate, reader, now),
        urgency=_urgency(gate.expires_at - now) if open_ else "",
        action=_action(gate, reader, now) if open_ else "View",
    )


def _urgency(left: timedelta) -> str:
    if left < LATE:
        return "late"
    return "soon" if left < SOON else ""


def holder(gate: Gate, now: datetime) -> User | None:
    """Who has claimed the gate at present."""
    if gate.claimed_by is None or gate.claim_until is None or gate.claim_until < now:
        return None
    return gate.claimed_by


def _claim(gate: Gate, reader: User, now: datetime) -> str:
    if access.same_person(reader, gate.owner):
        return "your own agent"
    person = holder(gate, now)
    if person is None:
        return "nobody"
    return "you" if person.pk == reader.pk else person.get_username()


def _action(gate: Gate, reader: User, now: datetime) -> str:
    claim = _claim(gate, reader, now)
    return {"nobody": "Claim", "you": "Decide"}.get(claim, "View")


def queue(user: User, state: str, sort: str, now: datetime) -> QuerySet[Gate]:
    """The gates of a state in an order of the allow-list; open ones oldest first by default."""
    rows = access.gates_for(user).select_related("run", "owner", "claimed_by", "decision__by")
    waits = {"state": Gate.State.PENDING, "expires_at__gt": now}
    decided = (Gate.State.APPROVED, Gate.State.REJECTED, Gate.State.CONSUMED)
    if state == "open":
        rows = rows.filter(**waits)
    elif state == "decided":
        rows = rows.filter(state__in=decided)
    elif state == "ended":
        rows = rows.exclude(**waits).exclude(state__in=decided)
    first = Case(When(state=Gate.State.PENDING, then=Value(0)), default=Value(1))
    default = ("created_at",) if state == "open" else ("-created_at",)
    return rows.order_by(first, *SORTS.get(sort, default), "pk")


def neighbours(user: User, gate: Gate, now: datetime) -> tuple[int, int, str, str]:
    """Place among the open gates, oldest first: (number, of how many, before, after)."""
    rows = queue(user, "open", "age", now)
    names = list(rows.values_list("public_id", flat=True)[:500])
    if gate.public_id not in names:
        return 0, len(names), "", names[0] if names else ""
    at = names.index(gate.public_id)
    before = names[at - 1] if at else ""
    after = names[at + 1] if at + 1 < len(names) else ""
    return at + 1, len(names), before, after


class Pace(Struct, frozen=True):
    """How the team decides: of all people together, never of one. Minutes; shares in per cent."""

    decided: int
    median_min: float | None
    p95_min: float | None
    approved_share: float | None
    hasty: int
    expired: int


HASTY = timedelta(seconds=5)
PACE_FOR = timedelta(days=14)
MOST_DECISIONS = 5_000


def pace(user: User, at: datetime) -> Pace:
    """Time to decide, share approved and decisions under five seconds in fourteen days."""
    since = at - PACE_FOR
    seen = access.sources_for(user)
    rows = Decision.objects.filter(gate__run__source__in=seen, decided_at__gte=since)
    found = list(rows.values_list("gate__created_at", "decided_at", "answer")[:MOST_DECISIONS])
    minutes = sorted((end - start).total_seconds() / 60 for start, end, _ in found)
    expired = Gate.objects.filter(
        run__source__in=seen, state=Gate.State.EXPIRED, closed_at__gte=since
    )
    approved = sum(answer == Decision.Answer.APPROVED for _, _, answer in found)
    return Pace(
        decided=len(found),
        median_min=minutes[len(minutes) // 2] if minutes else None,
        p95_min=minutes[min(len(minutes) - 1, int(len(minutes) * 0.95))] if minutes else None,
        approved_share=100 * approved / len(found) if found else None,
        hasty=sum(end - start < HASTY for start, end, _ in found),
        expired=expired.count(),
    )
