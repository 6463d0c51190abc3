"""Making and taking back effect rules: each an entry of the ledger, each judges runs again."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Max

from dashboard import access, clock, jobs, ledger
from dashboard.models import EffectRule, File, Run, Source
from dashboard.overrides import override
from guard.adapters.native import NATIVE


@dataclass(frozen=True)
class Wanted:
    """What a person asks for. `domain` is `none` for a read, and only for a read."""

    tool: str
    command: str
    effect: str
    domain: str
    reason: str


@transaction.atomic
def add(by: User, source: Source, wanted: Wanted) -> EffectRule:
    """A new rule, in force at once. Raises `ValueError` for one that says nothing whole."""
    _must_configure(by, source)
    Source.objects.select_for_update().get(pk=source.pk)
    last = EffectRule.objects.filter(source=source).aggregate(last=Max("number"))["last"] or 0
    rule = EffectRule(source=source, number=last + 1, by=by, at=clock.now(), **wanted.__dict__)
    override(rule)
    rule.save(force_insert=True)
    _note("settings.effect_rule", by, rule)
    return rule


@transaction.atomic
def retire(by: User, rule: EffectRule) -> None:
    """Take a rule back. Doing it twice changes nothing."""
    _must_configure(by, rule.source)
    Source.objects.select_for_update().get(pk=rule.source_id)
    rows = EffectRule.objects.filter(source=rule.source, number=rule.number)
    if rows.filter(retired=True).exists():
        return
    first = rows.get()
    first.pk, first.retired, first.by, first.at = None, True, by, clock.now()
    first.save(force_insert=True)
    _note("settings.effect_rule_retired", by, first)


def _must_configure(by: User, source: Source) -> None:
    if not access.may(by, "configure", source):
        raise PermissionDenied


def _note(kind: str, by: User, rule: EffectRule) -> None:
    body = {
        "source": rule.source.slug,
        "rule": rule.number,
        "tool": rule.tool,
        "command": rule.command,
        "effect": rule.effect,
        "domain": rule.domain,
        "reason": rule.reason,
        "runs": _judge_again(rule),
    }
    ledger.append(kind, by.get_username(), body)


def _judge_again(rule: EffectRule) -> int:
    """The runs whose calls we classify ourselves get a new head, and a job: how many these are.

    A native journal says the class of its effects itself; no rule speaks of it.
    """
    read = File.objects.filter(run__source=rule.source, current=True).exclude(adapter=NATIVE.name)
    runs = Run.objects.filter(pk__in=read.values("run")).order_by("pk").select_for_update()
    step = f"effect-rule:{rule.number}:{rule.retired}"
    count = 0
    for run in runs:
        head = hashlib.sha256(f"{run.head}\n{step}".encode()).hexdigest()
        Run.objects.filter(pk=run.pk).update(head=head)
        jobs.enqueue(run, "effect rule")
        count += 1
    return count
