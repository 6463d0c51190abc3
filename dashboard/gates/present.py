"""What a gate is about, as the journal says it at this moment. Frozen: no state leaks out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins

from dashboard import clean, facts, live
from dashboard.facts import Fact
from dashboard.gates.refusal import GateRefused
from dashboard.live import Known
from dashboard.models import Gate, Run
from guard import RULES_VERSION
from guard.canonical import canonical
from guard.edits import Performed
from guard.errors import GuardError
from guard.events import Edit, Effect, Proposal
from guard.order import at
from guard.prefix import Proposed


class AtStake(Struct, frozen=True):
    """An effect as the journal knows it; empty when it is not there yet."""

    id: str
    bodies: tuple[str, ...] = ()
    tool: str = ""
    target: str = ""
    summary: str = ""


class About(Struct, frozen=True):
    """An edit or proposal with everything that an answer rests on.

    `digest_hash` is blank for an edit without `out`; `epoch_from` is the first number of the epoch
    in force; `rolled_back`: undone on its own branch; `re_edited`: another edit took its digest.
    """

    found: bool = False
    applied: bool = False
    seq: int = 0
    at: int = 0
    digest_hash: str = ""
    digest_text: str = ""
    has_text: bool = False
    facts: tuple[Fact, ...] = ()
    window_hash: str = ""
    author: str = ""
    policy: str = ""
    epoch_from: int = 0
    verdict: str = ""
    rules: tuple[str, ...] = ()
    integrity_ok: bool = True
    rolled_back: bool = False
    re_edited: bool = False
    effects: Mapping[str, AtStake] = {}
    payloads: Mapping[str, str] = {}
    rolled_over: frozenset[str] = frozenset()

    def effect(self, effect_id: str) -> AtStake:
        return self.effects.get(effect_id, AtStake(effect_id))

    def may_carry(self, effect_id: str, sha256: str) -> bool:
        """Whether the journal says no other body of this effect than this one."""
        bodies = self.effect(effect_id).bodies
        return not bodies or bodies == (sha256,)

    def payload_of(self, effect_id: str, sha256: str) -> str | None:
        """The exact payload when the journal holds its text; None otherwise."""
        return self.payloads.get(effect_id) if self.may_carry(effect_id, sha256) else None

    def same_payloads(self, bound: Iterable[Mapping[str, str]]) -> bool:
        return all(self.may_carry(effect["id"], effect["sha256"]) for effect in bound)


def about(gate: Gate) -> About:
    """What the journal says now about a gate. Raises `GateRefused("error")` when it cannot."""
    names = tuple(effect["id"] for effect in gate.effects)
    return about_edit(gate.run, gate.edit_id, names, gate.digest_text)


def about_edit(
    run: Run, edit_id: str, effects: Sequence[str] = (), digest_text: str | None = None
) -> About:
    """The same for an edit that nobody has asked about yet; `digest_text` as the runtime has it."""
    try:
        return live.ask(run, lambda known: _about(known, edit_id, effects, digest_text))
    except GuardError as error:
        raise GateRefused("error", f"the journal cannot be judged: {error}") from error


def _about(known: Known, edit_id: str, effects: Sequence[str], digest_text: str | None) -> About:
    state = known.state
    subject = state.edits.first(edit_id) or _proposed(known, edit_id)
    common = {
        "at": state.at,
        "policy": state.policies.digest(state.now) or "",
        "epoch_from": state.epochs[-1].first if state.epochs else 0,
        "integrity_ok": state.integrity.allows_good,
        "rolled_over": frozenset(_rolled_over(known)),
        "effects": {name: _at_stake(known, name) for name in effects},
    }
    return About(**common) if subject is None else _of(known, subject, digest_text, common)


def _proposed(known: Known, edit_id: str) -> Proposed | None:
    found = [row for row in known.state.proposals if row.id == edit_id]
    return found[-1] if found else None


def _of(
    known: Known, subject: Performed | Proposed, digest_text: str | None, common: dict[str, Any]
) -> About:
    event = subject.edit if isinstance(subject, Performed) else subject.proposal
    digest = event.out.hash if event.out else ""
    text = _text(known, event, digest_text)
    verdict, rules = _verdict(known, subject)
    return About(
        found=True,
        applied=isinstance(subject, Performed),
        seq=subject.seq,
        digest_hash=digest,
        digest_text=clean.text(text, 1 << 22),
        has_text=text is not None,
        facts=tuple(_compared(known, subject, text)),
        window_hash=_window_hash(subject.taken),
        author=event.author or "",
        verdict=verdict,
        rules=rules,
        rolled_back=_is_undone(known, subject),
        re_edited=_is_re_edited(known, subject),
        **common,
    )


def _compared(known: Known, subject: Performed | Proposed, text: str | None) -> list[Fact]:
    event = subject.edit if isinstance(subject, Performed) else subject.proposal
    versions = {
        (span, version): dict(known.state.windows.versions.facts_of(span, version))
        for span, version in subject.taken.items()
        if version is not None
    }
    return facts.compared(subject.taken, versions, known.told, event.out, text)


def _text(known: Known, event: Edit | Proposal, given: str | None) -> str | None:
    """The digest's text: the journal's, or the runtime's when it has the journal's hash."""
    if event.out is None:
        return None
    told = known.told.get((event.out.id, event.out.hash))
    if told is not None and told.text is not None:
        return told.text
    digest = event.out.hash.removeprefix("sha256:")
    if given is not None and hashlib.sha256(given.encode()).hexdigest() == digest:
        return given
    return None


def _verdict(known: Known, subject: Performed | Proposed) -> tuple[str, tuple[str, ...]]:
    if isinstance(subject, Performed):
        return "", ()
    answer = known.state.proposal(subject)
    return answer.verdict, tuple(answer.rules)


def _window_hash(taken: Mapping[str, str | None]) -> str:
    return hashlib.sha256(canonical(dict(taken))).hexdigest()


def _is_undone(known: Known, subject: Performed | Proposed) -> bool:
    edits = known.state.edits
    return isinstance(subject, Performed) and not edits.stands(subject, at(known.state.at))


def _is_re_edited(known: Known, subject: Performed | Proposed) -> bool:
    """Whether another edit took the digest, and stands (`semantics.md` 8.2, stale)."""
    if not isinstance(subject, Performed) or subject.edit.out is None:
        return False
    edits = known.state.edits
    takers = (edits[index] for index in edits.takers.get(subject.edit.out.id, ()))
    now = at(known.state.at)
    return any(taker is not subject and edits.stands(taker, now) for taker in takers)


def _rolled_over(known: Known) -> Iterable[str]:
    """Our gates whose approval was given inside a window that a rollback removed."""
    for rolled in known.state.rollbacks:
        for edit in rolled.range:
            for gate_id, number in known.approved_at.items():
                if edit.seq < number < rolled.seq:
                    yield gate_id


def _at_stake(known: Known, effect_id: str) -> AtStake:
    steps = [step for step in _steps(known, effect_id) if step.id == effect_id]
    bodies = tuple(sorted({step.body for step in steps if step.body is not None}))
    return AtStake(
        effect_id, bodies, _last(steps, "tool"), _last(steps, "target"), _last(steps, "summary")
    )


def _steps(known: Known, effect_id: str) -> Iterable[Effect]:
    ledger = known.state.ledger
    for index in ledger.by_attempt.get(effect_id, ()):
        yield from ledger.all[index].events()


def _last(steps: Sequence[Effect], name: str) -> str:
    found = [getattr(step, name) for step in steps if getattr(step, name)]
    return found[-1] if found else ""


class Shown(Struct, frozen=True):
    """Exactly what a reviewer is shown; `sha256` is of this, so that an answer names it."""

    gate: str
    edit: str
    digest_hash: str
    digest_text: str
    window_hash: str
    policy: str
    rules_version: str
    facts: tuple[Fact, ...]
    effects: tuple[dict[str, str], ...]
    requester: str
    words: str
    sha256: str = ""


def shown(gate: Gate) -> Shown:
    """What the decision page shows now, with its hash."""
    return _shown(gate, about(gate))


def shown_hash(gate: Gate, present: About) -> str:
    return _shown(gate, present).sha256


def _shown(gate: Gate, present: About) -> Shown:
    page = Shown(
        gate=gate.public_id,
        edit=gate.edit_id,
        digest_hash=gate.digest_hash,
        digest_text=gate.digest_text,
        window_hash=present.window_hash,
        policy=gate.policy,
        rules_version=RULES_VERSION,
        facts=present.facts,
        effects=tuple(gate.effects),
        requester=gate.requester_agent,
        words=gate.agent_words,
    )
    digest = hashlib.sha256(canonical(to_builtins(page))).hexdigest()
    return Shown(**{**_fields(page), "sha256": digest})


def _fields(page: Shown) -> dict[str, Any]:
    return {name: getattr(page, name) for name in page.__struct_fields__}
