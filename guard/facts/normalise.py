"""One spelling for keys and values (labels guide F2, F3; `journal-format.md` section 2)."""

import re

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GAP = re.compile(r"[\s\-]+")
_RUN = re.compile(r"_{2,}")
_EDGES = re.compile(r"^[\s\"'`\-$@_]+|[\s\"'`\-_]+$")
_SEPARATED = re.compile(r"[-+]?\d+(?:_\d+)+(?:\.\d+)?")
_SPACE = re.compile(r"\s+")

WORDS = {
    "true": "true",
    "yes": "true",
    "on": "true",
    "false": "false",
    "no": "false",
    "off": "false",
    "null": "none",
    "none": "none",
    "nil": "none",
    "~": "none",
    "undefined": "none",
}
"""Bare words that stand for a switch or for nothing (F3)."""


def normalise_key(name: str) -> str:
    """`maxRetries`, `MAX_RETRIES` and `max-retries` are `max_retries`; dots and `:` stay."""
    parts = (_one_name(part) for part in name.split("."))
    return ".".join(part for part in parts if part)


def _one_name(name: str) -> str:
    snake = _GAP.sub("_", _HUMP.sub("_", _EDGES.sub("", name)))
    return _RUN.sub("_", snake.lower())


def normalise_value(literal: str) -> str:
    """The literal as text: quotes, digit separators and a trailing `,` or `;` off (F3)."""
    text = literal.strip().rstrip(",;").rstrip()
    quoted = unquote(text)
    if quoted is not None:
        return one_space(quoted)
    if _SEPARATED.fullmatch(text):
        return text.replace("_", "")
    return WORDS.get(text.lower(), text if len(text) < 2 else one_space(text))


def unquote(text: str) -> str | None:
    """What stands between the quotes, or None if the text is not one quoted literal."""
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "\"'`":
        return None
    return text[1:-1]


def one_space(text: str) -> str:
    """White space collapsed, ends trimmed."""
    return _SPACE.sub(" ", text).strip()


def words_of(key: str) -> tuple[str, ...]:
    """The words of a normalised key: `http.max_retries` gives http, max, retries."""
    return tuple(word for part in key.split(".") for word in part.split("_") if word)
