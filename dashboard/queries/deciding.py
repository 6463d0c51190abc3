"""How gates are decided, by all people together: it ranks nobody, and names nobody."""

from __future__ import annotations

from datetime import datetime, timedelta
from statistics import median, quantiles

from msgspec import Struct

from dashboard.models import Decision, Entry, Gate
from dashboard.queries.scope import Scope

MOST = 5_000
QUICK_S = 5


class Deciding(Struct, frozen=True):
    """Decisions of the range. Times run from the claim, or from the question without one.

    `quick`: answered in less than five seconds, which is no time to read what is at stake.
    `unanswered`: gates that ended as a no because nobody answered.
    """

    count: int
    approved: int
    quick: int
    unanswered: int
    median: timedelta | None
    p95: timedelta | None

    @property
    def approved_share(self) -> float | None:
        return 100 * self.approved / self.count if self.count else None


def deciding(found: Scope) -> Deciding:
    """Three questions, however many decisions; beyond the latest 5,000 they are not counted."""
    sources = [source.pk for source in found.chosen]
    rows = Decision.objects.filter(
        gate__run__source__in=sources, decided_at__gte=found.since, decided_at__lte=found.until
    ).order_by("-decided_at")
    fields = ("gate__public_id", "gate__created_at", "decided_at", "answer")
    decided = list(rows.values_list(*fields)[:MOST])
    claims = _claims(found, sources) if decided else {}
    seconds = [
        (at - _begun(asked, at, claims.get(gate, []))).total_seconds()
        for gate, asked, at, _ in decided
    ]
    expired = Gate.objects.filter(
        run__source__in=sources, state=Gate.State.EXPIRED, closed_at__gte=found.since
    )
    return Deciding(
        count=len(decided),
        approved=sum(answer == Decision.Answer.APPROVED for *_, answer in decided),
        quick=sum(taken < QUICK_S for taken in seconds),
        unanswered=expired.count(),
        median=timedelta(seconds=median(seconds)) if seconds else None,
        p95=timedelta(seconds=_p95(seconds)) if seconds else None,
    )


def _begun(asked: datetime, answered: datetime, claims: list[datetime]) -> datetime:
    return max([asked, *(claim for claim in claims if claim <= answered)])


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def _claims(found: Scope, sources: list[int]) -> dict[str, list[datetime]]:
    rows = Entry.objects.filter(
        kind="gate.claimed", run__source__in=sources, at__gte=found.since
    ).order_by("-seq")
    out: dict[str, list[datetime]] = {}
    for gate, at in rows.values_list("body__gate", "at")[:MOST]:
        out.setdefault(gate, []).append(at)
    return out
