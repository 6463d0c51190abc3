"""Numbers, number words and units: when are two quantities equal? (labels guide D1, D3, D6)"""

import re
from decimal import Decimal, InvalidOperation
from typing import Final, Literal

import msgspec

from guard.facts.normalise import words_of

Likeness = Literal["same", "other", "unproven", "none"]
"""`none`: the words after the key are no value at all."""

_UNITS: dict[str, tuple[str, Decimal]] = {}
_TABLE = """
time 0.001 ms msec msecs millisecond milliseconds millis
time 1 s sec secs second seconds sekunde sekunden seconde secondes segundo segundos 秒
time 60 m min mins minute minutes minuten minuto minutos 分 分钟
time 3600 h hr hrs hour hours stunde stunden heure heures hora horas 小时 時間
time 86400 d day days tag tage jour jours día días dia dias 天 日
time 604800 w week weeks woche wochen
size 1 b byte bytes
size 1000 k kb kilobyte kilobytes
size 1000000 mb megabyte megabytes
size 1000000000 g gb gigabyte gigabytes
size 1000000000000 t tb terabyte
size 1024 ki kib
size 1048576 mi mib
size 1073741824 gi gib
size 1099511627776 ti tib
share 1 % percent pct prozent
usd 1 usd $ dollar dollars us$
eur 1 eur € euro euros
gbp 1 gbp £ pound pounds
rate 1 /s /sec /second per-second
rate 0.0166666666666666667 /m /min /minute per-minute
rate 0.000277777777777777778 /h /hr /hour per-hour
rate 0.0000115740740740740741 /d /day per-day
"""
for _line in _TABLE.strip().splitlines():
    _family, _factor, *_names = _line.split()
    for _name in _names:
        _UNITS[_name] = (_family, Decimal(_factor))


_NUMBER_WORDS = """
0 zero no null
1 one once single first eins
2 two twice second zwei deux dos dois
3 three third drei trois tres três
4 four fourth vier
5 five fifth fünf cinq cinco
6 six
7 seven
8 eight
9 nine
10 ten zehn
11 eleven
12 twelve
13 thirteen
14 fourteen
15 fifteen
20 twenty
30 thirty
40 forty
50 fifty
60 sixty
90 ninety
"""
_WORDS: Final = {
    word: int(line.split()[0])
    for line in _NUMBER_WORDS.strip().splitlines()
    for word in line.split()[1:]
}
_SCALES = {"hundred": 100, "thousand": 1000, "hundert": 100, "tausend": 1000, "million": 1_000_000}
_QUANTITY = re.compile(
    r"([$€£])?\s?([-+−]?(?:\d|(?=\.\d))(?:[\d_]|[,'  ](?=\d{3}(?!\d)))*(?:\.\d+)?)"
    r"(?:\s?(/[a-z]+|per (?:second|minute|hour|day)|[a-zµ%€$£]{1,12}|秒|分钟?|小时|"
    r"時間|天|日)(?![\w]))?",
    re.IGNORECASE,
)
_KEY_UNITS = """
s seconds secs sec
ms ms millis
min minutes mins
h hours
d days
usd usd
eur eur
% percent pct
mb mb
gb gb
kb kb
b bytes
/h hour
/min minute
/d day
"""
_UNIT_OF_KEY: Final = {
    word: line.split()[0] for line in _KEY_UNITS.strip().splitlines() for word in line.split()[1:]
}


def number_word(words: list[str]) -> int | None:
    """The number that words say at their beginning: `five hundred` is 500."""
    if not words or words[0] not in _WORDS:
        return None
    scale = _SCALES.get(words[1], 1) if len(words) > 1 else 1
    return _WORDS[words[0]] * scale


class Quantity(msgspec.Struct, frozen=True):
    """A number and the unit written with it."""

    number: Decimal
    unit: str | None
    end: int


def quantity(text: str) -> Quantity | None:
    """The quantity at the beginning of a text."""
    match = _QUANTITY.match(text)
    if not match:
        return None
    digits = re.sub(r"[_,'  ]", "", match[2]).replace("−", "-")
    try:
        number = Decimal(digits)
    except InvalidOperation:
        return None
    after = (match[3] or "").lower().replace("per ", "/")
    known = after if after in _UNITS else None
    glued = bool(match[3]) and text[match.end(2) : match.end(2) + 1] != " "
    unit = known or (match[1] and match[1].lower()) or (after if glued else None)
    end = match.end() if known or glued else match.end(2)
    return Quantity(number, unit, end)


def same_quantity(mine: Quantity, other: Quantity, key: str) -> Likeness:
    """Equal number and unit; a unit the key's name states may be written out or left out."""
    own = mine.unit or _key_unit(key)
    if own is None:
        if mine.number != other.number:
            return "other"
        return "same" if other.unit is None or other.unit not in _UNITS else "unproven"
    if other.unit is None:
        lost = mine.unit is not None and _key_unit(key) is None
        return "other" if lost or mine.number != other.number else "same"
    a, b = _UNITS.get(_memory(own, key)), _UNITS.get(_memory(other.unit, key))
    if a is None or b is None:
        return "same" if own == other.unit and mine.number == other.number else "other"
    return (
        "same"
        if a[0] == b[0] and abs(mine.number * a[1] - other.number * b[1]) < Decimal("1e-9")
        else "other"
    )


def _memory(unit: str, key: str) -> str:
    """`256m` of memory is megabytes."""
    return (
        "mb" if unit == "m" and {"mem", "memory", "size", "upload"} & set(words_of(key)) else unit
    )


def _key_unit(key: str) -> str | None:
    return next(
        (_UNIT_OF_KEY[word] for word in reversed(words_of(key)) if word in _UNIT_OF_KEY), None
    )
