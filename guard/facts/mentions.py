"""`k=v`, `k: v` and "`k` is v" inside sentences and log lines (labels guide F2).

The value is one token; quoted text is data, not a setting. A name counts if it is written as an
identifier or is one of the known words for a target, limit or switch (`kinds.py` decides).
"""

import re
from collections.abc import Iterator

from guard.facts.fact import Place, Setting
from guard.facts.wordlist import word_set

_ASSIGNED = re.compile(
    r"(?<![\w./@$:\"'?&#-])(`?)([A-Za-z_][\w.-]{0,80})`?(\s?=\s?|:\s{0,3}(?![\w.-]+=))"
    r"(\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|`[^`\n]{1,200}`|\[[^\]\n]{0,200}\]|"
    r"[^\s,;|()<>\"'`\[\]{}]{1,200})"
)
_SAID = re.compile(
    r"(?<![\w./-])`?([A-Za-z][\w.-]{0,80})`?(?: (?:must|should|shall))? (?:is|to|at|"
    r"stays? at|remains?|equals|be|stays?|set to|is set to|of) "
    r"(`[^`\n]{1,100}`|\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|[^\s,;()<>\"'`]{1,100})"
)
_OWNED = re.compile(
    r"\bmy ((?:[a-z]+ )?(?:user|account|username|branch|repo|database|host|"
    r"namespace|project|org))(?: name)? is `?([\w.@/-]{2,60})",
    re.IGNORECASE,
)
_WORKED_ON = re.compile(
    r"^\W*(?:please )?work on (?:the )?(bead|ticket|issue|task|story|epic|pull "
    r"request|pr) #?`?([\w-]*\d[\w-]*)`?(?=[\s.,;]|$)",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\w*_\w|[a-z]+[A-Z]|[A-Z]+_|\w+\.\w+|\w+-\w+")
_HUMP = re.compile(r"[a-z][A-Z]")
_QUOTED = re.compile(r"\"[^\"\n]{1,300}\"")
_WORDY = re.compile(r"[A-Za-z]+")
_TRAIL = ".,;:!?"
_FILLERS = word_set(
    """
    the a an not set used defined required needed also now still only always never unset empty
    true-ish
    """
)
_PLACE_NAMES = frozenset({"staging", "testing", "red", "shared", "enabled", "disabled"})
_URL_TAIL = re.compile(r"//")


def assigned(text: str, line: int, place: Place, owner: int = 0) -> Iterator[Setting]:
    """Settings written with `=` or `:` in one line or sentence."""
    bare = _blank_quotes(text) if '"' in text else text
    for match in _ASSIGNED.finditer(bare):
        name, sign, raw = match[2], match[3], match[4]
        value = raw.rstrip(_TRAIL) if raw[0] not in "\"'`[" else raw
        if not value or _URL_TAIL.match(value) or value.startswith(("=", ":", ">")):
            continue
        if ":" in sign and place == "prose" and not _value_like(value, text, match.end()):
            continue
        entry = line * 10_000 + match.start()
        yield Setting(tuple(name.strip("`").split(".")), value, line, place, owner, entry)


def _blank_quotes(text: str) -> str:
    """Quoted text with `=` or `:` inside is data; a quoted value of a setting stays."""

    def blank(match: re.Match[str]) -> str:
        before = text[: match.start()].rstrip()
        if before.endswith(("=", ":")):
            return match[0]
        return " " * len(match[0])

    return _QUOTED.sub(blank, text)


def _value_like(value: str, text: str, end: int) -> bool:
    """`region: eu-west-1`, not `Plan: I will …`: a token from which the sentence does not go on."""
    if value[0] in "\"'`[" or not _WORDY.fullmatch(value):
        return True
    rest = text[end:].lstrip(" ")
    return (
        not rest or rest[0] in ",;.)|}]" or rest.startswith(("and ", "or ", "for ", "in ", "on "))
    )


def said(text: str, line: int) -> Iterator[Setting]:
    """`max_retries` is 0, set `dry_run` to true: only names written as identifiers."""
    marked = "`" in text or "_" in text or _HUMP.search(text)
    for match in _SAID.finditer(text) if marked else ():
        name, value = match[1], match[2].rstrip(_TRAIL)
        identifier = text[match.start()] == "`" or _IDENTIFIER.match(name)
        if identifier and value and value.lower() not in _FILLERS and _is_value(value):
            entry = line * 10_000 + match.start()
            yield Setting(tuple(name.split(".")), value, line, "prose", 0, entry)
    for match in _OWNED.finditer(text):
        yield Setting((match[1].strip().replace(" ", "_").lower(),), match[2], line, "prose")


def worked_on(text: str, line: int) -> Iterator[Setting]:
    """`Work on ticket rates-12`: the item all work is bound to."""
    match = _WORKED_ON.match(text)
    if match:
        yield Setting((match[1].lower().replace(" ", "_"),), match[2], line, "command")


def _is_value(value: str) -> bool:
    """A participle says what became of a setting, not what it is."""
    if value[0] in "`\"'" or value.lower() in _PLACE_NAMES:
        return True
    return not value.endswith(("ing", "ed"))
