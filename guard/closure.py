"""Recovery records, the counters beside them, and closure over all edits (`semantics.md` 10).

Closure asks about every edit that was *performed*. Asking only the surviving ones is the check
that failed (C8).
"""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct

from guard.answers import Closure, Integrity
from guard.edits import Edits, Performed
from guard.events import Counter, Inventory, Lost, Probe, Record
from guard.order import Holes


class Listed(Struct, frozen=True):
    """One reading of the store: the edits whose records it holds."""

    seq: int
    edits: frozenset[str]


class Turn(Struct, frozen=True):
    """From this number on, closure has or has not been violated by what is written."""

    seq: int
    violated: bool


class Records:
    """What was recorded, listed, lost, counted and probed; and whether closure holds."""

    def __init__(self) -> None:
        self.first: dict[str, Record] = {}
        """Edit id -> its first record. Later ones neither help nor harm (10.2)."""
        self.lost: dict[str, int] = {}
        """Edit id -> number of the first `lost`."""
        self.losses: dict[str, tuple[int, ...]] = {}
        """Edit id -> numbers of all of them."""
        self.probes: dict[str, list[Probe]] = {}
        self.inventories: list[Listed] = []
        self.differing: list[int] = []
        """Numbers of counters that differ from the journal at their place (10.4)."""
        self.owing: set[str] = set()
        """Ids of edits by the model or a human: each needs a record."""
        self.bad: set[str] = set()
        """Those of them without a fitting first record, or with a lost one."""
        self.unlisted = 0
        """How many of them the latest inventory does not list, of those before it."""
        self.doubled = False
        """Whether one id stands on two edits."""
        self.vague: int | None = None
        """Number of the first of `owing` of which it is not known what left (3.9)."""
        self.turns: list[Turn] = []

    def copy(self) -> Records:
        other = Records()
        other.first, other.lost = self.first.copy(), self.lost.copy()
        other.losses = self.losses.copy()
        other.probes = {edit: probes.copy() for edit, probes in self.probes.items()}
        other.inventories, other.differing = self.inventories.copy(), self.differing.copy()
        other.owing, other.bad = self.owing.copy(), self.bad.copy()
        other.unlisted, other.doubled = self.unlisted, self.doubled
        other.vague, other.turns = self.vague, self.turns.copy()
        return other

    def add_edit(self, edit: Performed, edits: Edits) -> None:
        """An edit was performed. `edits` holds it already."""
        if edits.first(edit.id) is not edit:
            self.doubled = True
        elif edit.edit.by != "host":
            self.owing.add(edit.id)
            self._settle(edit)
        if edit.vague and edit.edit.by != "host" and self.vague is None:
            self.vague = edit.seq
        self._turn(edit.seq)

    def add_record(self, event: Record, edits: Edits) -> None:
        if event.edit in self.first:
            return
        self.first[event.edit] = event
        self._settle(edits.first(event.edit))
        self._turn(event.seq or 0)

    def add_lost(self, event: Lost, edits: Edits) -> None:
        number = event.seq or 0
        self.lost.setdefault(event.edit, number)
        self.losses[event.edit] = (*self.losses.get(event.edit, ()), number)
        self._settle(edits.first(event.edit))
        self._turn(number)

    def add_inventory(self, event: Inventory) -> None:
        listed = frozenset(event.edits)
        self.inventories.append(Listed(event.seq or 0, listed))
        self.unlisted = len(self.owing) - sum(edit in self.owing for edit in listed)
        self._turn(event.seq or 0)

    def add_counter(self, event: Counter, performed: int) -> None:
        """A reading, against the number of edits and of edit ids with a record at its place."""
        recorded = len(self.first)
        if event.performed != performed or event.recorded not in {None, recorded}:
            self.differing.append(event.seq or 0)

    def add_probe(self, event: Probe) -> None:
        self.probes.setdefault(event.edit, []).append(event)

    def _settle(self, edit: Performed | None) -> None:
        if edit is None or edit.id not in self.owing:
            return
        if edit.id in self.lost or not self.fits(edit):
            self.bad.add(edit.id)
        else:
            self.bad.discard(edit.id)

    def _turn(self, number: int) -> None:
        violated = bool(self.bad or self.unlisted or self.doubled)
        if not self.turns or self.turns[-1].violated != violated:
            self.turns.append(Turn(number, violated))

    def fits(self, edit: Performed) -> bool:
        """Whether the first record holds content and hash of every span that the edit took."""
        record = self.first.get(edit.id)
        return (
            record is not None
            and record.payload
            and all(
                version is not None and record.prior.get(span) == version
                for span, version in edit.taken.items()
            )
        )

    def good(self, edit: Performed, number: int) -> bool:
        """Whether an edit has a good record at a number (10.2)."""
        record = self.first.get(edit.id)
        if record is None or (record.seq or 0) > number or not self.fits(edit):
            return False
        if self.lost.get(edit.id, number + 1) <= number:
            return False
        place = bisect_right(self.inventories, number, key=lambda listed: listed.seq) - 1
        if place < 0 or self.inventories[place].seq <= edit.seq:
            return True
        return edit.id in self.inventories[place].edits

    def late(self, edit: Performed) -> bool:
        """Whether every record of an edit came after it, and there is one (10.3)."""
        record = self.first.get(edit.id)
        return record is not None and (record.seq or 0) > edit.seq

    def violated_at(self, number: int) -> bool:
        place = bisect_right(self.turns, number, key=lambda turn: turn.seq) - 1
        return place >= 0 and self.turns[place].violated

    def closed_at(self, number: int, holes: Holes, integrity: Integrity) -> bool:
        """Whether closure at a number is `closed` (10.4)."""
        return not self.violated_at(number) and not self.doubtful(number, holes, integrity)

    def doubtful(self, number: int, holes: Holes, integrity: Integrity) -> bool:
        """Whether closure, where it is not violated, is `unknown`."""
        differs = bool(self.differing) and self.differing[0] <= number
        vague = self.vague is not None and self.vague <= number
        return differs or vague or holes.before(number) or not integrity.allows_good


def closure(
    records: Records, edits: Edits, now: int, holes: Holes, integrity: Integrity
) -> Closure:
    """Closure at now (10.4), with the edits that lack a good record (10.5)."""
    firsts = list(edits.firsts())
    good = {edit.id for edit in firsts if records.good(edit, now)}
    missing = {edit.id for edit in edits.all if edit.edit.by != "host" and edit.id not in good}
    doubtful = records.doubtful(now, holes, integrity)
    violated = records.violated_at(now)
    return Closure(
        verdict="violated" if violated else "unknown" if doubtful else "closed",
        performed=len(edits.all),
        recorded=len(good),
        missing=tuple(sorted(missing)),
        late=tuple(sorted(edit.id for edit in firsts if records.late(edit))),
    )
