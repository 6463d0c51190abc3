"""Who may see and who may decide. Every view and every call of the API starts here.

What a person may not see does not exist for them: the answer is 404, never 403.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Literal

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone

from dashboard.models import Gate, LoginFailure, Membership, Role, Run, Source

Person = User | AnonymousUser | AbstractBaseUser
Right = Literal["see", "see raw", "decide", "note", "configure"]

MAY: dict[Right, frozenset[str]] = {
    "see": frozenset(Role.values),
    "see raw": frozenset({Role.INVESTIGATOR, Role.ADMIN}),
    "decide": frozenset({Role.REVIEWER}),
    "note": frozenset({Role.REVIEWER, Role.INVESTIGATOR, Role.LEAD}),
    "configure": frozenset({Role.ADMIN}),
}
SIGNED_IN_AT = "signed_in_at"


def sources_for(user: Person, right: Right = "see") -> QuerySet[Source]:
    """The sources for which `user` has the right. A superuser sees and configures all of them."""
    if not user.is_active:
        return Source.objects.none()
    if getattr(user, "is_superuser", False) and right in {"see", "configure"}:
        return Source.objects.all()
    mine = Membership.objects.filter(user_id=user.pk, role__in=MAY[right])
    if mine.filter(source=None).exists():
        return Source.objects.all()
    return Source.objects.filter(pk__in=mine.values("source_id"))


def may(user: Person, right: Right, source: Source) -> bool:
    return sources_for(user, right).filter(pk=source.pk).exists()


def runs_for(user: Person) -> QuerySet[Run]:
    return Run.objects.filter(source__in=sources_for(user)).select_related("source")


def run_for(user: Person, public_id: str) -> Run:
    """The run, or 404: also when it exists and belongs to others."""
    run = runs_for(user).filter(public_id=public_id).first()
    if run is None:
        raise Http404(f"no run {public_id}")
    return run


def gates_for(user: Person) -> QuerySet[Gate]:
    return Gate.objects.filter(run__source__in=sources_for(user)).select_related(
        "run__source", "owner", "claimed_by"
    )


def gate_for(user: Person, public_id: str) -> Gate:
    """The gate, or 404: also when it exists and belongs to others."""
    gate = gates_for(user).filter(public_id=public_id).first()
    if gate is None:
        raise Http404(f"no gate {public_id}")
    return gate


def same_person(one: User | None, other: User | None) -> bool:
    """True for one account, and for two accounts with one e-mail address."""
    if one is None or other is None:
        return False
    email = one.email.strip().casefold()
    return one.pk == other.pk or (bool(email) and email == other.email.strip().casefold())


def is_named(user: User, text: str) -> bool:
    """True when `text` from a journal names this person: account, e-mail address or full name."""
    names = {user.get_username(), user.email, user.get_full_name()}
    return text.strip().casefold() in {name.strip().casefold() for name in names if name.strip()}


def mark_sign_in(request: HttpRequest) -> None:
    """Remember in the session when its person last proved who they are."""
    request.session[SIGNED_IN_AT] = timezone.now().timestamp()


def signed_in_at(request: HttpRequest) -> datetime | None:
    """When the person of this session signed in; None when the session does not know."""
    stamp = request.session.get(SIGNED_IN_AT)
    return datetime.fromtimestamp(stamp, UTC) if isinstance(stamp, int | float) else None


def address_of(request: HttpRequest) -> str:
    """The client's address; what a header says counts only behind our own proxies."""
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    trusted = settings.TRUSTED_PROXIES
    if trusted and len(hops) >= trusted and hops[-trusted]:
        return hops[-trusted][:64]
    return str(request.META.get("REMOTE_ADDR", ""))[:64]


def account_key(name: str) -> str:
    """What failures are counted by: the name itself may be a password typed in the wrong field."""
    return hashlib.sha256(name.strip().casefold().encode()).hexdigest()


def wait_before_sign_in(account: str, address: str) -> int:
    """Seconds until this account may try again from this address; 0 when it may now."""
    window = timedelta(minutes=settings.LOGIN_WINDOW_MINUTES)
    recent = LoginFailure.objects.filter(at__gt=timezone.now() - window)
    mine = recent.filter(account=account_key(account), address=address)
    limits = (
        (mine, settings.LOGIN_FAILURES_ACCOUNT),
        (recent.filter(address=address), settings.LOGIN_FAILURES_ADDRESS),
        (recent.filter(account=account_key(account)), settings.LOGIN_FAILURES_ADDRESS),
    )
    waits = [_wait(failures, limit, window) for failures, limit in limits]
    return max(waits)


def _wait(failures: QuerySet[LoginFailure], limit: int, window: timedelta) -> int:
    times = list(failures.order_by("-at").values_list("at", flat=True)[:limit])
    if len(times) < limit:
        return 0
    return max(1, int((times[-1] + window - timezone.now()).total_seconds()))


def count_failure(account: str, address: str) -> None:
    LoginFailure.objects.create(account=account_key(account), address=address)


def forget_failures(account: str, address: str) -> None:
    """A sign-in clears the account at this address; old failures go with it."""
    old = timezone.now() - timedelta(minutes=settings.LOGIN_WINDOW_MINUTES)
    mine = Q(account=account_key(account), address=address)
    LoginFailure.objects.filter(mine | Q(at__lt=old)).delete()
