"""The word a command starts with to the name of its program."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from guard.effects.globs import Globs, globs
from guard.effects.tables import programs, table

_VERSIONED = re.compile(r"([a-z+]+?)-?\d+(\.\d+)*")


@cache
def _known_folders() -> Globs:
    return globs(table("words")["program_folders"])


@lru_cache(maxsize=2048)
def program_of(word: str) -> str | None:
    """The program's name in the tables; `None` for a script or program of the project's own.

    A path counts as the known program only where such programs are installed: `./git` is a file
    of the project, whatever its name says.
    """
    path = word.replace("\\", "/")
    folder, slash, name = path.rpartition("/")
    name = re.sub(r"\.(exe|cmd|bat|ps1)$", "", name, flags=re.IGNORECASE)
    if (
        slash
        and f"./{name}" in programs()
        and folder in {".", "bin", "./bin", "vendor/bin", "script"}
    ):
        return f"./{name}"
    if slash and not _known_folders().fit(folder + "/"):
        return None
    if name in programs():
        return name
    versioned = _VERSIONED.fullmatch(name)
    return versioned[1] if versioned and versioned[1] in programs() else name
