"""The third column of the tables: what a row says of a call, in a few fixed words.

```
read                      changes nothing                          read?   ... possible
irreversible cluster      a write of that class and domain         unknown host?   ... possible
opaque process            content not on record: unknown, possible
file [FROM]               local files: worktree, or host for machine configuration
db                        a database: irreversible when the target is named and remote
uncommitted               loses uncommitted text unless the tree is clean
unpinned                  loses a git object's name unless its id is printed
run [N] [--]              the words from positional N on are a command  (remote: on another machine)
text OPTION               the option's value is shell text              (remote-text: elsewhere)
by NAME                   the reader of that name decides (`readers.py`)
```
`FROM` of `file`: nothing = every positional, `first`, `last`, `N+` = from positional N on,
`-o|--output` = the values of these options.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from guard.effects.model import Certainty, Domain, Reversibility

Kind = Literal[
    "read", "write", "file", "db", "uncommitted", "unpinned", "run", "text", "by"
]  # fmt: skip
_CLASSES: tuple[Reversibility, ...] = get_args(Reversibility)
_DOMAINS: tuple[Domain, ...] = get_args(Domain)


class Label(msgspec.Struct, frozen=True):
    """One parsed label; the fields that its kind does not use keep their defaults."""

    kind: Kind
    reversibility: Reversibility = "reversible"
    domain: Domain = "none"
    certainty: Certainty = "proven"
    opaque: bool = False
    arg: str = ""
    skip: int = 0
    dashed: bool = False
    remote: bool = False


def parse_label(text: str) -> Label:
    """The label written in a table. Raises `ValueError` for a word that is none of ours."""
    words = text.rstrip("?").split()
    certainty: Certainty = "possible" if text.endswith("?") else "proven"
    match words:
        case ["read"]:
            return Label("read", certainty=certainty)
        case ["opaque", domain] if domain in _DOMAINS:
            return Label("write", "unknown", domain, "possible", opaque=True)
        case [reversibility, domain] if reversibility in _CLASSES and domain in _DOMAINS:
            return Label("write", reversibility, domain, certainty)
        case ["file", *source] if len(source) < 2:
            return Label("file", "unknown", "worktree", certainty, arg="".join(source))
        case ["db"]:
            return Label("db", "unknown", "database", certainty)
        case ["uncommitted"]:
            return Label("uncommitted", "unknown", "worktree", "possible")
        case ["unpinned"]:
            return Label("unpinned", "unknown", "git_local", certainty)
        case [("run" | "remote"), *rest]:
            return _run(words[0] == "remote", rest)
        case [("text" | "remote-text"), option]:
            return Label("text", arg=option, remote=words[0] == "remote-text")
        case ["by", name]:
            return Label("by", arg=name, certainty=certainty)
    raise ValueError(f"no label of ours: {text!r}")


def _run(remote: bool, rest: list[str]) -> Label:
    dashed = rest[-1:] == ["--"]
    numbers = rest[:-1] if dashed else rest
    skip = int(numbers[0]) if numbers else 0
    return Label("run", skip=skip, dashed=dashed, remote=remote)
