"""Reading and writing `context-journal/1`, strictly: lines to a `Journal`, or one clear reason."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from guard import chain
from guard.canonical import canonical
from guard.errors import JournalError
from guard.events import AnyEvent, Effect, Gate, Header
from guard.lines import MAX_LINE_BYTES, Lines, parse, repeatable
from guard.members import event_of, header_of, present
from guard.packing import TooLarge, unpack
from guard.repeats import in_order, number_of

_STEPS = ("planned", "held", "started", "unknown", "failed", "committed")
"""Which of two unnumbered events of one room comes first (`journal-format.md` 3.1)."""


MAX_BATCH_LINES = 10_000
"""Events in one batch, its header included (`journal-format.md` 7)."""


class Torn(Struct, frozen=True):
    """The last line of a file, cut off while it was written: kept and counted, never an event."""

    line: int
    raw: bytes


class Journal(Struct, frozen=True):
    """What the lines of one journal say, whatever the order and number of their arrivals."""

    header: Header
    numbered: tuple[AnyEvent, ...]
    """Distinct events by (seq, canonical form). Both events of a fork are here."""
    unnumbered: tuple[Effect, ...]
    """Distinct, by (after; planned, held, started, unknown, failed, committed; canonical form)."""
    forks: tuple[int, ...]
    """Numbers that two different events carry."""
    broken: tuple[int, ...]
    """Numbers whose chain check fails. Each depends on earlier events only."""
    torn: Torn | None


def read(
    lines: Iterable[bytes] | bytes,
    *,
    keep_text: bool = False,
    redacted: Mapping[str, str] | None = None,
) -> Journal:
    """Read the lines of a file. Texts of spans and digests are checked, then dropped by default.

    `redacted`: `chain` -> hash of the form of an event whose chain held before secrets were taken
    out of it; in this form, and in no other, it holds as it is. Raises `JournalError` with line
    and reason for the first line that is refused.
    """
    source = repeatable(lines)
    reading = _Reading(keep_text, redacted=redacted or {})
    with uncollected():
        for line in source:
            reading.take(line)
        return reading.journal(source)


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the cycle collector: events pile up and make no cycles, and it would look at them all
    again and again."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def read_file(path: Path, *, keep_text: bool = False) -> Journal:
    """`read` without holding the file in memory. Raises `OSError` too."""
    return read(Lines.of_file(path), keep_text=keep_text)


def read_batch(
    pieces: bytes | Iterable[bytes],
    *,
    encoding: str = "identity",
    header: bytes | None = None,
    keep_text: bool = False,
) -> Journal:
    """Read the body of one request, packed as `encoding` says. A refused line refuses all of it.

    `header` is the first line of the journal that the batch goes on with; the batch need not
    repeat it. Raises `JournalError`.
    """
    data = unpack((pieces,) if isinstance(pieces, bytes) else pieces, encoding)
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    if lines > MAX_BATCH_LINES:
        raise TooLarge(f"more than {MAX_BATCH_LINES} events in one batch")
    reading = _Reading(keep_text, whole_lines=True)
    if header is not None:
        reading.take(header)
        reading.line = 0
    source = Lines.of_bytes(data)
    for line in source:
        reading.take(line)
    return reading.journal(source)


def encode(event: AnyEvent | Header) -> bytes:
    """One native line. Defaults are left out; the `null` of a gate's digest stays."""
    if _asks_for_nothing(event):
        return msgspec.json.encode(msgspec.to_builtins(event) | {"digest": None}) + b"\n"
    return msgspec.json.encode(event) + b"\n"


def _asks_for_nothing(event: AnyEvent | Header) -> bool:
    """Whether this is a question about an edit without `out`, or the answer to one."""
    return (
        isinstance(event, Gate)
        and event.digest is None
        and event.state in {"requested", "approved"}
    )


@dataclass(slots=True)
class _Reading:
    """What was read so far. Events stand by their line numbers."""

    keep_text: bool
    whole_lines: bool = False
    redacted: Mapping[str, str] = field(default_factory=dict)
    line: int = 0
    header: Header | None = None
    header_form: bytes = b""
    numbered: dict[int, AnyEvent] = field(default_factory=dict)
    unnumbered: dict[bytes, Effect] = field(default_factory=dict)
    bad_hashes: set[int] = field(default_factory=set)
    torn: Torn | None = None

    def take(self, line: bytes) -> None:
        """Accept, quarantine or refuse the next line."""
        self.line += 1
        if self.torn is not None:
            raise JournalError("torn line in the middle", self.torn.line)
        try:
            self._accept(line)
        except JournalError as error:
            raise JournalError(error.reason, self.line) from error

    def _accept(self, line: bytes) -> None:
        try:
            members = parse(line.removesuffix(b"\n"))
        except JournalError:
            if self.whole_lines or self.header is None or not _may_be_torn(line):
                raise
            self.torn = Torn(self.line, line)
            return
        said = present(members)
        if self.header is None or said.get("kind") == "journal":
            self._open(header_of(said), canonical(members))
        else:
            self._add(event_of(said, keep_text=self.keep_text), members)

    def _open(self, header: Header, form: bytes) -> None:
        if self.header is None:
            self.header, self.header_form = header, form
        elif form != self.header_form:
            raise JournalError("a second, different header")

    def _add(self, event: AnyEvent, members: dict[str, Any]) -> None:
        if isinstance(event, Effect) and event.seq is None:
            self.unnumbered[canonical(members)] = event
            return
        self.numbered[self.line] = event
        if event.chain is not None and not self._holds(event.chain, members):
            self.bad_hashes.add(number_of(event))

    def _holds(self, link: str, members: dict[str, Any]) -> bool:
        return chain.holds(members) or self.redacted.get(link) == chain.form_of(members)

    def journal(self, source: Iterable[bytes]) -> Journal:
        """Everything that was read, in the one order that arrival has no say in."""
        if self.header is None:
            raise JournalError("empty: a journal begins with its header", 1)
        numbered, forks = in_order(source, self.numbered)
        return Journal(
            header=self.header,
            numbered=tuple(numbered),
            unnumbered=tuple(_by_room(self.unnumbered)),
            forks=tuple(forks),
            broken=tuple(sorted({*self.bad_hashes, *chain.breaks(numbered)})),
            torn=self.torn,
        )


def _may_be_torn(line: bytes) -> bool:
    return not line.endswith(b"\n") and len(line) <= MAX_LINE_BYTES and bool(line.strip())


def _by_room(effects: dict[bytes, Effect]) -> list[Effect]:
    forms = sorted(
        effects, key=lambda form: (effects[form].after, _STEPS.index(effects[form].state), form)
    )
    return [effects[form] for form in forms]
