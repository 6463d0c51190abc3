"""Bytes in. The views read the body themselves and count it; 202 means that it is stored."""

from __future__ import annotations

from typing import Any

import msgspec
from django.db import transaction
from django.http import HttpRequest
from ninja import Query, Router
from ninja.responses import Status

from dashboard import ingest, limits, recording
from dashboard.api import auth
from dashboard.api.idempotency import KEY_PARAMETER, once_for
from dashboard.api.problems import PROBLEMS
from dashboard.api.schemas import ReceiptOut, SentIn
from dashboard.models import Run, Token
from dashboard.receiving import Conflict, Receipt, Sent

router = Router(tags=["receive"])
MAX_OFFSET = 1 << 40


def _body_of(kind: str, text: str) -> dict[str, Any]:
    """The request body, which is read as a stream and so not typed by the framework."""
    content = {kind: {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "description": text, "content": content}}


@router.post(
    "/runs/{path:run}/chunks",
    auth=auth.may_ingest,
    response={202: ReceiptOut, **PROBLEMS},
    summary="Send bytes of a session file",
    openapi_extra=_body_of("application/octet-stream", "bytes; gzip or identity, once"),
)
def chunks(
    request: HttpRequest,
    run: str,
    sent: Query[SentIn],
    file: str = Query("session.jsonl", min_length=1, max_length=512),
    offset: int = Query(0, ge=0, le=MAX_OFFSET, description="bytes of the file before these"),
) -> Status:
    """Store bytes of a file of a run; `run` is the sender's id, or ours. The run is made if new.

    Same bytes at the same place: same receipt. Other bytes, or a file that was rewritten: 409 with
    both hashes and the generation that stands; the next one begins at 0 and the old one is kept.
    """
    token = _counted(request)
    data = _data(request)
    known = _known(token, run)
    if known is not None and recording.is_live(known):
        raise Conflict("is_live", f"run {known.public_id} is recorded event by event: use /events")
    receipt = ingest.receive(
        token.source,
        known.external_id if known else run,
        file,
        offset,
        data,
        actor=str(token),
        owner=token.created_by,
        sent=Sent(**sent.dict()),
    )
    return Status(202, _told(receipt))


@router.post(
    "/runs/{run}/events",
    auth=auth.may_ingest,
    response={202: ReceiptOut, **PROBLEMS},
    summary="Append native events",
    openapi_extra=_body_of("application/x-ndjson", "lines of context-journal/1; `seq` may lack")
    | KEY_PARAMETER,
)
def events(request: HttpRequest, run: str) -> Status:
    """Append a batch to a live run: all of it, or 422 with the line number and the reason.

    Events without `seq` are numbered in the order of arrival; send an `Idempotency-Key` with them,
    so that a retry is not a second batch.
    """
    token = _counted(request)
    data = _data(request)

    @transaction.atomic
    def work() -> tuple[int, dict[str, Any]]:
        found = _known(token, run) or ingest.new_run(token.source, run, token.created_by)
        recorded = recording.append(found, data, str(token))
        numbers = {"first_seq": recorded.first_seq, "last_seq": recorded.last_seq}
        return 202, {**_told(recorded.receipt), **numbers}

    return once_for(token, request.headers.get("Idempotency-Key", ""), request, data, work)


def _counted(request: HttpRequest) -> Token:
    token: Token = request.auth
    auth.count_batch(token)
    return token


def _data(request: HttpRequest) -> bytes:
    return limits.body_of(
        request,
        request.headers.get("Content-Length"),
        request.headers.get("Content-Encoding", ""),
    )


def _known(token: Token, name: str) -> Run | None:
    runs = Run.objects.filter(source=token.source)
    return runs.filter(public_id=name).first() or runs.filter(external_id=name).first()


def _told(receipt: Receipt) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(receipt)
    return {**told, "job": told.pop("job_id")}
