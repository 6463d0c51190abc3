"""Word-for-word comparison of a rule with a digest or a piece of it (labels guide D2, D3, D5)."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import msgspec
from rapidfuzz.distance import Indel

from guard.digest.outcome import Status
from guard.digest.reading import NEGATIONS, sense, stem
from guard.digest.units import number_word
from guard.digest.wording import Token, tokens, words
from guard.facts.acts import act_of
from guard.facts.wordlist import word_set

MOST_PLACES = 20
"""Places of one clause that are looked at."""
_EXCEPTING = word_set(
    """
    until till unless except before after if when while bis bevor außer sauf avant hasta salvo
    antes até exceto finché tranne пока кроме
    """
)
_WITHOUT = word_set("without ohne sans sin sem senza без")
_WITHIN = word_set("on in at during between outside within after before")
_NEUTRAL = word_set(
    """
    the a an any ever also then strictly really please always still that this our their it all of
    so absolutely directly-
    """
)
_ONLY = word_set(
    """
    only just nur seulement uniquement solo sólo só apenas soltanto alleen endast kun tylko только
    most more maximum
    """
)
_SOFT = word_set(
    """
    try prefer ideally avoid possible possibly usually normally generally yet now recommended
    should better wish wants would rather maybe perhaps mostly mainly primarily preferably
    """
)
_PREPOSITIONS = word_set(
    """
    to from for with of into onto against via through by under over auf nach mit von zu sur à de
    pour avec a en con para su da
    """
)
_TIMES = word_set(
    "today tonight tomorrow now yet anymore again heute jetzt aujourd'hui hoy hoje oggi"
)
_ROUGH = word_set(
    "about around roughly approximately circa nearly almost etwa ungefähr environ unos"
)
_TURNED = (
    ("before", "after"),
    ("until", "after"),
    ("unless", "if"),
    ("with", "without"),
    ("at", "after"),
    ("vor", "nach"),
    ("avant", "après"),
    ("antes", "después"),
    ("antes", "depois"),
)
_UNTIL = word_set("until till bis jusqu hasta até finché пока")
BOUNDING: Final = word_set(
    "that which who above over below under beyond more less if when on in für über au-dessus de"
)
_SMALL = (
    _NEUTRAL
    | NEGATIONS
    | _EXCEPTING
    | _WITHOUT
    | _WITHIN
    | _ONLY
    | word_set("u a u's a's must shall should may will")
)
_DENYING = NEGATIONS - _WITHOUT
_ORDINAL = word_set("once twice first second third half single both")
_EVERYTHING = word_set("any anything all everything every")
_JOINING = frozenset({"and", "or", "nor", "oder", "und", "et", "ou", "y", "o", "e"})


class Place(msgspec.Struct, frozen=True):
    """Where a clause stands word for word."""

    words: str
    line: int
    before: str
    """What stands before it in its line."""
    after: str
    """What stands behind it, to the end of the line."""


@lru_cache(maxsize=8)
def _digest_words(digest: str) -> tuple[list[Token], str, list[int]]:
    found = tokens(digest)
    starts, size = [], 1
    for token in found:
        starts.append(size)
        size += len(token.norm) + 1
    return found, " " + " ".join(token.norm for token in found) + " ", starts


def places_of(clause: str, digest: str) -> Iterator[Place]:
    """Every place where the words of the clause follow each other in the digest."""
    wanted = words(clause)
    if not wanted:
        return
    found, flat, starts = _digest_words(digest)
    needle = " " + " ".join(wanted) + " "
    index = {start: n for n, start in enumerate(starts)}
    at = flat.find(needle)
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        first = index[at + 1]
        last = first + len(wanted) - 1
        yield _place(digest, found[first].start, found[last].end)
        at = flat.find(needle, at + 1)


def _place(digest: str, start: int, end: int) -> Place:
    line_start = digest.rfind("\n", 0, start) + 1
    line_end = digest.find("\n", end)
    line_end = len(digest) if line_end < 0 else line_end
    line = digest.count("\n", 0, start) + 1
    return Place(digest[start:end], line, digest[line_start:start], digest[end:line_end])


class _Change(msgspec.Struct, frozen=True):
    """The words of a rule and of a piece, and what differs."""

    rule: str
    piece: str
    mine: tuple[str, ...]
    said: tuple[str, ...]
    lost: list[str]
    new: list[str]
    kept: int

    def near(self, share: float) -> bool:
        """Are at least this share of the rule's words still there, in order?"""
        return self.kept >= share * len(self.mine)


