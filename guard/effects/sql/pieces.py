"""An SQL text to its statements as words: comments gone, literals marked, keywords in capitals."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import sqlglot
from sqlglot.tokenizer_core import Token, TokenType

_TEXTS = frozenset({TokenType.STRING, TokenType.RAW_STRING, TokenType.NATIONAL_STRING})
_MOST_COMMANDS = 3


class Piece(msgspec.Struct, frozen=True):
    """One statement. A literal is `'...'`, a dollar-quoted block `$$...`, a quoted name as written.

    `starts`: where each word begins in `text`.
    """

    text: str
    words: list[str]
    starts: list[int]

    def tail(self, at: int) -> Piece:
        """The statement from its word number `at` on."""
        start = self.starts[at]
        return Piece(self.text[start:], self.words[at:], [one - start for one in self.starts[at:]])


def pieces_of(text: str, dialect: str) -> list[Piece]:
    """The statements of a text. Raises `SqlglotError` for a literal or comment without an end."""
    pieces: list[Piece] = []
    words: list[str] = []
    starts: list[int] = []
    for word, start in [*_words(text, dialect, 0, _MOST_COMMANDS), (";", len(text))]:
        if word != ";":
            words.append(word)
            starts.append(start)
        elif words:
            first = starts[0]
            pieces.append(Piece(text[first:start], words, [one - first for one in starts]))
            words, starts = [], []
    return pieces


def _words(text: str, dialect: str, offset: int, commands: int) -> Iterator[tuple[str, int]]:
    """The words of a text; what the tokenizer keeps as one text behind a command is read again."""
    tokens = sqlglot.tokenize(text, read=dialect)
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        start = _rest(before, token, text) if before is not None and commands else None
        if start is not None:
            yield from _words(token.text, dialect, offset + start, commands - 1)
        else:
            yield _word(token), token.start + offset


def _rest(before: Token, token: Token, text: str) -> int | None:
    """Where a text token starts that is the unread rest of a command (`EXPLAIN`, `CALL`)."""
    if token.token_type is not TokenType.STRING:
        return None
    start = before.end + 1
    while start < len(text) and text[start].isspace():
        start += 1
    return start if token.text and text.startswith(token.text, start) else None


def _word(token: Token) -> str:
    if token.token_type is TokenType.SEMICOLON:
        return ";"
    if token.token_type in _TEXTS:
        return f"'{token.text}'"
    if token.token_type is TokenType.HEREDOC_STRING:
        return f"$${token.text}"
    return token.text if token.token_type is TokenType.IDENTIFIER else token.text.upper()
