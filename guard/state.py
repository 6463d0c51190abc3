"""The folded journal, and every question that can be asked of it.

`fold` takes a journal once; `State.apply` takes one further event, so that a server folds only
what is new. Questions are answered from the components and kept until the next event comes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

from guard.answers import (
    Authorization,
    Closure,
    Epoch,
    Fact,
    GateState,
    IfUndone,
    Integrity,
    Interval,
    Mode,
    Pin,
    ProposalAnswer,
    Retention,
    Soundness,
    Status,
    Swap,
)
from guard.appraisal import Appraisal
from guard.authorization import Bench, authorization, authorizations
from guard.closure import closure
from guard.edits import Performed, RolledBack
from guard.epochs import epochs, mode, pins, swap
from guard.events import AnyEvent, Effect
from guard.gates import Opened
from guard.integrity import integrity
from guard.journal import Journal, uncollected
from guard.ledger import Logical
from guard.order import Position, at
from guard.prefix import Prefix, Proposed
from guard.proposals import judge_proposal
from guard.retention import retention
from guard.soundness import Doubt, question, soundness
from guard.status import status
from guard.subset import Subset
from guard.sweep import Hypotheses
from guard.veil import Veil


class State(Prefix):
    """A prefix that answers. It changes by `apply` only; no answer changes it."""

    def copy(self) -> State:
        """An independent state: applying an event to one does not change the other."""
        other = State(self.header)
        self._copy_into(other)
        return other

    def apply(self, event: AnyEvent, *, broken: bool = False) -> None:
        """One further event: the next number, or an unnumbered effect.

        `broken`: its chain check fails. Raises `ValueError` for a number that is not higher than
        all before; such a journal has to be folded again.
        """
        if isinstance(event, Effect) and event.seq is None:
            self.ledger.await_loose([*self.ledger.unnumbered, event])
        elif event.seq is None or event.seq <= self.at:
            raise ValueError(f"number {event.seq} does not come after {self.at}")
        else:
            self.fold(event, event.seq)
            if broken:
                self.numbers.broken.append(event.seq)
        self.ledger.admit(self.at)
        self._forget()

    def _forget(self) -> None:
        for name in _KEPT:
            self.__dict__.pop(name, None)

    # --- the journal as a whole

    @cached_property
    def integrity(self) -> Integrity:
        """Is the journal whole and unchanged? (13)"""
        return integrity(self.numbers)

    def integrity_with(self, event: AnyEvent) -> Integrity:
        """The same with one further event, at the next number."""
        numbers = self.numbers.copy()
        numbers.add(event, self.now)
        return integrity(numbers)

    @cached_property
    def closure(self) -> Closure:
        """Has every performed edit its recovery record, at now? (10.4)"""
        return closure(self.records, self.edits, self.now, self.numbers.holes, self.integrity)

    @cached_property
    def epochs(self) -> tuple[Epoch, ...]:
        """Runs of one policy digest (11.3)."""
        return tuple(epochs(self.policies, self.numbers.lowest, self.at))

    @property
    def events(self) -> int:
        """Distinct events of the prefix, numbered and unnumbered."""
        return self.numbers.count + self.ledger.loose

    # --- edits

    def operative(self, edit: Performed) -> list[Interval]:
        """Op(e): where its branch, and those forked from it, lack what it took (4)."""
        return self.intervals.of(edit)

    def lacking(self, edit: Performed, branch: str, position: Position) -> tuple[Fact, ...]:
        """The facts it took away that a window does not hold at a position (3.6)."""
        return self.windows.lacking(edit, branch, position)

    def lacking_now(self, edit: Performed) -> tuple[Fact, ...]:
        """The same for its own branch, now; nothing when its interval there has ended."""
        own = self.intervals.home[edit.index]
        if (edit.index, own) in self.intervals.ended:
            return ()
        return self.lacking(edit, edit.branch, at(self.now))

    def status(self, edit: Performed) -> Status:
        """What may be said of undoing an edit, at now (10.7)."""
        return status(edit, self.at, self.edits, self.records, self.policies, self.integrity)

    def overlaps(self, edit: Performed) -> Subset:
        """Writes that touch inside Op(e), by their numbered events (5.6)."""
        return self.appraisal.names.subset(self.hypotheses.overlaps[edit.index])

    def if_undone(self, edit: Performed) -> IfUndone | None:
        """What a rollback of it alone would be now (6.9); None where it is undone."""
        found = self.hypotheses.soundness[edit.index]
        if found is None:
            return None
        return IfUndone(found, self._mode(self.edits.named(edit.id, self.now), False, self.now))

    # --- rollbacks

    def soundness(self, rolled: RolledBack) -> Soundness:
        """Did anything irreversible happen meanwhile? (6)"""
        found = self._soundness.get(rolled.index)
        if found is None:
            asked = question(rolled, self)
            hidden = self.doubt.of_range(rolled) or self.doubt.about(asked.intervals)
            found = self._soundness[rolled.index] = soundness(asked, self.appraisal, hidden)
        return found

    def mode(self, rolled: RolledBack) -> Mode:
        """How it may be replayed (11.4)."""
        return self._mode(rolled.range, bool(rolled.absent), rolled.seq)

    def _mode(self, span_of: Sequence[Performed], absent: bool, number: int) -> Mode:
        return mode(span_of, absent, number, self.edits, self.records, self.policies)

    def retention(self, rolled: RolledBack) -> Retention:
        """Is everything really back? (12)"""
        return retention(rolled, self.looks, self.integrity)

    def merged(self, rolled: RolledBack) -> bool:
        """Whether a merge is logged for it."""
        return rolled.id in self.looks.merges

    @cached_property
    def pins(self) -> tuple[Pin, ...]:
        """Edits that took a pinned span without a valid gate (11.7)."""
        crossing = [rolled for rolled in self.rollbacks if self.mode(rolled) == "epoch"]
        return tuple(
            pin for pin in pins(crossing, self.edits) if not self.allowed(pin.edit, pin.edit_seq)
        )

    def allowed(self, edit_id: str, number: int) -> bool:
        """Whether a gate is valid for an edit at a number, asked without an effect."""
        asking = self.gates.asking(edit_id, at(number))
        return self.gates.valid(asking, at(number), self.edits, edit_id)

    # --- effects

    def authorization(self, effect: Logical) -> Authorization:
        """May it start where it starts, or now? (9.2)"""
        return self._authorizations[effect.index]

    def authorization_alone(self, effect: Logical) -> Authorization:
        """The same for one effect, without asking about all the others."""
        return authorization(effect, self, self.integrity, self.at)

    def effect_rows(self) -> list[Logical]:
        """Logical effects by the position of their first event (report-format.md 4)."""
        return sorted(self.ledger.all, key=_place_of)

    # --- proposals, policies, gates

    def proposal(self, proposed: Proposed) -> ProposalAnswer:
        """May the window be edited like this? (9.1)"""
        return judge_proposal(proposed, self, self.gates, self.integrity)

    def last_proposals(self) -> Iterator[Proposed]:
        """The last proposal of each id, by number."""
        last = {proposed.id: proposed for proposed in self.proposals}
        return iter(sorted(last.values(), key=lambda proposed: (proposed.seq, proposed.id)))

    def swap(self, number: int) -> Swap:
        """May the policy change at a number? (11.8)"""
        return swap(number, self.edits, self.policies, self.header.discipline)

    def gate_state(self, gate: Opened) -> GateState:
        """The state of a gate now, asked without edit and effect (8.2)."""
        return self.gates.state(gate, at(self.now), self.edits)

    # --- kept until the next event

    @cached_property
    def appraisal(self) -> Appraisal:
        return Appraisal(self)

    @cached_property
    def doubt(self) -> Doubt:
        return Doubt(self, self.integrity)

    @cached_property
    def veil(self) -> Veil:
        return Veil(self, self.edits.all)

    @cached_property
    def hypotheses(self) -> Hypotheses:
        return Hypotheses(self.appraisal, self.doubt)

    @cached_property
    def _authorizations(self) -> list[Authorization]:
        bench = Bench(self, self.veil, self.integrity, self.at)
        return authorizations(bench, self.appraisal)

    @cached_property
    def _soundness(self) -> dict[int, Soundness]:
        return {}


_KEPT = tuple(name for name, value in vars(State).items() if isinstance(value, cached_property))


def _place_of(effect: Logical) -> tuple[bool, int, str]:
    first = effect.first
    if first.seq is None:
        return True, first.after, first.id
    return False, first.seq, first.id


def fold(journal: Journal, at: int | None = None) -> State:
    """Fold a journal, or its prefix up to number `at` (`report-format.md` 2)."""
    with uncollected():
        return _folded(journal, at)


def _folded(journal: Journal, at: int | None) -> State:
    checkpoint = journal.header.checkpoint
    used = checkpoint is None or at is None or checkpoint.count <= at
    state = State(journal.header, use_checkpoint=used)
    events = journal.numbered
    if at is not None:
        events = events[: bisect_right(events, at, key=_number)]
    forks = frozenset(journal.forks)
    together: list[AnyEvent] = []
    for event in events:
        number = _number(event)
        if together and number != _number(together[0]):
            state.fold_fork(together, _number(together[0]))
            together = []
        if number in forks:
            together.append(event)
        else:
            state.fold(event, number)
    if together:
        state.fold_fork(together, _number(together[0]))
    state.numbers.broken = [number for number in journal.broken if number <= state.at]
    state.ledger.await_loose(journal.unnumbered)
    state.ledger.admit(state.at)
    state.torn = journal.torn is not None
    return state


def _number(event: AnyEvent) -> int:
    return event.seq or 0
