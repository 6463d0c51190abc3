"""The literals a digest says behind a key, and the scope of each (labels guide D3, D4)."""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from guard.digest.scopes import environment_of, environments_in, files_in
from guard.digest.units import Likeness
from guard.digest.values import read_value, token_at
from guard.facts.fact import Fact
from guard.facts.wordlist import word_set

_LINK = re.compile(
    r"[\"'`*)\]]*(?:\s*\((?:[^()\n]{1,40})\))?(?:\s+(?:flag|setting|switch|option|mode|"
    r"variable|parameter|key|field)s?\b)?"
    r"(?:\s+(?:of|for) (?:the |our )?(?!\d)[\w-]+(?=\s*[:=]|\s+(?:is|are)\b))?"
    r"(?P<link>(?:\s*(?:->|=>|→|==?|:=|:|\||"
    r",?\s*\b(?:is|are|was|were|be|been|being|set|sets|to|at|of|equals?|stays?|"
    r"remains?|still|now|currently|kept|keeps?|must|should|shall|has|have|had|with|"
    r"value|the|as|both|all|each|again|unchanged|configured|just|in|"
    r"exactly|says?|limited|capped|up|ist|sind|bleibt|steht|auf|est|à|es|en|são|é|"
    r"from|raised|lowered|changed|went|goes|grew|fell|rose|used|increased|decreased|"
    r"reduced|switched|"
    r"ends|starts|defaults|begins|bumped|scaled|extended|shortened|cut|moved|updated|a|an|so|for|use|"
    r"uses|using|pinned|fixed)(?=[\s:=,]|$)))*)\s*"
)
_NOT = re.compile(
    r"\s*,?\s*(?:is |are |was |were |has been )?(?:now )?(?:not|no longer|never|"
    r"isn't|aren't|nicht|pas|no)\b(?!\s*$)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.|some|nearly|"
    r"almost|over|under|more than|less than|at least|at most|ungefähr|etwa|environ|"
    r"unos)|~|≈|<|>|≤|≥)\s*$",
    re.IGNORECASE,
)
_ABOUT_NEXT = re.compile(
    r"(?:about|around|roughly|approximately|approx\.?|circa|ca\.|some|nearly|almost|"
    r"over|under|more than|less than|at least|at most|ungefähr|etwa|environ|unos|~|≈|<=?|>=?|≤|"
    r"≥)\s*(?=[\d$€])",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s*(?:(?:is|are|lies|lie|ranges?|varies|somewhere|anywhere|set) ){0,3}"
    r"(?:between|zwischen|entre)\s+\S+\s+(?:and|und|et|y|e)\s+\d\S*",
    re.IGNORECASE,
)
_BECAME = re.compile(
    r"[\"'`]?\s*(?:->|→|=>|,?\s*\(?(?:is |are )?now(?: is| at|:)?|"
    r",? (?:then|later) (?:set|changed|raised) to)\s*(?=[\w\"'`$€-])",
    re.IGNORECASE,
)
"""Between a value and the one that took its place (`4 -> 8`)."""
_NEXT_ONE = re.compile(r"\s*[,;]\s*(?!on\b|in\b|for\b|auf\b|sur\b|en\b|not\b)", re.IGNORECASE)
"""Behind a value: what follows is about something else (`2, production has 9`)."""
_CHANGED = re.compile(
    r"\bfrom\s+\S+\s+to\s+(?=\S)|(?:->|→|=>)\s*(?=\S)"
    r"|\bwas\s+\S+?,?\s+(?:and\s+|but\s+)?(?:it\s+)?(?:is\s+)?now\s+(?:is\s+)?(?=\S)",
    re.IGNORECASE,
)
_IN_BRACKETS = re.compile(
    r"\s*\((?:[^()\s]+\s*(?:->|→|=>|to)\s*)?(?=[^()\n]{1,60}\)\W*(?:$|[.;,]))"
)
_SPLIT = re.compile(r"\s*(?:,|;|/|\||&|\+|\band\b|\bund\b|\bet\b|\by\b|\be\b|\bor\b)\s*")
_GROUP_KEYS = re.compile(
    r"[\"'`*]*\s*(?:/|,|&|\+|\band\b|\bund\b|\by\b|\bet\b)?\s*[\"'`*]*[\w.\-]+[\"'`*]*"
)
_THEN = re.compile(r"\s+(and|or|vs\.?|but|while|oder|und|ou|o|,)\s+|,\s+")
_SWITCH = re.compile(r"(?:on|off|enabled|disabled|active|inactive)\s*(?:$|[.,;)])", re.IGNORECASE)
"""Behind the name of a switch, without a link: `network access on`."""
_SEES = word_set(
    """
    see as unchanged same default defaults its the from set kept configured unknown tbd there here
    given handling settings setting value values change changes check checks
    """
)


