"""A digest cut into sentences, each with what stands around it (labels guide D4, D7, D8)."""

import re
from collections.abc import Iterator

import msgspec

from guard.facts.sentences import sentences, without_struck

_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
_HEADING = re.compile(
    r"\s*#{1,6}\s+(.+)|\s*(?:\d{1,2}[.)]\s+)?([A-Z][^.!?\n]{1,60}?)\s*[:：]\s*$|"
    r"\s*\*\*([^*\n]{2,60})\*\*\s*:?\s*$"
)
_MARK = re.compile(r"\s*(?:[-*+•]\s+(?:\[[ xX]\]\s+)?|\(?\d{1,3}[.)]\s+|>\s*)+")
_LABEL = re.compile(r"\s*([^\W\d][\w /'’-]{1,40}?)\s*[:：]\s+(?=\S)")
_ROW = re.compile(r"\s*\|.*\|\s*$")
_RULED = re.compile(r"[\s|:+-]*-{2,}[\s|:+-]*$")
_STRUCK = re.compile(r"~~([^~]+)~~")
_DIFF = re.compile(r"([-+])(?=[\w\"'.])")
_OPENS = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*(?::\s*\{?|\{)\s*$")
"""`http:`, `"http": {`, `http {`: the settings below belong to it."""
_SECTION = re.compile(r"\s*\[([\w.-]+)\]\s*$")
_SETTING = re.compile(r"\s*[\w.-]+\s*=")
_COMMENT = re.compile(r"\s*(?:#|//|;)\s*\S")
_COMMENTED_KEY = re.compile(r"\s+(?:#|//)\s*[\w.-]+\s*[:=]\s*\S")
"""An indented setting behind a comment sign: commented out, also outside a fence."""
PENDING = re.compile(
    r"\b(?:next|pending|to[- ]?dos?|steps? left|remaining|left to do|open (?:tasks?|"
    r"items?)|plan(?:ned)?|current work|in progress|upcoming|backlog|"
    r"nächste\w*|offen\w*|prochain\w*|restant\w*|siguiente\w*|pendiente\w*|"
    r"próxim\w*|prossim\w*|下一步|待办|次|残り|다음|дальше|след\w*)\b|下一步|待办|"
    r"次は|다음",
    re.IGNORECASE,
)
FORBIDDING = re.compile(
    r"^\W*(?:\w+ ){0,3}?(?:never|do not|don['’]?ts?|must not|may not|not allowed|"
    r"forbidden|prohibited|off[- ]limits|no[- ]gos?|verboten|nicht|niemals|"
    r"interdit\w*|"
    r"ne pas|prohibid\w+|no hacer|proibid\w+|vietat\w+|禁止|不要|しない|금지|нельзя|запрещ\w+)\b",
    re.IGNORECASE,
)
MOST_STATEMENTS = 4_000
"""Different sentences of a digest that are read."""
LONGEST_SENTENCE = 2_000
"""Characters of one sentence that are read together."""
LONGEST = 400_000
"""Characters of a digest that are read."""


class Statement(msgspec.Struct):
    """A sentence of the digest and its surroundings."""

    text: str
    line: int
    section: str = ""
    """The heading or lead above it."""
    label: str = ""
    """`Next` in `Next: deploy.`"""
    body: str = ""
    """The sentence without its label."""
    gone: bool = False
    """Commented out, struck, or removed in a diff."""
    cells: tuple[tuple[str, str], ...] = ()
    """For a row of a table: heading and cell, without the first column."""

    parents: str = ""
    """The names above a line of nested settings: `http.client`."""

    @property
    def pending(self) -> bool:
        """Does it stand in a list of what is still to be done?"""
        return bool(PENDING.search(self.label) or (not self.label and PENDING.search(self.section)))

    @property
    def told(self) -> bool:
        """Does its label say that it tells of the task, not what to do now?"""
        return bool(_TELLS.match(self.label))

    @property
    def forbidden(self) -> bool:
        """Does it stand under a prohibiting heading or label?"""
        return bool(FORBIDDING.match(self.label) or FORBIDDING.match(self.section))

    @property
    def question(self) -> bool:
        """Is it only asked?"""
        return self.text.rstrip(" \"'*”)").endswith(("?", "？", "؟")) or bool(
            _OPEN.search(f"{self.label}:") or _WHETHER.match(self.text)
        )


_TELLS = re.compile(
    r"\W*(?:goal|objective|title|background|context|intent|findings?|history|"
    r"timeline|problem|summary|ziel|objetivo|objectif)\b|.*\brequest\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\bopen (?:question|point)s?\b|\bunclear\b|\btbd\b|\bto be decided\b", re.IGNORECASE
)
_WHETHER = re.compile(
    r"\W*(?:\w+[:,]? ){0,3}?(?:ask|clarify|decide|find out|check|(?:not|un)\s?sure) whether\b",
    re.IGNORECASE,
)


def statements(digest: str) -> tuple[list[Statement], tuple[str, ...]]:
    """The statements of a digest in order, each wording once; and what was left unread."""
    unread = (f"characters after {LONGEST}",) if len(digest) > LONGEST else ()
    found: dict[tuple[str, str, str, str, bool], Statement] = {}
    for statement in _Reader().read(digest[:LONGEST]):
        if len(found) >= MOST_STATEMENTS:
            return list(found.values()), (*unread, f"sentences after {MOST_STATEMENTS}")
        place = (statement.section, statement.label, statement.parents)
        key = (statement.text, *place, statement.gone)
        found.setdefault(key, statement)
    return list(found.values()), unread


class _Reader:
    """Remembers the section, the fence and the heading of the table."""

    def __init__(self) -> None:
        self.section = ""
        self.fenced = False
        self.header: list[str] | None = None
        self.nested: list[tuple[int, str]] = []

    def read(self, digest: str) -> Iterator[Statement]:
        for number, line in enumerate(digest.split("\n"), 1):
            if _FENCE.match(line):
                self.fenced, self.nested = not self.fenced, []
            elif line.strip():
                yield from self._line(number, line)
            else:
                self.header = None

    def _line(self, number: int, line: str) -> Iterator[Statement]:
        if _ROW.match(line) and line.count("|") > 2:
            yield from self._row(number, line)
            return
        self._nest(line)
        gone = line.lstrip().startswith("-") and _DIFF.match(line.lstrip()) is not None
        gone = gone or (_COMMENT if self.fenced else _COMMENTED_KEY).match(line) is not None
        heading = None if self.fenced else _HEADING.fullmatch(line)
        if heading:
            self.section = next(filter(None, heading.groups()))
        yield from self._sentences(number, line, gone=gone)

    def _nest(self, line: str) -> None:
        """Keep the names that a line of fenced settings stands under."""
        section = _SECTION.match(line)
        if section:
            self.nested = [(-1, section[1])]
            return
        if not self.fenced:
            self.nested = self.nested if _SETTING.match(line) else []
            return
        indent = len(line) - len(line.lstrip())
        self.nested = [one for one in self.nested if one[0] < indent]
        opened = _OPENS.match(line)
        if opened:
            self.nested.append((indent, opened[1]))

    def _sentences(self, number: int, line: str, *, gone: bool) -> Iterator[Statement]:
        kept = without_struck(line)
        for struck in _STRUCK.findall(line):
            yield Statement(struck, number, self.section, "", struck, gone=True)
        mark = _MARK.match(kept)
        bare = kept[mark.end() :] if mark else kept.lstrip("+ ") if _DIFF.match(kept) else kept
        label = ""
        pieces = [(0, bare)] if self.fenced else sentences(bare)
        for text in (chunk for _, sentence in pieces for chunk in _chunks(sentence.strip())):
            found = _LABEL.match(text)
            own = found[1] if found and len(found[1].split()) <= 5 else ""
            label = own or label
            body = text[found.end() :] if found and own else text
            if text:
                parents = ".".join(name for _, name in self.nested)
                yield Statement(text, number, self.section, label, body, gone, parents=parents)

    def _row(self, number: int, line: str) -> Iterator[Statement]:
        cells = [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]
        if self.header is None:
            self.header = cells
        elif not _RULED.match(line):
            pairs = tuple(zip(self.header[1:], cells[1:], strict=False))
            yield Statement(" | ".join(cells), number, self.section, "", cells[0], False, pairs)


def _chunks(sentence: str) -> Iterator[str]:
    """A sentence longer than any sentence is read in pieces."""
    for start in range(0, len(sentence), LONGEST_SENTENCE):
        yield sentence[start : start + LONGEST_SENTENCE]


def trimmed(piece: str) -> str:
    """A piece of a digest without its final stop and without half a pair of quotes."""
    bare = piece.strip(" .。").removesuffix("**").removeprefix("**")
    for sign in "\"'":
        if bare.count(sign) == 1:
            bare = bare.strip(f"{sign} .。")
    return bare.strip("“”") if bare.count("“") != bare.count("”") else bare
