"""Untrusted bytes in a frame: numbered lines, marked lines, folds that can be opened.

Nothing is left out silently: what is folded is counted and has a link, a long line is cut with the
number of characters that are left, and hidden characters are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from dashboard.visible import hidden

AROUND = 2
FEW = 30
LEAD = 12
OPENED = 200
LONGEST = 2_000
MARGIN = 200


class Mark(Struct, frozen=True):
    """A line that matters: `look` is out (lost), in (new) or empty; `needle` is underlined."""

    line: int
    look: str
    needle: str = ""


class Part(Struct, frozen=True):
    """A stretch of text with its own line numbers: a span, a digest, a payload."""

    label: str
    text: str
    marks: tuple[Mark, ...] = ()


class Line(Struct, frozen=True):
    """A numbered line, or a fold when `fold` says what is folded. `opens` is read by `opened`."""

    number: int = 0
    look: str = ""
    sign: str = ""
    parts: list[tuple[str, bool]] = []
    fold: str = ""
    opens: str = ""
    more: int = 0


class Frame(Struct, frozen=True):
    """A frame as it is drawn. `missing` says why there are no bytes."""

    name: str
    title: str
    place: str
    size: int
    hidden: int
    lines: list[Line]
    partial: str = ""
    missing: str = ""


class Opened(Struct, frozen=True):
    """What the reader opened: from this line (and character) of this part on."""

    part: int = -1
    line: int = 0
    column: int = 0
    everything: bool = False


CLOSED = Opened()


def opened(text: str) -> Opened:
    """Read `2.115` or `2.115.4000` from an address; `all` opens everything that fits."""
    if text == "all":
        return Opened(everything=True)
    pieces = text.split(".")
    if not 1 < len(pieces) < 4 or not all(
        p.isascii() and p.isdigit() and len(p) < 10 for p in pieces
    ):
        return CLOSED
    numbers = [int(piece) for piece in pieces]
    return Opened(numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else 0)


SIGNS = {"out": "−", "in": "+"}


def frame(
    name: str,
    title: str,
    parts: Sequence[Part],
    *,
    place: str = "",
    view: Opened = CLOSED,
    missing: str = "",
    partial: str = "",
) -> Frame:
    """Lay the parts out as lines; `name` is the frame's id and its name in the address."""
    lines: list[Line] = []
    marked = any(part.marks for part in parts)
    for number, part in enumerate(parts):
        named = len(parts) > 1 or bool(part.label)
        lead = not marked and number == 0
        lines += _part(number, part, view, labelled=named, lead=lead or len(parts) == 1)
    whole = "\n".join(part.text for part in parts)
    return Frame(
        name=name,
        title=title,
        place=place,
        size=len(whole.encode("utf-8", "surrogatepass")),
        hidden=sum(hidden(whole).values()),
        lines=lines,
        missing=missing,
        partial=partial,
    )


def _part(number: int, part: Part, view: Opened, *, labelled: bool, lead: bool) -> Iterator[Line]:
    texts = part.text.split("\n")
    marks: dict[int, list[Mark]] = {}
    for mark in part.marks:
        marks.setdefault(mark.line, []).append(mark)
    mine = view if view.part == number else Opened(everything=view.everything)
    shown = _shown(len(texts), marks, mine, lead=lead)
    if labelled and not shown:
        folded = _fold(number, 1, len(texts))
        yield Line(fold=f"{part.label} · {folded.fold}", opens=folded.opens)
        return
    if labelled:
        yield Line(fold=part.label)
    last = 0
    for at in shown:
        if at > last + 1:
            yield _fold(number, last + 1, at - 1)
        column = view.column if (view.part, view.line) == (number, at) else 0
        yield _line(number, at, texts[at - 1], marks.get(at, []), column)
        last = at
    if last < len(texts):
        yield _fold(number, last + 1, len(texts))


def _shown(count: int, marks: Mapping[int, object], view: Opened, *, lead: bool) -> list[int]:
    if count <= FEW and (lead or marks or view.everything or view.line):
        return list(range(1, count + 1))
    near = {
        line
        for mark in marks
        for line in range(mark - AROUND, mark + AROUND + 1)
        if 1 <= line <= count
    }
    if view.line:
        near |= set(range(view.line, min(count, view.line + OPENED - 1) + 1))
    elif view.everything:
        near |= set(range(1, min(count, OPENED * 5) + 1))
    elif lead and not near:
        near = set(range(1, min(count, LEAD) + 1))
    return sorted(near)


def _fold(part: int, low: int, high: int) -> Line:
    what = f"line {low:,} folded" if low == high else f"lines {low:,} to {high:,} folded"
    return Line(fold=what, opens=f"{part}.{low}")


def _line(part: int, number: int, text: str, marks: list[Mark], column: int) -> Line:
    look = marks[0].look if marks else ""
    needles = [mark.needle for mark in marks if mark.needle]
    start = column
    if not start and len(text) > LONGEST:
        first = min((at for at in map(text.find, needles) if at >= 0), default=0)
        start = max(0, first - MARGIN)
    piece = text[start : start + LONGEST]
    parts = list(_cut(piece, needles))
    if start:
        parts.insert(0, (f"[{start:,} characters before] ", False))
    left = len(text) - start - len(piece)
    return Line(
        number=number,
        look=look,
        sign=SIGNS.get(look, ""),
        parts=parts,
        more=left,
        opens=f"{part}.{number}.{start + LONGEST}" if left else "",
    )


def _cut(text: str, needles: list[str]) -> Iterator[tuple[str, bool]]:
    """Cut a line at its needles, the first of each."""
    places = sorted((at, needle) for needle in needles if needle and (at := text.find(needle)) >= 0)
    last = 0
    for at, needle in places:
        if at < last:
            continue
        if at > last:
            yield text[last:at], False
        yield needle, True
        last = at + len(needle)
    if last < len(text) or not text:
        yield text[last:], False
