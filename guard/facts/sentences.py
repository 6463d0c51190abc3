"""Cut a piece of prose into sentences, and clean the words of a rule (labels guide F6, F7)."""

import re
from collections.abc import Iterator

from guard.facts.normalise import one_space

_END = re.compile(
    r"(?<=[.!?…])[\"'”’)*_\]]{0,4}\s+(?=\S)|(?<=[。！？｡])[」』”]?(?=\S)|(?<=[।؟])\s*(?=\S)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|approx|resp|incl|no|nr|bzw|ca|z\.b|d\.h|u\.a|usw|p\.ex|"
    r"cf|st|fig|sec|ev|evtl|ggf|inkl|max|min|sr|sra|dra)\.|\b[A-Z]\.)$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"\W*\d{1,3}\.")
_NUMBERED = re.compile(r"(?:^|(?<=\s))\(?(\d{1,2})[.)]\s+(?=\S)")
_STRUCK = re.compile(r"~~[^~\n]{0,400}~~")
_MARKUP = re.compile(
    r"\*{1,3}|(?<![\w/])_{1,2}(?=[^\W_])|(?<=[^\W_])_{1,2}(?![\w/])|(?<=[.!?])_{1,2}(?!\w)"
)
_CODE = re.compile(r"`[^`\n]{1,200}`")
_MARKER = re.compile(
    r"^\s*(?:[-*+•]\s+(?:\[[ xX]\]\s+)?|\(?\d{1,3}[.)]\s+|#+\s+|>\s+|//+\s*|--\s+)"
)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Offset and text of each sentence; inline numbered items count as list items (F8)."""
    for start, piece in _numbered_items(text):
        yield from _sentences(piece, start)


def _numbered_items(text: str) -> Iterator[tuple[int, str]]:
    """`1) read 2) stop` is two items, if the numbers run 1, 2, …; else the text as it is."""
    found: list[re.Match[str]] = []
    due = 1
    if "1" not in text or "2" not in text:
        yield 0, text
        return
    for match in _NUMBERED.finditer(text):
        if int(match[1]) == due:
            found.append(match)
            due += 1
    if len(found) < 2:
        yield 0, text
        return
    if found[0].start():
        yield 0, text[: found[0].start()]
    ends = [match.start() for match in found[1:]] + [len(text)]
    for match, end in zip(found, ends, strict=True):
        yield match.end(), text[match.end() : end]


def _sentences(text: str, offset: int) -> Iterator[tuple[int, str]]:
    start = 0
    for match in _END.finditer(text):
        if text[match.start() - 1] == "." and _abbreviated(text, start, match.start()):
            continue
        yield offset + start, text[start : match.end()]
        start = match.end()
    if text[start:].strip():
        yield offset + start, text[start:]


def _abbreviated(text: str, start: int, end: int) -> bool:
    tail = text[max(start, end - 10) : end]
    return bool(_ABBREVIATION.search(tail)) or bool(_ORDINAL.fullmatch(text[start:end]))


def without_struck(text: str) -> str:
    """The text without `~~…~~`: struck words are withdrawn (F9)."""
    return _STRUCK.sub("", text) if "~~" in text else text


def clause(text: str) -> str:
    """The words of a rule: marker, emphasis and final `.` `!` off, white space collapsed (F6)."""
    bare = _MARKER.sub("", one_space(text), count=1)
    if not any(sign in bare for sign in "*_`"):
        return bare.rstrip(".!。！।｡ ").strip()
    parts, at = [], 0
    for code in _CODE.finditer(bare):
        parts += [_MARKUP.sub("", bare[at : code.start()]), code[0]]
        at = code.end()
    parts.append(_MARKUP.sub("", bare[at:]))
    return "".join(parts).strip().rstrip(".!。！।｡ ").strip()
