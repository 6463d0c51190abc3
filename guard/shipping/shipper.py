"""One file at a time to the server: what is new, in pieces, as the generation it belongs to.

Before anything is sent, what was sent before is compared with the file: a host that rewrote its
history begins a new generation, and the server keeps the earlier one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, BinaryIO, Literal
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct

from guard.adapters.base import SourceFile
from guard.client import API, Client, Refused
from guard.shipping import content
from guard.shipping.marks import EMPTY, Mark

TAIL_BYTES = 1 << 12
CHECK_SHARE = 20
"""Of the time, at most one part in so many goes into reading again what was shipped."""
MAX_TRIES = 5

Outcome = Literal["sent", "here already", "refused"]


class Shipped(Struct, frozen=True):
    """What became of one file: bytes that the server did not have before, and its run there."""

    mark: Mark
    outcome: Outcome
    size_bytes: int = 0
    run: str = ""
    reason: str = ""


class Rewritten(Exception):
    """The file does not go on from what was shipped of it."""


class Shipper:
    """A file as far as this process knows it; the mark is what lasts longer."""

    def __init__(self, client: Client, mark: Mark, keep: Callable[[Mark], None]) -> None:
        self._client = client
        self._keep = keep
        self.mark = mark
        self._hash: Any = None
        self._tail = b""
        self._check_at = 0.0
        self._greeted = False
        self._sent_bytes = 0
        self._run = ""

    def ship(self, file: SourceFile, ready_bytes: int) -> Shipped:
        """Send what is new of the first `ready_bytes`. Raises `ServerAway` and `Rewritten`.

        Every receipt is kept before the next piece is sent.
        """
        self._sent_bytes = 0
        with file.open() as stream:
            self._check(stream, ready_bytes)
            for _ in range(MAX_TRIES):
                try:
                    self._send_all(stream, ready_bytes)
                except Refused as refused:
                    if not self._mend(refused, stream):
                        return Shipped(self.mark, "refused", self._sent_bytes, reason=str(refused))
                else:
                    return self._told()
        return Shipped(self.mark, "refused", self._sent_bytes, reason="the server disagrees")

    def _told(self) -> Shipped:
        outcome: Outcome = "sent" if self._sent_bytes else "here already"
        return Shipped(self.mark, outcome, self._sent_bytes, self._run)

    def begin_anew(self) -> None:
        """The next piece begins a new generation: the one that stands is kept by the server."""
        self._reset(self.mark.generation + 1 if self.mark.generation else 0)

    def _reset(self, generation: int) -> None:
        self.mark = msgspec.structs.replace(
            self.mark, generation=generation, offset=0, sha256=EMPTY
        )
        self._hash, self._tail, self._greeted = None, b"", False

    def _check(self, stream: BinaryIO, ready_bytes: int) -> None:
        """Whether the file still begins with what was shipped. Raises `Rewritten`.

        All of it is read when that is cheap; in between only its last bytes.
        """
        if self.mark.offset > ready_bytes:
            raise Rewritten
        begun = time.monotonic()
        if self._hash is None or begun >= self._check_at:
            found = content.hash_of(stream, self.mark.offset)
            if found is None or found.hexdigest() != self.mark.sha256:
                raise Rewritten
            self._hash = found
            self._check_at = begun + CHECK_SHARE * (time.monotonic() - begun)
            return
        stream.seek(self.mark.offset - len(self._tail))
        if stream.read(len(self._tail)) != self._tail:
            raise Rewritten

    def _send_all(self, stream: BinaryIO, end: int) -> None:
        while self.mark.offset < end:
            data = content.piece_at(stream, self.mark.offset, end)
            if not data:
                raise Rewritten
            self._send(data)

    def _send(self, data: bytes) -> None:
        """One piece. Its place in the file is told with the hash of all before it, once a process:
        later ones follow receipts of the server itself."""
        through = self._hash.copy()
        through.update(data)
        told = self._call(data, through.hexdigest())
        self._hash, self._greeted = through, True
        self._tail = (self._tail + data)[-TAIL_BYTES:]
        self._run = str(told["run"])
        if not told["duplicate"]:
            self._sent_bytes += len(data)
        self.mark = msgspec.structs.replace(
            self.mark,
            generation=int(told["generation"]),
            offset=self.mark.offset + len(data),
            sha256=through.hexdigest(),
        )
        self._keep(self.mark)

    def _call(self, data: bytes, through: str) -> dict[str, Any]:
        query: dict[str, Any] = {
            "file": self.mark.name,
            "offset": self.mark.offset,
            "through_sha256": through,
        }
        if self.mark.generation:
            query["generation"] = self.mark.generation
        if self.mark.offset and not self._greeted:
            query["prefix_sha256"] = self.mark.sha256
        path = f"{API}/runs/{quote(self.mark.run, safe='')}/chunks?{urlencode(query)}"
        return self._client.call("POST", path, data)

    def _mend(self, refused: Refused, stream: BinaryIO) -> bool:
        """Go on where the server and the file agree; False when no other place can help."""
        stands = int(refused.told.get("generation") or 0)
        match refused.code:
            case "missing_bytes":
                return self._back_to(stream, int(refused.told["expected_offset"]), stands)
            case "generation":
                self._reset(stands)
            case "other_bytes" | "other_prefix":
                self._reset(stands + 1)
            case _:
                return False
        return self._back_to(stream, 0, self.mark.generation)

    def _back_to(self, stream: BinaryIO, offset: int, generation: int) -> bool:
        """The server has less than was shipped, for example after a restore of its backup."""
        found = content.hash_of(stream, offset)
        if found is None:
            return False
        self.mark = msgspec.structs.replace(
            self.mark, generation=generation, offset=offset, sha256=found.hexdigest()
        )
        self._hash, self._tail, self._greeted = found, b"", False
        return True
