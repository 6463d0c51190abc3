"""Thousands of hostile files: our answer and that of the independent `validate.py` are the same.

A generator breaks good lines in the ways that `journal-format.md` 6 and 7 name: members taken out
or exchanged, bytes put in, cut or flipped, limits met and passed.
"""

from __future__ import annotations

import importlib.util
import json
import random
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from guard.errors import JournalError
from guard.journal import read_file

VALIDATE = Path(__file__).parents[3] / "shared" / "golden" / "validate.py"

HASH = "9b2e4c0d" * 8
DIGEST = {"id": "d1", "hash": "h:d1", "text": "read", "tokens": 3, "facts": {"cfg.yml:limit": "0"}}
HEADERS: list[dict[str, Any]] = [
    {"kind": "journal", "format": "context-journal/1", "id": "run-7", "ledger": "complete"},
    {
        "kind": "journal",
        "format": "context-journal/1",
        "id": "run-7",
        "runtime": "acme",
        "agent": "a",
        "discipline": "freeze",
        "append_only": False,
        "ledger": [[1, 40], [55, 90]],
        "checkpoint": {"count": 40, "hash": HASH},
    },
]
EVENTS: list[dict[str, Any]] = [
    {"kind": "span", "id": "s1", "hash": "h:1", "role": "tool", "source": {"path": "c.yml"}},
    {"kind": "record", "edit": "e1", "prior": {"s1": "h:1"}, "payload": True},
    {"kind": "edit", "id": "e1", "op": "summarize", "in": ["s1"], "out": DIGEST, "author": "ann"},
    {"kind": "edit", "id": "e2", "op": "evict", "by": "host", "in": ["s4"], "out": None},
    {
        "kind": "proposal",
        "id": "p1",
        "op": "drop",
        "in": [],
        "out": None,
        "targets": ["policy_history"],
        "store": {"payload": True, "verified": True, "lossy": False},
    },
    {"kind": "effect", "id": "a1", "state": "held", "class": "deferred", "body": "b", "key": "k"},
    {"kind": "effect", "id": "a2", "state": "committed", "depends_on": ["s1#cfg.yml:limit"]},
    {"kind": "rollback", "id": "r1", "edits": ["e2", "e1"], "spans": ["s4"]},
    {"kind": "rollback", "id": "r2", "to": 8, "all_branches": True},
    {"kind": "merge", "rollback": "r1", "dropped": ["s7"]},
    {"kind": "observed", "spans": {"s1": "h:1"}},
    {"kind": "policy", "id": "P2", "digest": "p2", "value": {"at": 0.62}, "reaches_recovery": True},
    {"kind": "seal", "at": "2026-11-30T10:00:00.25+01:00"},
    {"kind": "gate", "id": "g1", "state": "requested", "edit": "e1", "digest": None, "by": "a"},
    {"kind": "gate", "id": "g1", "state": "approved", "digest": "h", "by": "ann", "human": True},
    {"kind": "lost", "edit": "e1", "prev": "0" * 64, "chain": HASH},
    {"kind": "probe", "edit": "e2", "ok": True},
    {"kind": "inventory", "edits": ["e2"], "by": "auditor"},
    {"kind": "counter", "performed": 3, "recorded": 2},
    {"kind": "fork", "branch": "sub", "from": "main"},
    {"kind": "usage", "input_tokens": 90, "output_tokens": 5, "limit_tokens": 128000},
    {"kind": "gap", "what": "replaced", "first_seq": 15, "last_seq": 18},
    {"kind": "phase", "phase": "commit"},
    {"kind": "vow", "branch": "sub"},
]
NAMES = sorted({name for event in HEADERS + EVENTS for name in event} | {"after", "before", "zzz"})
VALUES: list[Any] = [None, True, False, 0, 1, -1, 1.0, 1.5, 2**53 - 1, 2**53, -(2**53), 10**30]
VALUES += ["", "x", "a#b", "main", "complete", "0" * 64, "A" * 64, "\u2028", "\ufeff", "\U0001f600"]
VALUES += ["2026-11-30T10:00:00Z", "2026-11-30 10:00:00Z", "٢026-11-30T10:00:00Z"]
VALUES += [[], [1], ["a"], [""], ["a#b"], [None], [[1, 2]], {}, {"a": "b"}, {"a": 1}, {"a": None}]
VALUES += [{"": "h"}, {"count": 1, "hash": "0" * 64}, {"id": "d"}, {"id": "d#", "hash": "h"}]
BYTES = [b"\0", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\\u0000", b"\\ud800"]
BYTES += [b"\\ud83d\\ude00", b"\\\\u0000", b"\r", b"\t", b"\x0b", b"\x1f", b"\x7f", b"\n", b"\n\n"]
BYTES += [b" ", b",", b'"', b"{", b"}", b"[", b"]", b":", b"'", b"/**/", b"\\x", b"\\/", b"null"]
BYTES += [b"NaN", b"-Infinity", b"1e400", b"1E+400", b"0e400", b"01", b"-0", b"9007199254740993"]
BYTES += [b'"kind":"span",', b'"a":1,"a":2,', b"\xe2\x80\xa8", b"\xc2\x85"]


def exchanged(rng: random.Random, event: dict[str, Any]) -> dict[str, Any]:
    event = dict(event)
    inner = [name for name, value in event.items() if isinstance(value, dict)]
    target = event
    if inner and rng.random() < 0.3:
        name = rng.choice(inner)
        target = event[name] = dict(event[name])
    name = rng.choice([*target, *NAMES] if rng.random() < 0.5 else [*target, "zzz"])
    if rng.random() < 0.25:
        target.pop(name, None)
    else:
        target[name] = rng.choice(VALUES)
    return event


def swollen(rng: random.Random, event: dict[str, Any]) -> dict[str, Any]:
    value: Any = 1
    kind = rng.randrange(3)
    if kind == 0:
        for level in range(rng.choice([62, 63, 64, 65])):
            value = [value] if level % 2 else {"a": value}
    elif kind == 1:
        value = [0] * rng.choice([19_990, 19_996, 19_998, 20_001])
    else:
        value = "x" * rng.choice([1_048_400, 1_048_500, 1_048_576])
    return {**event, "zzz": value}


def scarred(rng: random.Random, line: bytes) -> bytes:
    at = rng.randrange(len(line) + 1)
    if rng.random() < 0.4:
        at = rng.choice([m.end() for m in re.finditer(rb"[,:{}\[\]]", line)] or [0])
    cut = at + rng.choice([0, 0, 0, 1, 8])
    return line[:at] + rng.choice([*BYTES, bytes([rng.randrange(256)]), b""]) + line[cut:]


def hostile_line(rng: random.Random, pool: list[dict[str, Any]]) -> bytes:
    event = dict(rng.choice(pool))
    if pool is EVENTS:
        event["seq"] = rng.randrange(1, 5)
    for _ in range(rng.choice([0, 0, 1, 1, 2])):
        event = exchanged(rng, event)
    if rng.random() < 0.03:
        event = swollen(rng, event)
    loose = rng.random() < 0.5
    text = json.dumps(event, ensure_ascii=loose, separators=(", ", ": ") if loose else (",", ":"))
    return text.encode()


def hostile_file(rng: random.Random) -> bytes:
    header = json.dumps(rng.choice(HEADERS)).encode()
    if rng.random() < 0.15:
        header = hostile_line(rng, HEADERS)
    lines = [header, *(hostile_line(rng, EVENTS) for _ in range(rng.choice([1, 1, 2, 3])))]
    if rng.random() < 0.1:
        lines.append(rng.choice([header, hostile_line(rng, HEADERS)]))
    if rng.random() < 0.5:
        at = rng.randrange(len(lines))
        lines[at] = scarred(rng, lines[at])
    data = b"\n".join(lines) + rng.choice([b"", b"\n"])
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data


def our_answer(path: Path) -> tuple[str, int | None]:
    try:
        torn = read_file(path).torn
    except JournalError as error:
        return "refused", error.line
    return "good", None if torn is None else torn.line


def their_answer(validate: ModuleType, path: Path) -> tuple[str, int | None]:
    said = str(validate.check_file(str(path))).removeprefix(f"{path}:")
    if said.startswith(" good"):
        torn = re.search(r", line (\d+) torn", said)
        return "good", int(torn[1]) if torn else None
    return "refused", int(said.partition(":")[0])


@pytest.fixture(scope="module")
def validate() -> ModuleType:
    if not VALIDATE.exists():
        pytest.skip("validate.py of the golden set is not beside the project")
    spec = importlib.util.spec_from_file_location("golden_validate", VALIDATE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(4))
def test_both_readers_answer_alike(seed: int, validate: ModuleType, tmp_path: Path) -> None:
    rng = random.Random(seed)
    path = tmp_path / "hostile.ndjson"
    answers = set()
    for _ in range(500):
        path.write_bytes(hostile_file(rng))
        ours = our_answer(path)
        assert ours == their_answer(validate, path), path.read_bytes()[:2000]
        answers.add(ours[0])
    assert answers == {"good", "refused"}