ANYWHERE = "*"
"""The scope of what is said of all environments."""
EVERYWHERE: Final = re.compile(
    r"\b(?:both|all|every) (?:of them|environments?|stages?|files?|configs?|scopes?|regions?|"
    r"clusters?)\b|\beverywhere\b",
    re.IGNORECASE,
)
"""Words that say a value of every scope."""


class Said(msgspec.Struct, frozen=True):
    """One literal behind a key, held against the value of a fact."""

    literal: str
    likeness: Likeness
    scopes: frozenset[str] = frozenset()
    """Environments and files named with this literal."""
    about: bool = False


def said_after(rest: str, fact: Fact, position: int, size: int) -> Iterator[Said]:
    """Literals said after a key, how they compare, the environments said with them, and `about`."""
    bracket = _IN_BRACKETS.match(rest)
    if bracket:
        rest = " = " + rest[bracket.end() :]
    link = _LINK.match(rest)
    start = link.end() if link else 0
    words = link["link"] if link else ""
    if _NOT.match(rest):
        yield from _negated(rest, fact)
        return
    start = _behind_change(rest, start)
    span = _BETWEEN.match(rest[start:]) or _BETWEEN.match(rest)
    if span:
        yield Said(span[0], "other", about=True)
        return
    about = _ABOUT_NEXT.match(rest[start:])
    rough = bool(about) or bool(_ABOUT.search(rest[:start]))
    start += about.end() if about else 0
    if size > 1:
        yield from _of_group(rest[start:], fact, position, size)
        return
    explicit = bool(re.search(r"[:=|]|->|→", words))
    yield from _listed(rest[start:], fact, explicit, rough, words)


def _behind_change(rest: str, start: int) -> int:
    """`from 0 to 2`, `was 0, is now 2`, `0 -> 2`: the last value is the one in force."""
    changed = _CHANGED.search(rest[: start + 40])
    return changed.end() if changed and changed.start() <= start else start


def flag_of_command(rest: str, fact: Fact) -> Said | None:
    """`--dry-run` alone is true; `--env production` has its value behind a blank."""
    alone = re.match(r"[\s`'\"]*(?:$|-|[;|&,.)]|`)", rest)
    read = read_value("true" if alone else rest.lstrip(" ="), fact.value, fact.key)
    if read.likeness == "none" and fact.value in {"true", "false"}:
        read = read_value("true", fact.value, fact.key)
    return Said(read.text, read.likeness) if read.likeness != "none" else None


def _negated(rest: str, fact: Fact) -> Iterator[Said]:
    """`dry_run is not true`."""
    link = _NOT.match(rest)
    tail = rest[link.end() :].lstrip() if link else ""
    read = read_value(re.sub(r"^(?:set|at|to|be|on the)\s+", "", tail), fact.value, fact.key)
    if read.likeness == "same":
        yield Said(f"not {read.text}", "other")
    elif read.likeness == "other":
        switch = fact.value in {"true", "false"}
        yield Said(f"not {read.text}", "same" if switch else "other")


def _of_group(rest: str, fact: Fact, position: int, size: int) -> Iterator[Said]:
    """The value of one key among several said together."""
    tail = rest
    for _ in range(size - 1 - position):
        link = _GROUP_KEYS.match(tail)
        tail = tail[link.end() :] if link else tail
    link = _LINK.match(tail)
    tail = tail[link.end() :] if link else tail
    pieces = [piece for piece in _SPLIT.split(tail) if piece]
    if not pieces:
        return
    values = [
        piece
        for piece in pieces[:size]
        if re.match(r"[\"'`]?[-+]?\d|true|false|on\b|off\b|yes\b|no\b", piece, re.IGNORECASE)
    ]
    chosen = values[position] if len(values) == size else pieces[0]
    read = read_value(chosen, fact.value, fact.key)
    if read.likeness != "none":
        yield Said(chosen, read.likeness)


