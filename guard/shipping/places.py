"""Where runtimes keep their sessions (`runtimes/*.md`, 2026-11). What lies there is sniffed."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct


class Place(Struct, frozen=True):
    """A folder of one runtime: the variable that moves it, where it is else, what is below it."""

    runtime: str
    variable: str
    default: str
    below: tuple[str, ...]


_CODE = ".config/Code/User/globalStorage"
PLACES = (
    Place("claude-code", "CLAUDE_CONFIG_DIR", ".claude", ("projects",)),
    Place("codex", "CODEX_HOME", ".codex", ("sessions", "archived_sessions")),
    Place("opencode", "XDG_DATA_HOME", ".local/share", ("opencode/opencode.db",)),
    Place("openhands", "", ".openhands", ("conversations", "sessions")),
    Place("gemini", "", ".gemini", ("tmp",)),
    Place("pi", "", ".pi", ("agent/sessions",)),
    Place("cline", "", ".cline", ("data/sessions", "data/tasks")),
    Place("cline", "", _CODE, ("saoudrizwan.claude-dev/tasks", "rooveterinaryinc.roo-cline/tasks")),
)


def usual() -> list[Path]:
    """The folders and files of these that exist for this person."""
    return [path for place in PLACES for path in _paths(place) if path.exists()]


def _paths(place: Place) -> list[Path]:
    moved = os.environ.get(place.variable) if place.variable else None
    root = Path(moved) if moved else Path.home() / place.default
    return [root / below for below in place.below]
