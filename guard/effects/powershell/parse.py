"""PowerShell text to statements of pipelines of commands, by a scanner that reads once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

Kind = Literal[
    "word", "text", "block", "group", "pipe", "end", "and", "or", "call", "redirect", "equals"
]

MOST_CHARACTERS = 60_000
MOST_DEPTH = 30
_SPACE = re.compile(r"(?:[ \t\r]|`\r?\n|<#(?:.*?#>|.*\Z)|(?<![^\s;|{}()])#[^\n]*)+", re.DOTALL)
_HERE = re.compile(r"@(['\"])[ \t]*\n(?:(.*?)\n\1@|(.*)\Z)", re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)(?:'|\Z)")
_REDIRECT = re.compile(r"(?:[1-6*])?>>?(?:&[12])?")
_WORD = re.compile(r"(?:`.|[^\s;|&(){}'\"`,<>=]|(?<=[\w:/-])=|=(?=[\w/-]))+|[,=<]", re.DOTALL)
_SIGNS: dict[str, Kind] = {
    "||": "or",
    "&&": "and",
    "|": "pipe",
    ";": "end",
    "\n": "end",
    "&": "call",
}
_OPEN = {"(": ")", "{": "}", "[": "]"}


class Token(msgspec.Struct, frozen=True):
    """`text` without its quotes or brackets; `dynamic`: an expression stands inside."""

    kind: Kind
    text: str
    dynamic: bool = False


class TooDeep(ValueError):
    """Brackets nested beyond what is judged."""


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text. Raises `TooDeep`."""
    at = 0
    while at < len(text):
        space = _SPACE.match(text, at)
        if space is not None:
            at = space.end()
            continue
        token, at = _token(text, at)
        yield token


def _token(text: str, at: int) -> tuple[Token, int]:
    here = _HERE.match(text, at)
    if here is not None:
        return Token(
            "text", here[2] or here[3] or "", here[1] == '"' and "$" in here[0]
        ), here.end()
    sign = text[at]
    if sign == "'":
        found = _SINGLE.match(text, at)
        assert found is not None
        return Token("text", found[1].replace("''", "'")), found.end()
    if sign == '"':
        return _double(text, at)
    if sign == "{":
        end = _closing(text, at)
        return Token("block", text[at + 1 : end]), end + 1
    if sign == "(" or text.startswith(("$(", "@(", "@{"), at):
        start = at if sign == "(" else at + 1
        end = _closing(text, start)
        kind: Kind = "block" if text[start] == "{" else "group"
        inner = "" if text.startswith("@{", at) else text[start + 1 : end]
        return Token("group" if inner == "" else kind, inner, dynamic=True), end + 1
    return _plain(text, at)


def _plain(text: str, at: int) -> tuple[Token, int]:
    for signs, kind in _SIGNS.items():
        if text.startswith(signs, at):
            return Token(kind, signs), at + len(signs)
    redirect = _REDIRECT.match(text, at)
    if redirect is not None:
        return Token("redirect", redirect[0]), redirect.end()
    word = _WORD.match(text, at)
    if word is None:
        return Token("word", text[at]), at + 1
    if word[0] == "=":
        return Token("equals", "="), word.end()
    return Token("word", word[0].replace("`", ""), "$" in word[0]), word.end()


def _double(text: str, at: int) -> tuple[Token, int]:
    """A text in double quotes: backtick escapes, `""`, and `$( )` inside."""
    end, pieces = at + 1, []
    while end < len(text):
        sign = text[end]
        if sign == "`":
            pieces.append(text[end + 1 : end + 2])
            end += 2
        elif text.startswith("$(", end):
            close = _closing(text, end + 1)
            pieces.append(text[end : close + 1])
            end = close + 1
        elif sign == '"':
            if text[end + 1 : end + 2] != '"':
                break
            pieces.append('"')
            end += 2
        else:
            pieces.append(sign)
            end += 1
    inner = "".join(pieces)
    return Token("text", inner, "$" in inner), end + 1


def _closing(text: str, start: int) -> int:
    """The place of the bracket that closes the one at `start`; texts inside are skipped."""
    waiting: list[str] = []
    at = start
    while at < len(text):
        sign = text[at]
        if sign in _OPEN:
            waiting.append(_OPEN[sign])
            if len(waiting) > MOST_DEPTH:
                raise TooDeep
        elif waiting and sign == waiting[-1]:
            waiting.pop()
            if not waiting:
                return at
        elif sign == "'":
            found = _SINGLE.match(text, at)
            at = found.end() - 1 if found is not None else at
        elif sign == '"':
            at = _quoted_end(text, at)
        elif sign == "`":
            at += 1
        at += 1
    return len(text)


def _quoted_end(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "`" else 1
    return at


def groups_in(text: str) -> Iterator[str]:
    """The texts of `$( )` inside a text in double quotes."""
    at = text.find("$(")
    while at >= 0:
        end = _closing(text, at + 1)
        yield text[at + 2 : end]
        at = text.find("$(", end)
