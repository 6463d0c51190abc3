"""An import as it is told back: each file, and each line that is no event of its own."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Sum
from msgspec import Struct

from dashboard import access, words
from dashboard.models import File, Job, LineRow, Run, SkipCount, Verdict
from dashboard.queries.lights import Light, lights
from dashboard.queries.redaction import secrets_in
from dashboard.queries.runs import worst
from dashboard.words import Sign

MOST_LINES = 200
BUSY = (Job.State.PENDING, Job.State.LEASED)


class FileLine(Struct, frozen=True):
    """A file of the latest import: what was taken, and what became of it since."""

    name: str
    answer: str
    reason: str
    size_bytes: int
    run: Run | None
    adapter: str
    events: int | None
    skips: int
    errors: int
    sign: Sign


class Outcome(Struct, frozen=True):
    """A kind of line of one run, or one line that was quarantined or refused."""

    run: Run
    file: str
    line: int
    sign: Sign
    count: int
    what: str
    means: str
    code: str
    kept: str


class Imported(Struct, frozen=True):
    files: list[FileLine]
    outcomes: list[Outcome]
    refused: list[Any]
    busy: int
    done: int
    events: int
    skips: int
    quarantined: int
    secrets: int
    says: list[tuple[Run, Sign, Light]]


def imported(user: User, taken: list[dict[str, Any]]) -> Imported:
    """What became of the files of an import; `taken` is what the session kept of it."""
    names = {row["run"] for row in taken if row["run"]}
    runs = {run.public_id: run for run in access.runs_for(user).filter(public_id__in=names)}
    keys = [run.pk for run in runs.values()]
    verdicts = _verdicts(keys)
    jobs = dict(Job.objects.filter(run__in=keys).order_by("pk").values_list("run", "state"))
    lines = list(LineRow.objects.filter(run__in=keys).order_by("run", "file", "line")[:MOST_LINES])
    skips = list(SkipCount.objects.filter(run__in=keys).order_by("-count", "name")[:MOST_LINES])
    adapters = dict(File.objects.filter(run__in=keys, current=True).values_list("run", "adapter"))
    files = [
        _file(row, runs.get(row["run"]), verdicts, jobs, adapters, lines, skips) for row in taken
    ]
    by_key = {run.pk: run for run in runs.values()}
    busy = sum(state in BUSY for state in jobs.values())
    return Imported(
        files=files,
        outcomes=_outcomes(by_key, lines, skips),
        refused=[row for row in files if row.answer == "refused"],
        busy=busy,
        done=len(runs) - busy,
        events=sum(verdict.events for verdict in verdicts.values()),
        skips=sum(row.count for row in skips),
        quarantined=sum(row.answer == "quarantined" for row in lines),
        secrets=secrets_in(keys).total(),
        says=[
            (run, worst(verdicts[run.pk])[1], _worst_light(run, verdicts[run.pk]))
            for run in list(runs.values())[:8]
            if run.pk in verdicts
        ],
    )


def _verdicts(keys: list[int]) -> dict[int, Verdict]:
    rows = Verdict.objects.filter(run__in=keys, current=True).defer("report", "changes")
    return {row.run_id: row for row in rows}


def _worst_light(run: Run, verdict: Verdict) -> Light:
    name = worst(verdict)[0]
    return next(light for light in lights(run, verdict) if light.key == name)


def _file(
    row: dict[str, Any],
    run: Run | None,
    verdicts: dict[int, Verdict],
    jobs: dict[int, str],
    adapters: dict[int, str],
    lines: list[LineRow],
    skips: list[SkipCount],
) -> FileLine:
    verdict = verdicts.get(run.pk) if run else None
    state = jobs.get(run.pk, "") if run else ""
    mine = [line for line in lines if run and line.run_id == run.pk]
    return FileLine(
        name=row["file"],
        answer=row["answer"],
        reason=row["reason"],
        size_bytes=row["size_bytes"],
        run=run,
        adapter=adapters.get(run.pk, "") if run else "",
        events=verdict.events if verdict and state not in BUSY else None,
        skips=sum(skip.count for skip in skips if run and skip.run_id == run.pk),
        errors=sum(line.answer == "refused" for line in mine),
        sign=_sign(row["answer"], state, mine),
    )


def _sign(answer: str, state: str, lines: list[LineRow]) -> Sign:
    if answer == "refused":
        return Sign("danger", "dropped", "refused")
    if state in BUSY:
        return words.sign("job", state)
    if state == Job.State.QUARANTINED:
        return Sign("danger", "danger", "not judged")
    refused = next((line for line in lines if line.answer == "refused"), None)
    if refused is not None:
        return Sign("danger", "danger", f"refused, line {refused.line:,}")
    torn = sum(line.answer == "quarantined" for line in lines)
    if torn:
        return Sign("warn", "warn", f"read, {torn} quarantined")
    if answer == "here already":
        return Sign("unknown", "copy", "here already")
    return Sign("ok", "ok", "read")


def _outcomes(runs: dict[int, Run], lines: list[LineRow], skips: list[SkipCount]) -> list[Outcome]:
    first: dict[tuple[int, str], LineRow] = {}
    named: dict[int, list[Outcome]] = defaultdict(list)
    for skip in skips:
        named[skip.run_id].append(
            Outcome(
                run=runs[skip.run_id],
                file=skip.file,
                line=first[skip.run_id, skip.name].line if (skip.run_id, skip.name) in first else 0,
                sign=words.sign("line", "accepted-named-skip"),
                count=skip.count,
                what=skip.name,
                means="kind without a meaning here; kept and counted, changes no verdict",
                code="JG404",
                kept="",
            )
        )
    for line in lines:
        if line.answer not in {"quarantined", "refused"}:
            continue
        torn = line.answer == "quarantined"
        named[line.run_id].append(
            Outcome(
                run=runs[line.run_id],
                file=line.file,
                line=line.line,
                sign=words.sign("line", line.answer),
                count=1,
                what=line.reason,
                means="kept as bytes, not judged; import the file again when the session has ended"
                if torn
                else "the line is no event; the writer must mend it, then drop the file again",
                code="JG403" if torn else "",
                kept=line.kept,
            )
        )
    return [row for rows in named.values() for row in rows]


def recent(user: User) -> list[Run]:
    """Runs that came last, for a page without an import of its own."""
    return list(access.runs_for(user).order_by("-last_received_at")[:8])


def total_received(user: User) -> int:
    found = access.runs_for(user).aggregate(total=Sum("received_bytes"))
    return found["total"] or 0
