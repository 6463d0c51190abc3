"""The panel beside a timeline: what one mark stands for, and the marks before and after it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from dashboard import words
from dashboard.models import EditRow, EffectRow, FactRow, Gate, Run
from dashboard.queries import places
from dashboard.queries.places import Place

MOST_FACTS = 12
MOST_EFFECTS = 200
SHOWN_EFFECTS = 8


class Detail(Struct, frozen=True):
    """One row with what stands around it. `row` is the derived row, or a gate of ours."""

    key: str
    kind: str
    row: Any
    before: str = ""
    after: str = ""
    facts: list[FactRow] = []
    fact_count: int = 0
    kept_count: int = 0
    effects: list[EffectRow] = []
    effect_count: int = 0
    danger_count: int = 0
    findings: list[Any] = []
    edits: list[EditRow] = []

    @property
    def title(self) -> str:
        if self.kind == "our_gate":
            return str(self.row.public_id)
        name = next((getattr(self.row, name) for name in SUBJECTS if hasattr(self.row, name)), "")
        return str(name or getattr(self.row, "policy", "") or NOUNS[self.kind])

    @property
    def noun(self) -> str:
        if self.kind == "edit":
            return words.OPS.get(self.row.op, self.row.op)
        return NOUNS[self.kind]

    @property
    def template(self) -> str:
        own = self.kind if self.kind in {"edit", "effect"} else "row"
        return f"run/detail_{own}.html"

    @property
    def danger_sign(self) -> words.Sign:
        return words.Sign("danger", "irrev", "irreversible, under a summary")

    @property
    def signs(self) -> list[words.Sign]:
        return [words.sign(table, getattr(self.row, name)) for name, table in SIGNS[self.kind]]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(name, text(getattr(self.row, field))) for name, field in PAIRS[self.kind]]

    @property
    def at(self) -> Any:
        return getattr(self.row, "at", None) or getattr(self.row, "created_at", None)


def text(value: Any) -> str:
    """A field of a row in words."""
    if isinstance(value, list):
        return ", ".join(str(item) for item in value) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value or "none")


SUBJECTS = ("edit_id", "effect_id", "rollback_id", "gate_id")
NOUNS = {
    "edit": "edit",
    "effect": "effect",
    "gate": "gate of the journal",
    "our_gate": "gate",
    "rollback": "rollback",
    "proposal": "proposal",
    "epoch": "policy epoch",
    "gap": "gap",
}
SIGNS: dict[str, tuple[tuple[str, str], ...]] = {
    "edit": (),
    "effect": (),
    "gate": (("state", "journal_gate"),),
    "our_gate": (("state", "gate"),),
    "rollback": (("soundness", "soundness"), ("mode", "mode"), ("retention", "retention")),
    "proposal": (("verdict", "verdict"),),
    "epoch": (),
    "gap": (),
}
PAIRS: dict[str, tuple[tuple[str, str], ...]] = {
    "edit": (),
    "effect": (),
    "gate": (("Place", "seq"), ("For edit", "edit")),
    "our_gate": (("Place", "position"), ("For edit", "edit_id"), ("Asked by", "requester_agent")),
    "rollback": (
        ("Place", "seq"),
        ("Left behind", "blame"),
        ("Residue", "residue"),
        ("Watch", "watch"),
        ("Missing spans", "missing"),
        ("Extra spans", "extra"),
        ("Changed spans", "changed"),
    ),
    "proposal": (("Place", "seq"), ("Rules that fire", "rules")),
    "epoch": (("From", "from_seq"), ("To", "to_seq"), ("Policy", "policy")),
    "gap": (
        ("First number", "first_seq"),
        ("Last number", "last_seq"),
        ("What is missing", "what"),
        ("What follows", "consequence"),
    ),
}


def detail(run: Run, key: str) -> Detail | None:
    """What a key stands for; None when there is no such row (any more)."""
    gate = run.gates.filter(public_id=key).first()
    if gate is not None:
        return Detail(key=key, kind="our_gate", row=gate)
    place = places.parse(key)
    row = places.find(run, place) if place else None
    if place is None or row is None:
        return None
    before, after = _neighbours(run, place)
    if place.kind == "edit":
        return _edit(run, key, row, before, after)
    if place.kind == "effect":
        return _effect(run, key, row, before, after)
    findings = _findings(run, row)
    return Detail(key=key, kind=place.kind, row=row, before=before, after=after, findings=findings)


def first_key(run: Run) -> str:
    """What is shown before anything was clicked: the first danger, else the first edit."""
    danger = run.effects.filter(danger=True).order_by("seq", "effect_id").first()
    if danger is not None:
        edit = over(run, danger).first()
        return _key("edit", edit.seq) if edit else _key("effect", danger.seq)
    edit = run.edits.order_by("seq").values_list("seq", flat=True).first()
    return _key("edit", edit) if edit is not None else ""


def over(run: Run, effect: EffectRow) -> Any:
    """Edits in force when an effect happened, outermost first."""
    at = effect.end_seq or effect.seq
    rows = run.edits.filter(branch=effect.branch, seq__lt=at).order_by("depth", "seq")
    return rows.exclude(end_seq__lte=effect.seq)


def _key(kind: str, seq: int) -> str:
    return str(Place(kind, seq))


def _neighbours(run: Run, place: Place) -> tuple[str, str]:
    field = places.seq_field(place.kind)
    rows = places.rows_of(run, place.kind).values_list(field, flat=True)
    before = rows.filter(**{f"{field}__lt": place.seq}).reverse().first()
    after = rows.filter(**{f"{field}__gt": place.seq}).first()
    return (
        _key(place.kind, before) if before is not None else "",
        _key(place.kind, after) if after is not None else "",
    )


def _edit(run: Run, key: str, row: EditRow, before: str, after: str) -> Detail:
    facts = sorted_facts(row)
    effects = effects_under(run, row)
    return Detail(
        key=key,
        kind="edit",
        row=row,
        before=before,
        after=after,
        facts=facts[:MOST_FACTS],
        fact_count=sum(fact.status != "added" for fact in facts),
        kept_count=sum(fact.status == "kept" for fact in facts),
        effects=effects[:SHOWN_EFFECTS],
        effect_count=len(row.overlaps),
        danger_count=sum(effect.danger for effect in effects),
        findings=_findings(run, row),
    )


def sorted_facts(row: EditRow) -> list[FactRow]:
    """Facts of an edit, the worst first."""
    order = {status: n for n, status in enumerate(words.FACT_ORDER)}
    facts = row.facts.all()
    return sorted(facts, key=lambda fact: (order.get(fact.status, 9), fact.scope, fact.key))


def effects_under(run: Run, row: EditRow) -> list[EffectRow]:
    """The writes that touched the edit's interval, dangers first, then by number."""
    ids = row.overlaps[:MOST_EFFECTS]
    found = run.effects.filter(effect_id__in=ids)
    return sorted(found, key=lambda effect: (not effect.danger, effect.seq))


def _effect(run: Run, key: str, row: EffectRow, before: str, after: str) -> Detail:
    return Detail(
        key=key,
        kind="effect",
        row=row,
        before=before,
        after=after,
        edits=list(over(run, row)[:SHOWN_EFFECTS]),
        findings=_findings(run, row),
    )


def _findings(run: Run, row: Any) -> list[Any]:
    subject = next((getattr(row, name) for name in SUBJECTS if hasattr(row, name)), None)
    if subject is None or isinstance(row, Gate):
        return []
    return list(run.findings.filter(subject=subject).order_by("code")[:SHOWN_EFFECTS])
