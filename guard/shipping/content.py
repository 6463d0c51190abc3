"""What of a file may be shipped now: a line or document that is still being written waits."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from guard.adapters.base import SourceFile
from guard.errors import GuardError

PIECE_BYTES = 8 << 20
STEP_BYTES = 1 << 16
SETTLE_S = 1.0
LONGEST_TAIL_BYTES = 64 << 20
MAX_UNPACKED_BYTES = 8 << 30
PACKED = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}

Signature = tuple[int, int, int, int, int]
"""Inode, size and time of change of a file; size and time of the log beside a database."""


class Damaged(GuardError):
    """A packed file that cannot be unpacked, or not within the limit."""


def signature(path: str) -> Signature:
    """What changes when the file does. Raises `OSError`."""
    own = Path(path).stat()
    try:
        log = Path(f"{path}-wal").stat()
    except OSError:
        return own.st_ino, own.st_size, own.st_mtime_ns, 0, 0
    return own.st_ino, own.st_size, own.st_mtime_ns, log.st_size, log.st_mtime_ns


def logical(path: str) -> str:
    """The path without what packing added: a log that was packed is still the same log."""
    return next((path.removesuffix(end) for end in PACKED if path.endswith(end)), path)


@contextmanager
def unpacked(file: SourceFile, limit_bytes: int = MAX_UNPACKED_BYTES) -> Iterator[SourceFile]:
    """The file, or what it holds when it is packed, on disk for as long as the block lasts.

    Raises `Damaged`, also for what is packed twice: secrets can be seen in plain bytes only.
    """
    packing = _packing(file)
    if packing is None:
        yield file
        return
    with tempfile.TemporaryDirectory(prefix="guard-") as folder:
        path = Path(folder) / "plain"
        with path.open("wb") as target:
            _unpack(file, packing, target, limit_bytes)
        plain = SourceFile(logical(file.name), path)
        if _packing(plain) is not None:
            raise Damaged("still packed after unpacking once")
        yield plain


def _packing(file: SourceFile) -> str | None:
    with file.open() as stream:
        head = stream.read(4)
    return next((end for end, magic in PACKED.items() if head.startswith(magic)), None)


def _unpack(file: SourceFile, packing: str, target: BinaryIO, limit_bytes: int) -> None:
    size = 0
    try:
        for piece in _pieces(file, packing):
            size += len(piece)
            if size > limit_bytes:
                raise Damaged(f"over {limit_bytes} bytes when unpacked")
            target.write(piece)
    except (zstandard.ZstdError, zlib.error, EOFError, gzip.BadGzipFile) as error:
        raise Damaged(f"cannot be unpacked: {error}") from error


def _pieces(file: SourceFile, packing: str) -> Iterator[bytes]:
    with file.open() as packed:
        if packing == ".gz":
            stream: BinaryIO = cast(BinaryIO, gzip.GzipFile(fileobj=packed))
        else:
            reader = zstandard.ZstdDecompressor()
            stream = cast(BinaryIO, reader.stream_reader(packed, read_across_frames=True))
        while piece := stream.read(STEP_BYTES):
            yield piece


def ready_bytes(file: SourceFile, changed_ns: int, *, whole: bool) -> tuple[int, int]:
    """The size of the file, and how much of it may be shipped now; all of it with `whole`.

    Of lines: up to the last whole one. Of a document, which changed at `changed_ns`: all of it,
    once it is left alone.
    """
    with file.open() as stream:
        size = stream.seek(0, os.SEEK_END)
        if whole:
            return size, size
        ended = _after_last_newline(stream, size)
        if not _is_lines(file.head()):
            return size, size if time.time() - changed_ns / 1e9 > SETTLE_S else 0
        stream.seek(ended)
        tail = stream.read(LONGEST_TAIL_BYTES)
        return size, size if ended + len(tail) == size and _is_json(tail) else ended


def _after_last_newline(stream: BinaryIO, size: int) -> int:
    end = size
    while end:
        start = max(0, end - STEP_BYTES)
        stream.seek(start)
        found = stream.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def _is_lines(head: bytes) -> bool:
    """Whether the first line is a whole object, or the only one that is being written."""
    first, newline, _ = head.partition(b"\n")
    return _is_json(first) or (not newline and first[:1] == b"{")


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


def piece_at(stream: BinaryIO, offset: int, end: int) -> bytes:
    """The next bytes, whole lines where there are any: a secret must not be cut in two."""
    stream.seek(offset)
    data = stream.read(min(PIECE_BYTES, end - offset))
    cut = data.rfind(b"\n") + 1
    return data[:cut] if cut and offset + len(data) < end else data


def hash_of(stream: BinaryIO, size: int) -> hashlib._Hash | None:
    """The SHA-256 of the first `size` bytes; None when there are fewer."""
    found = hashlib.sha256()
    stream.seek(0)
    while size:
        data = stream.read(min(size, PIECE_BYTES))
        if not data:
            return None
        found.update(data)
        size -= len(data)
    return found
