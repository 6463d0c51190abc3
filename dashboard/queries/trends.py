"""Numbers of the small charts, each a `Trend` by name. Asked for after the page, one by one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from statistics import median, quantiles

from django.db.models import CharField, Count, F, Func, Q
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from dashboard.models import Decision, EditRow, EffectRow, FindingRow, Job
from dashboard.queries.drawn import Trend
from dashboard.queries.scope import RANGE_NAMES, Scope

STEPS = {"24h": timedelta(hours=1), "7d": timedelta(hours=6), "30d": timedelta(days=1)}
DAYS = 14
MOST = 20_000
NOTHING = "Nothing of this kind happened in this time."


class Steps:
    """Equal steps up to now, and the step in which an instant lies."""

    def __init__(self, until: datetime, step: timedelta, count: int) -> None:
        self.step = step
        self.count = count
        self.start = until - step * count
        self.short = step < timedelta(hours=6)

    def at(self, instant: datetime) -> int | None:
        place = int((instant - self.start) / self.step)
        return place if 0 <= place < self.count else None

    def names(self) -> list[str]:
        form = "%H:00" if self.short else "%d %b"
        places = (self.start + self.step * (n + 1) for n in range(self.count))
        return [timezone.localtime(place).strftime(form) for place in places]


def _steps(found: Scope) -> Steps:
    step = STEPS[found.range]
    return Steps(found.until, step, int((found.until - found.since) / step))


def _days(found: Scope) -> Steps:
    return Steps(found.until, timedelta(days=1), DAYS)


def _chosen(found: Scope, prefix: str = "run__source__in") -> Q:
    return Q(**{prefix: [source.pk for source in found.chosen]})


def _hour(field: str) -> Func:
    """`2026-11-30 19` of an instant: both databases write an instant as text this way."""
    return Substr(Cast(F(field), CharField()), 1, 13)


def _instant(hour: str) -> datetime:
    return datetime.strptime(f"{hour}:30+0000", "%Y-%m-%d %H:%M%z")


def summaries(found: Scope) -> Trend:
    """Summaries by what a rollback of them would be."""
    steps = _steps(found)
    rows = EditRow.objects.filter(_chosen(found), op="summarize", at__gte=found.since)
    grouped = (
        rows.annotate(hour=_hour("at")).values_list("hour", "soundness").annotate(n=Count("pk"))
    )
    series: dict[str, list[float | None]] = {
        name: [0.0] * steps.count for name in ("clean", "unknown", "unsound")
    }
    total = 0
    for hour, soundness, n in grouped:
        place = steps.at(_instant(hour))
        if place is not None:
            name = soundness if soundness in {"unknown", "unsound"} else "clean"
            series[name][place] = (series[name][place] or 0) + n
            total += n
    return Trend(
        steps=steps.names(), series=series, now=f"{total:,}", empty="" if total else NOTHING
    )


def dropped(found: Scope) -> Trend:
    """Share of summaries that dropped a gating fact, in per cent."""
    steps = _steps(found)
    rows = EditRow.objects.filter(_chosen(found), op="summarize", at__gte=found.since)
    lost = Count("pk", filter=Q(dropped__gt=0))
    grouped = rows.annotate(hour=_hour("at")).values_list("hour").annotate(n=Count("pk"), d=lost)
    made, without = [0] * steps.count, [0] * steps.count
    for hour, n, d in grouped:
        place = steps.at(_instant(hour))
        if place is not None:
            made[place] += n
            without[place] += d
    share: list[float | None] = [
        100 * d / n if n else None for d, n in zip(without, made, strict=True)
    ]
    overall = f"{100 * sum(without) / sum(made):.1f}%" if sum(made) else ""
    empty = "" if sum(made) else NOTHING
    return Trend(steps=steps.names(), series={"share": share}, now=overall, empty=empty)


def irreversible(found: Scope) -> Trend:
    """Irreversible effects under a summary, a day."""
    steps = _days(found)
    rows = EffectRow.objects.filter(_chosen(found), danger=True, at__gte=steps.start)
    grouped = rows.annotate(hour=_hour("at")).values_list("hour").annotate(n=Count("pk"))
    counts: list[float | None] = [0.0] * steps.count
    for hour, n in grouped:
        place = steps.at(_instant(hour))
        if place is not None:
            counts[place] = (counts[place] or 0) + n
    total = int(sum(count or 0 for count in counts))
    return Trend(
        steps=steps.names(),
        series={"effects": counts},
        now=f"{total:,} in {DAYS} days",
        empty="" if total else "None in the last 14 days.",
    )


def deciding(found: Scope) -> Trend:
    """Minutes from question to answer, a day. Of all people together: it ranks nobody."""
    steps = _days(found)
    rows = Decision.objects.filter(
        _chosen(found, "gate__run__source__in"), decided_at__gte=steps.start
    ).values_list("gate__created_at", "decided_at")
    spans = [(end, (end - start).total_seconds() / 60) for start, end in rows[:MOST]]
    p50, p95 = _by_step(steps, spans)
    known = [minutes for _, minutes in spans]
    return Trend(
        steps=steps.names(),
        series={"median": p50, "95th percentile": p95},
        now=f"{median(known):.0f} median" if known else "",
        empty="" if known else "No gate was decided in the last 14 days.",
    )


def lag(found: Scope) -> Trend:
    """Seconds from received to judged."""
    steps = _steps(found)
    rows = Job.objects.filter(
        _chosen(found), state=Job.State.DONE, finished_at__gte=found.since
    ).values_list("created_at", "finished_at")
    spans = [(end, (end - start).total_seconds()) for start, end in rows.order_by("-pk")[:MOST]]
    p50, _ = _by_step(steps, spans)
    highest: list[float | None] = [None] * steps.count
    for end, seconds in spans:
        place = steps.at(end)
        if place is not None:
            highest[place] = max(highest[place] or 0, seconds)
    latest = next((value for value in reversed(p50) if value is not None), None)
    return Trend(
        steps=steps.names(),
        series={"median": p50, "highest": highest},
        now=f"{latest:.1f} s now" if latest is not None else "",
        empty="" if spans else "Nothing was judged in this time.",
    )


def _by_step(
    steps: Steps, spans: Iterable[tuple[datetime, float]]
) -> tuple[list[float | None], list[float | None]]:
    at: dict[int, list[float]] = defaultdict(list)
    for end, value in spans:
        place = steps.at(end)
        if place is not None:
            at[place].append(value)
    p50 = [median(at[n]) if n in at else None for n in range(steps.count)]
    p95 = [_p95(at[n]) if n in at else None for n in range(steps.count)]
    return p50, p95


def _p95(values: list[float]) -> float:
    return quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


RULE_WORDS = {
    "JG101": "rollback unsound",
    "JG103": "write not let through",
    "JG104": "proposal held back",
    "JG105": "applied all the same",
    "JG109": "edit overlaps a write",
    "JG201": "no recovery record",
    "JG303": "swap with open edits",
    "JG304": "rollback halted",
}


def refusals(found: Scope) -> Trend:
    """Findings that say no, by rule."""
    rows = FindingRow.objects.filter(
        _chosen(found), code__in=RULE_WORDS, first_seen_at__gte=found.since
    ).exclude(severity="info")
    counted = rows.values_list("code").annotate(n=Count("pk")).order_by("-n", "code")[:5]
    found_rows = list(counted)
    return Trend(
        steps=[f"{code}  {RULE_WORDS[code]}" for code, _ in found_rows],
        series={"findings": [float(n) for _, n in found_rows]},
        now=f"{sum(n for _, n in found_rows):,}",
        empty="" if found_rows else NOTHING,
    )


LINES = (("l-1", "median"), ("l-2", "95th percentile"))
KEYS: dict[str, tuple[tuple[str, str], ...]] = {
    "summaries": (("s-0", "clean"), ("s-4", "unknown"), ("s-3", "unsound")),
    "deciding": LINES,
    "lag": (("l-1", "median"), ("l-2", "highest")),
}
"""What the colours and dashes of a chart mean: (class of the sample, word)."""

TRENDS: dict[str, tuple[str, str, Callable[[Scope], Trend]]] = {
    "summaries": ("Summaries", "by what undoing them would be", summaries),
    "dropped": ("Dropped a gating fact", "share of summaries", dropped),
    "irreversible": ("Irreversible under a summary", "effects a day, last 14 days", irreversible),
    "deciding": ("Minutes to decide a gate", "median and 95th percentile, 14 days", deciding),
    "refusals": ("Held back or broken, by rule", "findings", refusals),
    "lag": ("Seconds from received to judged", "median and highest", lag),
}


def range_words(found: Scope) -> str:
    return f"last {RANGE_NAMES[found.range]}"
