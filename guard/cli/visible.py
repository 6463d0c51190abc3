"""Text of a journal on a terminal: nothing in it may act, hide or reorder what is around it."""

from __future__ import annotations

import unicodedata

_ACTING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that are shown as codes: controls, format and bidi marks, separators."""


def visible(text: str) -> str:
    """The same text with every character that acts on a terminal as `\\u{CODE}`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\\u{{{ord(char):X}}}" if unicodedata.category(char) in _ACTING else char for char in text
    )
