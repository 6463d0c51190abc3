"""Tools that write local files, and the inverse that their results carry (E3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from guard.effects.model import Call, Part, read
from guard.effects.places import file_part

_PATHS = (
    "file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "filename",
    "relative_path", "TargetFile", "uri", "file",
)  # fmt: skip
_ORIGINALS = (
    "originalFile",
    "originalFileContents",
    "originalContent",
    "original_content",
    "old_content",
    "prev_content",
    "oldContent",
    "original",
)
_DIFFS = ("unified_diff", "unifiedDiff", "diff", "fileDiff", "patch")
_MOST_DEPTH = 8
_READING = frozenset({"view", "read", "list", "ls"})


def edit_parts(call: Call) -> list[Part]:
    """The write of a file tool; reversible when its result carries what was there before."""
    given = call.input if isinstance(call.input, dict) else {}
    rule = f"tool: {call.tool}"
    if str(given.get("command", "")) in _READING:
        return [read("only shows a file", rule, summary=call.tool)]
    paths = list(_paths(call.input))
    summary = f"{call.tool} {paths[0]}" if paths else call.tool
    part = file_part(paths, "writes a file", rule, summary=summary)
    if not part.write or part.reversibility != "unknown":
        return [part]
    why = inverse_in(call.result)
    if why is None or (part.domain != "worktree"):
        return [part]
    return [
        msgspec.structs.replace(
            part, reversibility="reversible", inverse=True, why=f"{part.why}; {why}"
        )
    ]


def _paths(given: Any) -> Iterable[str]:
    if isinstance(given, str):
        yield from _patched(given)
        return
    if not isinstance(given, Mapping):
        return
    for name in _PATHS:
        if isinstance(given.get(name), str) and given[name]:
            yield given[name]
            return
    for name in ("patch", "input", "diff", "patchText"):
        if isinstance(given.get(name), str):
            yield from _patched(given[name])


def _patched(patch: str) -> Iterable[str]:
    """The files that a patch in the `*** Begin Patch` form, or a unified one, names."""
    for line in patch.splitlines():
        for mark in ("*** Update File: ", "*** Delete File: ", "*** Add File: ", "+++ b/"):
            if line.startswith(mark):
                yield line.removeprefix(mark).strip()


def inverse_in(result: Any, depth: int = 0) -> str | None:
    """Why a result carries the inverse of the change, or `None`."""
    if depth > _MOST_DEPTH:
        return None
    if isinstance(result, list | tuple):
        return next(
            (why for one in result if (why := inverse_in(one, depth + 1)) is not None), None
        )
    if not isinstance(result, dict):
        return None
    for name in _ORIGINALS:
        if isinstance(result.get(name), str):
            return f"the result has the original content ({name})"
        if name in result and result[name] is None and _created(result):
            return "the result says that the file was new"
    patch = result.get("structuredPatch")
    if isinstance(patch, list) and any(isinstance(one, dict) and one.get("lines") for one in patch):
        return "the result has the lines taken out and put in"
    for name in _DIFFS:
        if isinstance(result.get(name), str) and _is_diff(result[name]):
            return "the result has a unified diff"
    inner = [
        result.get(name)
        for name in (
            "changes",
            "metadata",
            "resultDisplay",
            "result",
            "filediff",
            "details",
            "output",
        )
    ]
    return next((why for one in inner if (why := _deeper(one, depth + 1)) is not None), None)


def _created(result: Mapping[str, Any]) -> bool:
    return result.get("type") in {"create", "created", "add"} or result.get("isNewFile") is True


def _deeper(value: Any, depth: int) -> str | None:
    """Every file of a `changes` map must carry its inverse."""
    if not isinstance(value, Mapping):
        return None
    direct = inverse_in(value, depth)
    if direct is not None:
        return direct
    entries = [one for one in value.values() if isinstance(one, Mapping)]
    if not entries:
        return None
    found = [_change(one, depth) for one in entries]
    return found[0] if all(found) else None


def _change(entry: Mapping[str, Any], depth: int) -> str | None:
    """One file of a patch: an update with its diff, an added file, a deletion with its text."""
    for sort, body in entry.items():
        if sort == "add":
            return "the result says that the file was new"
        if isinstance(body, Mapping):
            if sort == "delete" and isinstance(body.get("content"), str):
                return "the result has the deleted text"
            found = inverse_in(body, depth + 1)
            if found is not None:
                return found
    return inverse_in(entry, depth + 1) if "type" in entry or "diff" in entry else None


def _is_diff(text: str) -> bool:
    return "@@" in text or text.startswith(("--- ", "diff "))