def _change(rule: str, piece: str) -> _Change | None:
    mine, said = words(rule), words(piece)
    if not said or not mine:
        return None
    parts = [
        (op.tag, mine[op.src_start : op.src_end], said[op.dest_start : op.dest_end])
        for op in Indel.opcodes(mine, said)
    ]
    kept = sum(len(a) for tag, a, _ in parts if tag == "equal")
    lost = [word for tag, a, _ in parts if tag in {"delete", "replace"} for word in a]
    new = [word for tag, _, b in parts if tag in {"insert", "replace"} for word in b]
    if lost and set(new) <= _JOINING:
        new = []
    elif new and set(lost) <= _JOINING:
        lost = []
    return _Change(rule, piece, mine, said, lost, new, kept)


def changes(rule: str, piece: str) -> tuple[Status, str] | None:
    """What was done to the words of the rule, if the piece is the rule with some words changed."""
    found = _change(rule, piece)
    if found is None:
        return None
    if not found.near(0.5) and not (found.kept == len(found.said) and found.kept > 1):
        return None
    if not found.new:
        return _only_lost(found)
    return _only_new(found) if not found.lost else _exchanged(found)


def _only_lost(change: _Change) -> tuple[Status, str] | None:
    """The piece is a part of the rule."""
    gone, said = set(change.lost), set(change.said)
    meaning = sense(change.rule)
    if not gone - _NEUTRAL:
        return "unproven", "only small words were lost (D6)"
    if gone & NEGATIONS - _WITHOUT and not said & (NEGATIONS - _WITHOUT):
        return _negation_lost(change)
    if change.lost[0] in _UNTIL and change.mine[-len(change.lost) :] == tuple(change.lost):
        return "altered", "its end is gone: stricter (D3)"
    fewer = bool(gone & {"or", "oder", "ou", "o"}) and not meaning.names <= gone
    if fewer and meaning.confirms and not meaning.forbids:
        return "altered", "fewer may agree: stricter (D3)"
    if gone & _ONLY:
        return "weakened", "only or the limit was lost (D5)"
    if meaning.forbids and said & NEGATIONS:
        return _forbidding_part(change)
    if meaning.confirms and sense(change.piece).confirms and change.lost[0] in BOUNDING:
        return "altered", "its bounds are gone: stricter (D3)"
    return "weakened", "a condition or part was lost (D5)"


def _negation_lost(change: _Change) -> tuple[Status, str]:
    """`Do not push until I confirm` became `push`, or only its harmless half is left."""
    mine = change.mine
    cut = next((n for n, word in enumerate(mine) if word in NEGATIONS), 0)
    condition = any(word in _EXCEPTING | _WITHOUT for word in mine[cut + 1 :])
    if change.said in clauses_of(change.rule):
        return "weakened", "the prohibition was lost, another part is left (D5)"
    if not set(mine[cut + 1 : cut + 3]) & set(change.said):
        return "weakened", "the prohibition was lost, another part is left (D5)"
    if condition and set(change.lost) & (_EXCEPTING | _WITHOUT):
        return "weakened", "the act is ordered and its condition is gone (D5)"
    return "altered", "reversed: the negation is gone (D3)"


