"""Gates, for the runtime that waits: ask, follow, use. No call here answers a gate."""

from __future__ import annotations

from typing import Any, Literal

from django.http import Http404, HttpRequest
from ninja import Query, Router
from ninja.responses import Status

from dashboard import gates
from dashboard.api.auth import may_follow, may_propose, run_of
from dashboard.api.idempotency import KEY_PARAMETER, once
from dashboard.api.problems import PROBLEMS, ApiProblem
from dashboard.api.schemas import ConsumeIn, ConsumeOut, GateIn, GateOut, PayloadIn
from dashboard.models import Gate, Run, Token

router = Router(tags=["gates"])
State = Gate.State
StateName = Literal[
    "pending", "approved", "rejected", "expired", "withdrawn", "consumed", "revoked", "void"
]

NEXT = {
    State.PENDING: "Do not act. Wait: GET this gate with ?wait=30 until a person has answered.",
    State.APPROVED: "POST consume with effect, digest and payload_sha256; act once it says ok.",
    State.REJECTED: "Do not act. Read the reason, change the plan, and ask again if need be.",
    State.EXPIRED: "Do not act. Nobody answered in time; ask again while somebody is there.",
    State.WITHDRAWN: "Do not act on this gate.",
    State.CONSUMED: "Used. Report the outcome of the effect; another effect needs another gate.",
    State.REVOKED: "Do not act. The approval was taken back or ran out; ask again.",
    State.VOID: "Do not act. A rollback made the approval void; ask again about the new state.",
}
CODES = {
    "ok": "Act now, once, and report the outcome.",
    "unknown": "Do not act. This gate has no such effect, or there is no such gate for this token.",
    "pending": "Do not act. Nobody has answered yet: wait for the gate.",
    "not_approved": "Do not act. It was refused or withdrawn: read the gate's reason.",
    "expired": "Do not act. The time is over: ask again.",
    "consumed": "Do not act. The approval was used already: a second effect needs a second gate.",
    "digest_mismatch": "Do not act. The digest is not the approved one: ask about this digest.",
    "payload_mismatch": "Do not act. The payload is not the approved one: ask about this payload.",
    "epoch_swapped": "Do not act. The policy changed since: ask again.",
    "rolled_back": "Do not act. The edit was rolled back: ask again about the new state.",
    "void": "Do not act. A rollback made the approval void: ask again.",
    "error": "Do not act. The journal cannot be judged: repair it, then ask again.",
}
STATUS = {"ok": 200, "unknown": 404, "error": 503}


@router.post(
    "/gates",
    auth=may_propose,
    response={201: GateOut, **PROBLEMS},
    summary="Ask for a gate",
    openapi_extra=KEY_PARAMETER,
)
def ask(request: HttpRequest, body: GateIn) -> Status:
    """Put a question to a person. 422 with `missing` when it names bytes that are not here."""
    token: Token = request.auth
    run = run_of(token, body.run)
    question = gates.Question(
        edit=body.edit,
        digest=body.digest,
        digest_text=body.digest_text,
        effects=tuple(stake(effect) for effect in body.effects),
        agent=body.agent,
        policy=body.policy,
        words=body.words,
        risk=body.risk,
        expires_in_s=body.expires_in_s,
        needed=body.needed,
    )
    return once(request, token, lambda: (201, told(opened(run, question, token))))


@router.get(
    "/gates",
    auth=may_follow,
    response={200: list[GateOut], **PROBLEMS},
    summary="List gates",
)
def list_gates(request: HttpRequest, state: StateName = "pending") -> list[dict[str, Any]]:
    """Gates of the token's source in one state, oldest first, at most 100."""
    token: Token = request.auth
    mine = Gate.objects.filter(run__source=token.source, state=state).order_by("created_at")
    return [told(gate) for gate in mine.select_related("run", "decision__by")[:100]]


