"""JSON, JSON lines, and JSON with comments (F2, F5: the last of a repeated key wins)."""

import json
import re
from typing import Any

from guard.facts.braces import read_literal
from guard.facts.comments import comment_phrases
from guard.facts.fact import Findings, Setting
from guard.facts.nesting import Nest

_SCHEMA_SIGNS = frozenset({"properties", "$defs", "definitions", "anyOf", "oneOf", "allOf"})
_API_SIGNS = frozenset({"openapi", "swagger"})


class _Bare(str):
    """A literal that was not quoted."""

    __slots__ = ()


class _Pairs(list[tuple[str, Any]]):
    """An object with its repeated keys."""

    __slots__ = ()


_DECODER = json.JSONDecoder(
    object_pairs_hook=_Pairs, parse_float=_Bare, parse_int=_Bare, parse_constant=_Bare
)


def read_json(text: str) -> Findings | None:
    """The settings of a JSON text or of JSON lines; None if it is neither."""
    walker = _Walker(text)
    try:
        return walker.all()
    except (ValueError, RecursionError):
        return None


class _Walker:
    """Walks decoded documents in the order of the text, and finds the lines of the keys again."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.nest = Nest()
        self.at = 0
        self.line = 1

    def all(self) -> Findings:
        position = _blank(self.text, 0)
        while position < len(self.text):
            document, end = _DECODER.raw_decode(self.text, position)
            if not isinstance(document, list):
                raise ValueError("not an object")
            if not describes(document):
                self.nest.restart()
                self._value(document)
            self._move(end)
            position = _blank(self.text, end)
        return Findings(self.nest.settings, [])

    def _move(self, to: int) -> None:
        if to > self.at:
            self.line += self.text.count("\n", self.at, to)
            self.at = to

    def _value(self, value: object) -> None:
        if isinstance(value, _Pairs):
            self._object(value)
        elif isinstance(value, list):
            self.nest.open_list(self.line)
            for item in value:
                self._value(item)
            self.nest.close()
        else:
            self.nest.scalar(_literal(value), self.line)

    def _object(self, pairs: _Pairs) -> None:
        self.nest.open_mapping()
        for key, value in pairs:
            found = self.text.find(f'"{key}"', self.at)
            self._move(found + len(key) + 2 if found >= 0 else self.at)
            self.nest.scalar(key, self.line)
            self._value(value)
        self.nest.close()


def _blank(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _literal(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, _Bare) else f'"{value}"'


def describes(document: object) -> bool:
    """A schema describes settings and sets none (F5)."""
    if not isinstance(document, _Pairs):
        return False
    keys = {key for key, _ in document}
    return bool(keys & _API_SIGNS) or (
        bool(keys & _SCHEMA_SIGNS) and bool({"type", "$schema"} & keys)
    )


def read_loose(text: str) -> Findings | None:
    """JSON with comments or trailing commas; None if it does not open with a brace."""
    start = text.find("{")
    if start < 0:
        return None
    settings, _ = read_literal(text, start, 1 + text.count("\n", 0, start), ())
    return Findings(settings, comment_phrases(text, ("//", "/*")))


_MEMBER = re.compile(
    r"""\s*"([^"\\]{1,200})"\s*:\s*("[^"\\]*"|-?[\d.]+|true|false|null)\s*,?\s*$"""
)


def read_fragment(text: str) -> Findings | None:
    """Some lines out of a JSON file, as tools show them: members without what stands around them.

    None if no line is a whole member.
    """
    settings = [
        Setting((match[1],), match[2], number, "settings", entry=number)
        for number, line in enumerate(text.split("\n"), 1)
        if (match := _MEMBER.match(line))
    ]
    return Findings(settings, comment_phrases(text, ("//", "/*", "#"))) if settings else None
