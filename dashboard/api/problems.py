"""Errors of the API: `application/problem+json` (RFC 9457) with a short code that programs read."""

from __future__ import annotations

import json
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError

from dashboard.gates import GateRefused
from dashboard.limits import Refusal
from dashboard.receiving import Conflict, Refused
from guard.errors import JournalError

RETRY_S = 2


class Problem(Schema):
    """What went wrong. `code` is stable; `detail` is for people; more members say what is where."""

    type: str
    title: str
    status: int
    code: str
    detail: str


TITLES = {
    400: "Bad request",
    401: "No valid token",
    403: "Not allowed",
    404: "Not found",
    408: "Too slow",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported packing",
    422: "Cannot be read",
    429: "Too many requests",
    503: "Not now",
}
PROBLEMS = dict.fromkeys(TITLES, Problem)


class ApiProblem(Exception):
    """Ends a request with a problem; `more` are further members of the answer."""

    def __init__(self, status: int, code: str, detail: str, **more: object) -> None:
        super().__init__(status, code, detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.more = more


def problem(status: int, code: str, detail: str, **more: Any) -> HttpResponse:
    """The answer. Members with the value None are left out."""
    body = {
        "type": f"urn:journal-guard:{code}",
        "title": TITLES[status],
        "status": status,
        "code": code,
        "detail": detail,
        **{name: value for name, value in more.items() if value is not None},
    }
    answer = HttpResponse(json.dumps(body), status=status, content_type="application/problem+json")
    if status in {429, 503}:
        answer.headers["Retry-After"] = str(more.get("retry_after_s", RETRY_S))
    if status == 401:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="journal-guard"'
    return answer


def problem_of(error: Exception) -> HttpResponse:
    """The answer to an error that a request can cause."""
    match error:
        case ApiProblem():
            return problem(error.status, error.code, error.detail, **error.more)
        case Refusal():
            return problem(error.status, error.code, error.reason)
        case Conflict():
            return problem(409, error.code, error.reason, **error.shown)
        case Refused():
            return problem(422, error.code, error.reason)
        case JournalError():
            return problem(422, "refused_line", str(error), line=error.line, reason=error.reason)
        case GateRefused():
            status = 403 if error.code in {"self", "forbidden", "reauthenticate"} else 409
            return problem(status, error.code, error.reason, **error.shown)
        case ValidationError():
            return problem(422, "invalid", _first(error), errors=_told(error))
        case AuthenticationError():
            return problem(401, "token", "send Authorization: Bearer and a token that is valid")
        case RequestDataTooBig():
            return problem(413, "too_large", "the body is over the limit of this call")
        case OperationalError():
            return problem(503, "database", "the database is away or busy; nothing was stored")
        case HttpError():
            return problem(error.status_code, "request", str(error))
        case _:
            return problem(404, "unknown", "there is no such thing for this token")


HANDLED = (
    ApiProblem,
    Refusal,
    Refused,
    JournalError,
    GateRefused,
    ValidationError,
    AuthenticationError,
    RequestDataTooBig,
    OperationalError,
    HttpError,
    Http404,
)


def install(api: NinjaAPI) -> None:
    """Answer every foreseen error with a problem; anything else is a failure of ours (500)."""
    for kind in HANDLED:
        api.add_exception_handler(kind, _handle)


def _handle(_request: HttpRequest, error: Exception) -> HttpResponse:
    return problem_of(error)


def _told(error: ValidationError) -> list[dict[str, str]]:
    return [
        {"where": ".".join(str(part) for part in row["loc"][1:]), "what": str(row["msg"])}
        for row in error.errors
    ]


def _first(error: ValidationError) -> str:
    rows = _told(error)
    return f"{rows[0]['where']}: {rows[0]['what']}" if rows else "the request cannot be read"
