"""Rules that people do not want to be asked about."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class RuleSwitch(models.Model):
    """Whether the findings of a rule wait for a person. The judge finds them all the same."""

    code = models.CharField(max_length=8, unique=True)
    off = models.BooleanField()
    reason = models.CharField(max_length=400)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.code}: {'off' if self.off else 'on'}"
