"""One step of a gate: its state by compare-and-set, its entry, and its event in the journal."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from msgspec import Struct

from dashboard import clock, ingest, jobs, ledger, live, notifications, recording
from dashboard.models import Gate, GateEvent, Run
from guard import chain
from guard.canonical import canonical
from guard.errors import GuardError

OURSELVES = "journal-guard"
State = Gate.State
NOTICES = {
    "requested": ("opened", "waits for a person"),
    "approved": ("decided", "was approved"),
    "rejected": ("decided", "was rejected"),
    "expired": ("expired", "expired: nobody answered, so the runtime is told no"),
}
"""The steps that people outside the pages are told of."""


def lock(gate: Gate) -> Gate:
    """The gate as it is now. Its run is locked first: journal and gate move together."""
    Run.objects.select_for_update().get(pk=gate.run_id)
    gates = Gate.objects.select_for_update(of=("self",)).select_related("run__source")
    return gates.get(pk=gate.pk)


def move(gate: Gate, now: datetime, old: str, new: str, **more: object) -> bool:
    """Change the state, once. False when somebody else was first, or an open gate ran out."""
    waiting = Gate.objects.filter(pk=gate.pk, state=old)
    if old == State.PENDING and new in {State.APPROVED, State.REJECTED}:
        waiting = waiting.filter(expires_at__gte=now)
    if waiting.update(state=new, closed_at=now, **more) != 1:
        return False
    gate.refresh_from_db()
    return True


def tell(kind: str, gate: Gate, actor: str, **body: object) -> None:
    """The entry of a step and its notice, in the transaction of the step."""
    ledger.append(f"gate.{kind}", actor, {"gate": gate.public_id, **body}, gate.run)
    if kind in NOTICES:
        notice(gate, *NOTICES[kind])


def notice(gate: Gate, event: str, title: str, key: str = "") -> None:
    """Tell people outside the pages: ids of ours and a link, nothing of the journal."""
    ids = {"gate": gate.public_id, "run": gate.run.public_id}
    told = notifications.Notice(
        event=f"gate.{event}",
        title=f"Gate {gate.public_id} {title}",
        path=reverse("gate", args=[gate.public_id]),
        source=gate.run.source,
        ids={**ids, "state": gate.state, "expires_at": _time(gate.expires_at)},
        key=key,
    )
    notifications.send(told)


def append(gate: Gate, step: str, by: str, now: datetime, *, human: bool = False) -> GateEvent:
    """Append a gate event to the journal; the run is judged again."""
    run = Run.objects.select_for_update().get(pk=gate.run_id)
    place = _place(run, gate)
    event = _event(gate, step, by, now, human=human)
    if place.native:
        event = _numbered(run, place, event)
    row = GateEvent.objects.create(run=run, gate=gate, event=event, after=place.own_events, at=now)
    ingest.extend(run, f"gate:{hashlib.sha256(canonical(event)).hexdigest()}")
    jobs.enqueue(run, "gate")
    return row


def _event(gate: Gate, step: str, by: str, now: datetime, *, human: bool) -> dict[str, Any]:
    event: dict[str, Any] = {
        "kind": "gate",
        "at": _time(now),
        "id": gate.public_id,
        "state": step,
        "by": by,
    }
    if step in {"requested", "approved"}:
        event["digest"] = gate.edit_hash or None
    if step == "requested":
        event["edit"] = gate.edit_id
        event["effects"] = {effect["id"]: effect["sha256"] for effect in gate.effects}
        event["expires_at"] = _time(gate.expires_at)
    if human:
        event["human"] = True
    return event


class _Place(Struct, frozen=True):
    """Where the next event of ours goes. `chain`: of the last event, when the journal has one."""

    native: bool
    own_events: int
    last_seq: int
    chain: str | None = None


def _place(run: Run, gate: Gate) -> _Place:
    try:
        return live.ask(run, _after_all)
    except GuardError:
        # A gate must end also when its journal cannot be read any more.
        return _Place(recording.is_live(run), gate.position, run.last_seq)


def _after_all(known: live.Known) -> _Place:
    return _Place(known.adapter == "native", known.own_events, known.last_seq, known.chain)


def _numbered(run: Run, place: _Place, event: Mapping[str, Any]) -> dict[str, Any]:
    """The next number of a native journal, and its link when the journal is chained."""
    seq = max(run.last_seq, place.last_seq) + 1
    Run.objects.filter(pk=run.pk).update(last_seq=seq)
    numbered = {**event, "seq": seq}
    if place.chain is None:
        return numbered
    return {**numbered, "prev": place.chain, "chain": chain.link(place.chain, numbered)}


def _time(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@transaction.atomic
def close(gate: Gate, new: str, why: str, actor: str | None = None, reason: str = "") -> bool:
    """End a gate that is open or approved, and revoke it in the journal."""
    gate = lock(gate)
    now = clock.now()
    if gate.state not in {State.PENDING, State.APPROVED}:
        return False
    if not move(gate, now, gate.state, new, closed_why=why):
        return False
    append(gate, "revoked", actor or OURSELVES, now)
    tell(new, gate, actor or OURSELVES, why=why, reason=reason)
    return True


def name_of(user: User) -> str:
    return user.get_username()
