"""Notes and cases: what people write down. Nothing here is changed or deleted afterwards.

A note hides nothing and moves no verdict; it attaches to (run, code, subject), which survives a
rerun of the judge.
"""

from __future__ import annotations

import hashlib
import secrets

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction
from msgspec import Struct

from dashboard import access, ledger
from dashboard.clock import now
from dashboard.models import Case, CaseItem, Note, Run

MOST_TEXT = 8_000


class Range(Struct, frozen=True):
    """A stretch of a run, or a finding of it, that a step of a case shows."""

    run: Run
    from_seq: int | None = None
    to_seq: int | None = None
    code: str = ""
    subject: str = ""


def may_write(user: User, run: Run) -> bool:
    return access.may(user, "note", run.source)


@transaction.atomic
def add_note(
    run: Run, by: User, text: str, *, kind: str, code: str = "", subject: str = ""
) -> Note:
    """Write a note. Raises `PermissionDenied` without the right to note on this source."""
    if not may_write(by, run):
        raise PermissionDenied
    note = Note.objects.create(
        run=run,
        kind=kind,
        code=code,
        subject=subject,
        by=by,
        text=text.strip()[:MOST_TEXT],
        at=now(),
    )
    body = {"note": note.pk, "kind": kind, "code": code, "subject": subject, "text": note.text}
    ledger.append("note", by.get_username(), body, run)
    return note


@transaction.atomic
def open_case(by: User, title: str) -> Case:
    """A new, empty case."""
    case = Case.objects.create(
        public_id=f"c-{secrets.token_hex(4)}", title=title.strip()[:200], by=by, created_at=now()
    )
    ledger.append("case.opened", by.get_username(), {"case": case.public_id, "title": case.title})
    return case


@transaction.atomic
def add_step(case: Case, by: User, shown: Range, text: str) -> CaseItem:
    """Add a step. Raises `PermissionDenied` without the right to note on the run's source."""
    if not may_write(by, shown.run):
        raise PermissionDenied
    item = CaseItem.objects.create(
        case=case,
        run=shown.run,
        from_seq=shown.from_seq,
        to_seq=shown.to_seq,
        code=shown.code,
        subject=shown.subject,
        text=text.strip()[:MOST_TEXT],
        by=by,
        at=now(),
    )
    body = {
        "case": case.public_id,
        "step": item.pk,
        "from": shown.from_seq,
        "to": shown.to_seq,
        "code": shown.code,
        "subject": shown.subject,
        "text": item.text,
    }
    ledger.append("case.step", by.get_username(), body, shown.run)
    return item


@transaction.atomic
def close_case(case: Case, by: User) -> None:
    """Close a case, once; it stays readable, and its steps stand."""
    closed = Case.objects.filter(pk=case.pk, closed_at=None).update(closed_at=now())
    if closed == 1:
        ledger.append("case.closed", by.get_username(), {"case": case.public_id})


@transaction.atomic
def note_export(case: Case, by: User, runs: list[Run], data: bytes) -> None:
    """Log that a bundle left the house. Raises `PermissionDenied` without the right to note."""
    if not all(may_write(by, run) for run in runs):
        raise PermissionDenied
    body = {"case": case.public_id, "sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    ledger.append("case.exported", by.get_username(), body)
