"""`Idempotency-Key`: the first answer for a key is the answer for that key.

What is refused stores nothing, so a key is free again after an error. The same key with another
body is 409: it names another request.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from django.db import IntegrityError, transaction
from django.http import HttpRequest
from ninja.responses import Status

from dashboard.api.problems import ApiProblem
from dashboard.models import IdempotentAnswer, Token

Answer = tuple[int, dict[str, Any]]
KEY_PARAMETER = {
    "parameters": [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "schema": {"type": "string", "maxLength": 255},
            "description": "the same key and body: the same answer; another body: 409",
        }
    ]
}


def once(request: HttpRequest, token: Token, work: Callable[[], Answer]) -> Status:
    """The answer of `work`, which runs in one transaction with the note that it ran."""
    return once_for(token, request.headers.get("Idempotency-Key", ""), request, request.body, work)


def once_for(
    token: Token, key: str, request: HttpRequest, body: bytes, work: Callable[[], Answer]
) -> Status:
    """`once` for a view that has read the body itself. Without a key the work is just done."""
    if not key:
        return Status(*work())
    if len(key) > 255 or not key.isprintable():
        raise ApiProblem(400, "idempotency_key", "between 1 and 255 characters that can be shown")
    name = hashlib.sha256(f"{request.method} {request.path}\n".encode() + body).hexdigest()
    return Status(*(_earlier(token, key, name) or _first(token, key, name, work)))


def _first(token: Token, key: str, name: str, work: Callable[[], Answer]) -> Answer:
    try:
        with transaction.atomic():
            status, body = work()
            IdempotentAnswer.objects.create(
                token=token, key=key, request_sha256=name, status=status, body=body
            )
    except IntegrityError:
        # A twin was first; its answer stands, and what was done here is undone.
        earlier = _earlier(token, key, name)
        if earlier is None:
            raise
        return earlier
    return status, body


def _earlier(token: Token, key: str, name: str) -> Answer | None:
    found = IdempotentAnswer.objects.filter(token=token, key=key).first()
    if found is None:
        return None
    if found.request_sha256 != name:
        text = "this key was used for another request"
        raise ApiProblem(
            409,
            "idempotency_key",
            text,
            sent_sha256=name,
            stored_sha256=found.request_sha256,
        )
    return found.status, found.body
