"""Targets: set by administrators, each change an entry of the ledger."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet

from dashboard import access, clock, configure, ledger
from dashboard.models import Attempt, Delivery, Source, Target
from dashboard.notifications import messages, outbox, posting

MOST_MAILS = 20


def targets_for(user: User) -> QuerySet[Target]:
    """The targets that a person may change, newest first."""
    mine = Q(source__in=access.sources_for(user, "configure"))
    if configure.may_configure_all(user):
        mine |= Q(source=None)
    rows = Target.objects.filter(mine, removed_at=None)
    return rows.select_related("source", "created_by").order_by("-pk")


def log_for(user: User) -> QuerySet[Attempt]:
    """Every attempt to a target that a person may change, or that was removed, newest first."""
    mine = Q(delivery__target__source__in=access.sources_for(user, "configure"))
    if configure.may_configure_all(user):
        mine |= Q(delivery__target__source=None)
    rows = Attempt.objects.filter(mine).select_related("delivery__notice", "delivery__target")
    return rows.order_by("-pk")


def waiting_for(user: User) -> QuerySet[Delivery]:
    """What has not been tried or is tried again, soonest first."""
    rows = Delivery.objects.filter(
        target__in=targets_for(user).values("pk"), state=Delivery.State.WAITING
    )
    return rows.select_related("notice", "target__source").order_by("next_at")


@transaction.atomic
def add(by: User, kind: str, address: str, source: Source | None, team: str = "") -> Target:
    """A new target. Raises `ValidationError` for an address that must not be called."""
    _must(by, source)
    target = Target.objects.create(
        kind=kind,
        source=source,
        team="" if source else team,
        address=usable(kind, address.strip()),
        created_by=by,
        created_at=clock.now(),
    )
    _tell("settings.target", by, target)
    return target


@transaction.atomic
def remove(by: User, target: Target) -> None:
    """Nothing more is sent there; what was sent stays in the log."""
    _must(by, target.source)
    if Target.objects.filter(pk=target.pk, removed_at=None).update(removed_at=clock.now()) == 1:
        _tell("settings.target_removed", by, target)


@transaction.atomic
def test(by: User, target: Target) -> None:
    """Send a notice to this target alone."""
    _must(by, target.source)
    title = "A test: this target gets the notices of Journal Guard"
    notice = outbox.Notice(
        event="test", title=title, path="/settings/notices/", source=target.source
    )
    outbox.to(notice, [target])


def secret(by: User, target: Target) -> str:
    """The key that signs what goes there; for the one who sets the target up."""
    _must(by, target.source)
    return messages.secret_of(target)


def usable(kind: str, address: str) -> str:
    """The address when it can be used. Raises `ValidationError` with what to do."""
    if not settings.GUARD_URL:
        raise ValidationError("Set GUARD_URL first: every link in a notice starts with it.")
    if kind == Target.Kind.EMAIL:
        return _mails(address)
    try:
        posting.checked(address)
    except posting.AddressRefused as refused:
        raise ValidationError(str(refused)) from refused
    return address


def _mails(address: str) -> str:
    if not settings.EMAIL_HOST:
        raise ValidationError("Set EMAIL_URL first: there is no mail server.")
    names = [name.strip() for name in address.split(",") if name.strip()]
    if not 0 < len(names) <= MOST_MAILS:
        raise ValidationError(f"Between 1 and {MOST_MAILS} addresses, separated by commas.")
    for name in names:
        validate_email(name)
    return ", ".join(names)


def _must(by: User, source: Source | None) -> None:
    may = access.may(by, "configure", source) if source else configure.may_configure_all(by)
    if not may:
        raise PermissionDenied


def _tell(kind: str, by: User, target: Target) -> None:
    body = {"target": target.pk, "kind": target.kind, "for": target.scope}
    ledger.append(kind, by.get_username(), body)
