"""A case that leaves the house: an outsider checks it with Python alone, and nothing can move."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard import cases, ledger, proofs, verify
from dashboard.models import Case, Entry, Run
from tests.dashboard.making import incident
from tests.dashboard.pages.conftest import Judge
from tests.dashboard.pages.test_hostile import hostile

pytestmark = pytest.mark.django_db
RFC_SEED = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
RFC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
RFC_SIGNATURE = (
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bac"
    "c61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)


@pytest.fixture
def case(run: Run, reader: User) -> Case:
    made = cases.open_case(reader, "The patch")
    cases.add_step(made, reader, cases.Range(run, 1, 5), "What happened")
    cases.add_note(run, reader, "seen", kind="edit", subject="e1")
    return made


@pytest.fixture
def packed(case: Case, ann: Client) -> bytes:
    return exported(case, ann)


def exported(case: Case, ann: Client, since: object = "") -> bytes:
    answer = ann.post(f"/cases/{case.public_id}/bundle", {"since": since})
    assert answer.status_code == 200, answer.headers
    return bytes(answer.content)


def outside(folder: Path, data: bytes, *more: str) -> tuple[int, str]:
    """What somebody sees who has the file, Python, and nothing of the project."""
    (folder / "case.zip").write_bytes(data)
    program = folder / "verify.py"
    if not program.exists():
        with zipfile.ZipFile(folder / "case.zip") as members:
            program.write_bytes(members.read("verify.py"))
    done = subprocess.run(
        [sys.executable, "-I", program.name, "case.zip", *more],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.returncode, done.stdout


def checked(data: bytes) -> str:
    """The same in this process: the name of what does not hold, or nothing."""
    try:
        for _ in verify.checks(verify.members_of(data), "", None):
            pass
    except ValueError as error:
        return str(error)
    return ""


def test_an_outsider_verifies_a_bundle_and_reads_what_was_not_checked(
    packed: bytes, tmp_path: Path
) -> None:
    status, said = outside(tmp_path, packed)
    assert status == 0, said
    assert f"1 chunks, {len(incident())} bytes" in said
    assert "2 texts of journals and gates hash" in said
    assert "not checked:\n  - verdicts in report.json" in said
    assert "BUT" not in said


def test_every_changed_byte_fails_and_its_member_is_named(packed: bytes) -> None:
    members = verify.members_of(packed)
    start = 0
    for name, body in members.items():
        start += 30 + len(name)
        for place in {start - 1, start + len(body) // 2 - (not body), start - len(name) - 5}:
            changed = bytearray(packed)
            changed[place] ^= 1
            assert name[:-1] in checked(bytes(changed)), (name, place)
        start += len(body)
    for place in (-1, -20, -60, 10):
        changed = bytearray(packed)
        changed[place] ^= 1
        assert checked(bytes(changed)), place
    assert checked(packed[:-1])
    assert checked(packed + b"\0")


def test_a_changed_byte_fails_outside_too(packed: bytes, tmp_path: Path) -> None:
    outside(tmp_path, packed)
    place = packed.index(b"max_retries")
    changed = packed[:place] + b"MAX" + packed[place + 3 :]
    status, said = outside(tmp_path, changed)
    assert status == 1
    assert "FAILED Broken: runs/" in said
    assert outside(tmp_path, b"nothing of the kind")[0] == 2


def forged(packed: bytes, name: str, change: Callable[[bytes], bytes]) -> bytes:
    """A member changed by somebody who writes the archive and the manifest anew, signed anew."""
    members = verify.members_of(packed)
    members[name] = change(members[name])
    manifest = json.loads(members[verify.MANIFEST])
    for row in manifest["members"]:
        row["sha256"] = hashlib.sha256(members[row["name"]]).hexdigest()
    members[verify.MANIFEST] = verify.spelled(manifest)
    signed = json.loads(members[verify.SIGNED])
    digest = hashlib.sha256(members[verify.MANIFEST]).hexdigest()
    signed["manifest"] = proofs.sign(ledger.seed(), verify.manifest_text(digest))
    members[verify.SIGNED] = verify.spelled(signed)
    return verify.archive(members)


def test_who_signs_a_changed_chunk_fails_at_its_receipt(packed: bytes) -> None:
    name = next(name for name in verify.members_of(packed) if "/files/" in name)
    swapped = forged(packed, name, lambda data: data.replace(b"max_retries", b"min_retries"))
    assert checked(swapped) == f"{name}: not the bytes that were received"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data.replace(b"case.opened", b"case.closed"), "its content is not what"),
        (lambda data: data[data.index(b"\n") + 1 :], "has no entry in the bundle"),
        (lambda data: data[: data.index(b"\n") + 1] * 2, "another number in its content"),
    ],
)
def test_who_signs_changed_entries_fails_at_the_proofs(
    packed: bytes, change: Callable[[bytes], bytes], told: str
) -> None:
    assert told in checked(forged(packed, verify.ENTRIES, change))


def test_a_later_bundle_agrees_with_an_older_checkpoint(
    case: Case, ann: Client, reader: User, tmp_path: Path
) -> None:
    kept = tmp_path / "checkpoint.json"
    kept.write_bytes(ann.get("/audit/checkpoint").content)
    count = json.loads(kept.read_bytes())["count"]
    for _ in range(3):
        cases.open_case(reader, "more")
    data = exported(case, ann, count)
    status, said = outside(tmp_path, data, "--checkpoint", kept.name)
    assert status == 0, said
    assert f"begins with the {count} entries" in said
    wrong = {**json.loads(kept.read_bytes()), "root": "0" * 64}
    text = verify.checkpoint_text(wrong)
    kept.write_text(json.dumps({**wrong, "signature": proofs.sign(ledger.seed(), text)}))
    status, said = outside(tmp_path, data, "--checkpoint", kept.name)
    assert status == 1
    assert "does not begin as the checkpoint says" in said


def test_another_key_than_the_one_told_is_refused(packed: bytes, tmp_path: Path) -> None:
    assert outside(tmp_path, packed, "--key", proofs.public_key(ledger.seed()))[0] == 0
    assert outside(tmp_path, packed, "--key", RFC_KEY)[0] == 1


def test_hostile_text_is_inert_in_a_bundle(
    judge: Judge, ann: Client, reader: User, tmp_path: Path
) -> None:
    run = judge(hostile(), "=run<b hx-get=/evil>")
    made = cases.open_case(reader, "<script>\x1b[31m\u202e")
    cases.add_step(made, reader, cases.Range(run, 1, 9), "=1+1 <img src=x onerror=alert(1)>")
    data = exported(made, ann)
    status, said = outside(tmp_path, data)
    assert status == 0, said
    assert said.isascii()
    assert said.replace("\n", "").isprintable()
    assert b"<img" not in verify.members_of(data)["case.html"]


def test_an_export_is_logged_and_needs_the_right_to_note(
    case: Case, ann: Client, member: Callable[..., User]
) -> None:
    data = exported(case, ann)
    entry = Entry.objects.get(kind="case.exported")
    assert entry.body["sha256"] == hashlib.sha256(data).hexdigest()
    admin = Client()
    admin.force_login(member("root", "admin"))
    assert admin.post(f"/cases/{case.public_id}/bundle").status_code == 403


def test_signatures_are_those_of_the_standard() -> None:
    assert proofs.public_key(RFC_SEED) == RFC_KEY
    assert proofs.sign(RFC_SEED, b"") == RFC_SIGNATURE
    assert proofs.signed_by(RFC_KEY, b"", RFC_SIGNATURE)
    assert not proofs.signed_by(RFC_KEY, b"x", RFC_SIGNATURE)
    assert not proofs.signed_by(RFC_KEY[:-2] + "00", b"", RFC_SIGNATURE)
    assert not proofs.signed_by(RFC_KEY, b"", "no hex")


def test_proofs_lead_to_the_root_at_every_place_of_every_size() -> None:
    leaves = [hashlib.sha256(bytes([number])).digest() for number in range(20)]
    for count in range(1, 21):
        tree = proofs.Tree(leaves[:count])
        for number in range(count):
            steps = tree.inclusion(number)
            assert proofs.root_from(leaves[number], number, count, steps) == tree.root()
            assert not steps
            old, steps = proofs.Tree(leaves[: number + 1]).root(), tree.consistency(number + 1)
            assert proofs.roots_from(old, number + 1, count, steps) == (old, tree.root())
            assert not steps
