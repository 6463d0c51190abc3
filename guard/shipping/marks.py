"""How far each file was shipped, kept on disk so that a restart goes on from there.

One small file a mark, replaced as a whole. A mark is written after the server's receipt: what was
sent in between is sent again, and the server knows it by its place and its bytes.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec
from msgspec import Struct

from guard.errors import GuardError
from guard.shipping.content import Signature

EMPTY = hashlib.sha256().hexdigest()


class Busy(GuardError):
    """Another process ships with the same marks."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder

    def __str__(self) -> str:
        return f"another guard ships from here already ({self.folder}); end it, or say --state"


class Mark(Struct, frozen=True):
    """One file: the run it belongs to, its name there, and what the server has of it.

    `generation` is 0 until the server told it. `sha256` is of the first `offset` bytes. `seen` is
    what the file looked like when nothing of it was left to ship.
    """

    path: str
    run: str
    name: str
    generation: int = 0
    offset: int = 0
    sha256: str = EMPTY
    inode: int = 0
    seen: Signature | None = None


class Marks:
    """All marks of one server. One process at a time holds them. Raises `Busy`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder = folder
        self._lock = (folder / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Busy(folder) from error
        self._known = {mark.path: mark for mark in _read(folder)}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.close()

    def __iter__(self) -> Iterator[Mark]:
        return iter(tuple(self._known.values()))

    def of(self, path: str) -> Mark | None:
        """The mark of a file, if anything of it was ever shipped."""
        return self._known.get(path)

    def keep(self, mark: Mark) -> None:
        """Remember a mark, also over a restart."""
        self._known[mark.path] = mark
        made = self._file(mark.path).with_suffix(".part")
        made.write_bytes(msgspec.json.encode(mark))
        made.replace(self._file(mark.path))

    def move(self, mark: Mark, path: str) -> Mark:
        """The file has another path now."""
        moved = msgspec.structs.replace(mark, path=path)
        self.keep(moved)
        del self._known[mark.path]
        self._file(mark.path).unlink(missing_ok=True)
        return moved

    def free_name(self, run: str, name: str, path: str) -> str:
        """`name`, or with a number where another file of the run has it (a log that rotates)."""
        taken = {mark.name for mark in self if mark.run == run and mark.path != path}
        number, free = 1, name
        while free in taken:
            number += 1
            free = f"{name}~{number}"
        return free

    def _file(self, path: str) -> Path:
        name = hashlib.sha256(path.encode("utf-8", "surrogateescape")).hexdigest()
        return self._folder / f"{name[:32]}.json"


def _read(folder: Path) -> Iterator[Mark]:
    """A mark that is damaged is no mark: the file is offered again from its start."""
    for path in folder.glob("*.json"):
        try:
            yield msgspec.json.decode(path.read_bytes(), type=Mark)
        except msgspec.DecodeError:
            continue
