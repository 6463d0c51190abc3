"""The folded state of a run, kept in this process and grown by what is new.

A question about a running agent must not cost a fold of its whole journal. A journal that was only
appended to grows in place; anything else is read and folded anew. What a caller gets out is frozen:
the state itself is only seen under the lock of its run.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from dashboard import journals
from dashboard.facts import Told, Version, told_by
from dashboard.journals import News, Opened, Snapshot
from dashboard.models import Run
from guard import journal
from guard.adapters.native import NATIVE
from guard.errors import JournalError
from guard.events import AnyEvent, Gate, Header
from guard.lines import Lines
from guard.state import State, fold

Answer = TypeVar("Answer")
KEPT_RUNS = 8
TRIES = 20


class Known:
    """A run as far as it was read."""

    def __init__(self, shot: Snapshot, opened: Opened, texts: dict[Version, str]) -> None:
        self.head = shot.head
        self.marks = shot.marks
        self.file_id = shot.parts[0].file_id if len(shot.parts) == 1 else None
        self.adapter = opened.adapter
        self.own_events = opened.own_events
        self.torn = opened.journal.torn is not None
        self.chain: str | None = None
        self.told: dict[Version, Told] = {}
        self.approved_at: dict[str, int] = {}
        self.ours = {our.event.id for our in shot.ours}
        self.state: State = fold(_without_foreign_approvals(opened, self.ours))
        self._texts = texts
        for event in opened.journal.numbered:
            self.note(event)
        self._texts = {}

    @property
    def last_seq(self) -> int:
        return self.state.at

    def add(self, event: AnyEvent) -> None:
        """The next numbered event of a native journal."""
        self.state.apply(event)
        self.note(event)

    def note(self, event: AnyEvent) -> None:
        """Remember what a state does not keep: where facts were read, and when we approved."""
        self.chain = event.chain
        for version, told in told_by(event, self._texts):
            self.told.setdefault(version, told)
        if isinstance(event, Gate) and event.state == "approved":
            self.approved_at.setdefault(event.id, event.seq or 0)


class _Kept:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.known: Known | None = None


_runs: OrderedDict[str, _Kept] = OrderedDict()
_runs_lock = threading.Lock()


def ask(run: Run, question: Callable[[Known], Answer]) -> Answer:
    """Answer a question about everything that was received of a run. Raises `JournalError`.

    The database is asked before the lock is taken, so that nobody waits for a row while holding it.
    """
    kept = _kept(run.public_id)
    for _ in range(TRIES):
        head = Run.objects.values_list("head", flat=True).get(pk=run.pk)
        known = kept.known
        if known is not None and known.head != head:
            _grow_or_drop(kept, known, run.pk)
        elif known is None:
            _open(kept, run.pk)
        with kept.lock:
            if kept.known is not None and kept.known.head == head:
                return question(kept.known)
    raise JournalError("the journal grows faster than it can be read: ask again")


def warm(run: Run) -> None:
    """Read what is new before a transaction begins, so that nobody waits while it is open."""
    ask(run, lambda _known: None)


def forget() -> None:
    """Drop everything, for example after a fork of the process."""
    with _runs_lock:
        _runs.clear()


def _kept(name: str) -> _Kept:
    with _runs_lock:
        kept = _runs.setdefault(name, _Kept())
        _runs.move_to_end(name)
        while len(_runs) > KEPT_RUNS:
            _runs.popitem(last=False)
        return kept


def _open(kept: _Kept, run_id: int) -> None:
    shot = journals.snapshot(run_id)
    with kept.lock:
        if kept.known is None:
            kept.known = Known(shot, *journals.open_with_texts(shot))


def _grow_or_drop(kept: _Kept, known: Known, run_id: int) -> None:
    """Bring what is known up to date; drop it when it has to be read anew."""
    marks, news = known.marks, None
    if known.adapter == NATIVE.name and known.file_id is not None and not known.torn:
        news = journals.news(run_id, known.file_id, marks)
    with kept.lock:
        if kept.known is known and known.marks == marks:
            kept.known = known if news is not None and _grown(known, news) else None


def _grown(known: Known, news: News) -> bool:
    """Fold what came since, when it is nothing but the next numbers in a row."""
    events = _events(news)
    if events is None:
        return False
    events.sort(key=lambda event: event.seq or 0)
    expected = range(known.last_seq + 1, known.last_seq + 1 + len(events))
    if [event.seq for event in events] != [*expected] or any(event.chain for event in events):
        return False
    known.ours.update(event.id for event in news.ours)
    for event in events:
        known.add(_trusted(event, known.ours))
    known.own_events += len(events) - len(news.ours)
    known.head, known.marks = news.head, news.marks
    return True


def _events(news: News) -> list[AnyEvent] | None:
    """The events of the new lines and ours; None when they are no plain continuation."""
    if news.lines is None or (news.lines and not news.lines.endswith(b"\n")):
        return None
    header = journal.encode(_NO_HEADER)
    read = journal.read([header, *Lines.of_bytes(news.lines)], keep_text=True)
    if read.unnumbered or read.forks:
        return None
    return [*read.numbered, *news.ours]


_NO_HEADER = Header(format="context-journal/1", id="appended")


def _without_foreign_approvals(opened: Opened, ours: set[str]) -> journal.Journal:
    """An approval counts when it is ours. One that an agent's stream claims is no person's."""
    events = tuple(_trusted(event, ours) for event in opened.journal.numbered)
    return msgspec.structs.replace(opened.journal, numbered=events)


def _trusted(event: AnyEvent, ours: Iterable[str]) -> AnyEvent:
    if isinstance(event, Gate) and event.human and event.id not in ours:
        return msgspec.structs.replace(event, human=False)
    return event
