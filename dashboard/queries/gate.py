"""The decision page of a gate, in the order of `gates.md`: computed, bytes, the agent's words."""

from __future__ import annotations

import hashlib
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q
from msgspec import Struct

from dashboard import access, facts, gates, words
from dashboard.gates import GateRefused
from dashboard.gates.present import About
from dashboard.models import Decision, Gate, Membership, Role
from dashboard.queries import stored
from dashboard.queries.edit import label_of, lacked
from dashboard.queries.frames import Frame, Mark, Opened, Part, frame
from dashboard.queries.gates import holder, neighbours
from dashboard.visible import hidden, plain

MOST_PARTS = 400
LIVE = {Gate.State.PENDING, Gate.State.APPROVED}
PINNED_FIRST = frozenset({"dropped", "altered", "weakened"})


class Stake(Struct, frozen=True):
    """An effect at stake: what the gate is bound to, and what the journal knows of it."""

    id: str
    sha256: str
    tool: str
    target: str
    summary: str
    size: int
    reversibility: str
    state: str
    payload: Frame
    lacking: tuple[str, ...] = ()
    """Facts that its window did not hold at its start, or does not hold now."""


class Pin(Struct, frozen=True):
    """A fact that may be put back, word for word."""

    name: str
    verbatim: str
    status: str
    checked: bool


class GatePage(Struct, frozen=True):
    gate: Gate
    open: bool
    error: str
    facts: list[facts.Fact]
    counts: list[tuple[str, int]]
    sentence: str
    stakes: list[Stake]
    before: Frame
    after: Frame
    hidden: list[tuple[str, int]]
    shown_hash: str
    window_hash: str
    window: str
    pins: list[Pin]
    pinned_hash: str
    why_not: str
    claimed_by: User | None
    claim_until: datetime | None
    mine: bool
    reviewers: list[str]
    decision: Decision | None
    votes: list[Any]
    uses: list[Any]
    place: tuple[int, int, str, str]
    now: datetime

    @property
    def left_ms(self) -> int:
        return max(0, int((self.gate.expires_at - self.now) / timedelta(milliseconds=1)))

    @property
    def whole_ms(self) -> int:
        whole = self.gate.expires_at - self.gate.created_at
        return max(1, int(whole / timedelta(milliseconds=1)))

    @property
    def until_ms(self) -> int:
        return int(self.gate.expires_at.timestamp() * 1000)

    @property
    def lost(self) -> int:
        return sum(fact.status in facts.LOST for fact in self.facts)

    @property
    def in_window(self) -> int:
        return sum(fact.status != "added" for fact in self.facts)


def gate_page(
    gate: Gate, reader: User, now: datetime, views: dict[str, Opened], pins: list[str] | None
) -> GatePage:
    """Everything of the page; `pins` are the facts chosen so far, None before any choice."""
    present, error = _present(gate)
    rows = list(present.facts) if present else [_fact(row) for row in gate.facts]
    choices = _pins(rows, pins)
    chosen = [pin.name for pin in choices if pin.checked]
    before, window = _before(gate, rows, views["before"])
    after = _after(gate, rows, views["after"])
    person = holder(gate, now)
    return GatePage(
        gate=gate,
        open=gate.state == Gate.State.PENDING and gate.expires_at > now,
        error=error,
        facts=rows,
        counts=[(status, n) for status, n in _counts(rows) if n],
        sentence=_sentence(rows),
        stakes=_stakes(gate, views),
        before=before,
        after=after,
        hidden=_hidden(gate),
        shown_hash=gates.shown_hash(gate, present) if present else gate.shown_hash,
        window_hash=present.window_hash if present else gate.window_hash,
        window=window,
        pins=choices,
        pinned_hash=_pinned_hash(present, chosen),
        why_not=gates.why_not(gate, reader, now),
        claimed_by=person,
        claim_until=gate.claim_until if person else None,
        mine=person is not None and person.pk == reader.pk,
        reviewers=_reviewers(gate),
        decision=Decision.objects.filter(gate=gate).select_related("by").first(),
        votes=list(gate.votes.select_related("by").order_by("at")),
        uses=list(gate.consumptions.order_by("at")),
        place=neighbours(reader, gate, now),
        now=now,
    )


def _present(gate: Gate) -> tuple[About | None, str]:
    """What the journal says now; of a gate that is over, what was shown stays."""
    if gate.state not in LIVE:
        return None, ""
    try:
        return gates.about(gate), ""
    except GateRefused as refused:
        return None, refused.reason


def _fact(row: dict[str, Any]) -> facts.Fact:
    known = {name: row[name] for name in facts.Fact.__struct_fields__ if name in row}
    return facts.Fact(**known)


def _counts(rows: list[facts.Fact]) -> list[tuple[str, int]]:
    counted = Counter(fact.status for fact in rows)
    return [(status, counted[status]) for status in words.FACT_ORDER]


def _pins(rows: list[facts.Fact], chosen: list[str] | None) -> list[Pin]:
    out = {}
    for fact in rows:
        if fact.can_be_pinned:
            checked = fact.status in PINNED_FIRST if chosen is None else fact.name in chosen
            out[fact.name] = Pin(fact.name, fact.verbatim or fact.value, fact.status, checked)
    return list(out.values())