def _forbidding_part(change: _Change) -> tuple[Status, str]:
    """Still forbidden: without its exception stricter, with fewer things or approvers softer."""
    mine, lost = change.mine, change.lost
    start = next((n for n in range(len(mine)) if list(mine[n : n + len(lost)]) == lost), None)
    opened = lost[0]
    if start is None:
        return "weakened", "a part of it was lost (D5)"
    last = start + len(lost) == len(mine)
    held = set(mine[:start]) & (_WITHOUT | _EXCEPTING)
    adjective = len(lost) == 1 and not last and start + 1 < len(mine) and _qualifies(change)
    stricter = adjective or (
        opened in _EXCEPTING
        or (last and opened in _WITHOUT)
        or (last and set(lost) <= _TIMES)
        or (last and not held and opened in _PREPOSITIONS)
        or (last and not set(mine[:start]) & _WITHOUT and opened in _WITHIN)
    )
    if stricter:
        return "altered", "its condition or bounds are gone: stricter (D3)"
    return "weakened", "a part of it was lost (D5)"


def _qualifies(change: _Change) -> bool:
    """Is the one lost word what narrowed the word behind it (`integration tests`)?"""
    word = change.lost[0]
    special = word in _SMALL | _PREPOSITIONS | _TIMES or act_of(word) or _figures([word])
    behind = change.mine[change.mine.index(word) + 1]
    joined = set(change.mine) & _JOINING or re.search(r"[,;]", change.rule)
    named = word in sense(change.rule).names
    return not (special or joined or named or behind in _SMALL | _PREPOSITIONS)


def _only_new(change: _Change) -> tuple[Status, str] | None:
    """The rule with words put in."""
    added = set(change.new)
    if not added - _NEUTRAL:
        return "unproven", "small words were added (D6)"
    if added & _SOFT:
        return "weakened", "turned into advice, or only for now (D5)"
    if added & (_EXCEPTING | _WITHOUT | _WITHIN) or "directly" in added:
        if sense(change.rule).forbids:
            return "weakened", "narrowed by more words (D5)"
        return "altered", "another condition (D3)"
    if added & _JOINING or _figures(change.new):
        return "altered", "more things were joined to it (D3)"
    if added & NEGATIONS:
        return "altered", "reversed: a negation was added (D3)"
    return None


def _exchanged(change: _Change) -> tuple[Status, str] | None:
    """Some words stand for others."""
    lost, new = set(change.lost), set(change.new)
    for reading in _READINGS:
        if (found := reading(change)) is not None:
            return found
    if _figures(change.lost) and _figures(change.new) and change.near(0.66):
        return "altered", "another number or name (D3)"
    if _figures(change.lost) and not _figures(change.new) and change.near(0.5):
        return "weakened", "the limit was lost (D5)"
    if new & _ROUGH and _figures(change.mine):
        return "altered", "rounded or about (D3)"
    if any((a in lost and b in new) or (b in lost and a in new) for a, b in _TURNED):
        return "altered", "its condition was turned (D3)"
    if new & _SOFT and lost & (NEGATIONS | {"must", "do"}):
        return "weakened", "turned into advice (D5)"
    if lost & _ONLY and not new & _ONLY and new & _SOFT:
        return "weakened", "only or the limit was lost (D5)"
    if (free := _uncontrolled(change)) is not None:
        return free
    acts = {act_of(word) for word in change.lost} - {None}
    if lost & NEGATIONS and not set(change.said) & NEGATIONS and change.near(0.66) and not acts:
        if new & _ONLY:
            return "weakened", "an exception was added (D5)"
        return "altered", "reversed: the negation is gone (D3)"
    return _another_person(change) or _another_thing(change)


def _counted(change: _Change) -> tuple[Status, str] | None:
    """A number in digits stands for the same or another number in words, or the other way."""
    mine, said = _numbers(change.lost), _numbers(change.new)
    if len(mine) != 1 or len(said) != 1 or not change.near(0.4):
        return None
    if mine != said:
        return "altered", "another number or name (D3)"
    alone = len(change.lost) == len(change.new) == 1
    return ("unproven", "the number is said in words (D6)") if alone else None


def _numbers(found: Sequence[str]) -> list[int]:
    """The whole numbers among the words, in digits or in words."""
    counting = [word for word in found if word not in _ORDINAL]
    read = [int(word) if word.isdecimal() else number_word([word]) for word in counting]
    return [number for number in read if number is not None]


