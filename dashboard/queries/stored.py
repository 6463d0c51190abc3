"""The events of a run, read again from its stored bytes, and the texts of some of its spans."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from threading import Lock
from typing import TypeVar

import msgspec
from msgspec import Struct

from dashboard import journals
from dashboard.journals import Opened, Snapshot
from dashboard.models import Run
from guard import adapters
from guard.errors import JournalError
from guard.events import AnyEvent, Edit, Proposal, Span
from guard.journal import Journal
from guard.state import State, fold

MOST_KEPT = 4
LARGEST_KEPT = 32 << 20
Answer = TypeVar("Answer")

Name = tuple[str, str]
"""A version of a span: its id and its hash."""


class Version(Struct, frozen=True):
    """A version of a span where it was declared last. `path` says where it was read."""

    span: str
    hash: str
    seq: int
    role: str
    path: str
    tokens: int | None

    @property
    def name(self) -> Name:
        return self.span, self.hash


class Stored:
    """A run as it was received; texts are looked up in its bytes when they are asked for."""

    def __init__(self, shot: Snapshot, opened: Opened) -> None:
        self._shot = shot
        self._opened = opened
        self._state: State | None = None
        self._asking = Lock()

    def ask(self, question: Callable[[State], Answer], at: int | None = None) -> Answer:
        """Ask the folded journal, or its prefix up to number `at`. One question at a time."""
        if at is not None:
            return question(fold(self._opened.journal, at))
        with self._asking:
            if self._state is None:
                self._state = fold(self._opened.journal)
            return question(self._state)

    @property
    def journal(self) -> Journal:
        return self._opened.journal

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        return self._opened.journal.numbered

    def texts(self, wanted: Collection[Name]) -> dict[Name, str]:
        """Texts of versions; one whose text is not in the bytes is left out."""
        if not wanted:
            return {}
        if self._opened.reading is None:
            return dict(self._native(set(wanted)))
        return dict(self._foreign(set(wanted)))

    def _native(self, wanted: set[Name]) -> Iterator[tuple[Name, str]]:
        for line in journals.native_lines(self._shot):
            if b'"text"' not in line:
                continue
            members = _members(line)
            shown = members if members.get("kind") == "span" else members.get("out")
            if isinstance(shown, dict):
                name = (shown.get("id"), shown.get("hash"))
                if name in wanted and isinstance(shown.get("text"), str):
                    yield (str(name[0]), str(name[1])), shown["text"]

    def _foreign(self, wanted: set[Name]) -> Iterator[tuple[Name, str]]:
        reading = self._opened.reading
        if reading is None:
            return
        adapter = adapters.named(self._opened.adapter)
        with journals.spooled(self._shot) as files:
            own = [file for file in files if file.name not in self._opened.unread]
            for event in reading.events:
                if isinstance(event, Span) and (event.id, event.hash) in wanted:
                    text = event.text or adapters.text_of(reading, own, adapter, event.id)
                    if text is not None:
                        yield (event.id, event.hash), text
                elif isinstance(event, Edit | Proposal) and event.out and event.out.text:
                    yield (event.out.id, event.out.hash), event.out.text


def _members(line: bytes) -> dict[str, object]:
    try:
        members = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {}
    return members if isinstance(members, dict) else {}


_kept: OrderedDict[tuple[int, str], Stored] = OrderedDict()
_lock = Lock()


def stored(run: Run) -> Stored | None:
    """The run's journal; None when what was received cannot be read: then its pages say so."""
    key = (run.pk, run.head)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    shot = journals.snapshot(run.pk)
    try:
        found = Stored(shot, journals.open_snapshot(shot))
    except JournalError:
        return None
    if run.received_bytes <= LARGEST_KEPT:
        with _lock:
            _kept[run.pk, shot.head] = found
            while len(_kept) > MOST_KEPT:
                _kept.popitem(last=False)
    return found


def versions_before(events: Iterable[AnyEvent], seq: int) -> dict[str, Version]:
    """The latest version of each span declared before number `seq`, on any branch."""
    out: dict[str, Version] = {}
    for event in events:
        number = event.seq or 0
        if number >= seq:
            continue
        if isinstance(event, Span):
            path = (event.source and (event.source.path or event.source.tool)) or ""
            found = Version(event.id, event.hash, number, event.role, path, event.tokens)
            out[event.id] = found
        elif isinstance(event, Edit) and event.out is not None:
            new, path = event.out, f"digest of {event.id}"
            out[new.id] = Version(new.id, new.hash, number, "digest", path, new.tokens)
    return out


def edit_event(events: Iterable[AnyEvent], edit_id: str) -> Edit | Proposal | None:
    """The edit of this id, else its last proposal."""
    proposal = None
    for event in events:
        if isinstance(event, Edit) and event.id == edit_id:
            return event
        if isinstance(event, Proposal) and event.id == edit_id:
            proposal = event
    return proposal