def _pinned_hash(present: About | None, chosen: list[str]) -> str:
    if present is None or not chosen:
        return ""
    try:
        text = gates.pinned_text(present, chosen)
    except GateRefused:
        return ""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _sentence(rows: list[facts.Fact]) -> str:
    """The worst thing about the digest, in full; empty when nothing is at risk."""
    said = []
    for status, verb in (("dropped", "drops"), ("altered", "changes"), ("weakened", "weakens")):
        found = [fact for fact in rows if fact.status == status]
        if found:
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            said.append(f"{verb} “{plain(_told(found[0])[:120])}”{more}")
    added = sum(fact.status == "added" for fact in rows)
    if added:
        said.append(f"adds {words.count(added, 'permission')} that no source gives")
    return f"The digest {', '.join(said)}." if said else ""


def _told(fact: facts.Fact) -> str:
    """A fact as its source says it: a setting with its key, a sentence alone."""
    if fact.key == "rule" or not fact.verbatim:
        return fact.value if fact.key == "rule" else f"{fact.key}: {fact.value}"
    return fact.verbatim


def _stakes(gate: Gate, views: dict[str, Opened]) -> list[Stake]:
    names = [effect["id"] for effect in gate.effects]
    known = {row.effect_id: row for row in gate.run.effects.filter(effect_id__in=names)}
    edit = gate.run.edits.filter(edit_id=gate.edit_id).order_by("seq").first()
    now = tuple(f"{name} = {value}" for name, value in edit.lacking.items()) if edit else ()
    out = []
    for number, effect in enumerate(gate.effects):
        row = known.get(effect["id"])
        payload = effect.get("payload", "")
        name = f"payload{number}"
        parts = [Part("", payload)] if payload else []
        shown = frame(
            name,
            f"Payload of {plain(effect['id'])[:40]}",
            parts,
            place=" ".join(filter(None, (effect.get("tool", ""), effect.get("target", ""))))[:200],
            view=views.get(name, Opened()),
            missing="the runtime sent only the hash of this payload",
        )
        out.append(
            Stake(
                id=effect["id"],
                sha256=effect["sha256"],
                tool=effect.get("tool", ""),
                target=effect.get("target", ""),
                summary=effect.get("summary", ""),
                size=shown.size,
                reversibility=row.reversibility if row else "unknown",
                state=row.state if row else "planned",
                payload=shown,
                lacking=lacked(row) if row and row.start_seq else now,
            )
        )
    return out


def _before(gate: Gate, rows: list[facts.Fact], view: Opened) -> tuple[Frame, str]:
    """The spans that the edit takes, and the stretch of the journal that they come from."""
    found = stored.stored(gate.run)
    event = stored.edit_event(found.events, gate.edit_id) if found else None
    if found is None or event is None:
        why = "the edit is not in the journal (any more), so its spans are not here"
        return frame("before", "Before", [], view=view, missing=why), "not known"
    known = stored.versions_before(found.events, event.seq or 0)
    taken = [known[name] for name in event.in_[:MOST_PARTS] if name in known]
    texts = found.texts([version.name for version in taken])
    parts = [
        Part(label_of(version), texts[version.name], tuple(_source_marks(version.seq, rows)))
        for version in taken
        if version.name in texts
    ]
    seqs = [version.seq for version in taken]
    stretch = f"seq {min(seqs):,} to {max(seqs):,}" if seqs else "no span"
    hashes = len(event.in_) - len(parts)
    partial = f"{hashes:,} of them only as hashes" if hashes and parts else ""
    missing = "the journal holds hashes of these spans, not their content"
    made = frame(
        "before", "Before", parts, place=stretch, view=view, missing=missing, partial=partial
    )
    sizes = [version.tokens for version in taken]
    known_sizes = sum(size for size in sizes if size is not None)
    counted = f", {known_sizes:,} tokens" if all(size is not None for size in sizes) else ""
    return made, f"{words.count(len(event.in_), 'span')}, {stretch}{counted}"


def _source_marks(seq: int, rows: list[facts.Fact]) -> list[Mark]:
    return [
        Mark(fact.source_line, "" if fact.status == "kept" else "out", fact.verbatim or fact.value)
        for fact in rows
        if fact.source_seq == seq and fact.source_line
    ]


def _after(gate: Gate, rows: list[facts.Fact], view: Opened) -> Frame:
    marks = tuple(
        Mark(fact.digest_line, "" if fact.status == "kept" else "in", fact.found or fact.value)
        for fact in rows
        if fact.digest_line
    )
    parts = [Part("", gate.digest_text, marks)] if gate.digest_text else []
    missing = (
        "the text of the digest is not here"
        if gate.digest_hash
        else "nothing comes instead: the spans are taken out"
    )
    place = f"digest of {gate.edit_id[:40]}"
    return frame("after", "After", parts, place=place, view=view, missing=missing)


def _hidden(gate: Gate) -> list[tuple[str, int]]:
    """Hidden characters in everything that is decided about, by code."""
    counted = hidden(gate.digest_text)
    for effect in gate.effects:
        for name in ("payload", "target", "tool", "summary"):
            counted += hidden(str(effect.get(name, "")))
    return counted.most_common(8)


def _reviewers(gate: Gate) -> list[str]:
    rows = Membership.objects.filter(
        Q(source=gate.run.source) | Q(source=None), role=Role.REVIEWER, user__is_active=True
    )
    people = {row.user.pk: row.user for row in rows.select_related("user")}
    return sorted(
        person.get_username()
        for person in people.values()
        if not access.same_person(person, gate.owner)
    )
