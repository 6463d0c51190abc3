"""Contents of a window as adapters find them: what a span shows, and its hash."""

from __future__ import annotations

from typing import Any

import msgspec
import rfc8785
from msgspec import Struct

from guard.adapters.base import Place, text_hash
from guard.canonical import digest
from guard.events import MAX_INTEGER, Role

NAMELESS = "-"
"""The id of what its source names with an empty text."""
LONGEST_TEXT_BYTES = 700_000
"""As it stands in a line. A longer text would not fit into one event; its hash and place stay."""


class Shown(Struct, frozen=True, kw_only=True):
    """What one span shows. `text` holds its words; without it, a content that is a text does."""

    id: str
    content: Any
    role: Role
    text: str | None = None
    path: str | None = None
    tool: str | None = None
    effect: str | None = None
    tokens: int | None = None
    place: Place | None = None

    @property
    def words(self) -> str:
        """What a person reads, and what facts are found in."""
        if self.text is not None:
            return self.text
        return self.content if isinstance(self.content, str) else ""

    @property
    def scope(self) -> str:
        """Where its facts were said (`mapping.md`, Window)."""
        return said(self.path) or (said(self.tool) or "tool" if self.role == "tool" else self.role)


def bare(content: Any) -> Any:
    """A list of one text is that text: what wraps it is no content."""
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        text = content[0].get("text")
        others = content[0].keys() - {"text", "type", "cache_prompt"}
        return text if isinstance(text, str) and not others else content
    return content


def content_hash(content: Any) -> str:
    """`mapping.md`, Window: a text by its bytes, anything else by its canonical JSON."""
    return text_hash(content) if isinstance(content, str) else value_hash(content)


def value_hash(value: Any) -> str:
    """The hash of a JSON value. A number beyond what RFC 8785 allows counts as its text."""
    try:
        return digest(value)
    except rfc8785.CanonicalizationError:
        return digest(_exact(value))


def _exact(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _exact(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_exact(inner) for inner in value]
    return value if value is None or isinstance(value, str | bool) else str(value)


def safe_id(native: str) -> str:
    """A span id: the native id, which must not hold `#` nor be empty (`journal-format.md` 2)."""
    return native.replace("#", "%23") or NAMELESS


def said(value: Any) -> str | None:
    """A native text, or None for anything else."""
    return value if isinstance(value, str) and value else None


def counted(value: Any) -> int | None:
    """A native count, or None for what is none (`journal-format.md` 2)."""
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return value if is_count and 0 <= value <= MAX_INTEGER else None


def bounded(value: Any) -> Any:
    """A native value as it may stand in an event: a number beyond its limits is a text."""
    if isinstance(value, dict):
        return {str(name): bounded(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [bounded(inner) for inner in value]
    is_large = isinstance(value, int | float) and not abs(value) <= MAX_INTEGER
    return str(value) if is_large else value


def spoken(text: str) -> str | None:
    """A text that fits into an event, or None."""
    shortest = len(text) <= LONGEST_TEXT_BYTES // 6  # an escape takes six bytes at most
    fits = shortest or len(msgspec.json.encode(text)) <= LONGEST_TEXT_BYTES
    return text if text and fits else None
