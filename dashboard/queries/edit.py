"""One edit: its facts first, then what happened under it, its history, and the bytes themselves."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from msgspec import Struct

from dashboard import words
from dashboard.models import EditRow, EffectRow, FactRow, FindingRow, Gate, Note, Run
from dashboard.queries import stored
from dashboard.queries.detail import effects_under, sorted_facts
from dashboard.queries.frames import Frame, Mark, Opened, Part, frame
from dashboard.queries.stored import Stored, Version
from dashboard.visible import brief
from dashboard.words import FACT_ORDER
from guard.events import AnyEvent, Edit, Lost, Probe, Proposal, Record, Rollback
from guard.events import Gate as GateEvent
from guard.order import at
from guard.state import State

MOST_PARTS = 400
MOST_EFFECTS = 50
LOST = ("JG201", "JG206")


class Step(Struct, frozen=True):
    """Something that happened to the edit: number, words, time as the journal gives it."""

    seq: int
    what: str
    at: str
    strong: bool = False


class Under(Struct, frozen=True):
    """An effect under the edit, and the facts that its window lacked when it started."""

    effect: EffectRow
    lacked: tuple[str, ...] = ()


class EditPage(Struct, frozen=True):
    run: Run
    row: EditRow
    facts: list[FactRow]
    counts: list[tuple[str, int]]
    effects: list[Under]
    dangers: int
    findings: list[FindingRow]
    notes: list[Note]
    gates: list[Gate]
    history: list[Step]
    before: Frame
    after: Frame
    previous: str
    next: str
    restored: int | None
    undone: bool
    has_record: bool

    @property
    def danger_text(self) -> str:
        """The worst thing about the edit, as a sentence; empty when there is none."""
        if not self.dangers:
            return ""
        first = next(under.effect for under in self.effects if under.effect.danger)
        more = f" and {self.dangers - 1} more" if self.dangers > 1 else ""
        return (
            f"{brief(first.effect_id, 24)}{more} cannot be reversed and happened while this edit "
            f"was what the model read. Undoing the edit does not undo {'them' if more else 'it'}."
        )


def edit_page(run: Run, row: EditRow, before: Opened, after: Opened) -> EditPage:
    facts = sorted_facts(row)
    found = stored.stored(run)
    events = found.events if found else ()
    event = stored.edit_event(events, row.edit_id)
    effects = effects_under(run, row)
    findings = list(run.findings.filter(subject=row.edit_id).order_by("code"))
    gained = None
    if row.tokens_before is not None and row.tokens_after is not None:
        gained = row.tokens_before - row.tokens_after
    others = run.edits.order_by("seq", "edit_id").values_list("edit_id", flat=True)
    place = Q(seq=row.seq, edit_id__lt=row.edit_id)
    return EditPage(
        run=run,
        row=row,
        facts=facts,
        counts=[
            (status, n)
            for status in FACT_ORDER
            if (n := sum(fact.status == status for fact in facts))
        ],
        effects=with_lacked(found, row, effects[:MOST_EFFECTS]),
        dangers=sum(effect.danger for effect in effects),
        findings=findings,
        notes=list(run.notes.filter(subject=row.edit_id).select_related("by").order_by("at")),
        gates=list(run.gates.filter(edit_id=row.edit_id).order_by("created_at")),
        history=history(events, row),
        before=before_frame(row, found, facts, before),
        after=after_frame(row, event, found, facts, after),
        previous=others.filter(Q(seq__lt=row.seq) | place).last() or "",
        next=others.filter(Q(seq__gt=row.seq) | Q(seq=row.seq, edit_id__gt=row.edit_id)).first()
        or "",
        restored=gained,
        undone=row.status == "undone",
        has_record=not any(finding.code in LOST for finding in findings),
    )


def with_lacked(found: Stored | None, row: EditRow, effects: list[EffectRow]) -> list[Under]:
    """The blast radius: what each effect under the edit could not see (`semantics.md` 3.6)."""
    if found is None or not row.elided or not effects:
        return [Under(effect) for effect in effects]
    places = [(effect.branch, effect.start_seq or effect.seq) for effect in effects]
    lacked = found.ask(lambda state: _lacked(state, row.edit_id, places))
    return [Under(effect, names) for effect, names in zip(effects, lacked, strict=True)]


def lacked(effect: EffectRow) -> tuple[str, ...]:
    """The facts that were not in its window when it started, as lines."""
    return tuple(f"{scope}:{key} = {value}" for _, scope, key, value in effect.lacking)


def _lacked(state: State, edit_id: str, places: list[tuple[str, int]]) -> list[tuple[str, ...]]:
    edit = state.edits.first(edit_id)
    if edit is None:
        return [() for _ in places]
    return [
        tuple(f"{name} = {value}" for name, value in state.lacking(edit, branch, at(number)))
        for branch, number in places
    ]


def before_frame(row: EditRow, found: Stored | None, facts: list[FactRow], view: Opened) -> Frame:
    """The spans that the edit took, each with its own line numbers."""
    known = stored.versions_before(found.events, row.seq) if found else {}
    taken = [known[name] for name in row.taken[:MOST_PARTS] if name in known]
    texts = found.texts([version.name for version in taken]) if found else {}
    parts = [
        Part(label_of(version), texts[version.name], tuple(_marks(version.seq, facts)))
        for version in taken
        if version.name in texts
    ]
    seqs = [version.seq for version in taken]
    place = words.count(len(row.taken), "span")
    place += f", seq {min(seqs):,} to {max(seqs):,}" if seqs else ""
    hashes = len(row.taken) - len(parts)
    partial = f"{hashes:,} of them only as hashes" if hashes and parts else ""
    missing = "" if parts else _why_empty(row)
    return frame(
        "before", "Before", parts, place=place, view=view, missing=missing, partial=partial
    )


def label_of(version: Version) -> str:
    source = f" · {version.path}" if version.path else ""
    return f"{version.span}{source} · {version.role}, seq {version.seq:,}"


def _marks(seq: int, facts: list[FactRow]) -> list[Mark]:
    return [
        Mark(fact.source_line, "" if fact.status == "kept" else "out", fact.value)
        for fact in facts
        if fact.source_seq == seq and fact.source_line
    ]


def _why_empty(row: EditRow) -> str:
    if row.fidelity in {"count", "unknown"}:
        return f"what was taken is known only as {row.fidelity}; the runtime's own log would tell"
    if not row.taken:
        return "the edit took no span"
    return "the journal holds hashes of these spans, not their content"


def after_frame(
    row: EditRow,
    event: Edit | Proposal | None,
    found: Stored | None,
    facts: list[FactRow],
    view: Opened,
) -> Frame:
    """The digest that came instead, with what it adds or changes marked."""
    out = event.out if event is not None else None
    marks = tuple(
        Mark(fact.digest_line, "" if fact.status == "kept" else "in", fact.found or fact.value)
        for fact in facts
        if fact.digest_line
    )
    text = None
    if out is not None and found is not None:
        text = out.text or found.texts([(out.id, out.hash)]).get((out.id, out.hash))
    parts = [Part("", text, marks)] if text is not None else []
    if row.opaque:
        missing = "the digest is opaque: its content cannot be read"
    elif event is not None and out is None:
        missing = "nothing came instead: the spans were taken out"
    else:
        missing = "the journal holds the hash of the digest, not its content"
    return frame("after", "After", parts, place="digest, 1 span", view=view, missing=missing)


def history(events: Any, row: EditRow) -> list[Step]:
    """What the journal says happened to this edit, in order."""
    out: list[Step] = []
    for event in events:
        said = _said(event, row.edit_id)
        if said:
            strong = isinstance(event, Edit | Rollback)
            out.append(Step(event.seq or 0, said, event.at or "", strong))
    return out


def _said(event: AnyEvent, edit_id: str) -> str:
    match event:
        case Proposal(id=name) if name == edit_id:
            return "proposed"
        case Record(edit=name) if name == edit_id:
            return "recovery record written" + ("" if event.payload else ", without content")
        case Edit(id=name) if name == edit_id:
            return f"applied by the {event.by}"
        case GateEvent(edit=name) if name == edit_id:
            return f"gate {event.id} {event.state} by {event.by}"
        case Lost(edit=name) if name == edit_id:
            return "recovery record lost"
        case Probe(edit=name) if name == edit_id:
            return f"undo tried: {'it works' if event.ok else 'it does not work'}"
        case Rollback(edits=list(names)) if edit_id in names:
            return f"rolled back by {event.id}" + (" in part" if event.spans else "")
    return ""
