"""Text of other script languages: calls found by a scanner that knows strings and comments.

The scanner reads left to right once. It knows no grammar: a call is a name before `(`, or in Ruby
and Perl a name before a text on the same line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from guard.effects.code.acts import Site, act_for, parts_of_site, pure
from guard.effects.commands import Command, Machine
from guard.effects.model import Part, opaque, read

MOST_CHARACTERS = 60_000
MOST_CALLS = 500
_MOST_RAW = 2_000
_TOKEN = re.compile(
    r"""(?P<text>"(?:[^"\\]|\\.?)*(?:"|\Z)|'(?:[^'\\]|\\.?)*(?:'|\Z))"""
    r"""|(?P<tick>`(?:[^`\\]|\\.?)*(?:`|\Z))"""
    r"""|(?P<name>[A-Za-z_$@][\w$!?]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$!?]*)*)"""
    r"""|(?P<tail>(?:\.|->|\?\.)[A-Za-z_$][\w$!?]*(?:(?:\.|->|\?\.)[A-Za-z_$][\w$!?]*)*)"""
    r"""|(?P<note>//[^\n]*|/\*(?:.*?\*/|.*\Z)|\#[^\n]*)|(?P<sign>[()\[\],])|(?P<line>[\n;])|.""",
    re.DOTALL,
)
"""Texts and comments without an end run to the end, so that no place is read twice."""
_JOIN = re.compile(r"->|\?\.")
_LOADS = re.compile(
    r"\b(?:require|import)\s*\(?\s*['\"]([^'\"]+)['\"]|\bfrom\s+['\"]([^'\"]+)['\"]"
)
_NAMED = re.compile(
    r"\b(?:const|let|var|import(?: \* as)?) (\w+)(?: ?= ?(?:await )?(?:require|import)\( ?| from )"
    r"['\"]([^'\"\n]+)['\"]"
)
"""A module under a name of the text's own: `const a = require("axios")`, `import a from "b"`."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_BARE = frozenset({"ruby", "perl", "php"})
"""Languages that call without brackets."""


class _Call(msgspec.Struct):
    name: str
    at: int
    args: list[str] = []
    words: list[str] | None = None
    computed: bool = False


def script_parts(language: str, text: str, command: Command, machine: Machine) -> list[Part]:
    """What a script text does when it runs, as far as its calls show it."""
    rule = f"code: {language}"
    if len(text) > MOST_CHARACTERS:
        return [opaque(f"a {language} text too long to be judged in time", rule)]
    sites = sites_of(language, text)
    if len(sites) > MOST_CALLS:
        return [opaque(f"a {language} text with more calls than are judged", rule)]
    parts: list[Part] = []
    names = {found[1]: _module(found[2]) for found in _NAMED.finditer(text)}
    for site in sites:
        root, dot, rest = site.name.partition(".")
        known = f"{names[root]}.{rest}" if dot and root in names else site.name
        act = act_for(language, known)
        if act is not None:
            parts.extend(parts_of_site(language, site, act, command, machine))
    if "child_process" in text and not any(_runs(language, site) for site in sites):
        parts.append(opaque("loads a way to run commands under a name of its own", rule))
    loaded = next(iter(_foreign(language, text)), None)
    if loaded is not None:
        parts.append(opaque(f"loads {loaded}, whose code stands elsewhere", rule))
    return parts or [read("only computes and prints", rule, summary=command.text)]


def _runs(language: str, site: Site) -> bool:
    act = act_for(language, site.name)
    return act is not None and act.does == "shell"


def _foreign(language: str, text: str) -> Iterator[str]:
    for found in _LOADS.finditer(text):
        name = found[1] or found[2]
        if name.removeprefix("node:") not in pure(language) and not name.endswith(".json"):
            yield name


def sites_of(language: str, text: str) -> list[Site]:
    """Every call with its literal texts, in the order in which they end."""
    scan = _Scan(language, text)
    for found in _TOKEN.finditer(text):
        scan.take(found)
    return scan.finish()


class _Scan:
    """The state of one reading: open brackets, the last name, a call without brackets."""

    def __init__(self, language: str, text: str) -> None:
        self.language = language
        self.text = text
        self.sites: list[Site] = []
        self.open: list[_Call | None] = []
        self.bare: _Call | None = None
        self.last = ""

    def take(self, found: re.Match[str]) -> None:
        match found.lastgroup:
            case "text":
                self._literal(found)
            case "tick" if self.language == "javascript":
                self._literal(found)
            case "tick":
                self.sites.append(Site("`", [found[0][1:-1]]))
            case "name" | "tail":
                self._name(found)
            case "sign":
                self._sign(found)
            case "line":
                self._line(found.start())
            case _:
                return

    def finish(self) -> list[Site]:
        self._line(len(self.text))
        self.sites.extend(
            self._site(call, len(self.text)) for call in self.open if call is not None
        )
        return self.sites

    def _literal(self, found: re.Match[str]) -> None:
        literal = _ESCAPE.sub(r"\1", found[0][1:-1])
        holder = next((call for call in reversed(self.open) if call is not None), None)
        if holder is not None:
            _give(holder, literal, in_list=self.open[-1] is None)
        elif self.last and self.language in _BARE:
            self.bare = self.bare or _Call(self.last, found.start())
            self.bare.args.append(literal)

    def _name(self, found: re.Match[str]) -> None:
        name = _JOIN.sub(".", found[0])
        self.last = name if found.lastgroup == "name" else f"{self.last}{name}"
        call = self.open[-1] if self.open else None
        if call is not None and found.lastgroup == "name" and not call.args:
            call.computed = True

    def _sign(self, found: re.Match[str]) -> None:
        if found[0] == "(":
            self.open.append(_Call(self.last, found.start()))
            self.last = ""
        elif found[0] == "[":
            self.open.append(None)
        elif found[0] in ")]" and self.open:
            call = self.open.pop()
            if call is not None:
                self.sites.append(self._site(call, found.end()))
                self.last = _module(call.args[0]) if _loads(call) else call.name

    def _line(self, end: int) -> None:
        if self.bare is not None:
            self.sites.append(self._site(self.bare, end))
        self.bare, self.last = None, ""

    def _site(self, call: _Call, end: int) -> Site:
        raw = self.text[call.at : min(end, call.at + _MOST_RAW)]
        return Site(call.name, call.args, call.words, raw, call.computed)


def _loads(call: _Call) -> bool:
    return call.name in {"require", "import"} and bool(call.args)


def _module(name: str) -> str:
    """`node:fs/promises` as the first part of a dotted name."""
    return name.removeprefix("node:").split("/")[0]


def _give(call: _Call, literal: str, *, in_list: bool) -> None:
    if in_list:
        call.words = [*(call.words or call.args), literal]
    else:
        call.args.append(literal)
