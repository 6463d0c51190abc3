"""Cut a text into headings, list items, paragraphs, fences, tables and log lines.

One pass over the lines; a block knows the lines it stands on and the headings above it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

import msgspec

Form = Literal["heading", "item", "para", "fence", "table", "log", "pair"]

_FENCE = re.compile(r"\s{0,12}(`{3,}|~{3,})\s*([\w.+-]*)(.*)")
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_ITEM = re.compile(
    r"(\s{0,40})(?:[-*+•·–‣]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+(?=\S)(?:\[[ xX]\]\s+)?"
)
_INLINE = re.compile(r"^\(?1[.)]\s.*\s\(?2[.)]\s")
_PAIR = re.compile(
    r"(?:[-*+]\s+)?[`*\"]{0,2}[A-Za-z][\w.-]{0,60}[`*\"]{0,2}\s?[:=]\s{0,8}(?=\S{0,9}[^\W_])\S{1,200}$"
)
_LOG = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN|WARNING|"
    r"ERROR|FATAL)\b[: \]]"
    r"|npm (?:warn|err|notice)|level=\w"
)
_SET_APART = frozenset("-=*_+ :<>")
_LOG_FIRST = frozenset("[0123456789TDIWEFnl")
_ITEM_FIRST = frozenset("-*+•·–‣(0123456789")
_RULE_OFF = re.compile(r"\s*(?:[-=*_]{3,}|[-+| :]{3,})\s*$")
_ENDED = (".", "!", "?", ":", ";", "。", "！", "？", "।", "…")
WRAP_WIDTH = 50
"""A line shorter than this, followed by a capital letter, was not wrapped: it ended."""


class Block(msgspec.Struct):
    """A piece of text that is read as one, with its place."""

    form: Form
    lines: list[tuple[int, str]]
    heading: str = ""
    lead: str = ""
    """The line ending in `:` that opens this list, if there is one."""
    info: str = ""
    depth: int = 0

    @property
    def line(self) -> int:
        """1-based line it begins on."""
        return self.lines[0][0]

    def joined(self) -> "Joined":
        """Its lines as one text, with the way back to line numbers."""
        return Joined(self.lines)


class Joined:
    """Lines put together by single spaces; `line_at` finds the line of an offset."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        starts, parts, size = [], [], 0
        for _, text in lines:
            starts.append(size)
            parts.append(text.strip())
            size += len(parts[-1]) + 1
        self._starts = starts
        self._numbers = [number for number, _ in lines]
        self.text = " ".join(parts)

    def line_at(self, offset: int) -> int:
        """1-based line of a character of `text`."""
        return self._numbers[max(0, bisect_right(self._starts, offset) - 1)]


class _Cutter:
    """Holds the block that is growing and the headings above it."""

    def __init__(self) -> None:
        self.current: Block | None = None
        self.heading = ""
        self.lead = ""
        self.lead_depth = -1

    def start(self, form: Form, number: int, text: str, **more: str | int) -> Iterator[Block]:
        yield from self.flush()
        depth = int(more.get("depth", 0))
        if form == "item" and 0 <= depth <= self.lead_depth:
            self.lead, self.lead_depth = "", -1
        self.current = Block(form, [(number, text)], self.heading, self.lead)
        self.current.info = str(more.get("info", ""))
        self.current.depth = depth

    def flush(self) -> Iterator[Block]:
        if self.current is not None:
            if self.current.form == "table" and not _ruled(self.current):
                self.current.form = "para"
            yield self.current
            self._remember_lead(self.current)
            self.current = None

    def _remember_lead(self, block: Block) -> None:
        """A line ending in `:` speaks for the list below it."""
        last = block.lines[-1][1].strip().strip("*_ ")
        opens = last.endswith((":", "："))
        if block.form == "para" or (block.form == "item" and opens):
            self.lead = last if opens else ""
            self.lead_depth = block.depth if block.form == "item" else -1

    def plain(self, number: int, text: str) -> Iterator[Block]:
        grown = self.current
        if grown is None or not _goes_on(grown, text):
            yield from self.start("para", number, text)
        else:
            grown.lines.append((number, text))


