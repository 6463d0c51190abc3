"""Gates: a question to a person about exact bytes, and its answer (`semantics.md` 8)."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, MutableMapping

from msgspec import Struct
from msgspec.structs import replace

from guard.answers import GateState
from guard.edits import Edits, Performed
from guard.events import Gate, Out, Proposal
from guard.order import Position, at

Bound = Callable[[Gate], bool]
"""Whether a request names an effect with its own body."""


class Opened(Struct, frozen=True, kw_only=True):
    """All that counts of the events of one gate: the first of each step (8.4)."""

    id: str
    seq: int
    """Number of its first event."""
    requested: Gate | None = None
    approved: Gate | None = None
    rejected: int | None = None
    revoked: int | None = None
    approvals: tuple[int, ...] = ()
    """Numbers of all `approved` events."""

    def after(self, event: Gate, number: int) -> Opened:
        match event.state:
            case "requested":
                return self if self.requested else replace(self, requested=event)
            case "approved":
                first = self.approved or event
                return replace(self, approved=first, approvals=(*self.approvals, number))
            case "rejected":
                return replace(self, rejected=self.rejected or number)
            case "revoked":
                return replace(self, revoked=self.revoked or number)


class Gates:
    """Every gate of a prefix, and the proposals that they may be about."""

    def __init__(self) -> None:
        self.all: dict[str, Opened] = {}
        self.about: dict[str, list[str]] = {}
        """Edit id -> gates requested for it."""
        self.naming: dict[str, list[str]] = {}
        """Attempt id -> gates whose request names it."""
        self.proposals: MutableMapping[str, Proposal] = {}
        """The latest proposal of each id."""

    def copy(self) -> Gates:
        other = Gates()
        other.all, other.proposals = self.all.copy(), dict(self.proposals)
        other.about = {edit: gates.copy() for edit, gates in self.about.items()}
        other.naming = {effect: gates.copy() for effect, gates in self.naming.items()}
        return other

    def with_proposal(self, proposal: Proposal) -> Gates:
        """These gates, and one further proposal; to be asked, not to be added to."""
        other = Gates()
        other.all, other.about, other.naming = self.all, self.about, self.naming
        other.proposals = ChainMap({proposal.id: proposal}, self.proposals)
        return other

    def add(self, event: Gate, number: int) -> None:
        before = self.all.get(event.id) or Opened(id=event.id, seq=number)
        self.all[event.id] = before.after(event, number)
        if event.state == "requested" and before.requested is None:
            self.about.setdefault(event.edit or "", []).append(event.id)
            for effect in event.effects:
                self.naming.setdefault(effect, []).append(event.id)

    def asking(self, edit_id: str, position: Position) -> list[Opened]:
        """Gates with a request for an edit at a position."""
        found = (self.all[gate] for gate in self.about.get(edit_id, ()))
        return [gate for gate in found if _happened(gate.requested, position)]

    def refused_from(self, edit_id: str) -> int | None:
        """The number from which a gate requested for the edit is `rejected`."""
        found = (self.all[gate] for gate in self.about.get(edit_id, ()))
        numbers = (
            max(gate.rejected, gate.requested.seq or 0)
            for gate in found
            if gate.rejected is not None and gate.requested is not None
        )
        return min(numbers, default=None)

    def state(
        self,
        gate: Opened,
        position: Position,
        edits: Edits,
        edit_id: str | None = None,
        bound: Bound | None = None,
    ) -> GateState:
        """The state of a gate at a position, for an edit and an effect, or without them (8.2)."""
        asked, answer = gate.requested, gate.approved
        if asked is None or not _happened(asked, position):
            return "pending"
        if gate.rejected is not None and at(gate.rejected) <= position:
            return "rejected"
        if gate.revoked is not None and at(gate.revoked) <= position:
            return "revoked"
        if answer is None or not _happened(answer, position):
            return "pending"
        return self._worth(asked, answer, position, edits) or _scope(
            asked, position, edit_id, bound
        )

    def marks(self, gate: Opened, edits: Edits) -> Iterator[Position]:
        """Positions of numbers at which the state of a gate may change."""
        asked, answer = gate.requested, gate.approved
        numbers = [gate.rejected, gate.revoked]
        numbers += [event.seq for event in (asked, answer) if event is not None]
        if asked is not None:
            numbers.append(asked.until_seq)
        yield from (at(number) for number in numbers if number is not None)
        for taker in self._takers(asked, edits):
            undone = edits.undone_at(taker.index, taker.branch)
            yield taker.position
            if undone is not None:
                yield undone

    def _takers(self, asked: Gate | None, edits: Edits) -> Iterator[Performed]:
        """Other edits that took what the edit of a request wrote."""
        edit = None if asked is None else edits.first(asked.edit or "")
        if edit is not None and edit.edit.out is not None:
            for index in edits.takers.newest_first(edit.edit.out.id):
                if index != edit.index:
                    yield edits[index]

    def _worth(
        self, asked: Gate, answer: Gate, position: Position, edits: Edits
    ) -> GateState | None:
        """What is wrong with an approval, whatever it is asked for."""
        edit = edits.first(asked.edit or "")
        about = self.proposals.get(asked.edit or "") if edit is None else edit.edit
        if answer.by == asked.by or (about is not None and answer.by == about.author):
            return "self"
        if not answer.human:
            return "nonhuman"
        if answer.digest != asked.digest:
            return "stale"
        if about is not None and _hash(about.out) != asked.digest:
            return "stale"
        if any(
            taker.position <= position and edits.stands(taker, position)
            for taker in self._takers(asked, edits)
        ):
            return "stale"
        return None

    def valid(
        self,
        gates: Iterable[Opened],
        position: Position,
        edits: Edits,
        edit_id: str,
        bound: Bound | None = None,
    ) -> bool:
        """Whether one of the gates is `valid` for an edit and an effect."""
        return any(self.state(gate, position, edits, edit_id, bound) == "valid" for gate in gates)


def _scope(asked: Gate, position: Position, edit_id: str | None, bound: Bound | None) -> GateState:
    if edit_id is not None and edit_id != asked.edit:
        return "unbound"
    if bound is not None and not bound(asked):
        return "unbound"
    if asked.until_seq is not None and position > at(asked.until_seq):
        return "expired"
    return "valid"


def _happened(event: Gate | None, position: Position) -> bool:
    return event is not None and at(event.seq or 0) <= position


def _hash(out: Out | None) -> str | None:
    return None if out is None else out.hash
