"""Is a literal of the digest the value of a fact? (labels guide D1, D3, D6)"""

import re
from decimal import Decimal, InvalidOperation

import msgspec

from guard.digest.units import Likeness, Quantity, number_word, quantity, same_quantity

_ON = frozenset(
    {"true", "on", "yes", "1", "enabled", "active", "activated", "an", "ja", "oui", "sí", "sim"}
)
_OFF = frozenset(
    {"false", "off", "no", "0", "disabled", "inactive", "deactivated", "aus", "nein", "non", "não"}
)
_NONE = frozenset({"none", "null", "nil", "~", "undefined", "unset"})
_TOKEN = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|`([^`\n]*)`|“([^”\n]*)”|\[([^\]\n]*)\]|[^\s,;|]+")
_ARITHMETIC = re.compile(r"\d[\d_.]*(?:\s*[*+-]\s*\d[\d_.]*)+$")
_MODE = re.compile(r"[a-z]+(?:-[a-z]+)+")
_CUT_OFF = re.compile(r"\s*(?:\.{2,}|…)")
_RANGE = re.compile(r"\s?(?:-|–|—|\.\.|to|bis)\s?\d")


class Read(msgspec.Struct, frozen=True):
    """What stands where a value was expected."""

    likeness: Likeness
    text: str = ""
    end: int = 0


def plain_text(text: str) -> str:
    """One spelling for quotes, case and white space."""
    return re.sub(r"\s+", " ", re.sub(r"[\"“”’`]", "'", text)).strip().strip("'").casefold()


def token_at(text: str) -> tuple[str, int]:
    """The literal at the beginning of a text, without quotes, and its end."""
    match = _TOKEN.match(text)
    if not match:
        return "", 0
    quoted = next((group for group in match.groups() if group is not None), None)
    if quoted is not None:
        return quoted, match.end()
    bare = match[0].rstrip(".!?:\"'`").removesuffix("**")
    for opening, closing in ("()", "[]", "{}"):
        while bare.endswith(closing) and bare.count(opening) < bare.count(closing):
            bare = bare[:-1].rstrip(".!?:\"'`")
    return bare, len(bare)


def read_value(text: str, value: str, key: str) -> Read:
    """Hold what a text begins with against the value of a fact."""
    whole = plain_text(value)
    literal, end = token_at(text)
    if size := _worded(text, value):
        return Read("same", text[:size], size)
    if _begins_with(text, value):
        size = end if plain_text(literal) == whole else len(value)
        if _CUT_OFF.match(text[size:]):
            return Read("other", text[: size + 3], size)
        if not (quantity(value) and _goes_on(text, value)):
            return Read("same", text[:size], size)
    if not literal:
        return Read("none")
    if _CUT_OFF.search(text[: end + 3]) and whole.startswith(plain_text(literal.rstrip(".…"))[:4]):
        return Read("other", text[: end + 3], end)
    return _compare(text, literal, end, value, key)


def _begins_with(text: str, value: str) -> bool:
    head = plain_text(text[: len(value) + 4].lstrip("\"'`“"))
    whole = plain_text(value)
    if not whole or not head.startswith(whole):
        return False
    rest = text.lstrip("\"'`“")[len(value) :]
    return not re.match(r"[\w]|[.:/@-]\w", rest)


def _goes_on(text: str, value: str) -> bool:
    """The number goes on (`30` in `30m`, `3` in `3-5`, `5` in `5 seconds`)."""
    rest = text[len(value) :]
    more = quantity(text)
    return bool(_RANGE.match(rest)) or (
        more is not None and more.unit is not None and quantity(value) != more
    )


def _compare(text: str, literal: str, end: int, value: str, key: str) -> Read:
    mine = quantity(value) if not _ARITHMETIC.match(value) else None
    if mine is not None and mine.end >= len(value.strip()):
        return _numbers(text, literal, end, mine, value, key)
    low, own = literal.casefold(), value.casefold()
    if own in _ON | _OFF and (own in {"true", "false", "1", "0"} or low != own):
        if low in _ON | _OFF:
            return Read("same" if (low in _ON) == (own in _ON) else "other", text[:end], end)
        if own in {"true", "false"}:
            return Read("none")
    if own in _NONE:
        return Read("same" if low in _NONE else "other", text[:end], end)
    if _ARITHMETIC.match(value):
        return _arithmetic(text, value)
    return Read("same" if plain_text(literal) == plain_text(value) else "other", text[:end], end)


def _worded(text: str, value: str) -> int:
    """Length of a mode written with blanks (`on request` for `on-request`), or 0."""
    if not _MODE.fullmatch(value):
        return 0
    match = re.match(value.replace("-", "[-_ ]") + r"(?![\w-])", text.lstrip("\"'`"), re.IGNORECASE)
    return match.end() if match else 0


def _numbers(text: str, literal: str, end: int, mine: Quantity, value: str, key: str) -> Read:
    start = text[1:] if text[:1] in {'"', "'", "`"} else text
    other = quantity(start)
    if other is not None:
        if _RANGE.match(start[other.end :]):
            return Read("other", text[: other.end + 4], other.end)
        at = other.end + len(text) - len(start)
        return Read(same_quantity(mine, other, key), text[:at], at)
    said = number_word(literal.casefold().split() + text[end:].casefold().split()[:1])
    if said is not None and literal.casefold() != "no":
        return Read("unproven" if said == mine.number else "other", text[:end], end)
    low = literal.casefold()
    if value in {"0", "1"} and low in _ON | _OFF:
        return Read("same" if (low in _ON) == (value == "1") else "other", text[:end], end)
    return (
        Read("other", text[:end], end) if low in _NONE | {"unlimited", "infinite"} else Read("none")
    )


def _arithmetic(text: str, value: str) -> Read:
    """The result of an expression is the same to a reader, but no rule proves it (D6)."""
    other = quantity(text)
    if other is None:
        return Read("none")
    total = _result(value)
    return Read("unproven" if total == other.number else "other", text[: other.end], other.end)


def _result(expression: str) -> Decimal | None:
    """Sums of products only."""
    total = Decimal(0)
    for sign, term in re.findall(r"([+-]?)\s*([^+-]+)", expression.replace("_", "")):
        product = Decimal(1)
        for factor in term.split("*"):
            try:
                product *= Decimal(factor.strip())
            except InvalidOperation:
                return None
        total += -product if sign == "-" else product
    return total
