"""How a gate ends without an answer, or an approval without being used."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from dashboard import clock
from dashboard.gates import people, steps
from dashboard.gates.present import about
from dashboard.gates.refusal import GateRefused
from dashboard.models import Gate, Run

State = Gate.State


def next_name() -> str:
    """A gate's public name; it cannot be guessed from another one's."""
    return f"g-{secrets.token_hex(4)}"


@transaction.atomic
def revoke(gate: Gate, by: User, reason: str) -> Gate:
    """Take an approval back that was not used. Raises `GateRefused`."""
    gate, now = steps.lock(gate), clock.now()
    if not reason.strip():
        raise GateRefused("reason_required")
    people.must_be_reviewer(gate, by)
    if gate.state != State.APPROVED:
        raise GateRefused("not_approved", f"the gate is {gate.state}")
    steps.move(gate, now, State.APPROVED, State.REVOKED)
    steps.append(gate, "revoked", steps.name_of(by), now)
    steps.tell("revoked", gate, steps.name_of(by), reason=reason.strip())
    return gate


def withdraw(gate: Gate, actor: str) -> bool:
    """The runtime does not ask any more; False when the gate was not open."""
    return gate.state == State.PENDING and steps.close(gate, State.WITHDRAWN, "withdrawn", actor)


def expire(gate: Gate) -> bool:
    """Close a gate whose time is over: silence is no approval, and an old approval is none."""
    if gate.expires_at >= clock.now():
        return False
    new = State.EXPIRED if gate.state == State.PENDING else State.REVOKED
    return steps.close(gate, new, "expired")


def expire_due() -> int:
    """Close every gate whose time is over; the number of them."""
    due = Gate.objects.filter(state__in=[State.PENDING, State.APPROVED], expires_at__lt=clock.now())
    return sum(expire(gate) for gate in due)


def warn_expiring() -> int:
    """Tell people once of each open gate whose time is nearly over; the number of those gates."""
    soon = clock.now() + timedelta(minutes=settings.GATE_WARN_MINUTES)
    open_gates = Gate.objects.filter(state=State.PENDING, expires_at__lt=soon)
    near = list(open_gates.select_related("run__source"))
    for gate in near:
        _warn(gate)
    return len(near)


def _warn(gate: Gate) -> None:
    """A gate that was opened for a short time only was announced a moment ago."""
    if gate.expires_at - gate.created_at > timedelta(minutes=settings.GATE_WARN_MINUTES):
        key = f"gate.expiring:{gate.public_id}"
        steps.notice(gate, "expiring", "expires soon and nobody has answered", key)


def follow(run: Run) -> None:
    """What the journal did to the gates of a run: a rollback makes approvals inside it void."""
    mine = Gate.objects.filter(run=run, state__in=[State.PENDING, State.APPROVED])
    for gate in mine.select_related("run"):
        _follow(gate)


def _follow(gate: Gate) -> None:
    try:
        present = about(gate)
    except GateRefused:
        # A journal that cannot be judged opens nothing; it closes nothing either.
        return
    approved = gate.state == State.APPROVED
    if present.rolled_back or (approved and gate.public_id in present.rolled_over):
        steps.close(gate, State.VOID if approved else State.WITHDRAWN, "rolled_back")
    elif not approved and present.epoch_from > gate.position:
        steps.close(gate, State.WITHDRAWN, "epoch_swapped")
