"""The value this package makes: one gating fact of one text (`semantics.md` 3; labels guide, F)."""

from typing import Literal

import msgspec

Kind = Literal["flag", "permission", "retry", "limit", "target", "rule"]
Place = Literal["settings", "answer", "code", "command", "log", "prose"]


class Fact(msgspec.Struct, frozen=True):
    """Something that decides whether an act happens, where, how often or who must agree."""

    scope: str
    """Where it was said: a file path, `user`, `system`, or the name of a tool."""
    key: str
    """snake_case, dotted parents kept; `rule` for a sentence in words."""
    value: str
    """The literal as text (`0`, `false`, `none`, `30s`), or the clause of a rule."""
    kind: Kind
    line: int
    """1-based line of the text it was read from."""


class Setting(msgspec.Struct, frozen=True):
    """A name and a literal that a reader found; whether it gates is decided later."""

    path: tuple[str, ...]
    """Names from the outside in, as written."""
    literal: str
    """As written, quotes included."""
    line: int
    place: Place = "settings"
    owner: int = 0
    """Number of the mapping, file or command it stands in."""
    entry: int = 0
    """Number of the assignment: elements of one list share it."""


class Phrase(msgspec.Struct, frozen=True):
    """A sentence that binds, before withdrawals are applied."""

    text: str
    line: int


class Findings(msgspec.Struct):
    """What a reader found in one text, in the order of the text."""

    settings: list[Setting] = []
    phrases: list[Phrase] = []


class Extraction(msgspec.Struct, frozen=True):
    """The facts of one text, and what was left unread (empty when all was read)."""

    facts: tuple[Fact, ...]
    unread: tuple[str, ...] = ()
