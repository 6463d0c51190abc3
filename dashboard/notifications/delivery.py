"""Deliveries: one at a time, counted before each attempt, tried again later, given up in the end.

A worker that dies in the middle has used an attempt; its lease runs out and the next one goes on,
so a target may get a notice twice. A target that fails is left alone until its next try, with all
that waits for it: a dead one never holds up the others, nor the judging of runs.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F, Q, QuerySet

from dashboard import clock
from dashboard.models import Attempt, Delivery, Target
from dashboard.notifications import messages, posting
from dashboard.notifications.outbox import ring
from dashboard.notifications.posting import AddressRefused, NotDelivered

log = logging.getLogger(__name__)
State, Status = Delivery.State, Attempt.Status
PAUSES_S = (30, 120, 600, 3600, 6 * 3600, 24 * 3600)
"""Before the second attempt, the third, and so on; after the last one there is none."""
MOST_ATTEMPTS = len(PAUSES_S) + 1
LEASE = timedelta(seconds=60)


def deliver() -> bool:
    """Send the delivery that waits longest, and ring for the next; False when none is free."""
    delivery = _take()
    if delivery is None:
        return False
    try:
        detail, sent = _send(delivery), True
    except (AddressRefused, NotDelivered) as error:
        detail, sent = str(error), False
    _note(delivery, detail, sent=sent)
    if _due(clock.now()).exists():
        ring()
    return True


def requeue() -> bool:
    """Ring when a delivery waits: its bell was lost, or the time of its next attempt has come."""
    waits = _due(clock.now()).exists()
    if waits:
        ring()
    return waits


def _due(now: datetime) -> QuerySet[Delivery]:
    free = Q(lease_until=None) | Q(lease_until__lt=now)
    return Delivery.objects.filter(free, state=State.WAITING, next_at__lte=now)


def _take() -> Delivery | None:
    """Lease one, unless another is on its way: a slow target may hold one worker, never all."""
    now = clock.now()
    if Delivery.objects.filter(state=State.WAITING, lease_until__gte=now).exists():
        return None
    first = _due(now).order_by("next_at", "pk").values_list("pk", flat=True).first()
    mine = _due(now).filter(pk=first)
    if mine.update(attempts=F("attempts") + 1, lease_until=now + LEASE) != 1:
        return None
    return Delivery.objects.select_related("notice__source", "target").get(pk=first)


def _send(delivery: Delivery) -> str:
    """What the target said. Raises `NotDelivered` or `AddressRefused`."""
    notice, target = delivery.notice, delivery.target
    if delivery.attempts > MOST_ATTEMPTS:
        raise NotDelivered("the worker died in the last attempt")
    if target.removed_at is not None:
        raise AddressRefused("the target was removed")
    if not settings.GUARD_URL:
        raise NotDelivered("GUARD_URL is not set, so there is no link")
    if target.kind == Target.Kind.EMAIL:
        return _mail(delivery)
    place = posting.checked(target.address)
    data = messages.body(notice, target.kind)
    seconds = int(clock.now().timestamp())
    status = posting.post(place, data, messages.headers(notice, target, seconds, data))
    return f"it answered {status}"


def _mail(delivery: Delivery) -> str:
    if not settings.EMAIL_HOST:
        raise NotDelivered("EMAIL_URL is not set, so there is no mail server")
    subject, text = messages.letter(delivery.notice)
    to = [name.strip() for name in delivery.target.address.split(",")]
    headers = {"Message-ID": f"<{delivery.notice.public_id}.{delivery.pk}@journal-guard>"}
    try:
        EmailMessage(subject, text, to=to, headers=headers).send()
    except (OSError, SMTPException) as error:
        raise NotDelivered(f"the mail server: {type(error).__name__}") from error
    return "the mail server took it"


@transaction.atomic
def _note(delivery: Delivery, detail: str, *, sent: bool) -> None:
    """The row of the log, and when it is tried again."""
    now, number = clock.now(), delivery.attempts
    again = None
    if not sent and delivery.target.removed_at is None and number < MOST_ATTEMPTS:
        again = now + timedelta(seconds=PAUSES_S[number - 1])
    failed = Status.FAILED if again else Status.GIVEN_UP
    status = Status.SENT if sent else failed
    Attempt.objects.create(
        delivery=delivery, number=number, status=status, detail=detail[:200], at=now, next_at=again
    )
    mine = Delivery.objects.filter(pk=delivery.pk, state=State.WAITING)
    if again is not None:
        mine.update(lease_until=None, next_at=again)
        _wait_with_it(delivery.target, again)
    else:
        mine.update(lease_until=None, state=State.SENT if sent else State.GIVEN_UP)
    if not sent:
        log.warning("notice %s: attempt %s: %s", delivery.notice.public_id, number, detail)


def _wait_with_it(target: Target, until: datetime) -> None:
    """What else waits for a target that failed is not tried before it; its attempts stay."""
    others = Delivery.objects.filter(target=target, state=State.WAITING, lease_until=None)
    first_try = until - timedelta(seconds=1)
    others.filter(next_at__lt=first_try).update(next_at=until)
