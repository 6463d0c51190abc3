"""What may be said of undoing an edit (`semantics.md` 10.7)."""

from __future__ import annotations

from guard.answers import Integrity, Status
from guard.closure import Records
from guard.edits import Edits, Performed
from guard.epochs import Policies
from guard.order import at


def status(
    edit: Performed,
    number: int,
    edits: Edits,
    records: Records,
    policies: Policies,
    integrity: Integrity,
) -> Status:
    """The first line of the table that applies at a number. `edit`: the first of its id."""
    if edit.edit.by == "host":
        return "out_of_scope"
    if not edits.stands(edit, at(number)):
        return "undone"
    if records.lost.get(edit.id, number + 1) <= number:
        return "irreversible"
    if not records.good(edit, number):
        return "unknown"
    if policies.reaching and policies.reaching[0] <= number:
        return "provisional"
    if _touched_again(edit, number, edits):
        return "merge"
    if edit.vague or not integrity.allows_good or not _probed(edit, number, records):
        return "unknown"
    return "reversible"


def _touched_again(edit: Performed, number: int, edits: Edits) -> bool:
    """Whether a later edit that stands shares a span with it."""
    for span in edit.touched:
        for chain in (edits.takers, edits.writers):
            for index in chain.newest_first(span):
                later = edits[index]
                if later.seq <= edit.seq:
                    break
                if later.seq <= number and edits.stands(later, at(number)):
                    return True
    return False


def _probed(edit: Performed, number: int, records: Records) -> bool:
    """Whether the last probe after the edit was good."""
    for probe in reversed(records.probes.get(edit.id, ())):
        if edit.seq < (probe.seq or 0) <= number:
            return probe.ok
    return False
