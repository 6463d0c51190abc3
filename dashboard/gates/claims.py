"""A claim: two people do not judge the same gate. It ends by itself."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q

from dashboard import clock
from dashboard.gates import people, steps
from dashboard.gates.refusal import GateRefused
from dashboard.models import Gate


@transaction.atomic
def claim(gate: Gate, by: User) -> Gate:
    """Take the gate for some minutes. Raises `GateRefused` with the holder's name."""
    gate = steps.lock(gate)
    people.must_be_open(gate, clock.now())
    people.must_be_allowed(gate, by)
    now = clock.now()
    until = now + timedelta(minutes=settings.GATE_CLAIM_MINUTES)
    free = Q(claimed_by=None) | Q(claimed_by=by) | Q(claim_until__lt=now)
    mine = Gate.objects.filter(free, pk=gate.pk, state=steps.State.PENDING)
    if mine.update(claimed_by=by, claim_until=until) != 1:
        raise GateRefused("claimed", holder=str(gate.claimed_by))
    steps.tell("claimed", gate, steps.name_of(by), until=until.isoformat())
    return Gate.objects.get(pk=gate.pk)


@transaction.atomic
def release(gate: Gate, by: User) -> Gate:
    """Give the gate back before the claim ends by itself; others' claims are left alone."""
    gate = steps.lock(gate)
    mine = Gate.objects.filter(pk=gate.pk, claimed_by=by)
    if mine.update(claimed_by=None, claim_until=None) == 1:
        steps.tell("released", gate, steps.name_of(by))
    return Gate.objects.get(pk=gate.pk)
