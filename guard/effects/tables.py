"""The knowledge of what programs do: `tables/*.toml`, read once, checked row by row.

A table is one program:
```toml
[git]
also  = "hub"                 # other names of the same program
takes = "-C -c --git-dir"     # options that take the next word
rows  = [                     # first row that fits decides
  # verb     when              is                         why
  ["push",   "-n|--dry-run",   "read",                    "documented dry run"],
  ["push",   "",               "irreversible git_remote", "updates refs of the remote"],
]
rest  = "opaque git_local"    # a verb in no row
```
`verb`: the first positionals, each a word, `a|b` or a pattern with `*`; `""` = whatever they are.
`when`: all of its words must hold. `-a|-b` one of the options is there, `-a=x|-b=y` with a value
that fits, `!-a|-b` none is there, `#2` so many positionals after the verb (`#2+` at least, `#2-` at
most), `first~x`, `last~x`, `any~x` that positional fits the pattern, `env~NAME=x` a variable is
set, `stdin` something is piped in, `glob` a pattern or another command supplies words, `bare` there
are no words at all.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import msgspec

from guard.effects.conditions import Condition, parse_when
from guard.effects.globs import Globs, globs
from guard.effects.labels import Label, parse_label
from guard.effects.options import Grammar

_NAMED = re.compile(r'^\["?([^"\]]+)"?\]\n(?:also\s*=\s*"([^"]*)")?', re.MULTILINE)


class Row(msgspec.Struct, frozen=True):
    """One row: when this verb and these options, then this label, for this reason.

    `loose`: only its second word says that it looks, so `* status` would fit `stop status` too.
    """

    condition: str
    verb: tuple[Globs, ...]
    when: tuple[Condition, ...]
    label: Label
    why: str
    loose: bool = False


class Tool(msgspec.Struct, frozen=True):
    """One program: how it reads its words, and its rows by the first word of their verb.

    `only_looks`: the reason why it never writes, whatever its words are.
    """

    name: str
    grammar: Grammar
    verbs: Mapping[str, Grammar]
    by_word: Mapping[str, tuple[Row, ...]]
    anywhere: tuple[Row, ...]
    rest: Label
    why: str
    own_help: bool
    only_looks: str = ""

    def rows(self, first: str) -> tuple[Row, ...]:
        """The rows that can fit a first positional, in the table's order."""
        return self.by_word.get(first, self.anywhere)


class _Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The shape of one program in a file."""

    rows: list[tuple[str, str, str, str]]
    also: str = ""
    takes: str = ""
    takes_in: dict[str, str] = {}
    long: bool = False
    stops: bool = False
    rest: str = "opaque process"
    why: str = "a verb that the table does not know"
    own_help: bool = False


@cache
def programs() -> Mapping[str, str]:
    """Every program's name, and the other names, to the file that describes it.

    Only the lines that bear names are read here: a file is decoded when a program of it is met.
    """
    found: dict[str, str] = {}
    for file in _files():
        for name, also in _NAMED.findall(_text(f"programs/{file}")):
            found.update(dict.fromkeys([name, *also.split()], file))
    return MappingProxyType(found)


def tool_of(name: str) -> Tool | None:
    """The program of that name. Raises `ValueError` that names the broken row of its file."""
    file = programs().get(name)
    return None if file is None else tools_in(file)[name]


@cache
def tools_in(file: str) -> Mapping[str, Tool]:
    """The programs of one file by each of their names."""
    found: dict[str, Tool] = {}
    for name, raw in tomllib.loads(_text(f"programs/{file}")).items():
        spec = msgspec.convert(raw, _Spec)
        tool = _tool(name, spec)
        for each in (name, *spec.also.split()):
            if each in found:
                raise ValueError(f"{file}: {each} stands twice")
            found[each] = tool
    return MappingProxyType(found)


@cache
def table(name: str) -> dict[str, Any]:
    """One file of `tables/`, decoded."""
    return tomllib.loads(_text(f"{name}.toml"))


def _files() -> list[str]:
    folder = files("guard.effects").joinpath("tables").joinpath("programs")
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))


def _text(path: str) -> str:
    place = files("guard.effects").joinpath("tables")
    for part in path.split("/"):
        place = place.joinpath(part)
    return place.read_text(encoding="utf-8")


def _tool(name: str, spec: _Spec) -> Tool:
    rows = [_row(name, *columns) for columns in spec.rows]
    anywhere = tuple(row for row in rows if not _literals(row))
    words = {word for row in rows for word in _literals(row)}
    by_word = {word: tuple(row for row in rows if _can_start(row, word)) for word in words}
    takes = frozenset(spec.takes.split())
    verbs = {
        verb: Grammar(takes | frozenset(more.split()), spec.long, spec.stops)
        for verb, more in spec.takes_in.items()
    }
    return Tool(
        name=name,
        grammar=Grammar(takes, spec.long, spec.stops),
        verbs=MappingProxyType(verbs),
        by_word=MappingProxyType(by_word),
        anywhere=anywhere,
        rest=parse_label(spec.rest),
        why=spec.why,
        own_help=spec.own_help,
        only_looks=rows[0].why if _never_writes(rows) else "",
    )


def _never_writes(rows: list[Row]) -> bool:
    first = rows[0]
    return len(rows) == 1 and first.label == Label("read") and not (first.verb or first.when)


def _row(tool: str, verb: str, when: str, label: str, why: str) -> Row:
    row_id = " ".join(filter(None, (tool, verb, when)))
    try:
        words = tuple(globs(word.split("|")) for word in verb.split())
        known = parse_label(label)
        loose = known.kind == "read" and not when and len(words) == 2
        loose = loose and words[0].beginnings == ("",)
        return Row(when, words, parse_when(when), known, why, loose)
    except ValueError as bad:
        raise ValueError(f"tables: {row_id}: {bad}") from bad


def _literals(row: Row) -> list[str]:
    """The words a verb can start with; none when a pattern or nothing stands there."""
    if not row.verb or not row.verb[0].plain:
        return []
    return list(row.verb[0].literals)


def _can_start(row: Row, word: str) -> bool:
    return not row.verb or row.verb[0].fit(word)
