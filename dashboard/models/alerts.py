"""When people are told without asking: rules, and every time that one of them fired."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class AlertRule(models.Model):
    """Fires when a number reaches `threshold`; for one source, or for all of them together.

    `minutes`: how far back findings and summaries count. In the quiet hours, from `quiet_from` to
    `quiet_to` by the clock of `zone`, a firing is recorded and told afterwards if it still lasts.
    """

    class Kind(models.TextChoices):
        FINDING = "finding", "findings of a code"
        RATE = "rate", "per cent of summaries that dropped a gating fact"
        GATE_AGE = "gate_age", "age of the oldest open gate, minutes"
        LAG = "lag", "age of the oldest unjudged batch, minutes"
        CLOSURE_AGE = "closure_age", "time since the last closure check, minutes"

    kind = models.CharField(max_length=12, choices=Kind.choices)
    code = models.CharField(max_length=8, blank=True)
    source = models.ForeignKey("dashboard.Source", on_delete=models.PROTECT, null=True, blank=True)
    threshold = models.PositiveIntegerField()
    minutes = models.PositiveIntegerField(default=60)
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_to = models.TimeField(null=True, blank=True)
    zone = models.CharField(max_length=64, default="UTC")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.code} {self.threshold}".strip()


class AlertFiring(models.Model):
    """A rule began to fire; append-only. What became of it are its steps."""

    rule = models.ForeignKey(AlertRule, on_delete=models.PROTECT, related_name="firings")
    value = models.FloatField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.rule} at {self.at}"


class AlertStep(models.Model):
    """People were told of a firing, or it ended; each once; append-only."""

    class Kind(models.TextChoices):
        TOLD = "told"
        ENDED = "ended"

    firing = models.ForeignKey(AlertFiring, on_delete=models.PROTECT, related_name="steps")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["firing", "kind"], name="alert_step_once"),)

    def __str__(self) -> str:
        return f"{self.firing}: {self.kind}"
