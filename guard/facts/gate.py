"""Which lines can carry a fact: one pass at the speed of `bytes`, so that most text is never read.

A line is kept if one of its words is a word that rules or settings are made of. Words are cut at
every sign (`max_retries` gives `max`, `retries`); names in camel case are found without their
capitals (`maxRetries` gives `max`, `etries`). Lines with letters of other scripts are always kept.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from guard.facts import vocabulary as words
from guard.facts.wordlist import word_set

RULE_WORDS: Final = word_set(
    """
    not no never nothing nobody none neither only unless until till before without except ask wait
    most more maximum forbidden prohibited allowed permitted limits must mustn't shall need needs
    require requires confirm confirmed approve approved approval permission consent leave keep
    stop halt skip freeze hands refrain hold first order stay don't dont doesn't can't cannot
    won't shouldn't isn't aren't budget cap myself now again manually exceed under below within
    one may refrain abstain forget scratch longer lifted withdrawn correction instead banned
    disallowed off omit make careful ensure remember nicht nichts nie niemals kein keine keinen
    keiner keines keinem nur ohne bevor bis erst verboten untersagt höchstens maximal frag frage
    warte darf dürfen tabu finger ne jamais sans avant seulement uniquement interdit aucun aucune
    rien pas demander attends attendre attendez nunca jamás sin antes solo sólo hasta prohibido
    prohibida nada espera pregunta não sem apenas somente até proibido espere aguarde pergunte non
    mai senza prima soltanto vietato aspetta chiedi niet nooit geen alleen zonder voordat vraag
    wacht inte aldrig endast innan utan ikke aldri kun uden uten før nie nigdy bez tylko zanim
    asla sakın sadece yalnızca olmadan expected steps reproduce i'll remain remains require
    required signature stop abort
    """
)

_SETTING_TABLES = (
    words.RETRY,
    words.PERMISSION,
    words.LIMIT,
    words.TARGET,
    words.TARGET_USERS,
    words.FLAG,
    word_set(
        """
    read dry fail max min safe auto statement verbs resources allow confirm publish
    """
    ),
)
SETTING_WORDS: Final = frozenset(word for table in _SETTING_TABLES for word in table) - frozenset(
    {"when", "force", "all"}
)
_KEPT_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789'")
_FOREIGN = re.compile(r"[\u00df-\u1fff\u3040-\ud7ff]")
_SIGNS = re.compile(rb"[=:`|_]|--|my |ork on ")


def _table(*, capitals: bool) -> bytes:
    """Signs become blanks; capitals become small letters, or blanks."""
    table = bytearray(b" " * 128 + bytes(range(128, 256)))
    for code in range(128):
        sign = chr(code)
        if sign in _KEPT_SIGNS or sign == "\n":
            table[code] = code
        elif sign.isupper() and capitals:
            table[code] = ord(sign.lower())
    return bytes(table)


_SMALL = _table(capitals=True)
_BEHEADED = _table(capitals=False)
_RULES = frozenset(word.encode() for word in RULE_WORDS)
_SETTINGS = frozenset(word.encode() for word in SETTING_WORDS)
_TYPOGRAPHIC = re.compile(rb"\xe2[\x80-\xbf]{2}|\xc2[\x80-\xbf]")
_SWITCHES = frozenset({b"true", b"false", b"yes", b"on", b"off"})
_CAMEL = re.compile(rb"[a-z][A-Z][a-z]")
_HUMPS = frozenset(word[1:] for word in _SETTINGS if len(word) > 4)


def rule_lines(text: str) -> list[int]:
    """Indices of the lines that can be part of a rule."""
    return _rules_of(text, _words_by_line(text))


def setting_lines(text: str) -> list[int]:
    """Indices of the lines that can hold a setting."""
    return _settings_of(text, _words_by_line(text))


def speaks(text: str, *, switches: bool = False) -> bool:
    """Can the text hold any fact at all? In files of settings any switch may be one."""
    raw = _encoded(text)
    found = raw.translate(_SMALL).split()
    if not (_RULES.isdisjoint(found) and _SETTINGS.isdisjoint(found)):
        return True
    if switches and not _SWITCHES.isdisjoint(found):
        return True
    return not _HUMPS.isdisjoint(raw.translate(_BEHEADED).split()) or bool(_FOREIGN.search(text))


def _encoded(text: str) -> bytes:
    """The text in UTF-8, typographic signs (quotes, dashes, arrows, boxes) blanked."""
    raw = text.encode("utf-8", "replace")
    return raw if text.isascii() else _TYPOGRAPHIC.sub(b" ", raw)


def _words_by_line(text: str) -> list[list[bytes]]:
    raw = _encoded(text)
    return [line.split() for line in raw.translate(_SMALL).split(b"\n")]


def _rules_of(text: str, words_by_line: list[list[bytes]]) -> list[int]:
    disjoint = _RULES.isdisjoint
    kept = [index for index, found in enumerate(words_by_line) if not disjoint(found)]
    return kept if text.isascii() else sorted({*kept, *_foreign(text)})


def _settings_of(text: str, words_by_line: list[list[bytes]]) -> list[int]:
    written = _encoded(text).split(b"\n")
    signed, camel, disjoint = _SIGNS.search, _CAMEL.search, _SETTINGS.isdisjoint
    return [
        index
        for index, (line, found) in enumerate(zip(written, words_by_line, strict=True))
        if signed(line) and (not disjoint(found) or (camel(line) and _humped(line)))
    ]


def _humped(line: bytes) -> bool:
    """`apiTimeout`: a word of the vocabulary behind a capital."""
    return not _HUMPS.isdisjoint(line.translate(_BEHEADED).split())


def _foreign(text: str) -> Iterator[int]:
    """Lines with letters that English does not have."""
    line, at = 0, 0
    for match in _FOREIGN.finditer(text):
        if match.start() >= at:
            line += text.count("\n", at, match.start())
            at = match.start()
            yield line


REACH = 8
"""Lines above and below a candidate that may belong to its sentence."""
LIST_REACH = 60
"""Lines below a prohibiting heading or lead that may be its list."""


class Thinned(NamedTuple):
    """A text without the lines that can have no part in a fact; line numbers stay."""

    text: str
    rules: frozenset[int]
    """Indices of lines that can be part of a rule."""
    settings: frozenset[int]
    """Indices of lines that can hold a setting."""


def thin(text: str, *, rules: bool, settings: bool) -> Thinned:
    """Blank the lines that can have no part in a fact."""
    found = _words_by_line(text)
    binding = frozenset(_rules_of(text, found) if rules else ())
    setting = frozenset(_settings_of(text, found) if settings else ())
    return Thinned(_thinned(text, binding | setting), binding, setting)


def _thinned(text: str, found: frozenset[int]) -> str:
    if not found:
        return ""
    lines = text.split("\n")
    keep = bytearray(len(lines))
    _keep_structure(lines, keep, fenced="```" in text or "~~~" in text)
    for index in sorted(found):
        _keep_around(lines, keep, index)
    return "\n".join([line if kept else "" for line, kept in zip(lines, keep, strict=True)])


def _keep_structure(lines: list[str], keep: bytearray, *, fenced: bool) -> None:
    """Headings, and fenced blocks as a whole."""
    inside = False
    for index, line in enumerate(lines):
        if fenced and line.lstrip().startswith(("```", "~~~")):
            inside = not inside
            keep[max(0, index - 2) : index + 1] = b"\x01" * (index + 1 - max(0, index - 2))
        elif inside or line[:1] == "#":
            keep[index] = 1


def _keep_around(lines: list[str], keep: bytearray, index: int) -> None:
    """The paragraph around a line; the list below a heading or a line that ends in `:`."""
    line = lines[index].rstrip().rstrip("*_")
    if line.endswith((":", "：")) or line[:1] == "#":
        keep[index : index + LIST_REACH] = b"\x01" * len(keep[index : index + LIST_REACH])
    keep[index] = 1
    _keep_above(lines, keep, index, table="|" in line)
    for below in range(index + 1, min(len(lines), index + REACH)):
        if not lines[below].strip():
            break
        keep[below] = 1


def _keep_above(lines: list[str], keep: bytearray, index: int, *, table: bool) -> None:
    """Lines of the same sentence or table, and the line ending in `:` that opens a list.

    Candidates come in ascending order, so a kept line has all above it kept: each is visited once.
    """
    above = index - 1
    lowest = 0 if table else max(0, index - REACH)
    while above >= lowest and lines[above].strip() and not keep[above]:
        if table and not ("|" in lines[above] or "+" in lines[above]):
            break
        keep[above] = 1
        above -= 1
    while above >= max(0, index - REACH) and not lines[above].strip():
        above -= 1
    if above >= 0 and lines[above].rstrip().endswith((":", "：")):
        keep[above] = 1