def _uncontrolled(change: _Change) -> tuple[Status, str] | None:
    """`Log it if …` for `Ask me if …`: what held the act back is gone."""
    lost = {act_of(word) for word in change.lost} & {"ask", "wait", "stop", "approve"}
    said = {act_of(word) for word in change.said}
    if not lost or said & {"ask", "wait", "stop", "approve"} or not change.near(0.6):
        return None
    meaning = sense(change.rule)
    if meaning.prohibits or not (meaning.confirms or meaning.condition):
        return None
    return "weakened", "the required confirmation was lost (D5)"


def _widened(change: _Change) -> tuple[Status, str] | None:
    """`Do not edit any file` for `Do not edit a.py`."""
    bound = sense(change.rule).prohibits and set(change.said) & NEGATIONS
    if bound and set(change.new) & _EVERYTHING:
        return "altered", "more things are bound: stricter (D3)"
    return None


def _moved(change: _Change) -> tuple[Status, str] | None:
    """The same words in another order."""
    if sorted(change.lost) != sorted(change.new):
        return None
    if clauses_of(change.rule) == clauses_of(change.piece):
        return "unproven", "its parts in another order (D6)"
    return ("altered", "another order (D3)") if sense(change.rule).orders else None


def _unbound(change: _Change) -> tuple[Status, str] | None:
    """`Shorten it and adapt the figures` for `Shorten it without touching the figures`."""
    if not set(change.lost) & _WITHOUT or (set(change.said) | set(change.mine)) & _DENYING:
        return None
    if set(change.said) & _WITHOUT or not change.near(0.5):
        return None
    behind = change.mine[max(change.mine.index(w) for w in _WITHOUT & set(change.mine)) :]
    if set(behind) & set(change.said):
        return "altered", "reversed: the negation is gone (D3)"
    return "weakened", "a condition or part was lost (D5)"


def clauses_of(text: str) -> list[tuple[str, ...]]:
    """The parts of a rule that a semicolon or a comma divides, in no order."""
    return sorted(words(part) for part in re.split(r"[;,]", text))


def _path_inside(change: _Change) -> tuple[Status, str] | None:
    """A folder stands for one of its parents, or a parent for it: softer or stricter."""
    if len(change.lost) != 1 or len(change.new) != 1 or "/" not in change.lost[0]:
        return None
    mine, said = change.lost[0].rstrip("/*"), change.new[0].rstrip("/*")
    narrower, wider = said.startswith(f"{mine}/"), mine.startswith(f"{said}/")
    if not (narrower or wider):
        return None
    if narrower == sense(change.rule).forbids:
        return "weakened", "fewer places are bound (D5)"
    return "altered", "more places are bound: stricter (D3)"


def _another_person(change: _Change) -> tuple[Status, str] | None:
    """Somebody else is to agree, or nobody in particular."""
    mine, said = sense(change.rule).names, sense(change.piece).names
    if {"u", "u's"} & set(change.lost) and said - mine:
        return "altered", "another person (D3)"
    if not mine & set(change.lost) or not change.near(0.66):
        return None
    if said - mine:
        return "altered", "another person (D3)"
    return "weakened", "who must agree is gone (D5)"


def _another_thing(change: _Change) -> tuple[Status, str] | None:
    """One noun stands for another and all else is equal: another branch, another currency."""
    gone = [word for word in change.lost if word not in _ONLY] or change.lost
    if len(gone) != 1 or len(change.new) != 1 or change.kept < 2:
        return None
    a, b = gone[0], change.new[0]
    if {a, b} & _SMALL or stem(a) == stem(b) or (act_of(a) and act_of(a) == act_of(b)):
        return None
    return "altered", "another thing in its place (D3)"


def _figures(found: Sequence[str]) -> bool:
    return any(any(c.isdigit() for c in word) or re.search(r"\w[._/]\w", word) for word in found)


_READINGS = (_path_inside, _counted, _widened, _moved, _unbound)
"""What an exchange of words may be, the most special first."""
