"""What a shell knows while it runs: variables, functions, aliases, where it is."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

import msgspec

from guard.effects.shell.syntax import (
    Node,
    Piece,
    Script,
    Simple,
    Substitution,
    Unresolved,
    Variable,
    Word,
)


class Scope(msgspec.Struct):
    """A variable set to text that is not known is `None`.

    `patterns`: variables that hold names of files found. `running`: bodies of functions called.
    """

    variables: dict[str, str | None] = {}
    functions: dict[str, Node] = {}
    aliases: dict[str, str] = {}
    patterns: set[str] = set()
    cwd: str = ""
    running: tuple[Node, ...] = ()

    def child(self) -> Scope:
        """What a subshell starts with."""
        return Scope(
            dict(self.variables),
            dict(self.functions),
            dict(self.aliases),
            set(self.patterns),
            self.cwd,
            self.running,
        )

    def number(self, words: Sequence[str], start: int = 1) -> None:
        """The words that `$1`, `$2`, ... and `$@` stand for; `start` is the first one's number."""
        if not words:
            return
        self.variables.update({str(at): word for at, word in enumerate(words, start)})
        every = " ".join(words[1 - start :])
        self.variables.update({"@": every, "*": every})

    def move(self, path: str) -> None:
        """`cd`; a path that is not known loses the place."""
        if path.startswith(("/", "~")) or (self.cwd and not path.startswith("$")):
            self.cwd = posixpath.normpath(posixpath.join(self.cwd, path))
        else:
            self.cwd = ""

    def text(self, word: Word) -> str | None:
        """A word's text if all of it is known without running anything."""
        if isinstance(word, str):
            return word
        if all(isinstance(piece, str) or self._has(piece) for piece in word.pieces):
            return resolve(word, self, {}).text
        return None

    def _has(self, piece: Piece) -> bool:
        return isinstance(piece, Variable) and self.variables.get(piece.name) is not None

    def forget_read(self, condition: Script) -> None:
        """The variables that `read` sets are not known."""
        for node in condition.items:
            if isinstance(node, Simple) and node.words[:1] == ("read",):
                names = (word for word in node.words[1:] if isinstance(word, str))
                self.variables.update(dict.fromkeys(names))

    def known(self) -> dict[str, str]:
        """The variables whose text is known."""
        return {name: text for name, text in self.variables.items() if text is not None}


class Resolved(msgspec.Struct):
    """A word after expansion: one text, or several words where a variable was split."""

    text: str
    split: bool = False

    def words(self) -> list[str]:
        return self.text.split() if self.split else [self.text]


def substitutions(word: Word) -> Iterator[str]:
    """The commands that run before a word is known."""
    if isinstance(word, str):
        return
    for piece in word.pieces:
        if isinstance(piece, Substitution):
            yield piece.script
        elif isinstance(piece, Unresolved):
            yield from piece.runs


def resolve(word: Word, scope: Scope, outputs: dict[str, str | None]) -> Resolved:
    """A word's text as far as it is known; what is not stays as it is written (`$NAME`)."""
    if isinstance(word, str):
        return Resolved(word)
    return Resolved(
        "".join(_text(piece, scope, outputs) for piece in word.pieces),
        any(_splits(piece, scope, outputs) for piece in word.pieces),
    )


def _text(piece: Piece, scope: Scope, outputs: dict[str, str | None]) -> str:
    match piece:
        case str():
            return piece
        case Variable(name, text):
            known = scope.variables.get(name)
            return text if known is None else known
        case Substitution(script, text):
            printed = outputs.get(script)
            return text if printed is None else printed.rstrip("\n")
        case Unresolved(text):
            return text


def _splits(piece: Piece, scope: Scope, outputs: dict[str, str | None]) -> bool:
    """Whether a piece is an unquoted expansion with known text."""
    match piece:
        case Variable(name, _, quoted):
            return (name == "@" or not quoted) and scope.variables.get(name) is not None
        case Substitution(script, _, quoted):
            return not quoted and outputs.get(script) is not None
        case _:
            return False


def uses(word: Word, names: set[str]) -> bool:
    """Whether a word takes the value of one of these variables."""
    return not isinstance(word, str) and any(
        isinstance(piece, Variable) and piece.name in names for piece in word.pieces
    )
