"""What people are told outside the pages: where to, what, and what became of each attempt."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models


def notice_name() -> str:
    return f"n-{secrets.token_hex(8)}"


def salt() -> str:
    return secrets.token_hex(16)


class Target(models.Model):
    """Where notices go: those of one source, of the sources of a team, or of all.

    `address`: mail addresses separated by commas, or a URL, which may be a secret itself and is
    never shown whole. The signing secret is derived from `salt` and kept nowhere.
    """

    class Kind(models.TextChoices):
        EMAIL = "email"
        WEBHOOK = "webhook"
        SLACK = "slack"

    kind = models.CharField(max_length=8, choices=Kind.choices)
    source = models.ForeignKey("dashboard.Source", on_delete=models.PROTECT, null=True, blank=True)
    team = models.CharField(max_length=80, blank=True)
    address = models.CharField(max_length=2000)
    salt = models.CharField(max_length=32, default=salt, editable=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def scope(self) -> str:
        """Whose notices go there."""
        return self.source.slug if self.source else self.team or "every source"


class NoticeRow(models.Model):
    """The outbox: an event worth telling, written in the transaction of the event itself.

    Ids, a path and words of our own; never text of a journal. `key`: what is told once only.
    """

    public_id = models.CharField(max_length=24, unique=True, default=notice_name, editable=False)
    event = models.CharField(max_length=32)
    source = models.ForeignKey("dashboard.Source", on_delete=models.PROTECT, null=True, blank=True)
    title = models.CharField(max_length=200)
    path = models.CharField(max_length=400)
    ids = models.JSONField(default=dict)
    key = models.CharField(max_length=120, unique=True, null=True, blank=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.public_id}: {self.event}"


class Delivery(models.Model):
    """One notice on its way to one target. `attempts` counts those that were begun."""

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        GIVEN_UP = "given up"

    notice = models.ForeignKey(NoticeRow, on_delete=models.PROTECT, related_name="deliveries")
    target = models.ForeignKey(Target, on_delete=models.PROTECT, related_name="deliveries")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["notice", "target"], name="delivery_once_per_target"),
        )
        indexes = (models.Index(fields=["state", "next_at"]),)

    def __str__(self) -> str:
        return f"{self.notice_id} to {self.target_id}"


class Attempt(models.Model):
    """What became of one attempt; append-only. `next_at` is when it is tried again."""

    class Status(models.TextChoices):
        SENT = "sent"
        FAILED = "failed"
        GIVEN_UP = "given up"

    delivery = models.ForeignKey(Delivery, on_delete=models.PROTECT, related_name="log")
    number = models.PositiveSmallIntegerField()
    status = models.CharField(max_length=8, choices=Status.choices)
    detail = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField()
    next_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.delivery_id}/{self.number}: {self.status}"
