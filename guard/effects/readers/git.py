"""The words of git that a table cannot tell apart."""

from __future__ import annotations

import re

from guard.effects.commands import Running
from guard.effects.model import Part

_FILE = re.compile(
    r"(?!v?\d)[^\s]*[\w)-]\.[A-Za-z][A-Za-z0-9]{0,7}|[^\s]*\.\d?[A-Za-z]+rc|.*/\.[\w.-]+"
)


def checkout(run: Running) -> list[Part]:
    """A branch moves by the reflog; a path throws away uncommitted text (E5)."""
    names = run.argv.positionals[1:]
    paths = (
        run.argv.dashes is not None
        or len(names) > 1
        or any(map(_is_path, names))
        or run.argv.has("-p")
    )
    if not paths:
        why = "switches a branch"
        return [
            Part(True, "reversible", "git_local", "proven", why, "git checkout", run.command.text)
        ]
    why = "throws away uncommitted text"
    rule = "git checkout PATH"
    files = tuple(names)
    return [
        Part(
            True,
            "unknown",
            "worktree",
            "possible",
            why,
            rule,
            run.command.text,
            files=files,
            lost="uncommitted",
        )
    ]


def _is_path(name: str) -> bool:
    """Whether a single name is a path: `.`, a glob, a folder, or a file with an ending."""
    if (
        name in {".", "./", "..", "*"}
        or name.startswith(("./", ":/", ":(", "../"))
        or name.endswith("/")
    ):
        return True
    return "*" in name or _FILE.fullmatch(name) is not None


def each_commit(run: Running) -> list[Part]:
    """`git rebase --exec TEXT`: the text runs after every commit."""
    why = "a move of a ref; the reflog has the old tip"
    moved = Part(True, "reversible", "git_local", "proven", why, "git rebase", run.command.text)
    texts = run.argv.values("-x", "--exec")
    return [moved, *(part for text in texts for part in run.machine.run_text(text))]


def each_module(run: Running) -> list[Part]:
    """`git submodule foreach TEXT`."""
    return run.machine.run_text(" ".join(run.argv.after(2)))
