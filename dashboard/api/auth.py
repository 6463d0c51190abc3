"""Who calls: a token with the right scope. People sign in on the pages; tokens decide nothing."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings
from django.http import Http404, HttpRequest
from ninja.security import HttpBearer

from dashboard import tokens
from dashboard.api.problems import ApiProblem
from dashboard.limits import Rate
from dashboard.models import Run, Token


class Bearer(HttpBearer):
    """Accepts tokens whose scope allows one of `rights`; others get 403, no token gets 401."""

    def __init__(self, *rights: str) -> None:
        super().__init__()
        self.rights = rights

    def authenticate(self, _request: HttpRequest, token: str) -> Token | None:
        found = tokens.token_for(token)
        if found is None:
            return None
        if not any(tokens.allows(found, right) for right in self.rights):
            needed = " or ".join(self.rights)
            raise ApiProblem(403, "scope", f"this token may {found.scope}; it takes {needed}")
        return found


may_ingest = Bearer("ingest")
may_propose = Bearer("propose")
may_read = Bearer("read")
may_follow = Bearer("read", "propose")


def count_batch(token: Token) -> None:
    """Raises 429 when a token sends more batches than a source can need."""
    if wait_s := _rate().wait_s(token.pk):
        text = f"more than {settings.TOKEN_BATCHES} batches in five minutes"
        raise ApiProblem(429, "rate", text, retry_after_s=wait_s)


@lru_cache(maxsize=1)
def _rate() -> Rate:
    return Rate(settings.TOKEN_BATCHES)


def run_of(token: Token, name: str) -> Run:
    """The run of the token's source with this id of ours or of the sender's; else 404."""
    runs = Run.objects.filter(source=token.source).select_related("source", "owner")
    found = runs.filter(public_id=name).first() or runs.filter(external_id=name).first()
    if found is None:
        raise Http404(f"no run {name}")
    return found
