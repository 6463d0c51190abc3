"""A case as one file that an outsider checks offline with `verify.py`; the format is told there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from django.db.models import Q
from django.template.loader import render_to_string

from dashboard import exports, journals, ledger, proofs, verify
from dashboard.case_files import as_json, as_markdown
from dashboard.models import Chunk, Entry, Gate, Run, Verdict
from dashboard.queries.cases import Told

MOST_BYTES = 256 * 2**20
_IMPORT = "from dashboard.proofs import leaf, root_from, roots_from, signed_by\n"
_START = "import hashlib\n"
NOT_CHECKED = (
    "verdicts in report.json and in the case: run `guard judge` on the files under runs/",
    "whether the ledger holds more entries about these runs than the bundle shows",
    "whether the key is that of the house: compare it with what you were told elsewhere (--key)",
    "whether the ledger was rewritten before it was signed: --checkpoint FILE, kept from before",
    "whether the agents' runtimes wrote down what happened, and the clocks they used",
    "whether the world did what the journals say: the other side's own log would tell",
)


class TooLarge(ValueError):
    """The runs of the case hold more than a bundle may."""


def standalone() -> bytes:
    """`verify.py` as one file that needs nothing but Python."""
    here = Path(__file__).parent
    checks, shared = ((here / name).read_text("utf-8") for name in ("verify.py", "proofs.py"))
    body = shared.split(_START, 1)[1].split("def public_key(", 1)[0].rstrip()
    body = body.removeprefix("from collections.abc import Sequence\n").strip()
    return checks.replace(_IMPORT, f"{body}\n").encode()


def bundle(told: Told, since: int = 0) -> bytes:
    """The archive of a case. `since`: count of an older checkpoint to prove consistency with.

    Raises `TooLarge`, and `ValueError` for a count that the ledger never had.
    """
    runs = list({step.run.pk: step.run for step in told.steps}.values())
    size = sum(run.received_bytes for run in runs)
    if size > MOST_BYTES:
        raise TooLarge(f"{size:,} bytes were received of its runs; a bundle holds {MOST_BYTES:,}")
    tree = ledger.tree()
    if since > len(tree.leaves):
        raise ValueError(f"the ledger has {len(tree.leaves):,} entries, fewer than {since:,}")
    members = dict(_members(told, runs, tree, since))
    members[verify.MANIFEST] = verify.spelled(_manifest(told, members))
    digest = hashlib.sha256(members[verify.MANIFEST]).hexdigest()
    signature = proofs.sign(ledger.seed(), verify.manifest_text(digest))
    signed = {"checkpoint": ledger.signed(tree), "manifest": signature}
    members[verify.SIGNED] = verify.spelled(signed)
    return verify.archive(members)


def _members(
    told: Told, runs: list[Run], tree: proofs.Tree, since: int
) -> Iterator[tuple[str, bytes]]:
    yield "verify.py", standalone()
    yield "case.json", exports.indented(as_json(told))
    yield "case.md", as_markdown(told).encode("utf-8", "replace")
    page = render_to_string("cases/file.html", {"told": told, "case": told.case})
    yield "case.html", page.encode("utf-8", "replace")
    yield verify.ENTRIES, b"".join(_entries(told, runs, tree))
    if since:
        steps = [step.hex() for step in tree.consistency(since)]
        yield "ledger/consistency.json", verify.spelled({"count": since, "proof": steps})
    for run in runs:
        yield from _run(run)


def _entries(told: Told, runs: list[Run], tree: proofs.Tree) -> Iterator[bytes]:
    """Entries about the runs, and those of the case that are about no other run."""
    mine = Q(kind__startswith="case.", body__case=told.case.public_id, run=None)
    rows = Entry.objects.filter(Q(run__in=runs) | mine, seq__lte=len(tree.leaves))
    for row in rows.select_related("run").order_by("seq"):
        proof = [step.hex() for step in tree.inclusion(row.seq - 1)]
        form = ledger.form(row).decode()
        line = {"seq": row.seq, "prev": row.prev, "hash": row.hash, "form": form, "proof": proof}
        yield msgspec.json.encode(line) + b"\n"


def _run(run: Run) -> Iterator[tuple[str, bytes]]:
    folder = f"runs/{run.public_id}"
    verdict = Verdict.objects.filter(run=run, current=True).first()
    if verdict is not None:
        yield f"{folder}/report.json", journals.unpack(verdict.report)
    gates = Gate.objects.filter(run=run).select_related("decision__by").order_by("pk")
    yield (
        f"{folder}/gates.ndjson",
        b"".join(msgspec.json.encode(_gate(gate)) + b"\n" for gate in gates),
    )
    rows = []
    chunks = Chunk.objects.filter(file__run=run).select_related("file")
    for chunk in chunks.order_by("file_id", "offset").iterator(chunk_size=journals.FETCHED):
        row = _chunk(chunk, f"{folder}/files/{chunk.file_id}/{chunk.offset}")
        rows.append(row)
        if row["member"]:
            yield row["member"], journals.unpack(chunk.data)
    yield f"{folder}/chunks.json", verify.spelled(rows)


def _chunk(chunk: Chunk, member: str) -> dict[str, Any]:
    return {
        "file": chunk.file.name,
        "generation": chunk.file.generation,
        "offset": chunk.offset,
        "size_bytes": chunk.size_bytes,
        "sha256": chunk.sha256,
        "receipt": str(chunk.receipt),
        "member": member if chunk.data else None,
    }


def _gate(gate: Gate) -> dict[str, Any]:
    decision = getattr(gate, "decision", None)
    return {
        "gate": gate.public_id,
        "edit": gate.edit_id,
        "state": gate.state,
        "digest": {"text": gate.digest_text, "hash": gate.digest_hash},
        "effects": gate.effects,
        "decision": decision
        and {
            "by": decision.by.get_username(),
            "answer": decision.answer,
            "reason": decision.reason,
            "shown_hash": decision.shown_hash,
            "at": decision.decided_at,
        },
    }


def _manifest(told: Told, members: dict[str, bytes]) -> dict[str, Any]:
    left_out = [f"{told.hidden} steps of the case: the exporter may not see their runs"]
    return {
        "format": verify.FORMAT,
        "case": told.case.public_id,
        "members": [
            {"name": name, "size_bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for name, data in members.items()
        ],
        "not_checked": [*NOT_CHECKED, *(left_out if told.hidden else ())],
    }
