"""Who may answer a gate, and whether it can still be answered. Read inside the transaction."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User

from dashboard import access
from dashboard.gates.refusal import GateRefused
from dashboard.models import Gate

State = Gate.State
ENDED = {
    State.EXPIRED: "expired",
    State.WITHDRAWN: "withdrawn",
    State.REVOKED: "revoked",
    State.VOID: "void",
}


def must_be_open(gate: Gate, now: datetime) -> None:
    """Raises `GateRefused` with what ended the gate, and the name of the person who did."""
    if gate.state in {State.APPROVED, State.REJECTED, State.CONSUMED}:
        by = gate.decision.by
        name = by.get_full_name() or by.get_username()
        answer = gate.decision.answer
        raise GateRefused("decided", f"{name} has {answer} it already", winner=name, answer=answer)
    if gate.state in ENDED:
        why = gate.closed_why if gate.closed_why in {"rolled_back", "epoch_swapped"} else ""
        raise GateRefused(why or ENDED[State(gate.state)])
    if now > gate.expires_at:
        raise GateRefused("expired")


def must_be_reviewer(gate: Gate, by: User) -> User:
    """The account as it is now: a role may be gone since the click. Raises `forbidden`."""
    person = User.objects.filter(pk=by.pk, is_active=True).first()
    if person is None or not access.may(person, "decide", gate.run.source):
        raise GateRefused("forbidden")
    return person


def must_be_allowed(gate: Gate, by: User) -> None:
    """Raises `forbidden` or `self`."""
    if is_self(gate, must_be_reviewer(gate, by)):
        raise GateRefused("self")


def is_self(gate: Gate, person: User) -> bool:
    """The requester, the agent's owner or the digest's author, by whatever account or token."""
    token = gate.requested_with
    accounts = [gate.owner, gate.run.owner, token and token.created_by]
    names = [gate.requester_agent, gate.author]
    return any(is_one(person, account) for account in accounts) or any(
        access.is_named(person, name) for name in names if name
    )


def is_one(person: User, other: User | None) -> bool:
    """One person, also under a second account."""
    return access.same_person(person, other)


def must_not_be_claimed(gate: Gate, by: User, now: datetime) -> None:
    holder, until = gate.claimed_by, gate.claim_until
    if holder is not None and holder.pk != by.pk and until is not None and until >= now:
        raise GateRefused("claimed", f"{holder} is looking at it", holder=str(holder))


def must_be_fresh(gate: Gate, signed_in_at: datetime | None, now: datetime) -> None:
    """A commit-phase gate takes a sign-in that is not older than the limit."""
    oldest = now - timedelta(minutes=settings.GATE_SIGN_IN_MINUTES)
    if gate.risk == Gate.Risk.COMMIT and (signed_in_at is None or signed_in_at < oldest):
        raise GateRefused("reauthenticate")


def why_not(gate: Gate, by: User, now: datetime) -> str:
    """The code that stands against this person's answer at present; empty when there is none."""
    try:
        must_be_open(gate, now)
        must_be_allowed(gate, by)
        must_not_be_claimed(gate, by, now)
    except GateRefused as refused:
        return refused.code
    return ""
