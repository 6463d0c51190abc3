"""Our own log of receipts and decisions: append-only, hash-chained, with a checkpoint outside.

`hash` = SHA-256 of `prev` (64 ASCII characters) and the canonical JSON of the entry's seq, kind,
run, actor, body and time. A chain alone could be rewritten as a whole or lose its tail: the
checkpoint, kept in a file and signed, finds both.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from msgspec import Struct

from dashboard import clock
from dashboard.models import Entry, LedgerHead, Run
from dashboard.proofs import Tree, leaf, public_key, sign
from dashboard.verify import checkpoint_text
from guard.canonical import canonical

START = "0" * 64


class Checkpoint(Struct, frozen=True):
    """So many entries were here, and the last one had this hash."""

    count: int
    hash: str


class Verified(Struct, frozen=True):
    """`bad_seq` is the first entry that does not hold; None when the chain holds."""

    count: int
    hash: str
    bad_seq: int | None = None
    why: str = ""


def append(kind: str, actor: str, body: Mapping[str, Any], run: Run | None = None) -> Entry:
    """Write the next entry, inside the caller's transaction. Writers stand in a line."""
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("an entry belongs to the step it records")
    LedgerHead.objects.get_or_create(pk=1)
    head = LedgerHead.objects.select_for_update().get(pk=1)
    entry = Entry(
        seq=head.seq + 1, kind=kind, run=run, actor=actor, body=body, prev=head.hash, at=clock.now()
    )
    entry.hash = _hash(entry)
    entry.save(force_insert=True)
    LedgerHead.objects.filter(pk=1).update(seq=entry.seq, hash=entry.hash)
    return entry


def verify(kept: Checkpoint | None = None) -> Verified:
    """Check every entry against the one before it, the head, and the checkpoint kept outside."""
    seq, previous = 0, START
    for entry in Entry.objects.select_related("run").order_by("seq").iterator():
        if entry.seq != seq + 1:
            return Verified(seq, previous, seq + 1, "an entry is missing")
        if entry.prev != previous:
            return Verified(seq, previous, entry.seq, "not bound to the entry before it")
        if entry.hash != _hash(entry):
            return Verified(seq, previous, entry.seq, "its content is not what was written")
        if kept is not None and kept.count == entry.seq and kept.hash != entry.hash:
            return Verified(seq, previous, entry.seq, "another hash than the checkpoint's")
        seq, previous = entry.seq, entry.hash
    return _end(Verified(seq, previous), kept)


def checkpoint() -> Checkpoint:
    """The last entry as it is now."""
    head = LedgerHead.objects.filter(pk=1).first()
    return Checkpoint(head.seq, head.hash) if head else Checkpoint(0, START)


def checkpoint_file() -> Path:
    return Path(settings.GUARD_DATA) / "ledger-checkpoint.json"


def keep(path: Path | None = None) -> Checkpoint:
    """Write the checkpoint to its file, signed. It never goes backward: then the file stays."""
    path = path or checkpoint_file()
    latest, earlier = checkpoint(), kept(path)
    if earlier is not None and latest.count <= earlier.count:
        return earlier
    line = {"count": latest.count, "hash": latest.hash, "signature": _signature(latest)}
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps(line) + "\n", "ascii")
    temporary.replace(path)
    return latest


def kept(path: Path | None = None) -> Checkpoint | None:
    """The checkpoint of the file; None without one. Raises `ValueError` when it was not signed."""
    path = path or checkpoint_file()
    if not path.exists():
        return None
    line = json.loads(path.read_text("ascii"))
    found = Checkpoint(int(line["count"]), str(line["hash"]))
    if not hmac.compare_digest(_signature(found), str(line["signature"])):
        raise ValueError(f"{path.name}: the signature is not ours")
    return found


def _end(found: Verified, kept: Checkpoint | None) -> Verified:
    head = checkpoint()
    if (head.count, head.hash) != (found.count, found.hash):
        return Verified(found.count, found.hash, found.count + 1, "the tail is cut")
    if kept is not None and kept.count > found.count:
        return Verified(found.count, found.hash, found.count + 1, "fewer entries than checkpointed")
    return found


def tree() -> Tree:
    """The Merkle tree over the hashes of all entries, for proofs to people outside."""
    return Tree(
        [leaf(found) for found in Entry.objects.order_by("seq").values_list("hash", flat=True)]
    )


def signed(found: Tree) -> dict[str, Any]:
    """A checkpoint that an outsider can keep and check: the root of the tree, signed (Ed25519)."""
    point = {"count": len(found.leaves), "root": found.root().hex()}
    return {**point, "key": public_key(seed()), "signature": sign(seed(), checkpoint_text(point))}


def seed() -> bytes:
    """The secret half of the key that signs for outsiders, derived so that no table holds it."""
    return hmac.new(settings.SECRET_KEY.encode(), b"guard-ledger-key/1", hashlib.sha256).digest()


def form(entry: Entry) -> bytes:
    """What the hash of an entry speaks of, behind the hash of the entry before it."""
    told = {
        "seq": entry.seq,
        "kind": entry.kind,
        "run": entry.run.public_id if entry.run else None,
        "actor": entry.actor,
        "body": entry.body,
        "at": _instant(entry.at),
    }
    return canonical(told)


def _hash(entry: Entry) -> str:
    return hashlib.sha256(entry.prev.encode() + form(entry)).hexdigest()


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _signature(point: Checkpoint) -> str:
    text = f"{point.count}:{point.hash}".encode()
    return hmac.new(settings.SECRET_KEY.encode(), text, hashlib.sha256).hexdigest()
