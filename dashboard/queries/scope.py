"""The filter of the team page: which runs are meant. It always stands in the address."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q, QuerySet
from django.http import HttpRequest
from msgspec import Struct

from dashboard import access
from dashboard.clock import now
from dashboard.models import Run, Source

RANGES = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
RANGE_NAMES = {"24h": "24 h", "7d": "7 d", "30d": "30 d"}


class Scope(Struct, frozen=True):
    """Sources, team, runtime and time of what is looked at, and the words to choose from."""

    source: str
    team: str
    runtime: str
    range: str
    since: datetime
    until: datetime
    sources: list[Source]
    chosen: list[Source]

    @property
    def teams(self) -> list[str]:
        return sorted({source.team for source in self.sources if source.team})

    @property
    def runtimes(self) -> list[str]:
        return sorted({source.runtime for source in self.sources if source.runtime})

    @property
    def narrowed(self) -> bool:
        return bool(self.source or self.team or self.runtime)

    @property
    def query(self) -> str:
        parts = (("source", self.source), ("team", self.team), ("runtime", self.runtime))
        return "&".join(f"{name}={value}" for name, value in (*parts, ("range", self.range)))


def scope(request: HttpRequest, default: str = "24h") -> Scope:
    """Read the filter; names that are not among what the reader may see choose nothing."""
    sources = list(access.sources_for(request.user).order_by("slug"))
    asked = {name: request.GET.get(name, "") for name in ("source", "team", "runtime")}
    wanted = request.GET.get("range", default)
    span = wanted if wanted in RANGES else default
    until = now()
    chosen = [
        source
        for source in sources
        if asked["source"] in {"", source.slug}
        and asked["team"] in {"", source.team}
        and asked["runtime"] in {"", source.runtime}
    ]
    return Scope(
        **asked,
        range=span,
        since=until - RANGES[span],
        until=until,
        sources=sources,
        chosen=chosen,
    )


def runs_in(found: Scope) -> QuerySet[Run]:
    """Runs of the chosen sources that moved in the range."""
    return Run.objects.filter(in_scope(found))


def in_scope(found: Scope, prefix: str = "") -> Q:
    """The same as a condition, for rows that have a run: `in_scope(scope, "run__")`."""
    condition = Q(**{f"{prefix}last_received_at__gte": found.since})
    if found.narrowed:
        return condition & Q(**{f"{prefix}source__in": [source.pk for source in found.chosen]})
    return condition & Q(**{f"{prefix}source__in": [source.pk for source in found.sources]})
