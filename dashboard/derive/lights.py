"""The five lights of a run, and what changed since the verdict before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from django.db.models import Model

from dashboard.models import EditRow, EffectRow, JournalGateRow, ProposalRow, RollbackRow

SOUNDNESS = ("unsound", "unknown", "sound")
MODE = ("halt", "epoch", "merge", "linear", "noop")
RETENTION = ("mismatch", "unknown", "equal")
NONE = "none"
"""There is nothing to ask about: no rollback, no edit that could be undone."""
BAD = {
    "integrity": {"fork", "tampered", "tail_lost"},
    "closure": {"violated"},
    "soundness": {"unsound"},
    "retention": {"mismatch"},
    "mode": {"halt"},
}
UNKNOWN = dict.fromkeys(BAD, "unknown")
MAX_CHANGES = 200

Said = dict[tuple[str, str], str]
"""(what, whose) -> verdict."""


def lights(
    integrity: str, closure: str, edits: Iterable[EditRow], rollbacks: Iterable[RollbackRow]
) -> dict[str, str]:
    """Each light by its worst verdict; they are never merged into one."""
    standing = [edit for edit in edits if edit.soundness]
    undone = list(rollbacks)
    return {
        "integrity": integrity,
        "closure": closure,
        "soundness": _worst(SOUNDNESS, (row.soundness for row in [*standing, *undone])),
        "mode": _worst(MODE, (row.mode for row in [*standing, *undone])),
        "retention": _worst(RETENTION, (row.retention for row in undone)),
    }


def worst(shown: Mapping[str, str]) -> str:
    """The light to look at first, with its word: `soundness: unsound`."""
    for light, bad in BAD.items():
        if shown[light] in bad:
            return f"{light}: {shown[light]}"
    for light in BAD:
        if shown[light] in {"unknown", "gap"}:
            return f"{light}: {shown[light]}"
    return "nothing wrong"


def said(shown: Mapping[str, str], rows: Iterable[Model]) -> Said:
    """Every verdict of a judgement: of the run, and of each thing in it."""
    told: Said = {(light, "run"): shown[light] for light in BAD}
    for row in rows:
        told.update(_of(row))
    return told


def changes(before: Said, after: Said) -> list[dict[str, str]]:
    """What was known before and is said otherwise now, at most the first 200."""
    return [
        {"what": what, "subject": subject, "was": before[what, subject], "now": now}
        for (what, subject), now in after.items()
        if before.get((what, subject), now) != now
    ][:MAX_CHANGES]


def _worst(order: tuple[str, ...], found: Iterable[str]) -> str:
    words = set(found)
    return next((word for word in order if word in words), NONE)


def _of(row: Model) -> Iterator[tuple[tuple[str, str], str]]:
    match row:
        case EditRow():
            yield ("status", row.edit_id), row.status
        case EffectRow():
            yield ("authorization", row.effect_id), row.authorization
        case RollbackRow():
            yield ("soundness", row.rollback_id), row.soundness
            yield ("mode", row.rollback_id), row.mode
            yield ("retention", row.rollback_id), row.retention
        case ProposalRow():
            yield ("proposal", row.edit_id), row.verdict
        case JournalGateRow():
            yield ("gate", row.gate_id), row.state
