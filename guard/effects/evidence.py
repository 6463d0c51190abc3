"""Inverses on record: what turns an unknown local write into a reversible one (E3, E5, E6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from guard.effects.model import Call, Part
from guard.effects.results import text_of
from guard.effects.tables import table

_CLEAN = frozenset({"clean", "committed", "tracked and clean", "clean tree"})
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")
_MOST_RESULT = 100_000


def with_evidence(parts: Sequence[Part], call: Call) -> list[Part]:
    """The parts as the whole record shows them."""
    acts = sum(part.write for part in parts)
    undo = undo_named(call) if acts == 1 else None
    return [_seen(part, call, undo) for part in parts]


def _seen(part: Part, call: Call, undo: str | None) -> Part:
    if not part.write:
        return part
    if undo is not None and not part.opaque:
        return _reversible(part, undo)
    if part.reversibility != "unknown":
        return part
    if part.lost == "unpinned" and _SHA.search(text_of(call.result)[:_MOST_RESULT]):
        return _reversible(part, "its id is printed in the result")
    if part.lost == "uncommitted":
        return _clean_tree(part) if _clean(call.context) else part
    why = inverse_of(part, call) if part.files and part.domain == "worktree" else None
    return part if why is None else _reversible(part, why)


def _clean_tree(part: Part) -> Part:
    why = "the tree was clean: the reflog has what was there"
    fixed = msgspec.structs.replace(part, domain="git_local", certainty="proven")
    return _reversible(fixed, why, inverse=False)


def _reversible(part: Part, why: str, *, inverse: bool = True) -> Part:
    return msgspec.structs.replace(
        part, reversibility="reversible", why=f"{part.why}; {why}", inverse=inverse
    )


def inverse_of(part: Part, call: Call) -> str | None:
    """Why all files of a part can be brought back, or `None`."""
    context = call.context if isinstance(call.context, dict) else {}
    snapshot = context.get("snapshot")
    if isinstance(snapshot, Mapping) and all(_backed_up(path, snapshot) for path in part.files):
        return "a snapshot names the file"
    tracked = context.get("tracked")
    if _clean(context) and tracked is True:
        return "the file was tracked and clean"
    if _clean(context) and isinstance(tracked, str | list | tuple | Mapping):
        names = [tracked] if isinstance(tracked, str) else list(tracked)
        if all(any(same_file(path, name) for name in names) for path in part.files):
            return "the file was tracked and clean"
    return None


def _backed_up(path: str, snapshot: Mapping[str, Any]) -> bool:
    """Whether a snapshot names this very file and its backup is still there."""
    backups = snapshot.get("trackedFileBackups", snapshot)
    backups = backups if isinstance(backups, Mapping) else {}
    for name, backup in backups.items():
        if same_file(path, str(name)) and isinstance(backup, Mapping):
            gone = backup.get("expired") or backup.get("missing") or backup.get("deleted")
            return "backupFileName" in backup and not gone
    return False


def same_file(one: str, other: str) -> bool:
    """Whether two spellings mean one file: equal, or one the end of the other at a `/`."""
    one, other = one.removeprefix("./"), other.removeprefix("./")
    if not one or not other:
        return False
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


def _clean(context: Any) -> bool:
    """Whether the context says that nothing was uncommitted."""
    if isinstance(context, str):
        return context.strip().lower() in _CLEAN
    if not isinstance(context, dict):
        return False
    if any(context.get(word) for word in ("dirty", "ignored", "untracked", "modified")):
        return False
    said = [context.get(name) for name in ("git", "git_status", "status", "tree", "worktree")]
    return any(isinstance(word, str) and word.strip().lower() in _CLEAN for word in said) or (
        context.get("clean") is True
    )


def undo_named(call: Call) -> str | None:
    """An undo that the call, its result or its annotations name (E6)."""
    for name, value in _fields(call.input):
        if name in {"undo_token", "undo_id", "undoToken", "undoId", "inverse"} and value:
            return f"the call names its undo ({name})"
    for name, value in _fields(call.annotations):
        if "undo" in name.lower() and isinstance(value, str) and value:
            return f"the annotation names its undo ({value[:60]})"
    if call.result is None:
        return None
    text = text_of(call.result)[:_MOST_RESULT].lower()
    found = next((words for words in table("results")["undo"] if words in text), None)
    if found is None or any(words in text for words in table("results")["no_undo"]):
        return None
    return f"the result names its undo ({found})"


def _fields(value: Any) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, Mapping) else ()
