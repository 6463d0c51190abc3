#!/usr/bin/env python3
"""Check a case bundle of Journal Guard offline: `python -I verify.py case.zip`.

Standard library only: nothing is asked of a server, and nothing the bundle claims is believed
unless it follows from bytes that are in it. Better than the copy inside a bundle is one that was
fetched earlier, or written by yourself: this file is the description of the format.

    python -I verify.py case.zip [--checkpoint checkpoint.json] [--key HEX]

`--checkpoint` takes a checkpoint of the ledger that was downloaded earlier (`/audit/checkpoint`);
the bundle has to be exported for its count. `--key` is the public key as it was told elsewhere.

Exit status: 0 everything that was checked holds; 1 something does not, it is named; 2 the file
could not be read as a bundle.

A bundle is a ZIP archive without compression, whose every byte is fixed by the names and contents
of its members (`archive`): `manifest.json` lists the others with SHA-256, `signature.json` signs it
(Ed25519, RFC 8032). `ledger/entries.ndjson` holds entries of the append-only ledger: `hash` is the
SHA-256 of `prev` and `form`; `proof` leads from it to the root of the Merkle tree over all entries
(RFC 9162, leaves are the 32 bytes of the hashes), which the signed checkpoint names.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import struct
import sys
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dashboard.proofs import leaf, root_from, roots_from, signed_by

FORMAT = "guard-case/1"
SIGNED = "signature.json"
MANIFEST = "manifest.json"
ENTRIES = "ledger/entries.ndjson"
_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_DAY = 0x21
"""The first of January 1980: no clock is part of a bundle's container."""


class Unreadable(ValueError):
    """The file is no bundle, so nothing in it can be judged."""


class Broken(ValueError):
    """Something does not hold; the text names the member and why."""


# The container


