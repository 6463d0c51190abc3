"""The answer of a person: checked, written once, and bound to exactly what was shown."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from msgspec import Struct

from dashboard import clock
from dashboard.gates import closing, people, steps
from dashboard.gates.present import About, about, shown_hash
from dashboard.gates.refusal import GateRefused
from dashboard.models import Decision, Gate, Vote

State = Gate.State
Answer = Literal["approved", "rejected"]
MAX_REASON = 4000


class Click(Struct, frozen=True):
    """What a person did, and what the page had shown when they did it."""

    answer: Answer
    reason: str
    shown_hash: str
    digest_hash: str
    signed_in_at: datetime | None
    pins: tuple[str, ...] = ()


def decide(
    gate: Gate,
    by: User,
    answer: Answer,
    reason: str,
    *,
    shown_hash: str,
    digest_hash: str,
    signed_in_at: datetime | None,
    pins: Sequence[str] = (),
) -> Gate:
    """Answer a gate, once. With `pins`: the approved gate that takes its place.

    A gate that asks for several people stays pending until the last approval that is needed.
    Raises `GateRefused`; a refused attempt is an entry of the ledger too.
    """
    click = Click(answer, reason.strip(), shown_hash, digest_hash, signed_in_at, tuple(pins))
    about(gate)
    try:
        return _decide(gate, by, click)
    except GateRefused as refused:
        _note_refusal(gate, by, click, refused)
        raise


@transaction.atomic
def _decide(gate: Gate, by: User, click: Click) -> Gate:
    gate, now = steps.lock(gate), clock.now()
    people.must_be_open(gate, now)
    people.must_be_allowed(gate, by)
    people.must_not_be_claimed(gate, by, now)
    people.must_be_fresh(gate, click.signed_in_at, now)
    if not click.reason or len(click.reason) > MAX_REASON:
        raise GateRefused("reason_required")
    present = about(gate)
    _must_be_unchanged(gate, present, click)
    if click.pins:
        return _pin(gate, by, click, present, now)
    if click.answer == "approved" and not _last_vote(gate, by, click, now):
        return gate
    return _answered(gate, by, click, now)


def _must_be_unchanged(gate: Gate, present: About, click: Click) -> None:
    if present.rolled_back:
        raise GateRefused("rolled_back")
    if present.epoch_from > gate.position:
        raise GateRefused("epoch_swapped")
    stands = present.digest_hash if present.found else ""
    if present.re_edited or stands != gate.edit_hash or click.digest_hash != gate.digest_hash:
        raise GateRefused("changed", seen=click.digest_hash, now=stands)
    now_shown = shown_hash(gate, present)
    if now_shown != click.shown_hash:
        raise GateRefused("changed", seen=click.shown_hash, now=now_shown)


def _last_vote(gate: Gate, by: User, click: Click, now: datetime) -> bool:
    """Count an approval; True when it is the last one that is needed."""
    if gate.needed == 1:
        return True
    votes = [vote.by for vote in gate.votes.select_related("by")]
    if any(people.is_one(by, other) for other in votes):
        raise GateRefused("decided", "you have approved it already", winner=str(by))
    Vote.objects.create(gate=gate, by=by, reason=click.reason, shown_hash=click.shown_hash, at=now)
    steps.tell("vote", gate, steps.name_of(by), reason=click.reason, shown=click.shown_hash)
    return len(votes) + 1 >= gate.needed


def _answered(gate: Gate, by: User, click: Click, now: datetime) -> Gate:
    if not steps.move(gate, now, State.PENDING, click.answer):
        people.must_be_open(Gate.objects.get(pk=gate.pk), clock.now())
        raise GateRefused("expired")
    _write(gate, by, click, now)
    steps.append(gate, click.answer, steps.name_of(by), now, human=click.answer == "approved")
    return gate


def _write(gate: Gate, by: User, click: Click, now: datetime) -> None:
    """The one decision row: the database refuses a second one for a gate."""
    decision = Decision.objects.create(
        gate=gate,
        by=by,
        answer=click.answer,
        reason=click.reason,
        pins=list(click.pins),
        digest_hash=gate.digest_hash,
        shown_hash=click.shown_hash,
        rules_version=gate.rules_version,
        decided_at=now,
    )
    steps.tell(
        click.answer,
        gate,
        steps.name_of(by),
        reason=decision.reason,
        pins=decision.pins,
        digest=gate.digest_hash,
        shown=click.shown_hash,
        effects={effect["id"]: effect["sha256"] for effect in gate.effects},
    )


def _pin(gate: Gate, by: User, click: Click, present: About, now: datetime) -> Gate:
    """Withdraw this gate; one with the pinned digest and the approval takes its place."""
    if click.answer != "approved" or gate.needed != 1:
        raise GateRefused("pins", "facts are pinned with one approval, by one person")
    text = pinned_text(present, click.pins)
    digest = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    if not steps.move(gate, now, State.PENDING, State.WITHDRAWN, closed_why="pinned"):
        raise GateRefused("expired")
    # An edit that is applied keeps its hash: the facts come back beside its digest.
    edit_hash = gate.edit_hash if present.applied else digest
    new = _copy(gate, digest_text=text, digest_hash=digest, edit_hash=edit_hash, now=now)
    Gate.objects.filter(pk=gate.pk).update(replaced_by=new)
    steps.append(gate, "revoked", steps.name_of(by), now)
    steps.tell("withdrawn", gate, steps.name_of(by), why="pinned", replaced_by=new.public_id)
    steps.append(new, "requested", new.requester_agent, now)
    _write(new, by, click, now)
    steps.append(new, "approved", steps.name_of(by), now, human=True)
    return new


def pinned_text(present: About, pins: Sequence[str]) -> str:
    """The digest with facts put back, word for word. Raises `GateRefused` for what was not lost."""
    lost = {fact.name: fact for fact in present.facts if fact.can_be_pinned}
    if not set(pins) <= lost.keys():
        raise GateRefused("pins")
    lines = [f"- {lost[name].scope}: {lost[name].verbatim}" for name in dict.fromkeys(pins)]
    return "\n".join([present.digest_text.rstrip("\n"), "", "Pinned by a reviewer:", *lines, ""])


def _copy(gate: Gate, *, now: datetime, **changed: object) -> Gate:
    fields = {
        field.attname: getattr(gate, field.attname)
        for field in Gate._meta.concrete_fields
        if field.name not in {"id", "replaced_by", "public_id"}
    }
    fields |= {"state": State.APPROVED, "closed_at": now, "closed_why": "", "created_at": now}
    return Gate.objects.create(public_id=closing.next_name(), **(fields | changed))


def _note_refusal(gate: Gate, by: User, click: Click, refused: GateRefused) -> None:
    """What was tried and refused is kept; a gate that cannot be answered any more is closed."""
    with transaction.atomic():
        steps.tell("refused", gate, steps.name_of(by), answer=click.answer, code=refused.code)
    if refused.code == "expired":
        closing.expire(gate)
    if refused.code in {"rolled_back", "epoch_swapped"}:
        steps.close(gate, State.WITHDRAWN, refused.code)
