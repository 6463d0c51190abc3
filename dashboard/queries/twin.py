"""The facts of a timeline as rows: for keyboards, screen readers and CSV. Same range, same rows."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Case, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from msgspec import Struct

from dashboard import words
from dashboard.models import Gate, Run
from dashboard.queries import bars, series
from dashboard.queries.places import Counter, rows_of, seq_field
from dashboard.visible import brief, label
from dashboard.words import Sign

PAGE = 50
NEVER = 1 << 62
SHOW = ("edits", "effects", "reads", "gates", "epochs", "rollbacks", "gaps")
USUAL = ("edits", "effects", "gates", "epochs", "rollbacks", "gaps")


class Row(Struct, frozen=True, kw_only=True):
    """One fact. `what` is its id as the journal gives it: journal text, to be shown as such."""

    seq: int
    key: str
    what: str
    kind: str
    place: str
    sign: Sign
    why: str = ""
    code: str = ""
    at: datetime | None = None
    danger: bool = False
    href: str = ""


class Page(Struct, frozen=True):
    """A page of rows. `after` is where the next one starts, 0 on the last one."""

    rows: list[Row]
    total: int
    after: int
    before: bool


def rows(run: Run, first: int, last: int, show: tuple[str, ...]) -> Iterator[Row]:
    """All rows of a range in order of number: lazily, so that an export may be long."""
    parts = [maker(run, first, last) for name, maker in MAKERS if name in show]
    return heapq.merge(*parts, key=lambda row: row.seq)


def page(run: Run, first: int, last: int, show: tuple[str, ...], after: int = 0) -> Page:
    """Some fifty rows from the number `after` on, and how many there are in all."""
    start = max(first, after)
    total = count(run, first, last, show)
    found: list[Row] = []
    for row in rows(run, start, last, show):
        if len(found) >= PAGE and row.seq != found[-1].seq:
            return Page(found, total, row.seq, start > first)
        found.append(row)
    return Page(found, total, 0, start > first)


def count(run: Run, first: int, last: int, show: tuple[str, ...]) -> int:
    """How many rows a range has."""
    total = 0
    for name, kinds in COUNTED.items():
        if name in show:
            total += sum(_between(run, kind, first, last).count() for kind in kinds)
    if {"effects", "reads"} & set(show):
        writes = series.writes(run).count(first, last)
        reads = _between(run, "effect", first, last).count() - writes if "reads" in show else 0
        total += reads + (writes if "effects" in show else 0)
    if "gates" in show:
        total += run.gates.filter(position__gte=first, position__lte=last).count()
    return total


COUNTED = {
    "edits": ("edit", "proposal"),
    "gates": ("gate",),
    "epochs": ("epoch",),
    "rollbacks": ("rollback",),
    "gaps": ("gap",),
}


def _between(run: Run, kind: str, first: int, last: int) -> QuerySet[Any]:
    field = seq_field(kind)
    low, high = {f"{field}__gte": first}, {f"{field}__lte": last}
    return rows_of(run, kind).filter(**low, **high)


def _edits(run: Run, first: int, last: int) -> Iterator[Row]:
    keys = Counter("edit")
    inside = run.effects.filter(danger=True, seq__gt=OuterRef("seq"))
    inside = inside.filter(seq__lt=Coalesce(OuterRef("end_seq"), Value(NEVER)))
    found = bars.with_lost(_between(run, "edit", first, last), run)
    under = Subquery(inside.order_by("seq").values("effect_id")[:1])
    found = found.annotate(under=Case(When(unsafe=True, then=under), default=Value("")))
    found = found.defer("overlaps", "elided", "lacking", "taken")
    for row in found.iterator(PAGE):
        yield Row(
            seq=row.seq,
            key=keys.key(row.seq),
            what=row.edit_id,
            kind=f"{words.OPS.get(row.op, row.op)} by {row.by}",
            place=f"{row.seq:,} to {'now' if row.end_seq is None else f'{row.end_seq:,}'}",
            sign=_edit_sign(row),
            why=f"{label(row.under)} happened under it" if row.under else _edit_why(row),
            code="JG201" if row.lost else "",
            at=row.at,
            danger=row.unsafe or row.lost,
        )


LOST = Sign("danger", "dropped", "no recovery record")
UNSAFE = Sign("danger", "danger", "unsafe while in force")


def _edit_sign(row: Any) -> Sign:
    if row.soundness == "unsound":
        return words.sign("soundness", row.soundness)
    if row.lost or row.unsafe:
        return LOST if row.lost else UNSAFE
    if row.soundness:
        return words.sign("soundness", row.soundness)
    return words.sign("status", row.status)


def _ids(names: list[str]) -> str:
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(brief(name) for name in names[:3]) + more


def _edit_why(row: Any) -> str:
    if row.blame:
        return f"undone now it would leave behind: {_ids(row.blame)}"
    if row.dropped or row.altered or row.weakened:
        parts = [(row.dropped, "dropped"), (row.altered, "altered"), (row.weakened, "weakened")]
        return "facts: " + ", ".join(f"{n} {word}" for n, word in parts if n)
    if row.lost:
        return "nothing that can be trusted says what it took"
    if row.status == "undone":
        return "no longer in force"
    return f"status {words.sign('status', row.status).word.removeprefix('status ')}"


def _proposals(run: Run, first: int, last: int) -> Iterator[Row]:
    keys = Counter("proposal")
    for row in _between(run, "proposal", first, last).iterator(PAGE):
        yield Row(
            seq=row.seq,
            key=keys.key(row.seq),
            what=row.edit_id,
            kind="proposal",
            place=f"from {row.seq:,}",
            sign=words.sign("verdict", row.verdict),
            why=f"fires {', '.join(row.rules)}" if row.rules else "no rule fires",
            code="JG104" if row.verdict in {"gate", "refuse"} else "",
            at=row.at,
        )


def _effects(run: Run, first: int, last: int, *, reads: bool = False) -> Iterator[Row]:
    keys = Counter("effect")
    found = _between(run, "effect", first, last)
    for row in found.iterator(PAGE):
        key = keys.key(row.seq)
        if row.write is reads:
            continue
        outcome = words.sign("outcome", row.state).word
        named = " ".join(part for part in (row.tool, row.target) if part)
        yield Row(
            seq=row.seq,
            key=key,
            what=row.effect_id,
            kind="read" if reads else f"effect, {outcome}",
            place=(row.summary or named)[:200],
            sign=words.sign("class", row.reversibility)
            if not row.danger
            else Sign("danger", "irrev", "irreversible, under a summary"),
            why=_effect_why(row),
            code="JG103" if row.stands_in_way else "",
            at=row.at,
            danger=row.danger,
        )


def _effect_why(row: Any) -> str:
    if row.stands_in_way:
        word = words.sign("verdict", row.authorization).word
        return f"{word}: stands under {_ids(row.stands_in_way)}"
    return row.why[:200] or "nothing stands in its way"


def _reads(run: Run, first: int, last: int) -> Iterator[Row]:
    return _effects(run, first, last, reads=True)


def _gates(run: Run, first: int, last: int) -> Iterator[Row]:
    keys = Counter("gate")
    ours = run.gates.filter(position__gte=first, position__lte=last)
    names = set(ours.values_list("public_id", flat=True))
    for row in _between(run, "gate", first, last).iterator(PAGE):
        key = keys.key(row.seq)
        if row.gate_id in names:
            continue
        yield Row(
            seq=row.seq,
            key=key,
            what=row.gate_id,
            kind="gate of the journal",
            place=f"for {row.edit}" if row.edit else "no request here",
            sign=words.sign("journal_gate", row.state),
            at=row.at,
            danger=row.state == "pending",
        )


def _our_gates(run: Run, first: int, last: int) -> Iterator[Row]:
    rows = run.gates.filter(position__gte=first, position__lte=last).order_by("position", "pk")
    for gate in rows.iterator(PAGE):
        effects = ", ".join(str(effect["id"]) for effect in gate.effects[:3])
        yield Row(
            seq=gate.position,
            key=gate.public_id,
            what=gate.public_id,
            kind="gate",
            place=f"for {gate.edit_id}" + (f" and {effects}" if effects else ""),
            sign=words.sign("gate", gate.state),
            why="waits for a person" if gate.state == Gate.State.PENDING else "",
            at=gate.created_at,
            danger=gate.state == Gate.State.PENDING,
            href=gate.public_id,
        )


def _epochs(run: Run, first: int, last: int) -> Iterator[Row]:
    keys = Counter("epoch")
    for row in _between(run, "epoch", first, last).iterator(PAGE):
        yield Row(
            seq=row.from_seq,
            key=keys.key(row.from_seq),
            what=row.policy or "no policy",
            kind="policy epoch",
            place=f"{row.from_seq:,} to {row.to_seq:,}",
            sign=Sign("plain", "", "in force"),
            at=row.at,
        )


def _rollbacks(run: Run, first: int, last: int) -> Iterator[Row]:
    keys = Counter("rollback")
    for row in _between(run, "rollback", first, last).iterator(PAGE):
        residue = f"; residue {_ids(row.residue)}" if row.residue else ""
        blame = f"left behind: {_ids(row.blame)}" if row.blame else "left nothing behind"
        mode = words.sign("mode", row.mode).word
        yield Row(
            seq=row.seq,
            key=keys.key(row.seq),
            what=row.rollback_id,
            kind="rollback",
            place=f"at {row.seq:,}, mode {mode}",
            sign=words.sign("soundness", row.soundness),
            why=f"{blame}{residue}",
            code="JG101" if row.soundness == "unsound" else "",
            at=row.at,
            danger=row.soundness == "unsound",
        )


def _gaps(run: Run, first: int, last: int) -> Iterator[Row]:
    keys = Counter("gap")
    rows = run.gaps.filter(Q(first_seq__gte=first), first_seq__lte=last).order_by("first_seq", "id")
    for row in rows.iterator(PAGE):
        size = row.last_seq - row.first_seq + 1
        yield Row(
            seq=row.first_seq,
            key=keys.key(row.first_seq),
            what="gap",
            kind="gap",
            place=f"{row.first_seq:,} to {row.last_seq:,}",
            sign=Sign("unknown", "unknown", f"{words.count(size, 'number')} missing"),
            why=" ".join(part for part in (row.what, row.consequence) if part),
            code="JG402",
            danger=True,
        )


Maker = Callable[[Run, int, int], Iterator[Row]]
MAKERS: tuple[tuple[str, Maker], ...] = (
    ("edits", _edits),
    ("edits", _proposals),
    ("effects", _effects),
    ("reads", _reads),
    ("gates", _gates),
    ("gates", _our_gates),
    ("epochs", _epochs),
    ("rollbacks", _rollbacks),
    ("gaps", _gaps),
)