def _listed(rest: str, fact: Fact, explicit: bool, rough: bool, words: str) -> Iterator[Said]:
    """The values of the rest, each with the environments named behind (or before) it."""
    first = read_value(rest, fact.value, fact.key)
    if first.likeness == "none" or not _is_value(rest, first.likeness, fact, explicit, words):
        yield from _env_first(rest, fact)
        return
    tail = rest[first.end :]
    became = _BECAME.match(tail)
    if became:
        after = tail[became.end() :]
        read = read_value(after, fact.value, fact.key)
        arrow = re.search("[>→]", became[0])
        if read.likeness != "none" and (arrow or _same_shape(token_at(after)[0], fact.value)):
            yield Said(f"{first.text} -> {read.text}", read.likeness)
            return
    stop = re.search(r";|\.\s", tail)
    tail = tail[: stop.start()] if stop else tail
    second = _second_value(tail, fact)
    cut = second[0] if second else len(tail)
    own = "" if _NEXT_ONE.match(tail) else tail[:cut]
    yield Said(first.text, first.likeness, frozenset(_scopes_in(own)), rough)
    if second is None:
        return
    scopes = _scopes_in(tail[cut:]) or (_scopes_in(tail[:cut]) if second[1] else None)
    if scopes is not None:
        read = read_value(tail[cut:], fact.value, fact.key)
        yield Said(read.text, read.likeness, frozenset(scopes), rough)


def _scopes_in(text: str) -> set[str]:
    """Environments, and files behind `in`, `of` or `for`."""
    found = environments_in(text)
    if EVERYWHERE.search(text):
        found.add(ANYWHERE)
    for match in re.finditer(r"\b(?:in|of|for|on|from)\s+`?(\S+\.\w+)", text):
        found |= files_in(match[1])
    return found


def _second_value(tail: str, fact: Fact) -> tuple[int, bool] | None:
    """Offset of another value after `and`, `or`, `,`; and whether it is an alternative."""
    match = _THEN.search(tail)
    while match:
        following = tail[match.end() :]
        alternative = (match[1] or "") in {"or", "vs", "vs.", "oder", "ou", "o"}
        shape = _same_shape(token_at(following)[0], fact.value)
        if shape and (alternative or _scopes_in(tail[match.end() :])):
            return match.end(), alternative
        match = _THEN.search(tail, match.end())
    return None


def _same_shape(token: str, value: str) -> bool:
    if not token:
        return False
    if value[:1].isdigit():
        return token[:1].isdigit()
    marks = set(re.findall(r"[_.\-/@:]", value))
    return bool(marks) and bool(marks & set(re.findall(r"[_.\-/@:]", token)))


def _env_first(rest: str, fact: Fact) -> Iterator[Said]:
    """`max_retries: staging 3, production 0`."""
    for piece in re.split(r"[,;]|\band\b", rest.split(". ", maxsplit=1)[0]):
        words = piece.split()
        envs = {env for word in words[:3] if (env := environment_of(word.strip(":=()\"'`")))}
        number = next(
            (w for w in words if w[:1].isdigit() or w.casefold() in {"true", "false", "on", "off"}),
            None,
        )
        if envs and number:
            read = read_value(piece[piece.index(number) :], fact.value, fact.key)
            if read.likeness != "none":
                yield Said(number, read.likeness, frozenset(envs))


def _is_value(rest: str, likeness: Likeness, fact: Fact, explicit: bool, words: str) -> bool:
    """Is the word after the key meant as its value?"""
    if likeness in {"same", "unproven"}:
        return True
    token, _ = token_at(rest)
    if not token or token.casefold() in _SEES:
        return False
    if token[:1].isdigit() or token[:1] in "-+$€" or rest[:1] in "\"'`[":
        return bool(words) or explicit or _same_shape(token, fact.value) or rest[:1] in "\"'`["
    if explicit or _same_shape(token, fact.value):
        return True
    if fact.value in {"true", "false"} and _SWITCH.match(rest):
        return True
    if fact.kind == "target" and re.search(r"\w[_/@:.-]\w|\w\d", token):
        return True
    told = fact.kind == "target" and re.fullmatch(r"\w{3,}(?:ed|ing)", token)
    return (
        bool(re.search(r"\b(?:is|are|to|=|ist|est|es|é|now|stays?|remains?)\s*$", words))
        and " " not in fact.value
        and not told
    )
