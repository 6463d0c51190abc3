"""Everything that was folded from the events of a prefix (`semantics.md` 2.3).

Events with one number (a fork) see the journal as it was before that number. So each number is
folded in three steps: what its events find, what they change, and what begins only after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TypeAlias, assert_never

from msgspec import Struct
from msgspec.structs import replace

from guard.answers import Fact
from guard.closure import Records
from guard.edits import Edits, Performed, RolledBack
from guard.epochs import Policies
from guard.events import (
    AnyEvent,
    Counter,
    Edit,
    Effect,
    Fork,
    Gap,
    Gate,
    Header,
    Inventory,
    Lost,
    Merge,
    Observed,
    Out,
    PhaseStart,
    Policy,
    Probe,
    Proposal,
    Record,
    Rollback,
    Seal,
    Span,
    Unknown,
    Usage,
)
from guard.gates import Gates
from guard.integrity import Sequence as Numbers
from guard.intervals import Intervals
from guard.ledger import Ledger, Stood, Tally
from guard.order import at
from guard.retention import Looks
from guard.window import Line, Windows

PROTECTED_ROLES = frozenset({"policy", "edit_history"})


class Proposed(Struct, frozen=True, kw_only=True, eq=False):
    """A proposal, with what stood at its number (`semantics.md` 9.1)."""

    proposal: Proposal
    seq: int
    taken: dict[str, str | None]
    elided: tuple[Fact, ...]
    tally: Tally
    resting: tuple[int, ...]
    """Committed writes without compensation that rest on what it takes (9.1.1)."""
    named: tuple[Stood, ...]
    """How the effects stand that gates about it name."""
    protected: bool
    """It takes a span that is a policy or a history of edits."""
    reachable: bool
    """The policy in force reaches the recovery store."""
    commit_phase: bool

    @property
    def id(self) -> str:
        return self.proposal.id

    @property
    def vague(self) -> bool:
        """What would leave is not known (3.9)."""
        return self.proposal.fidelity in {"count", "unknown"}

    @property
    def hides(self) -> bool:
        """Whether `elided` counts as not empty (3.9, 3.10)."""
        out = self.proposal.out
        return bool(self.elided) or self.vague or (out is not None and out.opaque)


class Forked(Struct, frozen=True, eq=False):
    """A fork, with what its branch starts from."""

    fork: Fork
    seq: int
    base: Line
    spans: dict[str, str]


Mark: TypeAlias = Seal | PhaseStart | Unknown | Inventory | Counter | Observed | Usage | Gap
Note: TypeAlias = Gate | Record | Lost | Probe | Policy | Merge | Mark
"""Events that change no window and no effect."""

Plan: TypeAlias = Span | Effect | Performed | RolledBack | Proposed | Forked | Note


class Prefix:
    """The components of a folded journal. Values in them are frozen; `copy` copies containers."""

    def __init__(self, header: Header, *, use_checkpoint: bool = True) -> None:
        self.header = header
        self.numbers = Numbers(header.checkpoint if use_checkpoint else None)
        self.windows = Windows()
        self.edits = Edits()
        self.intervals = Intervals()
        self.ledger = Ledger()
        self.gates = Gates()
        self.records = Records()
        self.policies = Policies()
        self.looks = Looks()
        self.rollbacks: list[RolledBack] = []
        self.proposals: list[Proposed] = []
        self.phase = "exploration"
        self.protected: set[str] = set()
        """Spans that were read with a protected role."""
        self.shown: dict[tuple[str, str], tuple[str, ...]] = {}
        """Version -> ids of the effects whose call or result it shows."""
        self.unknown_kinds: dict[str, list[int]] = {}
        self.misfits: list[int] = []
        """Numbers of calls that read another window than the one on record."""
        self.torn = False

    def _copy_into(self, other: Prefix) -> None:
        other.numbers = self.numbers.copy()
        other.windows = self.windows.copy()
        other.edits = self.edits.copy()
        other.intervals = self.intervals.copy()
        other.ledger = self.ledger.copy()
        other.gates = self.gates.copy()
        other.records = self.records.copy()
        other.policies = self.policies.copy()
        other.looks = self.looks.copy()
        other.rollbacks, other.proposals = self.rollbacks.copy(), self.proposals.copy()
        other.phase, other.protected = self.phase, self.protected.copy()
        other.shown = self.shown.copy()
        other.unknown_kinds = {kind: seqs.copy() for kind, seqs in self.unknown_kinds.items()}
        other.misfits = self.misfits.copy()
        other.torn = self.torn

    @property
    def at(self) -> int:
        """The highest number; 0 if there is none."""
        return self.numbers.highest

    @property
    def now(self) -> int:
        """The highest number + 1 (2.4)."""
        return self.numbers.highest + 1

    def fold(self, event: AnyEvent, number: int) -> None:
        """The event of the next number."""
        self.numbers.add(event, number)
        if isinstance(event, Span):
            self._read(event, number)
        elif isinstance(event, Effect):
            self.ledger.add(event, number)
        elif isinstance(event, Usage):
            self._weigh(event, number)
        else:
            self._fold_slowly([event], number)

    def fold_fork(self, events: Sequence[AnyEvent], number: int) -> None:
        """All events of the next number, where it has several."""
        for event in events:
            self.numbers.add(event, number)
        self._fold_slowly(events, number)

    def _fold_slowly(self, events: Sequence[AnyEvent], number: int) -> None:
        plans = self._told_apart([self._plan(event, number) for event in events])
        for plan in plans:
            self._enact(plan, number)
        for plan in plans:
            self._inherit(plan)
        for plan in plans:
            self._open(plan)

    def _told_apart(self, plans: list[Plan]) -> list[Plan]:
        """Plans of one number that would get the same place in a list get places in order."""
        if len(plans) == 1:
            return plans
        edits, rollbacks = count(len(self.edits.all)), count(len(self.rollbacks))
        return [
            replace(plan, index=next(edits))
            if isinstance(plan, Performed)
            else replace(plan, index=next(rollbacks))
            if isinstance(plan, RolledBack)
            else plan
            for plan in plans
        ]

    def _plan(self, event: AnyEvent, number: int) -> Plan:
        match event:
            case Edit():
                return self.performed(event, number)
            case Rollback():
                return self._rolled_back(event, number)
            case Proposal():
                return self.proposed(event, number)
            case Fork():
                source = self.windows.seen(event.from_)
                return Forked(event, number, source.line, source.spans.copy())
            case Inventory():
                self.records.add_inventory(event)
                return event
            case Counter():
                self.records.add_counter(event, len(self.edits.all))
                return event
            case _:
                return event

    def performed(self, edit: Edit, number: int) -> Performed:
        """An edit, with what it would take if it stood at a number."""
        taken = self.windows.taken(edit.branch, edit.in_)
        return Performed(
            index=len(self.edits.all),
            edit=edit,
            seq=number,
            policy=edit.policy or self.policies.digest(number),
            taken=taken,
            elided=self._elided(taken, edit.out),
        )

    def _elided(self, taken: dict[str, str | None], out: Out | None) -> tuple[Fact, ...]:
        """What is taken away (3.5); nothing can be named where the digest is opaque (3.10)."""
        if out is not None and out.opaque:
            return ()
        return self.windows.elided(taken, {} if out is None else out.facts)

    def proposed(self, proposal: Proposal, number: int) -> Proposed:
        """A proposal, with what stands at a number."""
        taken = self.windows.taken(proposal.branch, proposal.in_)
        elided = self._elided(taken, proposal.out)
        policy = self.policies.in_force(number)
        gates = self.gates.asking(proposal.id, at(number))
        return Proposed(
            proposal=proposal,
            seq=number,
            taken=taken,
            elided=elided,
            tally=self.ledger.tally,
            resting=self.ledger.resting_on(taken, {name for name, _ in elided}),
            named=self.ledger.stood_by(gate.requested for gate in gates),
            protected=not self.protected.isdisjoint(taken),
            reachable=policy is not None and policy.reaches_recovery,
            commit_phase=self.phase == "commit",
        )

    def _rolled_back(self, rollback: Rollback, number: int) -> RolledBack:
        found: list[Performed] = []
        absent: list[str] = []
        for edit_id in dict.fromkeys(rollback.edits or ()):
            named = self.edits.named(edit_id, number)
            found += named
            if not named:
                absent.append(edit_id)
        if rollback.to is not None:
            found = self.edits.standing_after(rollback.branch, rollback.to)
        return RolledBack(
            index=len(self.rollbacks),
            rollback=rollback,
            seq=number,
            range=tuple(found),
            absent=tuple(absent),
        )

    def _enact(self, plan: Plan, number: int) -> None:
        match plan:
            case Span():
                self._read(plan, number)
            case Effect():
                self.ledger.add(plan, number)
            case Performed():
                self._edit(plan)
            case RolledBack():
                self._roll_back(plan)
            case Proposed():
                self._propose(plan)
            case Forked():
                branch = plan.fork.branch
                self.windows.fork(branch, plan.base, plan.spans, at(number), self.edits)
            case _:
                self._note(plan, number)

    def _note(self, event: Note, number: int) -> None:
        match event:
            case Gate():
                self.gates.add(event, number)
            case Record():
                self.records.add_record(event, self.edits)
            case Probe():
                self.records.add_probe(event)
            case Lost():
                self.records.add_lost(event, self.edits)
            case Policy():
                self.policies.add(event, number)
            case Merge():
                self.looks.merge(event)
            case _:
                self._mark(event, number)

    def _mark(self, event: Mark, number: int) -> None:
        match event:
            case Observed() | Inventory() | Counter():
                pass
            case Usage():
                self._weigh(event, number)
            case Seal():
                self.policies.seals.append(number)
            case PhaseStart():
                self.phase = event.phase
            case Gap():
                if event.first_seq is None:
                    self.numbers.holes.add(number, number)
            case Unknown():
                self.unknown_kinds.setdefault(event.kind, []).append(number)
            case _:
                assert_never(event)

    def _weigh(self, usage: Usage, number: int) -> None:
        if usage.disagrees:
            self.misfits.append(number)

    def _read(self, span: Span, number: int) -> None:
        self.windows.versions.declare(span.id, span.hash, span.facts)
        self.windows.read(span.branch, span.id, span.hash, at(number))
        if span.id in self.edits.takers:
            self.intervals.read(span, number, self.edits)
        if span.id in self.looks.given_up:
            self.looks.entered[span.branch, span.id] = number
        if span.role in PROTECTED_ROLES:
            self.protected.add(span.id)
        if span.effect is not None:
            version = (span.id, span.hash)
            self.shown[version] = (*self.shown.get(version, ()), span.effect)

    def _edit(self, performed: Performed) -> None:
        self.edits.add(performed)
        out = performed.edit.out
        if out is not None:
            self.windows.versions.declare(out.id, out.hash, out.facts)
            if out.id in self.looks.given_up:
                self.looks.entered[performed.branch, out.id] = performed.seq
        self.windows.edit(performed)
        self.records.add_edit(performed, self.edits)

    def _propose(self, proposed: Proposed) -> None:
        self.proposals.append(proposed)
        self.gates.proposals[proposed.id] = proposed.proposal
        out = proposed.proposal.out
        if out is not None:
            self.windows.versions.declare(out.id, out.hash, out.facts)

    def _roll_back(self, rolled: RolledBack) -> None:
        self.rollbacks.append(rolled)
        for edit in rolled.range:
            self.edits.give_back(edit, rolled)
        self.windows.roll_back(rolled, self.edits)
        every = rolled.rollback.all_branches
        for branch in tuple(self.intervals.of_branch) if every else (rolled.branch,):
            for edit in rolled.range:
                if self.edits.undone_at(edit.index, branch) == rolled.position:
                    self.intervals.undo(edit.index, branch, rolled.seq)
        self.looks.await_look(rolled)

    def _inherit(self, plan: Plan) -> None:
        """What was operative up to the number goes on in a branch that is forked there."""
        if isinstance(plan, Forked):
            self.intervals.fork(plan.fork.branch, plan.fork.from_, plan.seq, self.edits)

    def _open(self, plan: Plan) -> None:
        """What begins only after the number, or looks at all that it changed."""
        if isinstance(plan, Performed):
            self.intervals.open(plan)
        elif isinstance(plan, Observed):
            window = self.windows.seen(plan.branch).spans
            self.looks.look(plan, plan.seq or 0, window, self.edits)