def _ruled(block: Block) -> bool:
    """A table has a ruled line below its heading."""
    return any(_RULE_OFF.match(line) and "-" in line for _, line in block.lines[1:3])


def _goes_on(block: Block, text: str) -> bool:
    """Is this line the wrapped rest of the block?"""
    if block.form not in {"para", "item"}:
        return False
    before = block.lines[-1][1].rstrip()
    indented = text[:1] in {" ", "\t"}
    if block.form == "item" and indented:
        return True
    if before.endswith(_ENDED):
        return block.form == "para" and not before.endswith((":", "："))
    if block.form == "item" and len(before) < WRAP_WIDTH:
        return False
    first = text.lstrip()[:1]
    return not (first.isupper() and len(before) < WRAP_WIDTH)


def cut(text: str, first_line: int = 1) -> Iterator[Block]:
    """The blocks of a text in order. Block quotes (`>`) and HTML comments are left out."""
    cutter = _Cutter()
    fence: tuple[str, Block] | None = None
    for number, line in enumerate(text.split("\n"), first_line):
        if fence is not None:
            if line.strip().startswith(fence[0]):
                yield fence[1]
                fence = None
            else:
                fence[1].lines.append((number, line))
            continue
        opened = _FENCE.match(line) if "``" in line or "~~~" in line else None
        if opened:
            yield from cutter.flush()
            info = f"{opened[2]}{opened[3]}"
            fence = (opened[1], Block("fence", [(number, "")], cutter.heading, cutter.lead, info))
        else:
            yield from _line(cutter, number, line)
    if fence is not None:
        yield fence[1]
    yield from cutter.flush()


def _line(cutter: _Cutter, number: int, line: str) -> Iterator[Block]:
    bare = line.strip()
    if not bare or (bare[0] in _SET_APART and _parts(bare)):
        yield from cutter.flush()
    elif bare[0] == "#" and (found := _HEADING.match(bare)):
        yield from cutter.flush()
        cutter.heading, cutter.lead = found[2], ""
        yield Block("heading", [(number, found[2])], found[2], depth=len(found[1]))
    elif "|" in bare or (cutter.current is not None and cutter.current.form == "table"):
        yield from _table_line(cutter, number, line)
    elif bare[0] in _LOG_FIRST and _LOG.match(bare):
        yield from cutter.start("log", number, bare)
    elif (found := _item(line, bare)) is not None:
        yield from cutter.start("item", number, line[found.end() :], depth=len(found[1]))
    elif (":" in bare or "=" in bare) and _PAIR.fullmatch(bare):
        yield from cutter.start("pair", number, bare, depth=len(line) - len(line.lstrip()))
    else:
        yield from cutter.plain(number, line)


def _parts(bare: str) -> bool:
    """A ruled line, a quotation or an HTML comment ends what stood before."""
    if bare[0] == ">" or bare.startswith("<!--"):
        return True
    return "|" not in bare and "+" not in bare and _RULE_OFF.fullmatch(bare) is not None


def _item(line: str, bare: str) -> re.Match[str] | None:
    if bare[0] not in _ITEM_FIRST and bare[1:2] not in {".", ")"}:
        return None
    return None if _INLINE.search(bare) else _ITEM.match(line)


def _table_line(cutter: _Cutter, number: int, line: str) -> Iterator[Block]:
    grown = cutter.current
    if grown is not None and grown.form == "table" and ("|" in line or "+" in line):
        grown.lines.append((number, line))
    elif "|" in line and (line.count("|") > 1 or " | " in line):
        yield from cutter.start("table", number, line)
    else:
        yield from cutter.plain(number, line)
