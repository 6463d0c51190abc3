"""The effect rules of a source that are in force, as the judge takes them."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, QuerySet

from dashboard.models import EffectRule
from guard.effects import Override

READ = EffectRule.Effect.READ


def rules_in_force() -> QuerySet[EffectRule]:
    """The rules that nobody took back, by source and number."""
    end = EffectRule.objects.filter(
        source=OuterRef("source"), number=OuterRef("number"), retired=True
    )
    rules = EffectRule.objects.filter(~Exists(end), retired=False)
    return rules.select_related("by", "source").order_by("source__slug", "number")


def overrides_of(source_id: int) -> tuple[Override, ...]:
    """The same for `guard.effects`. Of two that fit the one with the lower number decides."""
    return tuple(map(override, rules_in_force().filter(source_id=source_id)))


def override(rule: EffectRule) -> Override:
    """One rule. Raises `ValueError` where effect and domain do not go together."""
    return Override(
        id=str(rule),
        tool=rule.tool,
        command=rule.command or None,
        write=rule.effect != READ,
        reversibility="reversible" if rule.effect == READ else rule.effect,  # type: ignore[arg-type]
        domain=rule.domain,  # type: ignore[arg-type]
        why=rule.reason,
    )
