"""Where a path leads: into the work tree, machine configuration, a device, or nowhere."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Literal

from guard.effects.globs import Globs, globs
from guard.effects.model import Certainty, Part, read
from guard.effects.tables import table

Place = Literal["worktree", "host", "device", "socket", "nowhere"]
_ORDER: tuple[Place, ...] = ("nowhere", "socket", "device", "host")


@cache
def _places() -> Mapping[Place, Globs]:
    lists = table("places")
    return {place: globs(lists[place]) for place in _ORDER}


@lru_cache(maxsize=4096)
def place(path: str, cwd: str = "") -> Place:
    """Where a path leads, seen from a directory (both as written; `~` and `$HOME` stay)."""
    path = path.removeprefix("file://").replace("${HOME}", "~").replace("$HOME", "~")
    if cwd and not path.startswith(("/", "~", "-", "$")):
        path = posixpath.normpath(posixpath.join(cwd, path))
    elif path.startswith("/"):
        path = posixpath.normpath(path)
    for name, patterns in _places().items():
        if patterns.fit(path):
            return name
    return "worktree"


def file_part(
    paths: Iterable[str],
    why: str,
    rule: str,
    *,
    cwd: str = "",
    certainty: Certainty = "proven",
    summary: str = "",
) -> Part:
    """The write of some local files: the farthest of them decides the domain (E2)."""
    paths = tuple(paths)
    found = {place(path, cwd) for path in paths} or {"worktree"}
    target = paths[-1] if paths else None
    if found == {"nowhere"}:
        return read(f"{why}: to nowhere", rule, summary=summary)
    if "socket" in found:
        gone = "sent to a socket of another machine"
        return Part(True, "irreversible", "network", certainty, gone, rule, summary, target)
    if "device" in found:
        gone = "written onto a device: what was there is gone"
        return Part(True, "irreversible", "host", certainty, gone, rule, summary, target)
    if "host" in found:
        return Part(True, "unknown", "host", certainty, why, rule, summary, target)
    return Part(True, "unknown", "worktree", certainty, why, rule, summary, target, files=paths)
