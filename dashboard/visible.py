"""Journal text for people: what hides in it is made visible, nothing in it acts.

Hidden are control, format and separator characters, blanks that look like nothing, and letters of
another script inside a Latin word. `html.escape` leaves all of them (`trust.md` 4.1, X05).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANKS = frozenset("\u00a0\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_KEPT = frozenset("\t\n")
_LOOKALIKE = frozenset("аеорсухіјѕһԁԛԝАВЕКМНОРСТХІЈЅԌΑΒΕΖΗΙΚΜΝΟΡΤΥΧαοινυ")
_WORD = re.compile(r"\w+")
_PLAIN = re.compile(r"[\x20-\x7e\t\n]*")


class Piece(NamedTuple):
    """A stretch of text that is what it looks like, or one hidden character (`code` is set)."""

    text: str
    code: str = ""


def code_of(char: str) -> str:
    """Return `U+200B` for a character."""
    return f"U+{ord(char):04X}"


def is_hidden(char: str) -> bool:
    """Whether a reader would not see this character as what it is."""
    if " " <= char <= "~" or char in _KEPT:
        return False
    if char in _BLANKS or "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef":
        return True
    category = unicodedata.category(char)
    return category in _CATEGORIES or (category == "Zs" and char != " ")


def lookalikes(text: str) -> frozenset[int]:
    """Places of letters of another script inside a word that also has Latin letters."""
    found: set[int] = set()
    for word in _WORD.finditer(text):
        part = word.group()
        if part.isascii() or not any("A" <= char <= "z" for char in part):
            continue
        start = word.start()
        found.update(start + at for at, char in enumerate(part) if char in _LOOKALIKE)
    return frozenset(found)


def pieces(text: str) -> Iterator[Piece]:
    """Cut text into plain stretches and hidden characters, in order."""
    if _PLAIN.fullmatch(text):
        if text:
            yield Piece(text)
        return
    strange, start = lookalikes(text), 0
    for at, char in enumerate(text):
        if is_hidden(char) or at in strange:
            if at > start:
                yield Piece(text[start:at])
            yield Piece(char, code_of(char))
            start = at + 1
    if start < len(text):
        yield Piece(text[start:])


def hidden(text: str) -> Counter[str]:
    """Count the hidden characters of a text by code."""
    if _PLAIN.fullmatch(text):
        return Counter()
    return Counter(piece.code for piece in pieces(text) if piece.code)


def plain(text: str) -> str:
    """Text in which each hidden character stands as `[U+200B]`: for exports and terminals."""
    return "".join(f"[{piece.code}]" if piece.code else piece.text for piece in pieces(text))


_UNSAFE_IN_FIGURE = re.compile(r"[^A-Za-z0-9_.:@/+#-]")
_HASH_NAME = re.compile(r"(?:sha256|sha512|md5):(?=.)")


def brief(identifier: str, limit: int = 16) -> str:
    """A long id by its beginning and its end: `toolu_01…84ec`. A short one stays whole."""
    if len(identifier) <= limit:
        return identifier
    tail = min(4, limit // 3)
    return f"{identifier[: limit - tail - 1]}…{identifier[-tail:]}"


def label(identifier: str, limit: int = 14) -> str:
    """An id as a figure may carry it: no markup, no formula, no hidden character, short."""
    bare = _HASH_NAME.sub("", identifier, count=1)
    return brief(_UNSAFE_IN_FIGURE.sub("·", bare[:4_000]), limit)
