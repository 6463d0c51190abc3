"""Looks at folders again and again, and ships what changed. Polling: it works everywhere.

Only marks and hash states are held in memory: a file is read in pieces.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from guard.adapters.base import SourceFile, found
from guard.client import Client
from guard.shipping import content
from guard.shipping.content import Damaged, Signature, signature
from guard.shipping.marks import Mark, Marks
from guard.shipping.placement import moved, path_of, placed, placed_anew
from guard.shipping.shipper import Rewritten, Shipped, Shipper

Say = Callable[[str, Shipped], object]
"""Told about a file: its path, and what became of it."""


class Follower:
    """The files below some paths, and how far each of them is at the server."""

    def __init__(self, client: Client, marks: Marks, say: Say, *, whole: bool = False) -> None:
        self._client = client
        self._marks = marks
        self._say = say
        self._whole = whole
        self._seen: dict[str, Signature] = {}
        if not whole:
            self._seen |= {mark.path: mark.seen for mark in marks if mark.seen is not None}
        self._shippers: dict[str, Shipper] = {}

    def turn(self, paths: Iterable[Path]) -> None:
        """Ship what is new below these paths. Raises `ServerAway`; the next turn goes on."""
        changed = dict(self._changed(file for path in paths for file in found(path)))
        self._follow_moves(changed)
        known = [path for path in changed if self._marks.of(content.logical(path)) is not None]
        for path in known:
            self._visit([path], changed)
        self._visit([path for path in changed if path not in known], changed)

    def _changed(self, files: Iterable[SourceFile]) -> Iterator[tuple[str, Signature]]:
        """Paths with what they look like now; one that vanished while it was looked at is none."""
        for file in files:
            try:
                now = signature(file.name)
            except OSError:
                continue
            if self._seen.get(file.name) != now:
                yield file.name, now

    def _follow_moves(self, changed: dict[str, Signature]) -> None:
        """A log that got another path is the same log; what stands at its old path is another."""
        for path, (inode, *_) in changed.items():
            if self._marks.of(content.logical(path)) is None:
                mark = moved(path, inode, self._marks)
                if mark is not None:
                    self._marks.move(mark, path)
                    self._shippers.pop(mark.path, None)

    def _visit(self, paths: Sequence[str], changed: dict[str, Signature]) -> None:
        """Ship these files; what they look like is remembered once nothing of them waits."""
        with ExitStack() as stack:
            opened = dict(self._opened(paths, changed, stack))
            new = [file for file in opened.values() if self._marks.of(file.name) is None]
            parts = [(f, m) for f in opened.values() if (m := self._marks.of(f.name)) is not None]
            parts += placed(new, self._marks) if new else []
            for path, file in opened.items():
                own = [part for part in parts if path_of(part[0]) == file.name]
                if not own:
                    self._refuse(path, "no adapter knows the records of this file")
                waiting = [part for part in own if not self._one(*part, changed[path])]
                if not waiting:
                    self._remember(path, changed[path])

    def _opened(
        self, paths: Iterable[str], changed: dict[str, Signature], stack: ExitStack
    ) -> Iterator[tuple[str, SourceFile]]:
        for path in paths:
            try:
                if path != content.logical(path) and Path(content.logical(path)).exists():
                    raise Damaged("left out: the same log lies beside it unpacked")
                yield path, stack.enter_context(content.unpacked(SourceFile.of(Path(path))))
            except (OSError, Damaged) as error:
                self._refuse(path, str(error))
                self._remember(path, changed[path])

    def _remember(self, path: str, now: Signature) -> None:
        """Look at the file again when it looks different, also after a restart."""
        self._seen[path] = now
        shipper = self._shippers.get(path)
        if shipper is not None and shipper.mark.offset:
            shipper.mark = msgspec.structs.replace(shipper.mark, seen=now)
            self._marks.keep(shipper.mark)

    def _refuse(self, path: str, reason: str) -> None:
        self._say(path, Shipped(Mark(path, "", ""), "refused", reason=reason))

    def _one(self, file: SourceFile, mark: Mark, now: Signature) -> bool:
        """Ship a file or a part; False when some of it waits."""
        inode, _, changed_ns, *_ = now
        try:
            size, ready = content.ready_bytes(file, changed_ns, whole=self._whole)
            if size and not ready:
                return False
            told = self._shipped(file, self._shipper(mark, inode), ready)
        except (OSError, sqlite3.Error) as error:
            self._refuse(mark.path, str(error))
            return True
        self._say(mark.path, told)
        return told.outcome == "refused" or ready == size

    def _shipped(self, file: SourceFile, shipper: Shipper, ready: int) -> Shipped:
        try:
            return shipper.ship(file, ready)
        except Rewritten:
            return self._anew(file, shipper).ship(file, ready)

    def _anew(self, file: SourceFile, shipper: Shipper) -> Shipper:
        """A new generation in the same run; or a file of another run that took the place."""
        other = placed_anew(file, shipper.mark, self._marks)
        if other is None:
            shipper.begin_anew()
            return shipper
        del self._shippers[shipper.mark.path]
        return self._shipper(other, other.inode)

    def _shipper(self, mark: Mark, inode: int) -> Shipper:
        shipper = self._shippers.get(mark.path)
        if shipper is None:
            shipper = Shipper(self._client, mark, self._marks.keep)
            self._shippers[mark.path] = shipper
        shipper.mark = msgspec.structs.replace(shipper.mark, inode=inode)
        return shipper
