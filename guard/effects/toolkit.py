"""A tool call to its parts: which kind of tool it is, and which text of its input decides."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from guard.effects.code.python import python_parts
from guard.effects.commands import Command
from guard.effects.edit import edit_parts
from guard.effects.mcp import mcp_parts
from guard.effects.model import Call, Part, opaque, read
from guard.effects.override import Override
from guard.effects.powershell.run import powershell_parts
from guard.effects.results import Outcome, text_of
from guard.effects.shell.flow import Guard
from guard.effects.shell.parse import parse
from guard.effects.shell.run import Budget, Shell
from guard.effects.sql.parts import sql_parts
from guard.effects.tables import table
from guard.effects.targets import names_live, reach_of_url

_NOT_LETTERS = re.compile(r"[^a-z0-9]")
_TEXT_FIELDS = ("command", "cmd", "script", "code", "input", "action", "args", "argv", "commands")
_SQL_FIELDS = ("query", "sql", "statement", "text")
_SHELLS = frozenset(
    {"bash", "sh", "zsh", "dash", "/bin/bash", "/bin/sh", "/bin/zsh", "/usr/bin/bash"}
)


@lru_cache(maxsize=4096)
def kind_of(tool: str) -> str | None:
    """The kind of a runtime's own tool; `None` for a tool of somebody else."""
    key = _NOT_LETTERS.sub("", tool.lower())
    kinds = (
        "shell",
        "powershell",
        "python",
        "sql",
        "read",
        "edit",
        "process",
        "message",
        "agent",
        "typing",
    )
    return next((kind for kind in kinds if key in table("tools")[kind]), None)


def parts_of(call: Call, overrides: Sequence[Override], became: Outcome) -> list[Part]:
    """What a call does before its result is looked at. Raises `TooDeep` beyond the bounds."""
    shell = Shell(_budget(call, overrides, became))
    match kind_of(call.tool):
        case "shell":
            return _shell(call, shell)
        case "powershell":
            return powershell_parts(command_text(call.input), shell)
        case "python":
            return python_parts(command_text(call.input), Command("python", ()), shell)
        case "sql":
            return _sql(call)
        case "read":
            return [read(f"{call.tool} only looks", f"tool: {call.tool}", summary=call.tool)]
        case "edit":
            return edit_parts(call)
        case "process" | "message" | "agent" | "typing" as kind:
            return _own(kind, call)
        case _:
            return mcp_parts(call, shell)


def _shell(call: Call, shell: Shell) -> list[Part]:
    text = command_text(call.input)
    if not text and not isinstance(call.input, str):
        return [opaque("the command line is not on record", f"tool: {call.tool}")]
    shell.script(parse(text), Guard.SURE, last=True)
    return shell.parts


def _budget(call: Call, overrides: Sequence[Override], became: Outcome) -> Budget:
    ended = became.state == "committed"
    shown = isinstance(call.result, dict | str) and ended
    stdout = text_of(call.result)[:100_000] if shown else ""
    rules = [one for one in overrides if one.command is not None and one.speaks_of(call.tool)]
    return Budget(rules, stdout, succeeded=shown)


def command_text(given: Any) -> str:
    """The command line of an input: a text, a field of it, or a list of words."""
    match given:
        case str():
            return given
        case list() | tuple():
            return _line([str(word) for word in given])
        case dict():
            found = next((given[name] for name in _TEXT_FIELDS if given.get(name)), "")
            return command_text(found)
        case _:
            return ""


def _line(words: list[str]) -> str:
    """Words of an argument list as one line; `bash -lc TEXT` is its text."""
    if len(words) == 3 and words[0] in _SHELLS and re.fullmatch(r"-[a-z]*c", words[1]):
        return words[2]
    return shlex.join(words)


def _sql(call: Call) -> list[Part]:
    given = call.input if isinstance(call.input, dict) else {"query": call.input}
    text = next((given[name] for name in _SQL_FIELDS if isinstance(given.get(name), str)), "")
    context = call.context if isinstance(call.context, dict) else {}
    place = str(context.get("connection") or given.get("connection") or given.get("url") or "")
    reach = reach_of_url(place) if place else "hidden"
    if reach == "hidden" and names_live(f"{place} {given.get('database', '')}"):
        reach = "remote"
    if ":memory:" in place:
        return [read("a database in memory", f"tool: {call.tool}")]
    scheme = place.split(":", 1)[0].split("+", 1)[0].lower()
    return sql_parts(text, _DIALECTS.get(scheme, "postgres"), reach, target=place or None)


_DIALECTS = {
    "mysql": "mysql",
    "mariadb": "mysql",
    "sqlite": "sqlite",
    "snowflake": "snowflake",
    "bigquery": "bigquery",
    "clickhouse": "clickhouse",
    "mssql": "tsql",
    "sqlserver": "tsql",
    "oracle": "oracle",
    "duckdb": "duckdb",
    "redshift": "redshift",
    "trino": "trino",
    "databricks": "databricks",
}


def _own(kind: str, call: Call) -> list[Part]:
    rule = f"tool: {call.tool}"
    given = call.input if isinstance(call.input, dict) else {}
    match kind:
        case "process":
            why = "ends a process or task"
            return [Part(True, "unknown", "process", "proven", why, rule, call.tool)]
        case "message":
            why = "a message reaches another agent or person"
            target = str(given.get("to") or given.get("recipient") or "") or None
            return [Part(True, "irreversible", "message", "proven", why, rule, call.tool, target)]
        case "typing":
            typed = str(given.get("chars") or given.get("input") or given.get("text") or "")
            if not typed.strip("\x03\x04"):
                return [read("only waits for output", rule, summary=call.tool)]
            return [opaque("types into a program that is not on record", rule, summary=typed[:80])]
        case _:
            return [_agent(given, rule)]


def _agent(given: Mapping[str, Any], rule: str) -> Part:
    sort = next(
        (given[n] for n in ("subagent_type", "agent_type", "type", "agent") if given.get(n)), ""
    )
    if str(sort).lower() in table("tools")["reading_agents"]:
        return read(f"an agent declared read-only: {sort}", rule, "possible")
    return opaque("another agent acts; its own record would make it known", rule)
