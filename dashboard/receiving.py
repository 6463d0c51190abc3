"""Where new bytes go in a file that grows: append, the same again, or something else. Writes rows.

Same bytes at the same place are the same receipt; other bytes are a conflict that shows both
hashes; a file that was rewritten from its start becomes a new generation, and the old one stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from uuid import UUID

from django.db.models import F
from msgspec import Struct

from dashboard import journals, redacting
from dashboard.models import Chunk, File, Redaction, Run

MAX_NAME = 512
LONGEST_SECRET_BYTES = 16 << 10
CLOSING = b" \t\r\n]}"
LARGEST_DOCUMENT_BYTES = 8 << 20


class Refused(Exception):
    """What was sent cannot be kept: short code, one line of reason."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class Conflict(Refused):
    """Other bytes are here already, or bytes before these are missing. `shown`: both sides."""

    def __init__(self, code: str, reason: str, **shown: object) -> None:
        super().__init__(code, reason)
        self.shown = shown


class Stored(Struct, frozen=True):
    """The chunk that holds the bytes; `new` is False when it was there before."""

    chunk: Chunk
    new: bool
    redaction: Redaction | None = None


def check_name(what: str, name: str, longest: int = MAX_NAME) -> str:
    """A name that can be stored and shown on one line. Raises `Refused`."""
    if not name or len(name) > longest:
        raise Refused("name", f"{what}: between 1 and {longest} characters")
    if any(not char.isprintable() for char in name):
        raise Refused("name", f"{what}: a character that cannot be shown")
    return name


class Sent(Struct, frozen=True):
    """What a sender says about a piece of a file besides its bytes and its place.

    `prefix_sha256` is of everything before the piece, `through_sha256` of everything to its end, as
    the sender has them. `generation` counts how often the file began anew: 0 stands for the one
    that is current, the next number begins it. `rewrite`: the file from its start, which begins a
    new generation where it differs.
    """

    prefix_sha256: str = ""
    through_sha256: str = ""
    generation: int = 0
    rewrite: bool = False


PLAIN = Sent()


def current_file(run: Run, name: str) -> File:
    """The latest generation of a file of the run, made when there is none."""
    file = File.objects.filter(run=run, name=name, current=True).first()
    return file or File.objects.create(run=run, name=name)


def store(file: File, offset: int, data: bytes, sent: Sent = PLAIN) -> Stored:
    """Keep `data` at `offset` of the current generation of a file, or begin the next one.

    Raises `Conflict`. The run of the file must be locked.
    """
    if sent.generation not in {0, file.generation}:
        return _begin(file, offset, data, sent)
    if offset > file.size_bytes:
        text = f"bytes {file.size_bytes} to {offset} of {file.name} are missing: send them first"
        raise _conflict(file, "missing_bytes", text, expected_offset=file.size_bytes)
    if sent.prefix_sha256:
        _check_prefix(file, offset, sent.prefix_sha256.lower())
    here = _stored(file, offset, len(data))
    if data[: len(here)] == here or _is_original(file, offset, data[: len(here)], here):
        return _rest(file, offset, data, len(here), sent)
    if sent.rewrite and offset == 0:
        return _append(_next_generation(file, data), data, sent)
    raise _conflict(
        file,
        "other_bytes",
        f"other bytes are stored at {offset} of {file.name}; a rewritten file is sent anew from 0",
        sent_sha256=_sha256(data[: len(here)]),
        stored_sha256=_sha256(here),
    )


def known(file: File, data: bytes) -> Stored | None:
    """The piece of the file with exactly these bytes, wherever it stands."""
    chunk = Chunk.objects.filter(file=file, sha256=_sha256(data)).defer("data").first()
    return None if chunk is None else Stored(chunk, new=False)


def _begin(file: File, offset: int, data: bytes, sent: Sent) -> Stored:
    """The first piece of the next generation."""
    if sent.generation != file.generation + 1 or offset:
        text = f"{file.name} is in generation {file.generation}; the next one begins at 0"
        raise _conflict(file, "generation", text)
    return _append(_next_generation(file, data), data, sent)


def _conflict(file: File, code: str, text: str, **shown: object) -> Conflict:
    return Conflict(code, text, generation=file.generation, **shown)


def _rest(file: File, offset: int, data: bytes, known: int, sent: Sent) -> Stored:
    """What is new of a piece whose first bytes are here."""
    if known < len(data):
        return _append(file, data[known:], sent)
    chunk = Chunk.objects.filter(file=file, offset__lte=offset).defer("data").latest("offset")
    return Stored(chunk, new=False)


