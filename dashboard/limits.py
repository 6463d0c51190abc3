"""What a request may bring (`journal-format.md` 7): bytes are counted before they are kept.

`Capped` stands in front of the whole application, since an asynchronous server would otherwise
put a body of any size on the disk before a view could refuse it.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, BinaryIO

from guard.packing import MAX_PACKED_BYTES, MAX_UNPACKED_BYTES

PIECE_BYTES = 256 << 10
UNPACKED_PIECE_BYTES = 1 << 20
WINDOW_BYTES = 16 << 10
MAX_GZIP_MEMBERS = 10_000
API_BODY_BYTES = MAX_PACKED_BYTES
API_PATHS = ("/api/", "/v1/")
PAGE_BODY_BYTES = 256 << 20
STALL_S = 30.0
RATE_WINDOW_S = 300.0
GZIP_WINDOW = zlib.MAX_WBITS | 16
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""How gzip and zstd begin. Secrets are taken out of plain bytes only."""

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]


class Refusal(Exception):
    """A body that is not taken: HTTP status, short code, one line of reason."""

    def __init__(self, status: int, code: str, reason: str) -> None:
        super().__init__(status, code, reason)
        self.status = status
        self.code = code
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


def body_of(stream: BinaryIO, declared: str | None, encoding: str) -> bytes:
    """The unpacked bytes of a body. Raises `Refusal`; never makes more than a limit allows.

    `declared` is the Content-Length, `encoding` the Content-Encoding of the request.
    """
    packing = encoding.strip().lower()
    if packing not in {"", "identity", "gzip"}:
        raise Refusal(415, "packing", f"packing {encoding!r}: only gzip or identity, once")
    packed = _received(stream, declared)
    data = _unpacked(packed) if packing == "gzip" else packed
    if data.startswith(PACKED):
        raise Refusal(415, "packing", "still packed after unpacking as declared: send plain bytes")
    return data


def _received(stream: BinaryIO, declared: str | None) -> bytes:
    expected = _length(declared)
    data = bytearray()
    while piece := stream.read(PIECE_BYTES):
        data += piece
        if len(data) > MAX_PACKED_BYTES:
            raise _too_large("packed", MAX_PACKED_BYTES)
    if expected is not None and len(data) != expected:
        text = f"{len(data)} bytes came, Content-Length says {expected}"
        raise Refusal(400, "cut_off", text)
    return bytes(data)


def _length(declared: str | None) -> int | None:
    if not declared:
        return None
    if not (declared.isascii() and declared.isdigit()):
        raise Refusal(400, "length", "Content-Length is no number")
    if len(declared) > 15 or int(declared) > MAX_PACKED_BYTES:
        raise _too_large("packed", MAX_PACKED_BYTES)
    return int(declared)


def _unpacked(packed: bytes) -> bytes:
    """Counted first, made second: a bomb never takes more than one piece of memory."""
    size = 0
    for piece in _gunzip(packed):
        size += len(piece)
        if size > MAX_UNPACKED_BYTES:
            raise _too_large("unpacked", MAX_UNPACKED_BYTES)
    return b"".join(_gunzip(packed))


def _gunzip(packed: bytes) -> Iterator[bytes]:
    """Pieces of the unpacked bytes. Small windows: what is left over is copied at each member."""
    unpacker, members = None, 0
    for start in range(0, len(packed), WINDOW_BYTES):
        data = packed[start : start + WINDOW_BYTES]
        while data:
            if unpacker is None:
                members += 1
                unpacker = _next_member(members)
            yield from _drained(unpacker, data)
            data = unpacker.unused_data
            unpacker = None if unpacker.eof else unpacker
    if unpacker is not None:
        raise Refusal(400, "gzip", "the gzip stream is cut off")


def _next_member(members: int) -> Any:
    if members > MAX_GZIP_MEMBERS:
        raise Refusal(413, "too_large", f"more than {MAX_GZIP_MEMBERS} gzip members")
    return zlib.decompressobj(GZIP_WINDOW)


def _drained(unpacker: Any, data: bytes) -> Iterator[bytes]:
    """Everything that `data` yields, in pieces that never exceed the limit of one."""
    while data or not unpacker.eof:
        try:
            piece = unpacker.decompress(data, UNPACKED_PIECE_BYTES)
        except zlib.error as error:
            raise Refusal(400, "gzip", "the gzip stream is damaged") from error
        data = unpacker.unconsumed_tail
        if not piece and not data:
            return
        yield piece


def _too_large(what: str, limit: int) -> Refusal:
    return Refusal(413, "too_large", f"the {what} body is over {limit} bytes")


class Rate:
    """So many calls of one name in five minutes, counted in this process."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._calls: dict[int, deque[float]] = {}

    def wait_s(self, name: int) -> int:
        """Count a call; seconds to wait when it is one too many, else 0."""
        now = time.monotonic()
        calls = self._calls.setdefault(name, deque())
        while calls and calls[0] <= now - RATE_WINDOW_S:
            calls.popleft()
        if len(calls) >= self._limit:
            return max(1, int(calls[0] + RATE_WINDOW_S - now))
        calls.append(now)
        return 0


class Capped:
    """Refuses bodies that are too large (413) or that stall (408) before anything is kept."""

    def __init__(self, application: Application, stall_s: float = STALL_S) -> None:
        self._application = application
        self._stall_s = stall_s

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        limit = API_BODY_BYTES if scope["path"].startswith(API_PATHS) else PAGE_BODY_BYTES
        try:
            _declared_within(scope, limit)
            await self._application(scope, _Counted(receive, limit, self._stall_s).receive, send)
        except Refusal as refusal:
            await _answer(refusal, send)


class _Counted:
    """Counts the body; once it is whole, waiting is the application's own business."""

    def __init__(self, receive: Receive, limit: int, stall_s: float) -> None:
        self._receive = receive
        self._limit = limit
        self._stall_s = stall_s
        self._size = 0
        self._whole = False

    async def receive(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), self._stall_s)
        except TimeoutError:
            text = f"no byte of the body for {self._stall_s:g} s"
            raise Refusal(408, "stalled", text) from None
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > self._limit:
            raise _too_large("packed", self._limit)
        return message


def _declared_within(scope: Message, limit: int) -> None:
    declared = dict(scope["headers"]).get(b"content-length", b"0")
    if not declared.isdigit() or len(declared) > 15 or int(declared) > limit:
        raise _too_large("packed", limit)


async def _answer(refusal: Refusal, send: Send) -> None:
    body = json.dumps(
        {"title": refusal.code, "status": refusal.status, "detail": refusal.reason}
    ).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
