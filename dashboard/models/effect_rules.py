"""A team's own word on what its tool calls do. Rows are never changed; a later one takes back."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class EffectRule(models.Model):
    """One rule of a source, by its number; a `retired` row takes the rule of its number back.

    `tool` and `command` are literals in which `*` stands for any text. An empty `command` makes the
    rule one about whole calls of the tool.
    """

    class Effect(models.TextChoices):
        READ = "read"
        REVERSIBLE = "reversible"
        IRREVERSIBLE = "irreversible"
        UNKNOWN = "unknown"

    source = models.ForeignKey(
        "dashboard.Source", on_delete=models.PROTECT, related_name="effect_rules"
    )
    number = models.PositiveIntegerField()
    retired = models.BooleanField(default=False)
    tool = models.CharField(max_length=200, default="*")
    command = models.CharField(max_length=500, blank=True)
    effect = models.CharField(max_length=16, choices=Effect.choices)
    domain = models.CharField(max_length=16)
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["source", "number", "retired"], name="effect_rule_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.number} of {self.by.get_username()}"
