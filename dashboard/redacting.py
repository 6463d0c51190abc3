"""Secrets are taken out of bytes before they are stored; what was taken is counted. Writes rows.

A native journal may carry a chain of hashes over its events. The chain of a line that is changed
here is checked first; if it held, the line as it is kept is noted beside it, and a reader accepts
exactly this line. A chain that did not hold is noted nowhere, and so the reader finds it broken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from django.conf import settings
from django.utils.crypto import salted_hmac

from dashboard import bodies
from dashboard.models import Chunk, File, Redaction
from guard import chain, redaction
from guard.errors import JournalError
from guard.lines import parse


def without_secrets(file: File, data: bytes, before: bytes) -> redaction.Redaction:
    """What will be stored of `data`; `before` is the beginning of its first line."""
    shapes = () if settings.REDACT == "off" else redaction.SHAPES
    return redaction.redact(data, shapes, before=before, key=_key(file))


def agree(file: File, data: bytes, kept: bytes) -> bool:
    """Whether `data` less its secrets is what is kept."""
    return redaction.redact(data, key=_key(file)).data == kept


def _key(file: File) -> bytes:
    """Each run has its own: who sends to one cannot try what was taken out of another."""
    return salted_hmac("redaction", str(file.run_id), algorithm="sha256").digest()


def note(chunk: Chunk, data: bytes, kept: redaction.Redaction) -> Redaction | None:
    """The counts beside the chunk, when there was something to take out."""
    if not kept.total:
        return None
    return Redaction.objects.create(
        chunk=chunk,
        counts=dict(kept.counts),
        stored_sha256=hashlib.sha256(kept.data).hexdigest(),
        chains=dict(_chains(data, kept.data)),
        bodies=bodies.noted(data, kept.data),
        raw=data if settings.REDACT == "keep-raw" else None,
    )


def _chains(data: bytes, kept: bytes) -> Iterator[tuple[str, str]]:
    """Lines that were changed and whose chain held: the chain, and the form they have now."""
    if b'"chain"' not in data:
        return
    for was, now in zip(data.split(b"\n"), kept.split(b"\n"), strict=True):
        if was != now and b'"chain"' in was:
            try:
                members, shown = parse(was), parse(now)
            except JournalError:
                continue
            linked = isinstance(members.get("chain"), str) and isinstance(members.get("prev"), str)
            if linked and chain.holds(members) and shown["chain"] == members["chain"]:
                yield members["chain"], chain.form_of(shown)
