"""The body of one batch: packed or not, and never more than its limits (`journal-format.md` 7)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from guard.errors import JournalError

MAX_PACKED_BYTES = 20 << 20
MAX_UNPACKED_BYTES = 100 << 20

_PIECE_BYTES = 1 << 20
_GIVEN_BYTES = 1 << 10
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = zlib.MAX_WBITS | 16


class TooLarge(JournalError):
    """A body over a limit. It was refused before the rest of it was read or made."""


def unpack(pieces: Iterable[bytes], encoding: str = "identity") -> bytes:
    """The bytes of a body that arrives in pieces; `encoding` is `gzip` or `identity` (or empty).

    Raises `JournalError` for another packing, two layers, or a stream that is damaged or cut off.
    """
    received = _within(pieces, MAX_PACKED_BYTES, "packed")
    if encoding.strip().lower() in {"", "identity"}:
        data = received
    elif encoding.strip().lower() == "gzip":
        data = _gunzip(received)
    else:
        raise JournalError(f"packing {encoding!r}: only gzip or identity, once")
    if data.startswith(_GZIP_MAGIC):
        raise JournalError("still packed after unpacking as declared: gzip or identity, once")
    return data


def _within(pieces: Iterable[bytes], limit: int, what: str) -> bytes:
    data = bytearray()
    for piece in pieces:
        data += piece
        if len(data) > limit:
            raise TooLarge(f"{what} body over {limit} bytes")
    return bytes(data)


def _gunzip(packed: bytes) -> bytes:
    return _within(_members(packed), MAX_UNPACKED_BYTES, "unpacked")


def _members(packed: bytes) -> Iterator[bytes]:
    """What the members of a stream unpack to. What is left of it is never copied whole: a stream
    may have a member for each 20 bytes."""
    unpacker = zlib.decompressobj(_GZIP_WINDOW)
    place = 0
    while place < len(packed):
        given = packed[place : place + _GIVEN_BYTES]
        place += len(given)
        piece = b""
        while given or len(piece) == _PIECE_BYTES:
            try:
                piece = unpacker.decompress(given, _PIECE_BYTES)
            except zlib.error as error:
                raise JournalError("gzip stream is damaged") from error
            given = unpacker.unconsumed_tail or unpacker.unused_data
            yield piece
            if unpacker.eof and (given or place < len(packed)):
                unpacker, piece = zlib.decompressobj(_GZIP_WINDOW), b""
    if packed and not unpacker.eof:
        raise JournalError("gzip stream is cut off")
