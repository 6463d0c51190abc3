"""The outbox: what is worth telling is a row before anybody is told, in the event's transaction."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from kombu.exceptions import OperationalError
from msgspec import Struct

from dashboard import clock
from dashboard.celery import DELIVER, app
from dashboard.models import Delivery, NoticeRow, Source, Target

log = logging.getLogger(__name__)


class Notice(Struct, frozen=True, kw_only=True):
    """An event that people are told of. `title` is ours: it holds no text of a journal.

    `event`: `gate.opened`, `alert.raised`, ...; `path`: of the page that shows it, from the root;
    `ids`: names the product itself gave; `key`: a second notice with the same key is not written.
    """

    event: str
    title: str
    path: str
    source: Source | None = None
    ids: Mapping[str, str] = {}
    key: str = ""


def send(notice: Notice) -> int:
    """Write a notice for every target that it concerns; the number of those. Nothing is sent here.

    Call it inside the transaction of the event: both are committed, or neither.
    """
    targets = list(_concerned(notice.source))
    if not targets or (notice.key and NoticeRow.objects.filter(key=notice.key).exists()):
        return 0
    try:
        return to(notice, targets)
    except IntegrityError:
        # Another process has just written the one notice of this key.
        return 0


@transaction.atomic
def to(notice: Notice, targets: list[Target]) -> int:
    """Write a notice for these targets, and ring when the transaction is through."""
    now = clock.now()
    row = NoticeRow.objects.create(
        event=notice.event,
        source=notice.source,
        title=notice.title[:200],
        path=notice.path,
        ids=dict(notice.ids),
        key=notice.key or None,
        at=now,
    )
    for target in targets:
        Delivery.objects.create(notice=row, target=target, next_at=now)
    transaction.on_commit(ring)
    return len(targets)


def _concerned(source: Source | None) -> QuerySet[Target]:
    wanted = Q(source=None, team="")
    if source is not None:
        wanted |= Q(source=source)
        wanted |= Q(source=None, team=source.team)
    return Target.objects.filter(wanted, removed_at=None)


def ring() -> None:
    """Tell the workers that a delivery waits; when the queue is down, the sweeper rings again."""
    try:
        app.send_task(DELIVER)
    except OperationalError as error:
        log.warning("queue down, notices wait for the sweeper: %s", error)