def _append(file: File, data: bytes, sent: Sent) -> Stored:
    kept = redacting.without_secrets(file, data, _unended(file))
    chunk = Chunk.objects.create(
        file=file,
        offset=file.size_bytes,
        size_bytes=len(data),
        sha256=_sha256(data),
        through_sha256=sent.through_sha256.lower() or None,
        data=journals.pack(kept.data),
    )
    File.objects.filter(pk=file.pk).update(size_bytes=F("size_bytes") + len(data))
    file.size_bytes += len(data)
    return Stored(chunk, new=True, redaction=redacting.note(chunk, data, kept))


def _unended(file: File) -> bytes:
    """What is stored of the last line, when it goes on in the next piece."""
    end = _stored(file, max(0, file.size_bytes - LONGEST_SECRET_BYTES), LONGEST_SECRET_BYTES)
    return end[end.rfind(b"\n") + 1 :]


def _is_original(file: File, offset: int, sent: bytes, here: bytes) -> bool:
    """Whether these bytes are what came before secrets were taken out of what is stored."""
    end = offset + len(here)
    chunks = Chunk.objects.filter(file=file, offset__lt=end, offset__gt=offset - F("size_bytes"))
    for chunk in chunks.defer("data").select_related("redaction").order_by("offset"):
        first, last = max(offset, chunk.offset), min(end, chunk.offset + chunk.size_bytes)
        piece, kept = (data[first - offset : last - offset] for data in (sent, here))
        if piece == kept:
            continue
        if not hasattr(chunk, "redaction"):
            return False
        whole = last - first == chunk.size_bytes
        if not (_sha256(piece) == chunk.sha256 if whole else redacting.agree(file, piece, kept)):
            return False
    return True


def _next_generation(file: File, data: bytes) -> File:
    File.objects.filter(pk=file.pk).update(current=False)
    return File.objects.create(
        run_id=file.run_id,
        name=file.name,
        generation=file.generation + 1,
        rewrites=not _goes_on(file, data),
    )


def _goes_on(file: File, data: bytes) -> bool:
    """Whether `data` is the file and more: a document grows before the brackets that close it."""
    if file.size_bytes > min(len(data), LARGEST_DOCUMENT_BYTES):
        return False
    kept = _stored(file, 0, file.size_bytes).rstrip(CLOSING)
    return data.startswith(kept) or redacting.agree(file, data[: len(kept)], kept)


def _check_prefix(file: File, offset: int, prefix: str) -> None:
    """Compare what the sender had before with what it told then, or with the bytes themselves.

    Where secrets were taken out and the sender told nothing, there is nothing to compare with.
    """
    found = _told_through(file, offset) or _through(file, offset)
    if found is None:
        return
    if found != prefix:
        text = f"the {offset} bytes before are not those that are stored of {file.name}"
        raise _conflict(file, "other_prefix", text, sent_sha256=prefix, stored_sha256=found)


def _told_through(file: File, offset: int) -> str | None:
    chunks = Chunk.objects.filter(file=file, offset=offset - F("size_bytes"))
    return chunks.values_list("through_sha256", flat=True).first()


def _through(file: File, offset: int) -> str | None:
    if Redaction.objects.filter(chunk__file=file, chunk__offset__lt=offset).exists():
        return None
    found = hashlib.sha256()
    for piece in _pieces(file, 0, offset):
        found.update(piece)
    return found.hexdigest()


def _stored(file: File, offset: int, size: int) -> bytes:
    return b"".join(_pieces(file, offset, offset + size))


def _pieces(file: File, start: int, end: int) -> Iterator[bytes]:
    """The stored bytes of a file from `start` to `end`, as far as there are any."""
    if start >= min(end, file.size_bytes):
        return
    chunks = Chunk.objects.filter(file=file, offset__lt=end, offset__gt=start - F("size_bytes"))
    for offset, packed in chunks.order_by("offset").values_list("offset", "data"):
        yield journals.unpack(packed)[max(0, start - offset) : end - offset]


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Receipt(Struct, frozen=True):
    """What is answered for bytes that are stored: durable, once, under this name."""

    receipt: UUID
    run: str
    file: str
    generation: int
    offset: int
    size_bytes: int
    sha256: str
    duplicate: bool
    job_id: int | None
    redacted: int = 0
