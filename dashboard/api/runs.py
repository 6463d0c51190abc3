"""Runs, their reports and their findings."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from ninja import Query, Router
from ninja.responses import Status

from dashboard import journals, recording
from dashboard.api.auth import may_ingest, may_read, run_of
from dashboard.api.idempotency import KEY_PARAMETER, once
from dashboard.api.problems import PROBLEMS, ApiProblem
from dashboard.api.schemas import FindingOut, FindingsOut, RunIn, RunOut, RunsOut
from dashboard.models import FindingRow, Run, Source, Token, Verdict
from guard.events import Header

router = Router(tags=["runs"])
PAGE = 100


@router.post(
    "/runs",
    auth=may_ingest,
    response={200: RunOut, 201: RunOut, **PROBLEMS},
    summary="Open a live run",
    openapi_extra=KEY_PARAMETER,
)
def open_run(request: HttpRequest, body: RunIn) -> Status:
    """Begin a journal that the product records: events are sent without numbers."""
    token: Token = request.auth
    owner = _owner(body.owner) if body.owner else token.created_by

    def work() -> tuple[int, dict[str, Any]]:
        header = Header(format="context-journal/1", **body.model_dump(exclude={"owner"}))
        run, made = recording.open_run(token.source, header, str(token), owner)
        run.refresh_from_db()
        return 201 if made else 200, _told(run)

    return once(request, token, work)


@router.get("/runs", auth=may_read, response={200: RunsOut, **PROBLEMS}, summary="List runs")
def list_runs(
    request: HttpRequest, cursor: int | None = Query(None, ge=1, le=1 << 62)
) -> dict[str, Any]:
    """The runs of the token's source, newest first; `cursor` is the `next_cursor` before."""
    runs = Run.objects.filter(source=_source(request)).order_by("-pk")
    if cursor is not None:
        runs = runs.filter(pk__lt=cursor)
    page = list(runs.select_related("source")[: PAGE + 1])
    more = len(page) > PAGE
    page = page[:PAGE]
    return {"runs": [_told(run) for run in page], "next_cursor": page[-1].pk if more else None}


@router.get("/runs/{run}", auth=may_read, response={200: RunOut, **PROBLEMS}, summary="One run")
def one_run(request: HttpRequest, run: str) -> dict[str, Any]:
    """A run by our id or the sender's."""
    return _told(run_of(request.auth, run))


@router.get(
    "/runs/{run}/report",
    auth=may_read,
    response={200: dict, **PROBLEMS},
    summary="The report (guard-report/1)",
)
def report(request: HttpRequest, run: str) -> HttpResponse:
    """The bytes of the latest verdict's report, as `guard judge --json` prints them."""
    verdict = _verdict(run_of(request.auth, run))
    data = journals.unpack(verdict.report)
    if not data:
        raise ApiProblem(409, "not_judged", verdict.worst)
    answer = HttpResponse(data, content_type="application/json")
    answer.headers["X-Head"] = verdict.head
    return answer


@router.get(
    "/runs/{run}/findings",
    auth=may_read,
    response={200: FindingsOut, **PROBLEMS},
    summary="Findings",
)
def findings(request: HttpRequest, run: str) -> dict[str, Any]:
    """The findings of the latest verdict, in the order of the report."""
    found = run_of(request.auth, run)
    verdict = _verdict(found)
    rows = FindingRow.objects.filter(run=found).order_by("seq", "code", "subject")
    return {
        "findings": [FindingOut.from_orm(row) for row in rows],
        "rules_version": verdict.rules_version,
        "at": verdict.at,
    }


def _source(request: HttpRequest) -> Source:
    token: Token = request.auth
    return token.source


def _owner(name: str) -> User:
    found = User.objects.filter(Q(username=name) | Q(email__iexact=name), is_active=True).first()
    if found is None:
        raise ApiProblem(422, "owner", f"owner: no account {json.dumps(name)}")
    return found


def _verdict(run: Run) -> Verdict:
    verdict = Verdict.objects.filter(run=run, current=True).first()
    if verdict is None:
        raise ApiProblem(409, "not_judged", "received, and not judged yet")
    return verdict


def _told(run: Run) -> dict[str, Any]:
    verdict = Verdict.objects.filter(run=run, current=True).only("worst", "head").first()
    at = run.last_received_at
    return {
        "run": run.public_id,
        "id": run.external_id,
        "source": run.source.slug,
        "title": run.title,
        "runtime": run.runtime,
        "received_bytes": run.received_bytes,
        "next_seq": run.last_seq + 1,
        "last_received_at": at and at.isoformat(),
        "judged": verdict is not None and verdict.head == run.head,
        "worst": verdict.worst if verdict else "",
    }
