"""The short way: command lines of plain words, quotes, pipes and chains need no full parser.

Everything that expands, nests, spans lines or is a word of the grammar is left to `parse`; where
this reader answers at all, it answers what `parse` would (a test compares them).
"""

from __future__ import annotations

import re
from typing import Literal

from guard.effects.shell.syntax import Chain, Node, Pipe, Redirect, Script, Simple

_BARE = r"[^\s'\"$`\\|&;<>(){}#!*?\[\]=]"
_TOKEN = re.compile(
    r"[ \t]*(?:(?P<move>\d?(?:>>|>(?![>&|(])|<(?![<&>(]))|&>>?)[ \t]*"
    r"|(?P<join>\d?>&\d)(?=[ \t|;]|\Z)"
    r"|(?P<sign>&&|\|\|(?!\|)|;(?![;&])|\|(?![|&]))"
    rf"|(?P<word>(?:{_BARE}[^\s'\"$`\\|&;<>(){{}}!]*|[*?=]|'[^'\n]*'|\"[^\"$`\\\n]*\")+)"
    r"|(?P<end>(?:#[^\n]*)?\Z))"
)
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_PATTERN = re.compile(r"[*?\[]")
_BLOCKS = {
    "if",
    "then",
    "else",
    "elif",
    "fi",
    "for",
    "while",
    "until",
    "do",
    "done",
    "case",
    "esac",
}
_DECLARES = {"export", "declare", "local", "readonly", "typeset", "unset", "unsetenv"}
_GRAMMAR = _BLOCKS | _DECLARES | {"in", "function", "select", "time", "coproc", "[", "[["}
"""First words that make another kind of statement, or that the grammar reads its own way."""


def plain(text: str) -> Script | None:
    """The statements of a plain command line; `None` for any other."""
    reader = _Reader()
    at = 0
    while True:
        found = _TOKEN.match(text, at)
        if found is None or not reader.take(found):
            return None
        at = found.end()
        if found.lastgroup == "end":
            return reader.script()


class _Reader:
    """The command, the pipeline, the chain and the statements that are being put together."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.redirects: list[Redirect] = []
        self.globbed = False
        self.move = ""
        self.stages: list[Node] = []
        self.chain: list[tuple[Literal["&&", "||"], Node]] = []
        self.operator: Literal["&&", "||"] = "&&"
        self.items: list[Node] = []

    def take(self, found: re.Match[str]) -> bool:
        """Take one token; whether it can stand here in a plain line."""
        match found.lastgroup:
            case "word":
                return self._word(found["word"])
            case "sign":
                return self._sign(found["sign"])
            case "move" | "join":
                return self._redirect(found)
            case _:
                return self._end()

    def script(self) -> Script:
        return Script(tuple(self.items))

    def _word(self, source: str) -> bool:
        quoted = "'" in source or '"' in source
        text = _QUOTED.sub(_inside, source) if quoted else source
        if self.move:
            self.redirects.append(Redirect(self.move, text))
            self.move = ""
            return True
        if not self.words:
            if quoted or "=" in source or source in _GRAMMAR or _PATTERN.search(source):
                return False
        elif not self.globbed:
            self.globbed = (
                _PATTERN.search(_QUOTED.sub("", source) if quoted else source) is not None
            )
        self.words.append(text)
        return True

    def _redirect(self, found: re.Match[str]) -> bool:
        if self.move or not self.words:
            return False
        if found["join"]:
            self.redirects.append(Redirect(">&", found["join"][-1]))
        else:
            self.move = found["move"].lstrip("0123456789")
        return True

    def _sign(self, sign: str) -> bool:
        if not self._command():
            return False
        if sign != "|":
            self._pipeline()
        if sign == ";":
            self._statement()
        elif sign == "&&":
            self.operator = "&&"
        elif sign == "||":
            self.operator = "||"
        return True

    def _end(self) -> bool:
        """The end of the line; after a `;` nothing need follow."""
        if (
            not self.words
            and not self.redirects
            and self.items
            and not self.stages
            and not self.chain
        ):
            return True
        if not self._command():
            return False
        self._pipeline()
        self._statement()
        return True

    def _command(self) -> bool:
        if not self.words or self.move:
            return False
        self.stages.append(Simple((), tuple(self.words), tuple(self.redirects), self.globbed))
        self.words, self.redirects, self.globbed = [], [], False
        return True

    def _pipeline(self) -> None:
        stages, self.stages = self.stages, []
        node = stages[0] if len(stages) == 1 else Pipe(tuple(stages))
        self.chain.append((self.operator, node))

    def _statement(self) -> None:
        (_, first), *rest = self.chain
        self.items.append(Chain(first, tuple(rest)) if rest else first)
        self.chain, self.operator = [], "&&"


def _inside(found: re.Match[str]) -> str:
    return found[1] if found[1] is not None else found[2]
