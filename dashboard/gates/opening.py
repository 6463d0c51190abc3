"""A gate is opened about bytes that are here: nothing is half-created, nothing is believed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from msgspec import Struct

from dashboard import clock
from dashboard.gates import closing, steps
from dashboard.gates.present import About, about_edit, shown_hash
from dashboard.gates.refusal import GateRefused
from dashboard.models import Gate, Run, Token
from guard import RULES_VERSION

State = Gate.State


class Stake(Struct, frozen=True):
    """An effect that the gate would let through; `sha256` is of the exact payload."""

    id: str
    sha256: str
    tool: str = ""
    target: str = ""
    summary: str = ""
    payload: str | None = None


class Question(Struct, frozen=True):
    """What a runtime asks. `digest` is None for an edit without `out`."""

    edit: str
    digest: str | None
    effects: tuple[Stake, ...]
    agent: str = ""
    digest_text: str | None = None
    policy: str | None = None
    words: str = ""
    risk: str = Gate.Risk.COMMIT
    expires_in_s: int | None = None
    needed: int = 1


def open_gate(run: Run, question: Question, token: Token | None, actor: str) -> Gate:
    """The gate for this question; the one that is open already when it asks the same.

    Raises `GateRefused("missing")` with the list of what is not here.
    """
    about_edit(run, question.edit)
    return _open_gate(run, question, token, actor)


@transaction.atomic
def _open_gate(run: Run, question: Question, token: Token | None, actor: str) -> Gate:
    own = Run.objects.select_for_update(of=("self",))
    run = own.select_related("source", "owner").get(pk=run.pk)
    present = about_edit(
        run, question.edit, [stake.id for stake in question.effects], question.digest_text
    )
    missing = list(_missing(question, present))
    if missing:
        raise GateRefused("missing", missing=missing)
    same = _open_already(run, question)
    return same or _create(run, question, present, token, actor)


def _missing(question: Question, present: About) -> Iterator[str]:
    if not present.found:
        yield f"edit {question.edit}: no edit or proposal of that name in the journal"
        return
    if (question.digest or "") != present.digest_hash:
        yield f"digest {question.digest}: the journal has {present.digest_hash or 'none'}"
    elif present.digest_hash and not present.has_text:
        yield "digest_text: the text is not in the journal, or its hash is another one"
    if question.policy is not None and question.policy != present.policy:
        yield f"policy {question.policy}: in force is {present.policy or 'none'}"
    for stake in question.effects:
        known = present.payload_of(stake.id, stake.sha256)
        if stake.payload is None and known is None:
            yield f"effect {stake.id}: payload with {stake.sha256}"
        elif stake.payload is not None and not hashes_to(stake.payload, stake.sha256):
            yield f"effect {stake.id}: the payload has another hash than {stake.sha256}"
        elif not present.may_carry(stake.id, stake.sha256):
            yield f"effect {stake.id}: the journal has another body"


def hashes_to(text: str, sha256: str) -> bool:
    """Whether a hash is that of the text's UTF-8 bytes; with or without `sha256:` in front."""
    return hashlib.sha256(text.encode()).hexdigest() == sha256.removeprefix("sha256:").lower()


def _open_already(run: Run, question: Question) -> Gate | None:
    wanted = {stake.id: stake.sha256 for stake in question.effects}
    same = Gate.objects.filter(
        run=run,
        edit_id=question.edit,
        digest_hash=question.digest or "",
        state=State.PENDING,
        expires_at__gte=clock.now(),
        needed=question.needed,
    )
    for gate in same:
        if {effect["id"]: effect["sha256"] for effect in gate.effects} == wanted:
            return gate
    return None


def _create(run: Run, question: Question, present: About, token: Token | None, actor: str) -> Gate:
    now = clock.now()
    gate = Gate(
        public_id=closing.next_name(),
        run=run,
        edit_id=question.edit,
        digest_hash=question.digest or "",
        digest_text=present.digest_text,
        edit_hash=present.digest_hash,
        window_hash=present.window_hash,
        rules_version=RULES_VERSION,
        requester_agent=question.agent or run.agent or run.external_id,
        requested_with=token,
        owner=_owner(run),
        author=present.author,
        policy=present.policy,
        risk=question.risk,
        effects=[_stake(stake, present) for stake in question.effects],
        facts=[fact.row() for fact in present.facts],
        agent_words=question.words,
        verdict=present.verdict,
        rules=list(present.rules),
        position=present.at,
        needed=question.needed,
        created_at=now,
        expires_at=now + _lifetime(question),
    )
    gate.shown_hash = shown_hash(gate, present)
    gate.save(force_insert=True)
    steps.append(gate, "requested", gate.requester_agent, now)
    steps.tell("requested", gate, actor, **_bound(gate))
    return gate


def _owner(run: Run) -> User | None:
    return run.owner or run.source.owner


def _lifetime(question: Question) -> timedelta:
    if question.expires_in_s is not None:
        return timedelta(seconds=question.expires_in_s)
    commit = question.risk == Gate.Risk.COMMIT
    minutes = settings.GATE_COMMIT_MINUTES if commit else settings.GATE_OTHER_MINUTES
    return timedelta(minutes=minutes)


def _stake(stake: Stake, present: About) -> dict[str, str]:
    """The effect as it is bound and shown; its payload is the request's or the journal's."""
    payload = stake.payload
    if payload is None:
        payload = present.payload_of(stake.id, stake.sha256) or ""
    known = present.effect(stake.id)
    return {
        "id": stake.id,
        "sha256": stake.sha256,
        "tool": stake.tool or known.tool,
        "target": stake.target or known.target,
        "summary": stake.summary or known.summary,
        "payload": payload,
    }


def _bound(gate: Gate) -> dict[str, object]:
    return {
        "edit": gate.edit_id,
        "digest": gate.digest_hash,
        "effects": {effect["id"]: effect["sha256"] for effect in gate.effects},
        "agent": gate.requester_agent,
        "shown": gate.shown_hash,
        "window": gate.window_hash,
        "rules_version": gate.rules_version,
        "expires_at": gate.expires_at.isoformat(),
    }