@router.get(
    "/gates/{gate}",
    auth=may_follow,
    response={200: GateOut, **PROBLEMS},
    summary="Follow a gate",
)
def follow(
    request: HttpRequest,
    gate: str,
    wait: int = Query(0, ge=0, le=3600),  # noqa: ARG001 - the server waits before (waiting.py)
) -> dict[str, Any]:
    """The gate as it is; with `wait`, after it was answered or that many seconds (at most 60)."""
    found = gate_of(request.auth, gate)
    if gates.expire(found):
        found.refresh_from_db()
    return told(found)


@router.post(
    "/gates/{gate}/withdraw",
    auth=may_propose,
    response={200: GateOut, **PROBLEMS},
    summary="Withdraw a question",
)
def withdraw(request: HttpRequest, gate: str) -> dict[str, Any]:
    """The runtime does not need the answer any more."""
    found = gate_of(request.auth, gate)
    gates.withdraw(found, str(request.auth))
    return told(gate_of(request.auth, gate))


@router.post(
    "/gates/{gate}/consume",
    auth=may_propose,
    response={200: ConsumeOut, 404: ConsumeOut, 409: ConsumeOut, 503: ConsumeOut}
    | {status: shape for status, shape in PROBLEMS.items() if status not in {404, 409, 503}},
    summary="Use an approval",
    openapi_extra=KEY_PARAMETER,
)
def consume(request: HttpRequest, gate: str, body: ConsumeIn) -> Status:
    """The only way to act on an approval. Everything but `ok` means: do not act."""
    token: Token = request.auth
    key = request.headers.get("Idempotency-Key") or f"{gate}/{body.effect}"
    if len(key) > 255 or not key.isprintable():
        raise ApiProblem(400, "idempotency_key", "between 1 and 255 characters that can be shown")
    use = gates.Use(body.effect, body.digest, body.payload_sha256, key)
    code = gates.consume(token.source, gate, use, str(token))
    told_code = {"code": code, "detail": f"{gate}: {code}", "next_step": CODES[code]}
    return Status(STATUS.get(code, 409), told_code)


def opened(run: Run, question: gates.Question, token: Token) -> Gate:
    """A gate, or 422 with what is missing."""
    try:
        return gates.open_gate(run, question, token, str(token))
    except gates.GateRefused as refused:
        raise ApiProblem(422, refused.code, refused.reason, **refused.shown) from refused


def stake(effect: PayloadIn) -> gates.Stake:
    return gates.Stake(**effect.model_dump())


def gate_of(token: Token, name: str) -> Gate:
    """The gate of the token's source with this id; else 404."""
    mine = Gate.objects.filter(run__source=token.source, public_id=name)
    found = mine.select_related("run", "decision__by", "replaced_by").first()
    if found is None:
        raise Http404(f"no gate {name}")
    return found


def told(gate: Gate) -> dict[str, Any]:
    """A gate as its runtime sees it."""
    decision = getattr(gate, "decision", None)
    pinned = decision is not None and bool(decision.pins)
    return {
        "gate": gate.public_id,
        "run": gate.run.public_id,
        "edit": gate.edit_id,
        "state": gate.state,
        "digest": gate.digest_hash or None,
        "effects": [{"id": row["id"], "sha256": row["sha256"]} for row in gate.effects],
        "expires_at": gate.expires_at.isoformat(),
        "answer": decision.answer if decision else None,
        "reason": decision.reason if decision else None,
        "by": decision.by.get_username() if decision else None,
        "replaced_by": gate.replaced_by.public_id if gate.replaced_by else None,
        "pins": decision.pins if decision else [],
        "digest_text": gate.digest_text if pinned else None,
        "why": gate.closed_why,
        "next_step": _next(gate),
        "events": list(gate.events.values_list("event", flat=True)),
    }


def _next(gate: Gate) -> str:
    if gate.replaced_by is None:
        return NEXT[State(gate.state)]
    new = gate.replaced_by.public_id
    return f"Facts were pinned: take over the digest_text of {new}, then consume {new}."
