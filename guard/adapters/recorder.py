"""Numbering and honest counts of one reading."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, TypeVar

from guard.adapters.base import Counts, LineError, Note, Place, Reading, Says, Topic
from guard.events import AnyEvent, Event, Gap, Header

KEPT_BYTES = 200
MOST_RANGES = 5_000
FORMAT: Literal["context-journal/1"] = "context-journal/1"

E = TypeVar("E", bound=Event)


class Recorder:
    """Collects one reading: gives numbers, counts records, keeps blind spots.

    Call `line` once for each physical line and `record` for each object of it; then `add` any
    number of events, or `skip`, or `fail`. A record has one fate: it is skipped only where it gave
    nothing at all.
    """

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []
        self.skips: Counter[str] = Counter()
        self.errors: list[LineError] = []
        self.notes: list[Note] = []
        self.places: dict[str, Place] = {}
        self.torn: LineError | None = None
        self.mended = 0
        self._lines = self._records = self._used = 0
        self._before = 0
        self._carried = False
        self._name = ""
        self._lost = False
        self._findings: dict[str, list[int]] = {}
        self._blind: list[tuple[int, int]] = []
        self._open: dict[str, tuple[int, str]] = {}
        self._spots: dict[str, list[int]] = {}

    @property
    def next(self) -> int:
        """The number that the next event gets."""
        return len(self.events) + 1

    def add(self, kind: type[E], **fields: Any) -> E:
        """Append one event with the next number."""
        event = kind(seq=len(self.events) + 1, **fields)
        self.events.append(event)  # type: ignore[arg-type]
        return event

    def line(self) -> None:
        """A physical line begins."""
        self._lines += 1

    def record(self) -> None:
        """A record begins; the one before it was used if it gave events."""
        self._close()
        self._records += 1

    def _close(self) -> None:
        gave = self._carried or len(self.events) > self._before
        # What is said before the first record, or after a lost one, belongs to none.
        if self._records and not self._lost:
            self._used += gave
            if not gave:
                self.skips[self._name or "nothing new"] += 1
        self._before = len(self.events)
        self._carried, self._name, self._lost = False, "", False

    def use(self) -> None:
        """The record is used without an event of its own: another event carries what it says."""
        self._carried = True

    def skip(self, name: str) -> None:
        """It says nothing about window, edits, effects, policy, gates or usage."""
        self._name = self._name or name

    def fail(self, file: str, line: int, reason: str, kept: bytes) -> None:
        """The record could not be read."""
        self.errors.append(LineError(file, line, reason, kept[:KEPT_BYTES]))
        self._lost = True

    def gap(self, what: str, consequence: str, at: str | None = None) -> None:
        """Something is known to be missing here. The event belongs to no record."""
        own = len(self.events) == self._before
        self.add(Gap, at=at, what=what, consequence=consequence)
        self._before += own

    def tear(self, file: str, line: int, kept: bytes) -> None:
        """The last line of a file is not whole: held back, to be read when it is complete."""
        error = LineError(file, line, "torn last line", kept[:KEPT_BYTES])
        if self.torn is None:
            self.torn = error
        else:
            self.errors.append(error)
        self._lost = True

    def note(
        self,
        topic: Topic,
        says: Says,
        text: str,
        *seqs: int,
    ) -> None:
        """A line for the coverage page."""
        self.notes.append(Note(topic, says, text, max(1, len(seqs)), seqs[:100]))

    def find(self, text: str, seq: int) -> None:
        """A finding that may come up often: one line of the coverage page says all its places."""
        self._findings.setdefault(text, []).append(seq)

    def blind(self, reason: str) -> None:
        """An effect may be missing right here: the next number is not attested."""
        number = self.next
        spots = self._spots.setdefault(reason, [])
        if not spots or spots[-1] != number:
            self._blind.append((number, number))
            spots.append(number)

    def blind_from(self, key: str, reason: str) -> None:
        """From the next event on effects may be missing, until `sighted(key)` or for good."""
        self._open.setdefault(key, (self.next, reason))

    def sighted(self, key: str, *, covered: bool = False) -> None:
        """The stretch `key` ends with the next event; `covered` = it turned out to hide nothing."""
        if key in self._open:
            first, reason = self._open.pop(key)
            if not covered:
                self._blind.append((first, self.next))
                self._spots.setdefault(reason, []).append(first)

    def reading(
        self,
        *,
        journal: str,
        runtime: str,
        version: str = "",
        agent: str = "",
        attests: bool = True,
    ) -> Reading:
        """The finished reading. `attests` = the source records every call of the agent."""
        self._close()
        for text, seqs in self._findings.items():
            self.note("retention", "finding", text, *seqs)
        for first, reason in self._open.values():
            self._spots.setdefault(reason, []).append(first)
        for reason, seqs in self._spots.items():
            self.note("soundness", "blind spot", reason, *seqs)
        if self.mended:
            text = "NUL or a lone surrogate in a text was replaced by U+FFFD"
            self.notes.append(Note("reading", "finding", text, self.mended))
        header = Header(
            format=FORMAT,
            id=journal,
            runtime=runtime,
            runtime_version=version,
            agent=agent,
            ledger=self._ledger() or "none" if attests else "none",
        )
        return Reading(
            header=header,
            events=self.events,
            skips=self.skips,
            errors=self.errors,
            notes=self.notes,
            torn=self.torn,
            counts=self._counts(),
            places=self.places,
        )

    def _counts(self) -> Counts:
        torn = 0 if self.torn is None else 1
        skipped = self.skips.total()
        failed = len(self.errors)
        return Counts(self._lines, self._records, self._used, skipped, failed, torn)

    def _ledger(self) -> list[tuple[int, int]]:
        """`mapping.md`, Ledger coverage: all numbers less the blind stretches."""
        last = len(self.events)
        holes = self._blind + [(first, last) for first, _ in self._open.values()]
        ranges: list[tuple[int, int]] = []
        start = 1
        for first, end in sorted(holes):
            if start < first:
                ranges.append((start, min(first - 1, last)))
            start = max(start, end + 1)
        if start <= last:
            ranges.append((start, last))
        return _longest([(p, q) for p, q in ranges if p <= q])


def _longest(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A header holds only so many values (`journal-format.md` 7); short ranges attest little."""
    if len(ranges) <= MOST_RANGES:
        return ranges
    return sorted(sorted(ranges, key=lambda pair: pair[0] - pair[1])[:MOST_RANGES])
