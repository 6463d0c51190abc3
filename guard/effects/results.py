"""What became of a call, from its result: runtime-neutral rules over text (`GUIDE.md` 1.5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import msgspec

from guard.effects.model import Call
from guard.effects.tables import table

State = Literal["committed", "failed", "unknown", "started", "rejected"]

_EXIT = re.compile(
    r"(?:error: )?exit code:? (\d+)|exited with (?:code|status) (\d+)",
    re.IGNORECASE,
)
_MOST_DEPTH = 12
_SHORT = 300
_HEAD = 120
_MOST_REFUSED = 2_000
"""Longer results of a failed call tell of more than one refusal."""
_STOPPED = frozenset({124, 130, 137, 143})
"""Exit codes of a time limit or a signal."""
_MOST = 200_000
"""Characters of a result that are read; what was done is said at its start or its end."""


class Outcome(msgspec.Struct, frozen=True):
    """What became of a call.

    `rejected`: it never ran. `failed`: it ran and ended badly, with `partial` unless its only act
    was refused. `unknown`: interrupted or timed out. `started`: in the background or without a
    result; `background` is its id. `nothing` says why nothing was changed, if the result says so;
    `refusal` is the phrase when an error says it, `text` the result's beginning in lower case.
    """

    state: State
    why: str
    partial: bool = False
    exit_code: int | None = None
    background: str | None = None
    nothing: str | None = None
    refusal: str | None = None
    text: str = ""


def text_of(result: Any, depth: int = 0) -> str:
    """All the text of a result, whatever its shape: string, fields, content blocks."""
    if depth > _MOST_DEPTH:
        return ""
    match result:
        case None:
            return ""
        case str():
            return result
        case bool() | int() | float():
            return str(result)
        case dict():
            return "\n".join(
                filter(None, (_field(key, value, depth) for key, value in result.items()))
            )
        case list() | tuple():
            return "\n".join(filter(None, (text_of(one, depth + 1) for one in result)))
        case _:
            return str(result)


def _field(key: object, value: Any, depth: int) -> str:
    if isinstance(value, bool):
        return ""
    text = text_of(value, depth + 1)
    shown = key in {"stdout", "stderr", "output", "text", "content", "message", "result", "error"}
    return text if shown or not text else f"{key}: {text}"


def outcome(call: Call, *, error: bool = False) -> Outcome:
    """What the result says. `error`: the runtime marked the result as an error."""
    result = call.result
    if result is None:
        return Outcome("started", "no result on record")
    text = text_of(result)
    low = _ends(text).lower()
    fields = result if isinstance(result, dict) else {}
    refused = _rejected(text) if not _prints(fields) else None
    if refused is not None:
        return Outcome("rejected", refused)
    if _unfinished(fields, low):
        return Outcome("unknown", "interrupted or timed out", partial=True)
    waits = _background(fields, low)
    if waits is not None:
        return Outcome("started", "in the background, its end is not on record", background=waits)
    code = _exit_code(fields, text)
    bad = error or code not in {None, 0} or _says_error(fields, text)
    nothing = _nothing(low)
    if not bad:
        return Outcome("committed", "the result shows its end", exit_code=code, nothing=nothing)
    refusal, because = (None, None) if nothing else _refused(low)
    return Outcome(
        "failed",
        "it ended with an error" if code is None else f"exit code {code}",
        partial=(nothing or because) is None,
        exit_code=code,
        nothing=nothing or because,
        refusal=refusal,
        text=low[:_MOST_REFUSED],
    )


def _rejected(text: str) -> str | None:
    """Why a call never ran: words of the harness at the start, or all that there is."""
    low = text.strip().lower()
    return _first("rejected", low if len(low) < _SHORT else low[:_HEAD])


def _ends(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST // 2] + text[-_MOST // 2 :]


def _prints(fields: Mapping[str, Any]) -> bool:
    """Whether the result is a program's own output, which may quote anything."""
    return "stdout" in fields and not fields.get("is_error")


def _unfinished(fields: Mapping[str, Any], low: str) -> bool:
    if fields.get("interrupted") is True or fields.get("timedOutAfterMs"):
        return True
    if fields.get("status") in {"interrupted", "timeout", "timed_out", "cancelled", "killed"}:
        return True
    if _exit_code(fields, low) in _STOPPED:
        return True
    if "command timed out" in str(fields.get("stderr", "")).lower():
        return True
    return not _prints(fields) and any(text in low for text in _words("unfinished"))


def _background(fields: Mapping[str, Any], low: str) -> str | None:
    for name in ("backgroundTaskId", "background_task_id", "shellId", "shell_id", "session_id"):
        known = fields.get(name)
        if (
            known
            and fields.get("status") not in {"completed", "failed"}
            and "exitCode" not in fields
        ):
            return str(known)
    if fields.get("status") in {"running", "async_launched", "pending"}:
        return str(fields.get("id", ""))
    return "" if any(text in low for text in _words("background")) else None


def _exit_code(fields: Mapping[str, Any], text: str) -> int | None:
    metadata = fields.get("metadata")
    for source in (fields, metadata if isinstance(metadata, Mapping) else {}):
        for name in ("exit_code", "exitCode", "returncode", "code"):
            if isinstance(source.get(name), int):
                return int(source[name])
    found = None if _prints(fields) else _EXIT.match(text.lstrip()) or _EXIT.search(text[:2000])
    return int(next(filter(None, found.groups()))) if found else None


def _says_error(fields: Mapping[str, Any], text: str) -> bool:
    if any(fields.get(name) is True for name in ("is_error", "isError")):
        return True
    if fields.get("success") is False or fields.get("status") in {"error", "failed"}:
        return True
    low = text.lstrip()[:40].lower()
    return not _prints(fields) and low.startswith(("error:", "error ", "mcp error", "fatal:"))


def _nothing(low: str) -> str | None:
    """Why nothing was changed, where the result says so."""
    for text, why, unless in table("results")["nothing_done"]:
        if text in low and not (unless and any(word in low for word in unless.split("|"))):
            return str(why)
    for text, why in table("results")["nothing_done_alone"]:
        if low.strip() == text:
            return str(why)
    single = low.count("[rejected]") + low.count("[remote rejected]")
    if single and single == low.count("->"):
        return "the remote refused the ref" if single == 1 else None
    return None


def _refused(low: str) -> tuple[str | None, str | None]:
    """The phrase and the reason by which an error refuses a call."""
    if len(low) > _MOST_REFUSED or any(word in low for word in _words("partial")):
        return None, None
    return next(((text, why) for text, why in _pairs("refused") if text in low), (None, None))


def _first(name: str, low: str) -> str | None:
    return next((str(why) for text, why in _pairs(name) if text in low), None)


@cache
def _pairs(name: str) -> tuple[tuple[str, str], ...]:
    return tuple((text, why) for text, why in table("results")[name])


@cache
def _words(name: str) -> tuple[str, ...]:
    return tuple(table("results")[name])
