"""Keys of machines: 256 random bits, shown once; the database holds the SHA-256."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from dashboard.models import Scope, Source, Token

MARK = "jg_"
ALLOWS: dict[str, frozenset[str]] = {
    Scope.INGEST: frozenset({"ingest"}),
    Scope.PROPOSE: frozenset({"ingest", "propose"}),
    Scope.READ: frozenset({"read"}),
}


def issue(source: Source, name: str, scope: str, by: User | None = None) -> tuple[Token, str]:
    """A new token and its secret. The secret is not kept and cannot be shown again."""
    secret = MARK + secrets.token_urlsafe(32)
    token = Token.objects.create(
        source=source,
        name=name,
        scope=Scope(scope),
        prefix=secret[:10],
        digest=_digest(secret),
        created_by=by,
    )
    return token, secret


def token_for(secret: str) -> Token | None:
    """The token with this secret, unless it was revoked. Found by hash, so time tells nothing."""
    token = (
        Token.objects.filter(digest=_digest(secret), revoked_at=None)
        .select_related("source", "created_by")
        .first()
    )
    if token is not None:
        _note_use(token)
    return token


def revoke(token: Token) -> None:
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def allows(token: Token, right: str) -> bool:
    return right in ALLOWS[token.scope]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def _note_use(token: Token) -> None:
    # Once a minute is enough to see an unused token, and spares a write a request.
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > timedelta(minutes=1):
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
