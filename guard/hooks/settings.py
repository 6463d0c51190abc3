"""The hook in the settings of its host: put in, taken out, looked for. Other entries stay.

A file that cannot be read is left alone. The file as it was without the hook is kept beside it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from guard.errors import GuardError
from guard.hook import EVENTS

HOOK = Path(__file__).parent.parent / "hook.py"
LIMIT_S = 3600
"""The host's own time limit for a held call; the hook gives up before it."""
BACKUP = ".before-journal-guard"
FAILS_CLOSED_FROM = (2, 1, 295)
"""From this version on Claude Code knows `onFailure` (`runtimes/claude-code.md` 4)."""


class SettingsError(GuardError):
    """The settings of a host cannot be read or are of another shape; nothing was changed."""


@dataclass(frozen=True)
class Host:
    """Where a host keeps its hooks, and which calls of it can write."""

    variable: str
    folder: str
    file: str
    matcher: str
    program: str


HOSTS: Mapping[str, Host] = MappingProxyType(
    {
        "claude-code": Host("CLAUDE_CONFIG_DIR", ".claude", "settings.json", "*", "claude"),
        "codex": Host("CODEX_HOME", ".codex", "hooks.json", "*", "codex"),
    }
)


def path_of(host: str) -> Path:
    """The settings file of a host."""
    known = HOSTS[host]
    folder = os.environ.get(known.variable)
    return (Path(folder) if folder else Path.home() / known.folder) / known.file


def version_of(host: str) -> tuple[int, ...]:
    """The version that the host's program tells; empty when it tells none."""
    command = [HOSTS[host].program, "--version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return ()
    found = re.search(r"(\d+)\.(\d+)\.(\d+)", done.stdout)
    return tuple(int(part) for part in found.groups()) if found else ()


def install(host: str, version: tuple[int, ...]) -> list[str]:
    """Put the hook in; warnings about what this version of the host cannot promise."""
    settings = _without_ours(_read(path_of(host)))
    fails_closed = host == "claude-code" and version >= FAILS_CLOSED_FROM
    hooks = settings.setdefault("hooks", {})
    for event in EVENTS:
        hooks.setdefault(event, []).append(_entry(host, event, fails_closed=fails_closed))
    _write(path_of(host), settings)
    if fails_closed:
        return []
    told = ".".join(map(str, version)) or "of unknown version"
    return [
        f"{host} {told} lets a call through when the hook is killed, cannot start or takes too "
        "long: deny the commands that must never run in the host's own permission rules too"
    ]


def uninstall(host: str) -> bool:
    """Take the hook out; whether it was there."""
    if not path_of(host).exists():
        return False
    before = _read(path_of(host))
    after = _without_ours(before)
    if after == before:
        return False
    _write(path_of(host), after)
    return True


def installed(host: str) -> list[str]:
    """The events that the hook answers in this host."""
    return installed_in(_read(path_of(host)))


def installed_in(settings: Mapping[str, Any]) -> list[str]:
    """The events that the hook answers by these settings."""
    entries = settings.get("hooks", {})
    return [name for name, rows in entries.items() if any(map(_is_ours, rows))]


def _entry(host: str, event: str, *, fails_closed: bool) -> dict[str, Any]:
    command = shlex.join([sys.executable, "-I", "-S", str(HOOK), host])
    hook: dict[str, Any] = {"type": "command", "command": command}
    if event == "PreToolUse":
        hook["timeout"] = LIMIT_S
        if fails_closed:
            hook["onFailure"] = "block"
    matched = {"matcher": HOSTS[host].matcher} if event.startswith(("PreTool", "PostTool")) else {}
    return {**matched, "hooks": [hook]}


def _is_ours(row: Any) -> bool:
    hooks = row.get("hooks", []) if isinstance(row, dict) else []
    return any(str(HOOK) in str(hook.get("command")) for hook in hooks if isinstance(hook, dict))


def _without_ours(settings: dict[str, Any]) -> dict[str, Any]:
    hooks = settings.get("hooks", {})
    kept = {name: [row for row in rows if not _is_ours(row)] for name, rows in hooks.items()}
    left = {name: rows for name, rows in kept.items() if rows or not hooks[name]}
    if not left and hooks:
        return {name: value for name, value in settings.items() if name != "hooks"}
    return {**settings, "hooks": left} if hooks else dict(settings)


def _read(path: Path) -> dict[str, Any]:
    """Raises `SettingsError` for anything but hooks as the hosts write them."""
    try:
        told = json.loads(path.read_bytes()) if path.exists() else {}
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path}: {error}; nothing was changed") from error
    hooks = told.get("hooks", {}) if isinstance(told, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(rows, list) for rows in hooks.values()):
        raise SettingsError(f"{path}: hooks have another shape; nothing was changed")
    return dict(told)


def _write(path: Path, settings: dict[str, Any]) -> None:
    """The new file is there whole or not at all; the last one without the hook stays beside it."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    made = target.with_name(target.name + ".part")
    mode = 0o600
    if target.exists():
        mode = target.stat().st_mode & 0o777
        if not installed_in(_read(target)):
            backup = target.with_name(target.name + BACKUP)
            backup.write_bytes(target.read_bytes())
            backup.chmod(mode)
    made.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    made.chmod(mode)
    made.replace(target)
