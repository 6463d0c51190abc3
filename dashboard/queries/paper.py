"""A rollback on paper: what going back to a point would restore, and what it would not undo.

Nothing is executed and nothing is written. The verdicts are those of a rollback that stands at now
(`semantics.md` 6.9), asked of the same folded journal from which the report was made.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from msgspec import Struct

from dashboard.models import EditRow, EffectRow, Gate, Note, Run
from dashboard.queries import stored
from dashboard.queries.drawn import Verdict
from guard.edits import Performed, RolledBack
from guard.events import MAIN, Rollback
from guard.rollback import on_paper, voided
from guard.state import State

MOST_STRETCHES = 40
MOST_SPANS = 60
TICK = "tick"


class Stretch(Struct, frozen=True):
    """Points between which the answer is the same. `edits`: newest first."""

    low: int
    high: int
    edits: tuple[str, ...]
    soundness: str
    mode: str
    blame: tuple[str, ...]
    residue: tuple[str, ...]
    watch: tuple[str, ...]
    hidden: str = ""


class Undone(Struct, frozen=True):
    """An edit that would be undone. `good`: its recovery record is."""

    id: str
    seq: int
    policy: str
    good: bool
    digest: str


class Plan(Struct, frozen=True):
    """What the folded journal says about going back to `to`."""

    to: int
    at: int
    stretches: tuple[Stretch, ...]
    here: Stretch
    undone: tuple[Undone, ...]
    policy_now: str
    restored: tuple[str, ...]
    conflicts: tuple[str, ...]
    """Spans that would come back although another version of them is in the window now."""
    leaves: tuple[str, ...]
    voided: tuple[str, ...]
    branches: tuple[str, ...]


def plan(run: Run, to: int, branch: str = MAIN, at: int | None = None) -> Plan | None:
    """The plan, as of number `at` or now; None when what was received cannot be read."""
    found = stored.stored(run)
    return None if found is None else found.ask(lambda state: of_state(state, to, branch), at)


def of_state(state: State, to: int, branch: str) -> Plan:
    """The plan of a folded journal."""
    to = max(0, min(to, state.at))
    standing = sorted(state.edits.standing_after(branch, 0), key=lambda edit: -edit.seq)
    stretches = tuple(_stretches(state, standing, branch))
    range_ = [edit for edit in standing if edit.seq > to]
    here = next((row for row in stretches if row.low <= to <= row.high), None)
    spans = state.windows.seen(branch).spans
    taken = {span: digest for edit in range_ for span, digest in edit.taken.items()}
    return Plan(
        to=to,
        at=state.at,
        stretches=stretches,
        here=here or _stretch(state, range_, to, to, branch),
        undone=tuple(_undone(state, edit) for edit in range_),
        policy_now=state.policies.digest(state.now) or "",
        restored=tuple(sorted(taken)),
        conflicts=tuple(sorted(s for s, d in taken.items() if s in spans and spans[s] != d)),
        leaves=tuple(
            edit.edit.out.id for edit in range_ if edit.edit.out and edit.edit.out.id in spans
        ),
        voided=voided(state, range_),
        branches=tuple(sorted(name for name in state.windows.branches if name)),
    )


def _stretches(state: State, standing: list[Performed], branch: str) -> Iterator[Stretch]:
    """From the first number to now; beyond forty edits the oldest are left to the number field."""
    newest = standing[:MOST_STRETCHES]
    whole = _whole_from(state)
    high = state.at
    ranges: list[tuple[int, int, list[Performed]]] = []
    for place, edit in enumerate(newest):
        if high >= edit.seq:
            ranges.append((edit.seq, high, newest[:place]))
        high = edit.seq - 1
    if len(standing) <= MOST_STRETCHES:
        ranges.append((0, high, newest))
    for low, high, edits in reversed(ranges):
        if low < whole <= high:
            yield _stretch(state, edits, low, whole - 1, branch)
        yield _stretch(state, edits, whole if low < whole <= high else low, high, branch)


def _whole_from(state: State) -> int:
    """The first number after which none is missing: a hole leaves open what is undone (6.5)."""
    return bisect_left(
        range(state.at), x=True, key=lambda to: not state.doubt.holes.between(to, state.now)
    )


def _stretch(state: State, range_: list[Performed], low: int, high: int, branch: str) -> Stretch:
    rolled = RolledBack(
        index=-1,
        rollback=Rollback(seq=state.now, id="on paper", to=low, branch=branch),
        seq=state.now,
        range=tuple(range_),
        absent=(),
    )
    found = on_paper(state, rolled)
    return Stretch(
        low=low,
        high=high,
        edits=tuple(edit.id for edit in range_),
        soundness=found.verdict,
        mode=state.mode(rolled),
        blame=tuple(found.blame),
        residue=tuple(found.residue),
        watch=tuple(found.watch),
        hidden=found.hidden or "",
    )


def _undone(state: State, edit: Performed) -> Undone:
    return Undone(
        id=edit.id,
        seq=edit.seq,
        policy=edit.policy or "",
        good=state.records.good(edit, state.now),
        digest=edit.edit.out.id if edit.edit.out else "",
    )


def strip(found: Plan) -> list[Verdict]:
    """The stretches as the figure draws them, in sequence numbers."""
    words = {"noop": "nothing to undo", "epoch": "epoch replay"}
    out = []
    for row in found.stretches:
        mode = words.get(row.mode, row.mode)
        if row.mode == "noop":
            label = short = "nothing to undo"
        else:
            said = "UNSOUND" if row.soundness == "unsound" else row.soundness
            label, short = f"{said} · {mode}", said
        soundness = "none" if row.mode == "noop" else row.soundness
        said = f"back to {row.low:,} to {row.high:,}: {label}"
        out.append(
            Verdict(
                x0=max(1, row.low),
                x1=min(row.high + 1, found.at),
                soundness=soundness,
                label=label,
                short=short,
                said=said,
            )
        )
    return out


class EditLine(Struct, frozen=True):
    """An edit of the range with its row: tokens that come back when they were counted."""

    undone: Undone
    row: EditRow | None
    tokens: int | None


class EffectLine(Struct, frozen=True):
    """An effect that a rollback leaves behind, or has to watch. `part` is why it is here."""

    id: str
    part: str
    certain: bool
    row: EffectRow | None
    tick: Note | None


class Step(Struct, frozen=True):
    """A step of the replay. `border` marks the merge between two epochs."""

    strong: str
    text: str
    border: bool = False


class Fate(Struct, frozen=True):
    """What would become of an approval. `gate` is None for one that only the journal has."""

    id: str
    fate: str
    gate: Gate | None


class Paper(Struct, frozen=True):
    """The page: tokens restored apart from consequences not undone."""

    plan: Plan
    edits: list[EditLine]
    effects: list[EffectLine]
    steps: list[Step]
    gates: list[Fate]
    tokens: int | None
    window: int | None
    limit: int | None
    counted: int

    @property
    def after(self) -> int | None:
        return None if self.window is None or self.tokens is None else self.window + self.tokens

    @property
    def more(self) -> int:
        """Effects that are counted, but not listed."""
        here = self.plan.here
        return len(here.blame) + len(here.residue) + len(here.watch) - len(self.effects)

    @property
    def done(self) -> int:
        return sum(line.tick is not None for line in self.effects)


def paper(run: Run, found: Plan, window: int | None, limit: int | None) -> Paper:
    """Rows beside the plan: sizes of edits, what effects did, gates, ticks of people."""
    rows = {row.edit_id: row for row in run.edits.filter(edit_id__in=[e.id for e in found.undone])}
    edits = [EditLine(edit, rows.get(edit.id), _gain(rows.get(edit.id))) for edit in found.undone]
    sizes = [line.tokens for line in edits]
    known = [size for size in sizes if size is not None]
    return Paper(
        plan=found,
        edits=edits,
        effects=_effects(run, found.here),
        steps=_steps(found),
        gates=_gates(run, found),
        tokens=sum(known) if known or not edits else None,
        window=window,
        limit=limit,
        counted=len(known),
    )


def _gain(row: EditRow | None) -> int | None:
    if row is None or row.tokens_before is None or row.tokens_after is None:
        return None
    return row.tokens_before - row.tokens_after


def _effects(run: Run, here: Stretch) -> list[EffectLine]:
    parts = dict.fromkeys(here.watch[:MOST_SPANS], "watch")
    parts |= dict.fromkeys(here.residue[:MOST_SPANS], "residue")
    parts |= dict.fromkeys(here.blame[:MOST_SPANS], "blame")
    rows = {row.effect_id: row for row in run.effects.filter(effect_id__in=parts)}
    notes = run.notes.filter(kind=TICK, subject__in=parts).select_related("by").order_by("at")
    ticks = {note.subject: note for note in notes}
    order = ("blame", "residue", "watch")
    lines = [
        EffectLine(name, part, _certain(rows.get(name), part), rows.get(name), ticks.get(name))
        for name, part in parts.items()
    ]
    return sorted(lines, key=lambda line: (order.index(line.part), not line.certain, line.id))


def _certain(row: EffectRow | None, part: str) -> bool:
    grave = {"irreversible", "deferred"}
    return bool(row and part == "blame" and row.reversibility in grave and row.state == "committed")


def _steps(found: Plan) -> list[Step]:
    """What to do, by mode (`semantics.md` 11.4)."""
    here, names = found.here, list(found.here.edits)
    look = Step(
        "Have the runtime report the window",
        "its spans must equal the declared ones, id and hash; without it retention is unknown",
    )
    if here.mode == "noop":
        return [Step("Nothing", "no edit of this branch stands after this point")]
    if here.mode == "halt":
        lost = [edit.id for edit in found.undone if not edit.good]
        return [
            Step("Stop", f"no good recovery record: {', '.join(lost[:5])}"),
            Step("Read these spans again from their source", "a record is never rebuilt"),
        ]
    if here.mode == "epoch":
        return [*_by_epoch(found), look, _pin(found)]
    steps = [Step(f"Undo {', '.join(names[:8])}", "newest first")]
    if here.mode == "merge":
        text = "a later edit has taken the same spans; the result is a new edit with its own record"
        steps.append(Step("Merge, as a new edit", text, border=True))
    return [*steps, look]


def _by_epoch(found: Plan) -> list[Step]:
    groups: list[tuple[str, list[str]]] = []
    for edit in found.undone:
        if groups and groups[-1][0] == edit.policy:
            groups[-1][1].append(edit.id)
        else:
            groups.append((edit.policy, [edit.id]))
    steps = []
    for place, (policy, names) in enumerate(groups):
        if place or policy != found.policy_now:
            text = "one merge event; without it JG301, and a loss that nobody logged is JG302"
            steps.append(
                Step("At the border: log a merge that names every span given up", text, True)
            )
        steps.append(
            Step(f"Under {policy[:24] or 'no policy'}: undo {', '.join(names[:8])}", "newest first")
        )
    return steps


def _pin(found: Plan) -> Step:
    n = len(found.restored)
    return Step(
        f"Pin the {n:,} restored spans for one compaction",
        "the next edit that takes one needs a gate, or it is JG305; the policy stays as it is",
    )


def _gates(run: Run, found: Plan) -> list[Fate]:
    """Approvals that stand inside what would be undone, and what would become of them."""
    names = {edit.id for edit in found.undone}
    if not names:
        return []
    first = min(edit.seq for edit in found.undone)
    rows = run.gates.filter(state__in=(Gate.State.APPROVED, Gate.State.CONSUMED))
    fates = {Gate.State.APPROVED: "void", Gate.State.CONSUMED: "stays used"}
    stored = [
        Fate(gate.public_id, fates[Gate.State(gate.state)], gate)
        for gate in rows.select_related("decision__by").order_by("position")
        if gate.edit_id in names or gate.position >= first
    ]
    known = {fate.id for fate in stored}
    return [*stored, *(Fate(name, "void", None) for name in found.voided if name not in known)]
