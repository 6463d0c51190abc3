"""The only way to act on an approval: once for each effect, for exactly the bytes approved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from django.db import IntegrityError, transaction
from msgspec import Struct

from dashboard import clock, ingest, jobs, recording
from dashboard.gates import closing, steps
from dashboard.gates.present import About, about
from dashboard.gates.refusal import GateRefused
from dashboard.models import Consumption, Gate, Run, Source

State = Gate.State
Code = Literal[
    "ok",
    "unknown",
    "pending",
    "not_approved",
    "expired",
    "consumed",
    "digest_mismatch",
    "payload_mismatch",
    "epoch_swapped",
    "rolled_back",
    "void",
    "error",
]
BY_STATE: dict[str, Code] = {
    State.PENDING: "pending",
    State.REJECTED: "not_approved",
    State.EXPIRED: "expired",
    State.WITHDRAWN: "not_approved",
    State.REVOKED: "not_approved",
    State.VOID: "void",
}
BY_REASON: dict[str, Code] = {
    "expired": "expired",
    "rolled_back": "rolled_back",
    "epoch_swapped": "epoch_swapped",
}
ENDING: Mapping[str, str] = {
    "rolled_back": "rolled_back",
    "void": "rolled_back",
    "epoch_swapped": "epoch_swapped",
}
"""What an approval does not outlive, and what is noted as the reason."""


class Use(Struct, frozen=True):
    """What the runtime is about to do. `digest` is None for an edit without `out`."""

    effect: str
    digest: str | None
    payload_sha256: str
    key: str

    def body(self) -> dict[str, str | None]:
        return {
            "effect": self.effect,
            "digest": self.digest,
            "payload_sha256": self.payload_sha256,
        }


def consume(source: Source, gate_id: str, use: Use, actor: str) -> Code:
    """`ok` once for each effect, and again for the same key and body. All else: do not act."""
    gate = Gate.objects.filter(public_id=gate_id, run__source=source).first()
    if gate is None:
        return "unknown"
    try:
        about(gate)
        code = _consume(gate, use, actor)
    except GateRefused:
        return "error"
    except IntegrityError:
        return "consumed"
    if code == "expired":
        closing.expire(gate)
    if code in ENDING and gate.state == State.APPROVED:
        steps.close(gate, State.VOID, ENDING[code])
    return code


@transaction.atomic
def _consume(gate: Gate, use: Use, actor: str) -> Code:
    gate = steps.lock(gate)
    code = _earlier(gate, use) or _state(gate) or _bytes(gate, use) or _journal(gate, about(gate))
    if code is None:
        _use(gate, use)
        steps.tell("consumed", gate, actor, key=use.key, **use.body())
        return "ok"
    if code != "ok":
        steps.tell("not_consumed", gate, actor, code=code, key=use.key, **use.body())
    return code


def _earlier(gate: Gate, use: Use) -> Code | None:
    """A retry is the same effect; a second effect is not."""
    found = Consumption.objects.filter(gate=gate, effect_id=use.effect).first()
    if found is None or gate.state == State.VOID:
        return None
    return "ok" if found.key == use.key and found.body == use.body() else "consumed"


def _state(gate: Gate) -> Code | None:
    if gate.state == State.CONSUMED:
        return "consumed"
    if gate.state == State.VOID and gate.closed_why == "rolled_back":
        return "void"
    if gate.state != State.APPROVED:
        return BY_REASON.get(gate.closed_why, BY_STATE[gate.state])
    return "expired" if gate.expires_at < clock.now() else None


def _bytes(gate: Gate, use: Use) -> Code | None:
    if (use.digest or "") != gate.digest_hash:
        return "digest_mismatch"
    approved = {effect["id"]: effect["sha256"] for effect in gate.effects}
    if use.effect not in approved:
        return "unknown"
    return None if approved[use.effect] == use.payload_sha256 else "payload_mismatch"


def _journal(gate: Gate, present: About) -> Code | None:
    """What the journal says now; an approval never outlives a rollback or its epoch."""
    if present.rolled_back:
        return "rolled_back"
    if gate.public_id in present.rolled_over:
        return "void"
    if present.epoch_from > gate.position:
        return "epoch_swapped"
    if not present.integrity_ok:
        return "error"
    if present.re_edited or present.digest_hash != gate.edit_hash:
        return "digest_mismatch"
    if not present.same_payloads(gate.effects):
        return "payload_mismatch"
    return None


def _use(gate: Gate, use: Use) -> None:
    now = clock.now()
    Consumption.objects.create(
        gate=gate, effect_id=use.effect, key=use.key, body=use.body(), at=now
    )
    _stand_before_the_start(gate, use)
    used = set(Consumption.objects.filter(gate=gate).values_list("effect_id", flat=True))
    if used >= {effect["id"] for effect in gate.effects}:
        steps.move(gate, now, State.APPROVED, State.CONSUMED)


def _stand_before_the_start(gate: Gate, use: Use) -> None:
    """A runtime's own file has the call before our answer: with the use, ours goes in front."""
    if not recording.is_live(gate.run):
        run = Run.objects.select_for_update().get(pk=gate.run_id)
        ingest.extend(run, f"used:{gate.public_id}:{use.effect}")
        jobs.enqueue(run, "used")