def archive(members: Mapping[str, bytes]) -> bytes:
    """The one archive that has these members in this order."""
    body, directory = bytearray(), bytearray()
    for name, data in members.items():
        spelled, crc, size = name.encode("ascii"), zlib.crc32(data), len(data)
        sizes = (crc, size, size, len(spelled))
        entry = _CENTRAL.pack(
            b"PK\x01\x02", 20, 20, 0, 0, 0, _DAY, *sizes, 0, 0, 0, 0, 0o100644 << 16, len(body)
        )
        directory += entry + spelled
        body += _LOCAL.pack(b"PK\x03\x04", 20, 0, 0, 0, _DAY, *sizes, 0) + spelled + data
    count = len(members)
    return bytes(
        body
        + directory
        + _END.pack(b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    )


def members_of(data: bytes) -> dict[str, bytes]:
    """The members by name. Raises `Unreadable` for what is no bundle, `Broken` for a changed one.

    The local headers are walked; then every byte has to be that of the archive they make.
    """
    members: dict[str, bytes] = {}
    place, last = 0, "the first header"
    while data[place : place + 4] == b"PK\x03\x04":
        fields = _LOCAL.unpack_from(data.ljust(place + _LOCAL.size, b"\0"), place)
        size, length = fields[8], fields[9]
        start = place + _LOCAL.size + length
        last = data[place + _LOCAL.size : start].decode("ascii", "replace")
        if start + size > len(data) or last in members:
            raise Broken(f"{last}: its header does not fit the file")
        members[last] = data[start : start + size]
        place = start + size
    if not members:
        raise Unreadable("not a case bundle: no ZIP member at its start")
    if data[place : place + 4] != b"PK\x01\x02":
        raise Broken(f"{last}: what follows it at byte {place} is no member")
    _same_container(data, members, last)
    return members


def _same_container(data: bytes, members: Mapping[str, bytes], last: str) -> None:
    try:
        whole = archive(members)
    except UnicodeEncodeError as error:
        raise Broken(f"{last}: its name was changed") from error
    if whole == data:
        return
    pairs = enumerate(zip(whole, data, strict=False))
    at = next((n for n, (own, given) in pairs if own != given), min(len(whole), len(data)))
    local = [(name, _LOCAL.size + len(name) + len(body)) for name, body in members.items()]
    listed = [(f"{name} in the directory", _CENTRAL.size + len(name)) for name in members]
    start, blamed = 0, "the end of the archive"
    for name, size in [*local, *listed]:
        if start <= at < start + size:
            blamed = name
        start += size
    raise Broken(f"{blamed}: byte {at} of the archive was changed")


# The checks: each yields what holds, and raises `Broken` for what does not


def check_manifest(members: Mapping[str, bytes]) -> Iterator[str]:
    manifest = _json(members, MANIFEST)
    if manifest.get("format") != FORMAT:
        raise Unreadable(f"format {manifest.get('format')!r}: this file reads {FORMAT}")
    listed = {row["name"]: row for row in manifest["members"]}
    for name in sorted({*members, *listed} - {MANIFEST, SIGNED}):
        if name not in listed or name not in members:
            raise Broken(f"{name}: {'not listed' if name in members else 'is missing'}")
        if hashlib.sha256(members[name]).hexdigest() != listed[name]["sha256"]:
            raise Broken(f"{name}: its SHA-256 is not the one listed")
    yield f"{len(listed)} members are those of the manifest, by SHA-256"


def manifest_text(sha256: str) -> bytes:
    return f"{FORMAT}\n{sha256}".encode()


def checkpoint_text(point: Mapping[str, Any]) -> bytes:
    return f"guard-checkpoint/1\n{point['count']}\n{point['root']}".encode()


def check_signature(members: Mapping[str, bytes], key: str) -> Iterator[str]:
    signed = _json(members, SIGNED)
    point, own = signed["checkpoint"], signed["checkpoint"]["key"]
    if key and key.lower() != own:
        raise Broken(f"{SIGNED}: signed by {own}, not by the key that was given")
    digest = hashlib.sha256(members[MANIFEST]).hexdigest()
    if not signed_by(own, manifest_text(digest), signed["manifest"]):
        raise Broken(f"{SIGNED}: no signature of {MANIFEST} by the key it names")
    if not signed_by(own, checkpoint_text(point), point["signature"]):
        raise Broken(f"{SIGNED}: no signature of the checkpoint by the key it names")
    if members[SIGNED] != spelled(signed):
        raise Broken(f"{SIGNED}: not spelled as it was signed")
    yield f"manifest and checkpoint are signed by key {own}"


def check_ledger(members: Mapping[str, bytes]) -> Iterator[str]:
    point = _json(members, SIGNED)["checkpoint"]
    root = bytes.fromhex(point["root"])
    before: dict[str, Any] = {"seq": -1, "hash": ""}
    entries = list(_entries(members))
    for entry in entries:
        where = f"{ENTRIES}: entry {entry['seq']}"
        text = entry["prev"] + entry["form"]
        if hashlib.sha256(text.encode()).hexdigest() != entry["hash"]:
            raise Broken(f"{where}: its content is not what its hash says")
        if json.loads(entry["form"])["seq"] != entry["seq"] or entry["seq"] <= before["seq"]:
            raise Broken(f"{where}: another number in its content")
        if entry["seq"] == before["seq"] + 1 and entry["prev"] != before["hash"]:
            raise Broken(f"{where}: not bound to the entry before it")
        steps = [bytes.fromhex(step) for step in entry["proof"]]
        top = root_from(leaf(entry["hash"]), entry["seq"] - 1, point["count"], steps)
        if top != root or steps or not 0 < entry["seq"] <= point["count"]:
            raise Broken(f"{where}: its proof does not lead to the signed root")
        before = entry
    yield f"{len(entries)} entries are in the ledger of {point['count']} with root {point['root']}"


def check_checkpoint(members: Mapping[str, bytes], kept: dict[str, Any]) -> Iterator[str]:
    """Compare with a checkpoint of an earlier time."""
    point, name = _json(members, SIGNED)["checkpoint"], "ledger/consistency.json"
    if not signed_by(point["key"], checkpoint_text(kept), kept["signature"]):
        raise Broken("the checkpoint that was given is not signed by the key of the bundle")
    first = _json(members, name)["count"] if name in members else point["count"]
    if not 0 < kept["count"] == first <= point["count"]:
        raise Broken(f"{name}: made for count {first}; export the case for {kept['count']}")
    old, new = bytes.fromhex(kept["root"]), bytes.fromhex(point["root"])
    proof = (
        [bytes.fromhex(step) for step in _json(members, name)["proof"]] if name in members else []
    )
    if roots_from(old, first, point["count"], proof) != (old, new) or proof:
        raise Broken(f"{name}: the ledger does not begin as the checkpoint says")
    yield f"the ledger begins with the {first} entries of the checkpoint that was given"


def check_chunks(members: Mapping[str, bytes]) -> Iterator[str]:
    """What was received is what the ledger wrote down when it came, without a hole."""
    told = [json.loads(entry["form"]) for entry in _entries(members)]
    received = {form["body"]["receipt"]: form for form in told if form["kind"] == "received"}
    count = size = 0
    for name in [name for name in members if name.endswith("/chunks.json")]:
        ends: dict[tuple[str, int], int] = {}
        for row in json.loads(members[name]):
            form = received.pop(row["receipt"], None)
            _same_chunk(members, name, row, form, told)
            file = (row["file"], row["generation"])
            if row["offset"] != ends.get(file, 0):
                raise Broken(f"{name}: bytes before {row['offset']} of {row['file']!r} are missing")
            ends[file] = row["offset"] + row["size_bytes"]
            count, size = count + 1, size + row["size_bytes"]
    if received:
        raise Broken(f"{ENTRIES}: receipt {min(received)} has no chunk in the bundle")
    yield f"{count} chunks, {size} bytes, are those of their receipts, by SHA-256"


def _same_chunk(
    members: Mapping[str, bytes],
    name: str,
    row: dict[str, Any],
    form: dict[str, Any] | None,
    told: list[dict[str, Any]],
) -> None:
    if form is None or form["run"] != name.split("/")[1]:
        raise Broken(f"{name}: receipt {row['receipt']} has no entry in the bundle")
    for field in ("file", "generation", "offset", "size_bytes", "sha256"):
        if form["body"][field] != row[field]:
            raise Broken(f"{name}: {field} is not that of receipt {row['receipt']}")
    if row["member"] is None:
        gone = (f for f in told if f["kind"] == "retention.deleted" and f["run"] == form["run"])
        if not any(form["seq"] < f["seq"] for f in gone):
            raise Broken(f"{name}: bytes of {row['receipt']} are missing without a tombstone")
        return
    # Secrets are taken out before anything is stored; the entry then names both hashes.
    kept = form["body"].get("stored_sha256", row["sha256"])
    if hashlib.sha256(members.get(row["member"], b"")).hexdigest() != kept:
        raise Broken(f"{row['member']}: not the bytes that were received")


def check_texts(members: Mapping[str, bytes]) -> Iterator[str]:
    """Hashes that stand beside their texts in journals and gates. A difference is not ours."""
    same = 0
    for name, data in _documents(members):
        for number, line in enumerate(data.split(b"\n"), 1):
            for text, named in _pairs(_parsed(line)):
                if "sha256:" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() == named:
                    same += 1
                else:
                    yield f"BUT {name!r}, line {number}: a text does not hash to {named[:40]!r}"
    yield f"{same} texts of journals and gates hash to what stands beside them"


def _documents(members: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for name in members:
        if name.endswith("/gates.ndjson"):
            yield name, members[name]
        files: dict[str, bytes] = {}
        for row in json.loads(members[name]) if name.endswith("/chunks.json") else ():
            key = f"{row['file']} ({row['generation']})"
            files[key] = files.get(key, b"") + members.get(row["member"], b"")
        yield from files.items()


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        for text, named in (("text", "hash"), ("payload", "sha256")):
            found, told = value.get(text), value.get(named)
            if isinstance(found, str) and isinstance(told, str) and told.startswith("sha256:"):
                yield found, told
        for inner in value.values():
            yield from _pairs(inner)


def _entries(members: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, members.get(ENTRIES, b"").splitlines())


def _json(members: Mapping[str, bytes], name: str) -> dict[str, Any]:
    found = _parsed(members.get(name, b""))
    if not isinstance(found, dict):
        raise Broken(f"{name}: is missing, or no JSON object")
    return found


def spelled(value: object) -> bytes:
    """JSON as it is written into a bundle."""
    return json.dumps(value, indent=1, sort_keys=True).encode() + b"\n"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Check a case bundle offline.")
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--checkpoint", type=Path, help="one that was downloaded earlier")
    parser.add_argument("--key", default="", help="public key (hex), as it was told elsewhere")
    asked = parser.parse_args(arguments)
    say = sys.stdout.write
    try:
        kept = json.loads(asked.checkpoint.read_bytes()) if asked.checkpoint else None
        members = members_of(asked.bundle.read_bytes())
        for line in checks(members, asked.key, kept):
            say(f"ok    {ascii(line)[1:-1]}\n")
    except (OSError, Unreadable) as error:
        say(f"cannot read: {error}\n")
        return 2
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        say(f"FAILED {ascii(f'{type(error).__name__}: {error}')[1:-1]}\n")
        return 1
    say("everything that was checked holds\n\nnot checked:\n")
    for line in _json(members, MANIFEST)["not_checked"]:
        say(f"  - {ascii(line)[1:-1]}\n")
    return 0


def checks(members: Mapping[str, bytes], key: str, kept: Any) -> Iterator[str]:
    yield from check_manifest(members)
    yield from check_signature(members, key)
    yield from check_ledger(members)
    yield from check_checkpoint(members, kept) if kept else ()
    yield from check_chunks(members)
    yield from check_texts(members)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
