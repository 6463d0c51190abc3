"""Tools of other people's servers: names are hints, annotations are claims (M1, M2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guard.effects.browser import browser_parts, is_browser
from guard.effects.commands import Machine, doubted, lifted
from guard.effects.http import request
from guard.effects.lexicon import Act, act_of, dry_fields, service_of, words_of
from guard.effects.model import Call, Certainty, Domain, Part, Reversibility, opaque, read
from guard.effects.places import file_part
from guard.effects.sql.parts import sql_parts, statements_of

_SHELL_WORDS = frozenset(
    {
        "shell",
        "bash",
        "terminal",
        "cmd",
        "powershell",
        "command",
        "commands",
        "exec",
        "ssh",
        "script",
    }
)
_SHELL_FIELDS = ("command", "cmd", "commandLine", "command_line", "script")
_SQL_FIELDS = ("sql", "query", "statement", "queries")
_SQL_START = re.compile(
    r"\s*(?:--[^\n]*\n\s*|/\*(?:[^*]|\*(?!/))*\*/\s*)*(?:select|with|insert|update|delete|merge|create|drop|alter|truncate|explain"
    r"|show|describe|pragma|call|begin|grant|revoke|replace|copy|vacuum|refresh|set|exec|do)\b",
    re.IGNORECASE | re.DOTALL,
)
_WRITING_SQL = re.compile(
    r"\b(?:insert\s+into|update\s+\w+\s+set|delete\s+from|drop\s+\w+|truncate\s|alter\s+\w+)",
    re.IGNORECASE,
)
_MUTATION = re.compile(r"\s*mutation\b")
_URLS = ("url", "uri", "endpoint", "address")
_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
_DOCUMENTS = frozenset(
    {"docs", "documentation", "library", "libraries", "context7", "deepwiki", "wiki", "reference"}
)
_PATHS = ("path", "file_path", "filePath", "filename", "destination", "file")
_MOST_TEXT = 20_000


def mcp_parts(call: Call, machine: Machine) -> list[Part]:
    """What a tool does as far as name, input and annotations say."""
    server, tool = _split(call.tool)
    given = call.input if isinstance(call.input, dict) else {}
    if is_browser(call.tool):
        return browser_parts(tool, given, machine)
    if (asked := _request(given)) is not None:
        return _maybe([asked])
    text = _shell_text(call.input, tool, server)
    if text is not None:
        parts = machine.run_text(text)
        service = service_of([*server, *words_of(tool)])
        if service is not None and service[1]:
            parts = lifted(parts)
        return _maybe(parts) or [read("nothing runs", f"tool: {call.tool}", "possible")]
    sql = _sql_text(given, server)
    if sql is not None:
        return _maybe(sql_parts(sql, "postgres", "hidden", summary=sql[:120]))
    return [_named(call, server, tool, given)]


def _split(name: str) -> tuple[list[str], str]:
    """Words of the server and the name of the tool (`mcp__github__create_issue`)."""
    if name.startswith("mcp__"):
        server, _, tool = name[5:].rpartition("__")
        return words_of(server), tool
    server, sign, tool = name.rpartition("/" if "/" in name else ".")
    return (words_of(server), tool) if sign else ([], name)


def _request(given: Mapping[str, Any]) -> Part | None:
    """The request of a tool whose input is one: its method decides (1.4)."""
    method = given.get("method")
    url = next((given[name] for name in _URLS if isinstance(given.get(name), str)), None)
    if url is None or not isinstance(method, str) or method.upper() not in _METHODS:
        return None
    body = given.get("body") or given.get("data") or ""
    return request(method, url, body if isinstance(body, str) else "", summary=f"{method} {url}")


def _shell_text(given: Any, tool: str, server: Sequence[str]) -> str | None:
    """The command line of a tool whose input is one."""
    if isinstance(given, dict) and isinstance(given.get("cli_command"), str):
        return str(given["cli_command"])
    if not _SHELL_WORDS & set(words_of(tool)) and not _SHELL_WORDS & set(server):
        return None
    if isinstance(given, str):
        return given
    if not isinstance(given, Mapping):
        return None
    found = next((given[name] for name in _SHELL_FIELDS if given.get(name)), None)
    if isinstance(found, list):
        return " ".join(map(str, found))
    return found if isinstance(found, str) else None


def _sql_text(given: Mapping[str, Any], server: Sequence[str]) -> str | None:
    for name in _SQL_FIELDS:
        text = given.get(name)
        if isinstance(text, str) and name == "sql" and text.strip():
            return text
        if isinstance(text, str) and _SQL_START.match(text[:_MOST_TEXT]):
            service = service_of(server)
            if service is None or service[0] in {"database", "cloud"}:
                return text
    return None


def _maybe(parts: Sequence[Part]) -> list[Part]:
    """Judged by its text, but the tool itself is unknown: possible either way."""
    return [
        part if part.write else read(part.why, part.rule, "possible", part.summary)
        for part in doubted(parts)
    ]


def _named(call: Call, server: Sequence[str], tool: str, given: Mapping[str, Any]) -> Part:
    words = words_of(tool)
    act = _act(words, server)
    hints = call.annotations or {}
    rule = f"tool: {call.tool}"
    if hints.get("readOnlyHint") is False or hints.get("destructiveHint") is True:
        sure: Certainty = "possible" if hints.get("readOnlyHint") is True else "proven"
        return _write(call, server, words, sure, "says itself that it writes", given)
    if hints.get("readOnlyHint") is True:
        if act == "write" or _carries_write(given):
            why = "claims to be read-only, but its name or input says that it writes"
            return _write(call, server, words, "possible", why, given)
        return read("claims to be read-only", rule, "possible", call.tool)
    if act == "write" or (act == "read" and _carries_write(given)):
        if any(given.get(name) is True for name in dry_fields()):
            return read("the tool's own word: a dry run", rule, "possible", call.tool)
        return _write(call, server, words, "possible", "its name is a verb of change", given)
    if act == "read":
        return read("its name is a verb that looks", rule, "possible", call.tool)
    service = service_of([*server, *words])
    fixed: Domain = service[0] if service is not None and service[0] == "database" else "process"
    why = "its name does not say what it does; annotations or a rule of the team would"
    return opaque(why, rule, fixed, call.tool)


def _act(words: Sequence[str], server: Sequence[str]) -> Act | None:
    if words[:1] == ["resolve"] and _DOCUMENTS & {*server, *words}:
        return "read"
    return act_of(words)


def _carries_write(given: Any) -> bool:
    """Whether a text of the input is a statement that writes."""
    for text in _texts(given, 3):
        if _MUTATION.match(text):
            return True
        if _WRITING_SQL.search(text[:_MOST_TEXT]) and _SQL_START.match(text[:_MOST_TEXT]):
            return any(one.does != "read" for one in statements_of(text, "postgres"))
    return False


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one, depth - 1)
    elif depth and isinstance(value, list):
        for one in value[:50]:
            yield from _texts(one, depth - 1)


def _write(
    call: Call,
    server: Sequence[str],
    words: Sequence[str],
    certainty: Certainty,
    why: str,
    given: Mapping[str, Any],
) -> Part:
    domain, leaves = service_of(server) or service_of(words) or ("process", False)
    rule = f"tool: {call.tool}"
    if domain == "worktree":
        paths = [str(given[name]) for name in _PATHS if isinstance(given.get(name), str)]
        return file_part(paths, why, rule, certainty=certainty, summary=call.tool)
    if domain == "git_local":
        return _git(words, why, rule, certainty, call.tool)
    sort: Reversibility = "irreversible" if leaves else "unknown"
    return Part(True, sort, domain, certainty, why, rule, call.tool)


def _git(words: Sequence[str], why: str, rule: str, certainty: Certainty, tool: str) -> Part:
    """A git server: a push leaves, what the reflog keeps is reversible, the rest is unknown."""
    if "push" in words:
        return Part(True, "irreversible", "git_remote", certainty, why, rule, tool)
    kept = {
        "commit",
        "add",
        "branch",
        "merge",
        "stash",
        "tag",
        "switch",
        "rebase",
        "fetch",
        "create",
    }
    sort: Reversibility = "reversible" if kept & set(words) else "unknown"
    return Part(True, sort, "git_local", certainty, why, rule, tool)
