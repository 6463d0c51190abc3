"""OTLP over HTTP: `/v1/traces` and `/v1/logs`, JSON or protobuf, as any exporter sends them.

Bytes are stored before anything is judged: each conversation's part of a body is appended, once, to
a file of its run. Answers are those of the OTLP specification 1.x: what was not taken is told as
partial success; a refusal is a `google.rpc.Status` in the encoding of the request.
"""

from __future__ import annotations

from typing import Any

import msgspec
from django.db import OperationalError, transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from google.protobuf import json_format  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from dashboard import ingest, limits, recording
from dashboard.api import auth
from dashboard.api.problems import RETRY_S, ApiProblem
from dashboard.limits import Refusal
from dashboard.models import Run, Token
from dashboard.receiving import Refused
from guard.adapters.otlp_parts import Kind, Parts, parts

JSON, PROTOBUF = "application/json", "application/x-protobuf"
NOT_OF_AGENTS = "of no agent: no conversation and no gen_ai, llm or openinference attribute"
UNAUTHENTICATED = ApiProblem(401, "token", "send Authorization: Bearer and a token that is valid")


@csrf_exempt
@require_POST
def traces(request: HttpRequest) -> HttpResponse:
    """Spans of agents become runs."""
    return _answered(request, "traces")


@csrf_exempt
@require_POST
def logs(request: HttpRequest) -> HttpResponse:
    """Log records of agents become runs."""
    return _answered(request, "logs")


def _answered(request: HttpRequest, kind: Kind) -> HttpResponse:
    media = (request.content_type or "").lower()
    if media not in {JSON, PROTOBUF}:
        return _refusal(JSON, 415, f"{JSON} or {PROTOBUF}")
    try:
        left_out, why = _taken(request, kind, is_json=media == JSON)
    except (ApiProblem, Refusal) as problem:
        return _refusal(media, problem.status, str(getattr(problem, "detail", problem)))
    except ValueError as error:
        return _refusal(media, 400, str(error))
    except OperationalError:
        return _refusal(media, 503, "the database is away or busy; nothing was stored")
    return _success(media, kind, left_out, why)


def _taken(request: HttpRequest, kind: Kind, *, is_json: bool) -> tuple[int, str]:
    """How many signals were not taken, and why."""
    token = _token(request)
    auth.count_batch(token)
    body = limits.body_of(
        request,
        request.headers.get("Content-Length"),
        request.headers.get("Content-Encoding", ""),
    )
    cut = parts(body, kind, is_json=is_json)
    refused = _stored(token, kind, cut)
    reasons = [*refused.values(), *([NOT_OF_AGENTS] if cut.left_out else [])]
    signals = sum(cut.counts[key] for key in refused)
    return cut.left_out + signals, "; ".join(dict.fromkeys(reasons))


def _token(request: HttpRequest) -> Token:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    token = None
    if scheme.lower() == "bearer":
        token = auth.may_ingest.authenticate(request, secret.strip())
    if token is None:
        raise UNAUTHENTICATED
    return token


@transaction.atomic
def _stored(token: Token, kind: Kind, cut: Parts) -> dict[str, str]:
    """Append every part to its run, all or none; the parts that no run can take, with reasons."""
    refused = {}
    for key, line in cut.lines.items():
        known = Run.objects.filter(source=token.source, external_id=key).first()
        if known is not None and recording.is_live(known):
            refused[key] = f"run {known.public_id} is recorded event by event"
            continue
        try:
            ingest.append(
                token.source, key, f"{kind}.ndjson", line, actor=str(token), owner=token.created_by
            )
        except Refused as error:
            refused[key] = error.reason
    return refused


def _success(media: str, kind: Kind, left_out: int, why: str) -> HttpResponse:
    answer: Any = ExportTraceServiceResponse() if kind == "traces" else ExportLogsServiceResponse()
    if left_out:
        count = "rejected_spans" if kind == "traces" else "rejected_log_records"
        setattr(answer.partial_success, count, left_out)
        answer.partial_success.error_message = why
    if media == JSON:
        return HttpResponse(json_format.MessageToJson(answer), content_type=JSON)
    return HttpResponse(answer.SerializeToString(), content_type=PROTOBUF)


def _refusal(media: str, status: int, text: str) -> HttpResponse:
    """A `google.rpc.Status` with its message, which is field 2."""
    body = msgspec.json.encode({"message": text}) if media == JSON else _field_2(text.encode())
    answer = HttpResponse(body, status=status, content_type=media)
    if status in {429, 503}:
        answer.headers["Retry-After"] = str(RETRY_S)
    if status == 401:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="journal-guard"'
    return answer


def _field_2(data: bytes) -> bytes:
    size, length = len(data), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return b"\x12" + bytes([*length, size]) + data
