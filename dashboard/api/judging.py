"""Proposals and effects of a running agent: judged before, and recorded as they happen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import HttpRequest
from msgspec import Struct
from ninja import Router
from ninja.responses import Status

from dashboard import gates, live, recording
from dashboard.api.auth import may_propose, run_of
from dashboard.api.gates import opened, stake, told
from dashboard.api.idempotency import KEY_PARAMETER, once
from dashboard.api.problems import PROBLEMS
from dashboard.api.schemas import EffectIn, HoldIn, PayloadIn, ProposalIn, VerdictOut
from dashboard.live import Known
from dashboard.models import Gate, Run, Token
from guard import RULES_VERSION
from guard.decide import decide, decide_effect
from guard.events import Effect, Proposal
from guard.ledger import key_of
from guard.members import event_of, present
from guard.state import State

router = Router(tags=["before it happens"])
OURS = {"hold", "effects", "payload"}

NEXT = {
    "proceed": "Go ahead.",
    "out_of_scope": "Go ahead: this edit is no matter of a gate.",
    "refuse": "Do not do it. Change what the codes name, and propose again.",
    "gate": "Do not do it yet. A person must look first: ask with `hold`, wait, consume.",
    "whole": "Do not do it. No approval counts behind a hole: send what is missing of the journal, "
    "or begin a new run, and ask again.",
    "asked": "Do not do it yet. Wait for every gate: GET each with ?wait=30, then consume.",
}


class Said(Struct, frozen=True):
    """The answer of the judge. `edits`: what stands in the way, each with its digest."""

    verdict: str
    codes: tuple[str, ...]
    reasons: tuple[str, ...]
    edits: tuple[tuple[str, str | None], ...]


@router.post(
    "/runs/{run}/proposals",
    auth=may_propose,
    response={200: VerdictOut, **PROBLEMS},
    summary="May the window be edited like this?",
    openapi_extra=KEY_PARAMETER,
    by_alias=True,
)
def propose(request: HttpRequest, run: str, body: ProposalIn) -> Status:
    """Judge a summary or eviction before it is made; `hold` asks a person when it says `gate`."""
    token: Token = request.auth
    found = run_of(token, run)
    members = _members("proposal", body)
    live.warm(found)
    text = body.out.text if body.out else None

    @transaction.atomic
    def work() -> tuple[int, dict[str, Any]]:
        seq = _record(found, members, token)
        said = live.ask(found, lambda known: _of_proposal(known, members, recorded=bool(seq)))
        asked = _ask(found, said, body.hold, body.effects, token, text)
        return 200, _answer(said, seq, asked)

    return once(request, token, work)


@router.post(
    "/runs/{run}/effects",
    auth=may_propose,
    response={200: VerdictOut, **PROBLEMS},
    summary="May this effect start? What became of it?",
    openapi_extra=KEY_PARAMETER,
    by_alias=True,
)
def effect(request: HttpRequest, run: str, body: EffectIn) -> Status:
    """Record a step of an effect and say whether it may start; an outcome is only recorded."""
    token: Token = request.auth
    found = run_of(token, run)
    members = _members("effect", body)
    live.warm(found)

    @transaction.atomic
    def work() -> tuple[int, dict[str, Any]]:
        seq = _record(found, members, token)
        said = live.ask(found, lambda known: _of_effect(known, members, recorded=bool(seq)))
        stakes = [_stake(body)] if body.body else []
        asked = _ask(found, said, body.hold, stakes, token, None)
        return 200, _answer(said, seq, asked)

    return once(request, token, work)


def _members(kind: str, body: ProposalIn | EffectIn) -> dict[str, Any]:
    """The members of the native event; what is not said is left out."""
    said = body.model_dump(by_alias=True, exclude=OURS, exclude_defaults=True, mode="python")
    members = {"kind": kind, **said}
    if isinstance(body.at, datetime):
        members["at"] = body.at.isoformat().replace("+00:00", "Z")
    if kind == "proposal":
        members["out"] = members.get("out")
    return present(members)


def _of_proposal(known: Known, members: dict[str, Any], *, recorded: bool) -> Said:
    """What is recorded stands in the state; anything else is judged one step ahead of it."""
    state = known.state
    if recorded:
        proposed = next(row for row in reversed(state.proposals) if row.id == members["id"])
        event, answer = proposed.proposal, state.proposal(proposed)
    else:
        event = event_of({**members, "seq": state.now}, keep_text=True)
        assert isinstance(event, Proposal)
        answer = decide(state, event)
    digest = event.out.hash if event.out else None
    return Said(answer.verdict, tuple(answer.rules), answer.reasons, ((event.id, digest),))


def _of_effect(known: Known, members: dict[str, Any], *, recorded: bool) -> Said:
    state = known.state
    event = event_of({**members, "seq": state.now}, keep_text=True)
    assert isinstance(event, Effect)
    if recorded:
        logical = state.ledger.all[state.ledger.by_key[key_of(event)]]
        answer = state.authorization_alone(logical)
    else:
        answer = decide_effect(state, event)
    edits = tuple((edit_id, _digest(state, edit_id)) for edit_id in answer.edits)
    if answer.verdict == "proceed":
        return Said("proceed", (), (), ())
    reasons = tuple(f"edit {edit_id} stands in the way" for edit_id, _ in edits)
    return Said(answer.verdict, ("9.2",), reasons or (_not_whole(state),), edits)


def _not_whole(state: State) -> str:
    firsts = state.numbers.holes.firsts[:1]
    where = f": number {firsts[0]} is missing" if firsts else ""
    return f"the journal is not whole before this effect{where}"


def _digest(state: State, edit_id: str) -> str | None:
    edit = state.edits.first(edit_id)
    return edit.edit.out.hash if edit and edit.edit.out else None


def _record(run: Run, members: dict[str, Any], token: Token) -> int | None:
    """Append the event to a live run. A runtime's own files say it themselves, so nothing then."""
    if not recording.is_live(run):
        return None
    line = recording.line_of(members)
    return recording.append(run, line, str(token)).last_seq


def _ask(
    run: Run,
    said: Said,
    hold: HoldIn | None,
    stakes: Sequence[PayloadIn],
    token: Token,
    text: str | None,
) -> list[Gate]:
    """One gate for each edit that stands in the way: an approval is bound to one digest."""
    if hold is None or said.verdict != "gate":
        return []
    return [
        opened(
            run,
            gates.Question(
                edit=edit_id,
                digest=digest,
                effects=tuple(stake(effect) for effect in stakes),
                digest_text=text,
                **hold.model_dump(),
            ),
            token,
        )
        for edit_id, digest in said.edits
    ]


def _stake(body: EffectIn) -> PayloadIn:
    return PayloadIn(
        id=body.id,
        sha256=body.body or "",
        tool=body.tool or "",
        target=body.target or "",
        summary=body.summary or "",
        payload=body.payload,
    )


def _answer(said: Said, seq: int | None, asked: Sequence[Gate]) -> dict[str, Any]:
    return {
        "verdict": said.verdict,
        "codes": list(said.codes),
        "reasons": list(said.reasons),
        "edits": [edit_id for edit_id, _ in said.edits],
        "seq": seq,
        "rules_version": RULES_VERSION,
        "gates": [told(gate) for gate in asked],
        "next_step": NEXT[_next(said, asked)],
    }


def _next(said: Said, asked: Sequence[Gate]) -> str:
    if said.verdict == "gate" and not said.edits:
        return "whole"
    return "asked" if asked else said.verdict
