"""The list of runs: filters and orders from an allow-list, and the counts beside each run."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, F, FilteredRelation, Q, QuerySet, Value, When
from django.http import HttpRequest
from msgspec import Struct

from dashboard import access, words
from dashboard.clock import now
from dashboard.models import EditRow, FindingRow, Gate, Job, Run, SavedView, Verdict
from dashboard.words import Sign

PER_PAGE = 25
BROKEN = ("tampered", "fork", "tail_lost")
SINCE = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
SINCE_NAMES = {"": "any time", "24h": "24 hours", "7d": "7 days", "30d": "30 days"}
WORST = {
    "": "any",
    "unsound": "unsound",
    "unknown": "unknown",
    "unsound,unknown": "unsound, unknown",
    "violated": "record missing",
    "broken": "tampered or forked",
    "gap": "with gaps",
    "sound": "sound",
    "quarantined": "not judged",
}
GATES = {"": "any", "open": "open", "expired": "expired"}
SORTS = {
    "last": ("last_received_at", "pk"),
    "worst": ("rank", "last_received_at"),
    "events": ("now__events", "pk"),
    "title": ("title", "pk"),
    "runtime": ("runtime", "pk"),
    "agent": ("agent", "pk"),
}
_CONDITIONS = {
    "unsound": Q(now__soundness="unsound"),
    "unknown": Q(now__soundness="unknown"),
    "unsound,unknown": Q(now__soundness__in=("unsound", "unknown")),
    "violated": Q(now__closure="violated"),
    "broken": Q(now__integrity__in=BROKEN),
    "gap": Q(now__integrity="gap"),
    "sound": Q(now__soundness="sound"),
}


class Filters(Struct, frozen=True):
    """What the address asks for; every value is one of an allow-list, but `q`."""

    q: str
    worst: str
    runtime: str
    source: str
    gate: str
    since: str
    mine: bool
    sort: str

    @property
    def chips(self) -> list[tuple[str, str]]:
        """Filters that are set: (name in the address, words)."""
        found = (
            ("q", f"“{self.q}”" if self.q else ""),
            ("worst", f"Worst: {WORST[self.worst]}" if self.worst else ""),
            ("runtime", f"Runtime: {self.runtime}" if self.runtime else ""),
            ("source", f"Source: {self.source}" if self.source else ""),
            ("gate", f"Gate: {GATES[self.gate]}" if self.gate else ""),
            ("since", f"Last event: {SINCE_NAMES[self.since]}" if self.since else ""),
            ("mine", "My agents" if self.mine else ""),
        )
        return [(name, text) for name, text in found if text]

    @property
    def address(self) -> str:
        """The part of the address that a saved view keeps."""
        names = ("q", "worst", "runtime", "source", "gate", "since", "sort")
        pairs = [(name, getattr(self, name)) for name in names if getattr(self, name)]
        return urlencode([*pairs, *([("mine", "1")] if self.mine else [])])


def filters(request: HttpRequest) -> Filters:
    ask = request.GET
    sort = ask.get("sort", "-last")
    return Filters(
        q=ask.get("q", "").strip()[:200],
        worst=ask.get("worst", "") if ask.get("worst", "") in WORST else "",
        runtime=ask.get("runtime", "")[:80],
        source=ask.get("source", "")[:64],
        gate=ask.get("gate", "") if ask.get("gate", "") in GATES else "",
        since=ask.get("since", "") if ask.get("since", "") in SINCE else "",
        mine=ask.get("mine") == "1",
        sort=sort if sort.removeprefix("-") in SORTS else "-last",
    )


def matching(user: User, asked: Filters) -> QuerySet[Run]:
    """Runs that the reader may see and that the filters let through, in the asked order."""
    rows = access.runs_for(user).annotate(
        now=FilteredRelation("verdicts", condition=Q(verdicts__current=True))
    )
    if asked.q:
        rows = rows.filter(_text(asked.q))
    if asked.worst == "quarantined":
        rows = rows.filter(Q(pk__in=_quarantined()))
    elif asked.worst:
        rows = rows.filter(_CONDITIONS[asked.worst])
    if asked.runtime:
        rows = rows.filter(runtime=asked.runtime)
    if asked.source:
        rows = rows.filter(source__slug=asked.source)
    if asked.since:
        rows = rows.filter(last_received_at__gte=now() - SINCE[asked.since])
    if asked.gate:
        rows = rows.filter(pk__in=_with_gate(asked.gate))
    if asked.mine:
        rows = rows.filter(Q(owner_id=user.pk) | Q(source__owner_id=user.pk))
    return _ordered(rows, asked.sort)


def _text(q: str) -> Q:
    return (
        Q(title__icontains=q)
        | Q(agent__icontains=q)
        | Q(public_id__istartswith=q)
        | Q(external_id__icontains=q)
        | Q(head__startswith=q.lower())
    )


def _quarantined() -> Any:
    return Job.objects.filter(state=Job.State.QUARANTINED).values("run")


def _with_gate(state: str) -> Any:
    if state == "open":
        rows = Gate.objects.filter(state=Gate.State.PENDING, expires_at__gt=now())
    else:
        rows = Gate.objects.filter(state=Gate.State.EXPIRED)
    return rows.values("run")


def _ordered(rows: QuerySet[Run], sort: str) -> QuerySet[Run]:
    down = sort.startswith("-")
    name = sort.removeprefix("-")
    if name == "worst":
        rows = rows.annotate(rank=_rank())
    order = [
        F(field).desc(nulls_last=True) if down else F(field).asc(nulls_last=True)
        for field in SORTS[name]
    ]
    return rows.order_by(*order)


def _rank() -> Case:
    """A sort key that names one light; it is no score and is never shown."""
    return Case(
        When(now__integrity__in=BROKEN, then=Value(9)),
        When(now__soundness="unsound", then=Value(8)),
        When(now__closure="violated", then=Value(7)),
        When(now__retention="mismatch", then=Value(6)),
        When(now__mode="halt", then=Value(5)),
        When(now__soundness="unknown", then=Value(4)),
        When(now__integrity="gap", then=Value(3)),
        When(now__mode__in=("epoch", "merge"), then=Value(2)),
        When(now__soundness="sound", then=Value(1)),
        default=Value(0),
    )


def worst(verdict: Verdict | None) -> tuple[str, Sign]:
    """The light that is worst, and its sign: what the list shows and sorts by."""
    if verdict is None:
        return "", words.sign("soundness", None)
    order = (
        ("integrity", BROKEN),
        ("soundness", ("unsound",)),
        ("closure", ("violated",)),
        ("retention", ("mismatch",)),
        ("mode", ("halt",)),
        ("soundness", ("unknown",)),
        ("integrity", ("gap",)),
        ("mode", ("epoch", "merge")),
    )
    for light, values in order:
        value = getattr(verdict, light)
        if value in values:
            return light, words.sign(light, value)
    return "soundness", words.sign("soundness", verdict.soundness)


class RunLine(Struct, frozen=True):
    run: Run
    verdict: Verdict | None
    light: str
    sign: Sign
    edits: int
    findings: int
    gates: int
    job: str


def lines(runs: list[Run]) -> list[RunLine]:
    """What stands beside each run of a page: one question for each column, not for each row."""
    keys = [run.pk for run in runs]
    verdicts = {
        row.run_id: row
        for row in Verdict.objects.filter(run__in=keys, current=True).defer("report", "changes")
    }
    edits = _counted(EditRow.objects.filter(run__in=keys))
    found = _counted(FindingRow.objects.filter(run__in=keys).exclude(severity="info"))
    gates = _counted(Gate.objects.filter(run__in=keys, state=Gate.State.PENDING))
    jobs = dict(
        Job.objects.filter(run__in=keys)
        .exclude(state=Job.State.DONE)
        .order_by("pk")
        .values_list("run", "state")
    )
    return [
        RunLine(
            run,
            verdicts.get(run.pk),
            *worst(verdicts.get(run.pk)),
            edits=edits.get(run.pk, 0),
            findings=found.get(run.pk, 0),
            gates=gates.get(run.pk, 0),
            job=jobs.get(run.pk, ""),
        )
        for run in runs
    ]


def _counted(rows: QuerySet[Any]) -> dict[int, int]:
    return dict(rows.order_by().values_list("run").annotate(n=Count("pk")))


def page(rows: QuerySet[Run], number: str) -> Page[Run]:
    return Paginator(rows, PER_PAGE).get_page(number)


VIEWS = (
    ("All runs", ""),
    ("Waits for a person", "gate=open"),
    ("Unsound or unknown, 7 days", "worst=unsound%2Cunknown&since=7d&sort=-worst"),
    ("Records missing", "worst=violated"),
    ("With gaps", "worst=gap"),
    ("Not judged", "worst=quarantined"),
    ("My agents", "mine=1"),
)


def views(user: User, asked: Filters) -> list[tuple[str, str, bool, int]]:
    """Views of everybody and the reader's own: (name, address, is here, key of a saved one)."""
    own = SavedView.objects.filter(user_id=user.pk).order_by("name")
    saved = [(view.name, view.url, view.pk) for view in own]
    here = asked.address.removesuffix("&sort=-last").removesuffix("sort=-last")
    everybody = [(name, address, 0) for name, address in VIEWS]
    return [(name, url, url == here, key) for name, url, key in [*everybody, *saved]]


def newer(user: User, asked: Filters, opened: datetime) -> int:
    """How many more runs match than when the page was opened."""
    return matching(user, asked).filter(created_at__gt=opened).count()


def runtimes(user: User) -> list[str]:
    rows = access.runs_for(user).exclude(runtime="").order_by().values_list("runtime", flat=True)
    return sorted(rows.distinct()[:100])
