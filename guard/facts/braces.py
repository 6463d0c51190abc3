"""Nested literals in braces: JSON with comments, object and dict literals, inline tables.

A tokenizer with one alternative for each kind of token and no backtracking; strings end with
their line.
"""

import re
from collections.abc import Iterator

import msgspec

from guard.facts.fact import Setting
from guard.facts.nesting import Nest

_TOKEN = re.compile(
    r"\\.|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`\n]*`|//[^\n]*|#[^\n]*|"
    r"/\*(?:[^*]|\*(?!/))*\*/"
    r"|[{}\[\](),;\n]|=>|:=|[:=]|[^\s{}\[\](),;:=\"'`\\#/]+|.",
    re.DOTALL,
)
_SKIPPED = ("//", "#", "/*")
MOST_TOKENS = 20_000
"""Tokens of one literal that are read."""


class Token(msgspec.Struct):
    """A piece of the text and its line."""

    text: str
    line: int
    start: int
    end: int


def tokens(text: str, start: int, line: int) -> Iterator[Token]:
    """Tokens from an offset on; comments left out, line breaks kept."""
    for count, match in enumerate(_TOKEN.finditer(text, start)):
        if count > MOST_TOKENS:
            return
        piece = match[0]
        if not piece.isspace() or piece == "\n":
            if not piece.startswith(_SKIPPED):
                yield Token(piece, line, match.start(), match.end())
            line += piece.count("\n")


def read_literal(
    text: str, start: int, line: int, path: tuple[str, ...]
) -> tuple[list[Setting], int]:
    """Settings of the literal that opens at `start`, under `path`; and the offset behind it."""
    reader = _Literal(text, path)
    end = start
    for token in tokens(text, start, line):
        end = token.end
        if reader.take(token):
            break
    return reader.nest.settings, end


class _Literal:
    """Follows the tokens of one literal."""

    def __init__(self, text: str, path: tuple[str, ...]) -> None:
        self.text = text
        self.nest = Nest()
        self.nest.open_mapping()
        self.nest.stack[-1].path = path[:-1]
        if path:
            self.nest.stack[-1].key = path[-1]
        self.pending: list[Token] = []
        self.kinds: list[str] = []
        self.parens = 0

    def take(self, token: Token) -> bool:
        """Follow one token; True when the literal is closed."""
        sign = token.text
        if self.parens or (sign == "(" and self.pending):
            self.parens += (sign == "(") - (sign == ")")
            self.pending.append(token)
        elif sign in "{[(":
            self._open(sign, token.line)
        elif sign in "}])":
            self._value()
            self.nest.close()
            self.kinds.pop()
            return not self.kinds
        elif sign in {":", "=", "=>"} and self.nest.expects_key():
            self._key()
        elif sign in {",", ";"} or (sign == "\n" and self._line_ends()):
            self._value()
        elif sign != "\n":
            self.pending.append(token)
        return False

    def _line_ends(self) -> bool:
        """In HCL and TOML a line break ends a value."""
        return (
            bool(self.pending)
            and not self.nest.expects_key()
            and bool(self.kinds)
            and self.kinds[-1] == "{"
        )

    def _open(self, sign: str, line: int) -> None:
        self.pending.clear()
        self.kinds.append(sign)
        if sign == "{":
            self.nest.open_mapping()
        else:
            self.nest.open_list(line)

    def _key(self) -> None:
        if self.pending:
            name = self.pending[-1]
            self.nest.scalar(name.text.strip("\"'`"), name.line)
        self.pending.clear()

    def _value(self) -> None:
        if self.pending and not self.nest.expects_key():
            first, last = self.pending[0], self.pending[-1]
            self.nest.scalar(self.text[first.start : last.end], first.line)
        elif self.nest.stack and not self.nest.expects_key() and self.nest.stack[-1].mapping:
            self.nest.skip_value()
        self.pending.clear()
