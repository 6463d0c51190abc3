"""How long received bytes are kept, what holds them, and what was deleted."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Retention(models.Model):
    """Days after the last receipt for which the bytes of a source's runs are kept."""

    source = models.OneToOneField(
        "dashboard.Source", on_delete=models.CASCADE, related_name="retention"
    )
    days = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.source}: {self.days} days"


class Hold(models.Model):
    """A legal hold: nothing of the run is deleted until it is lifted."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.PROTECT, related_name="holds")
    reason = models.CharField(max_length=400)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    lifted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["run"], condition=models.Q(lifted_at=None), name="hold_once_per_run"
            ),
        )

    def __str__(self) -> str:
        return f"{self.run}: {self.reason}"


class Tombstone(models.Model):
    """The bytes of a run were here and are gone; append-only. Nothing of it can be undone now."""

    run = models.OneToOneField("dashboard.Run", on_delete=models.PROTECT, related_name="tombstone")
    days = models.PositiveIntegerField()
    chunks = models.PositiveIntegerField()
    size_bytes = models.BigIntegerField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.run}: deleted {self.at}"
