"""One tool call of any runtime to one judgement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache

from guard.effects.commands import doubted
from guard.effects.evidence import with_evidence
from guard.effects.globs import Globs, globs
from guard.effects.model import Call, Judgement, Part, opaque, read
from guard.effects.override import Override, overridden_call
from guard.effects.results import Outcome, outcome
from guard.effects.shell.parse import TooDeep
from guard.effects.tables import table
from guard.effects.toolkit import kind_of, parts_of
from guard.effects.verdict import judgement_of

_TEAM: ContextVar[tuple[Override, ...]] = ContextVar("team", default=())


@contextmanager
def team_rules(overrides: Sequence[Override]) -> Iterator[None]:
    """Within the block these rules hold for every call, however deep an adapter asks."""
    token = _TEAM.set(tuple(overrides))
    try:
        yield
    finally:
        _TEAM.reset(token)


def classify(call: Call, overrides: Sequence[Override] = ()) -> Judgement:
    """What a call did, as its record shows it (`GUIDE.md` 1); a team's rules decide first.

    `overrides` come before those of `team_rules`. Never raises for what an agent can write: what
    cannot be read is unknown, and `why` says so.
    """
    overrides = (*overrides, *_TEAM.get())
    line = None if overrides else _bare_line(call)
    return _judged(call, overrides) if line is None else _line_judged(call.tool, line)


REMEMBERED = 4096
"""Command lines whose judgement is kept: agents send the same ones again and again."""
LONGEST_REMEMBERED = 1000
"""Characters of a command line that may be kept."""
_BARE = ({"command"}, {"command", "description"})


def _bare_line(call: Call) -> str | None:
    """The command line of a shell call of which nothing else is on record."""
    given = call.input
    if call.result is not None or call.annotations or call.context or not isinstance(given, dict):
        return None
    line = given.get("command")
    if not isinstance(line, str) or len(line) > LONGEST_REMEMBERED or given.keys() not in _BARE:
        return None
    return line if kind_of(call.tool) in {"shell", "powershell"} else None


@lru_cache(maxsize=REMEMBERED)
def _line_judged(tool: str, line: str) -> Judgement:
    return _judged(Call(tool, {"command": line}), ())


def _judged(call: Call, overrides: Sequence[Override]) -> Judgement:
    became = outcome(call)
    if became.state == "rejected":
        return judgement_of([read(became.why, "result: never ran")])
    parts = _parts(call, overrides, became)
    acts = [part for part in parts if part.write]
    if len(acts) == 1 and became.nothing is not None and _speaks_of(acts[0], became):
        return judgement_of([read(became.nothing, "result: nothing done", summary=acts[0].summary)])
    if became.state == "unknown" or became.background is not None or became.state == "failed":
        parts = doubted(parts, became.why)
    return judgement_of(with_evidence(parts, call))


def _parts(call: Call, overrides: Sequence[Override], became: Outcome) -> list[Part]:
    for override in overrides:
        part = overridden_call(override, call)
        if part is not None:
            return [part]
    try:
        return parts_of(call, overrides, became)
    except (TooDeep, RecursionError):
        why = "too large or too deeply nested to be judged in time; a shorter call would be"
        return [opaque(why, "bounds")]


def _speaks_of(act: Part, became: Outcome) -> bool:
    """Whether "nothing done" is about the act itself and not about something inside it.

    Unknown content may have acted before it was refused something: only a program that was never
    found did not run. Of an act of many steps a refusal says nothing.
    """
    if act.opaque:
        name = act.summary.split(" ", 1)[0].lower()
        return became.exit_code in {126, 127} and f"{name}: {became.refusal}" in became.text
    return became.refusal is None or not _many_steps().fit(act.summary)


@cache
def _many_steps() -> Globs:
    return globs(table("results")["many_steps"])
