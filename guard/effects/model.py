"""What goes in (one tool call), what comes out (one judgement), and the parts in between.

The words are those of the labels' guide (`GUIDE.md` 1 and its definitions); `reversibility` is the
`class` of `journal-format.md`.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Domain = Literal[
    "none",
    "worktree",
    "git_local",
    "process",
    "host",
    "database",
    "cluster",
    "cloud",
    "registry",
    "git_remote",
    "network",
    "message",
    "payment",
]
"""What is touched, from the window outwards: of two equal parts the farther one names the call."""

Reversibility = Literal["reversible", "irreversible", "unknown"]
Certainty = Literal["proven", "possible"]


class Call(msgspec.Struct, frozen=True):
    """One tool call of any runtime, as its record shows it.

    `context` is what else the record shows: `snapshot` (path to backup), `tracked` (paths) with
    `git` (`clean`, `committed`, `dirty`), `connection` (a database URL).
    """

    tool: str
    input: Any
    result: Any = None
    annotations: dict[str, Any] | None = None
    context: Any = None


class Judgement(msgspec.Struct, frozen=True):
    """Whether a call wrote, whether that can be undone, where, and how sure that is.

    `rule` names the table row or the override that decided; `overridden` lists every override that
    was used, also one whose part did not decide, so that each use can be logged.
    """

    write: bool
    reversibility: Reversibility
    domain: Domain
    certainty: Certainty
    why: str
    inverse: bool = False
    target: str | None = None
    summary: str | None = None
    rule: str | None = None
    overridden: tuple[str, ...] = ()


class Part(msgspec.Struct, frozen=True):
    """One act inside a call: a simple command, a redirection, a statement, a function call.

    `opaque`: its content is not on record, so nothing around it can make it irreversible (E9).
    `files`: the paths it writes, by which evidence of an inverse is found (E3).
    `lost`: what a clean tree or a printed object id would save (E5).
    """

    write: bool
    reversibility: Reversibility
    domain: Domain
    certainty: Certainty
    why: str
    rule: str
    summary: str = ""
    target: str | None = None
    opaque: bool = False
    files: tuple[str, ...] = ()
    lost: Literal["", "uncommitted", "unpinned"] = ""
    inverse: bool = False
    override: str | None = None


def read(why: str, rule: str, certainty: Certainty = "proven", summary: str = "") -> Part:
    """A part that changes nothing (E1)."""
    return Part(False, "reversible", "none", certainty, why, rule, summary)


def opaque(why: str, rule: str, domain: Domain = "process", summary: str = "") -> Part:
    """A part whose content is not on record (E9)."""
    return Part(True, "unknown", domain, "possible", why, rule, summary, opaque=True)


def label(judgement: Judgement) -> dict[str, Any]:
    """The four fields of the labels: `{write, class, domain, certainty}`."""
    return {
        "write": judgement.write,
        "class": judgement.reversibility,
        "domain": judgement.domain,
        "certainty": judgement.certainty,
    }


def read_ndjson(line: dict[str, Any]) -> Call:
    """The call of one decoded line `{"tool", "input", "result"?, "annotations"?, "context"?}`.

    Raises `msgspec.ValidationError` (its text says what and where) for any other shape.
    """
    return msgspec.convert(line, Call)
