"""Tables of settings: `setting | value`, a column for each environment, database answers (F2)."""

import re
from collections.abc import Iterator

from guard.facts.fact import Setting
from guard.facts.sentences import without_struck
from guard.facts.wordlist import word_set

_RULED = re.compile(r"^[\s|:+-]*-{2,}[\s|:+-]*$")
_NAMES = word_set(
    """
    setting settings key name option parameter variable property field config flag item env
    attribute
    """
)
_VALUES = word_set("value values setting current effective now wert valeur valor")
_PLACES = word_set(
    """
    env environment environments stage cluster region service services component client job host
    umgebung
    """
)
_DESCRIBES = word_set(
    """
    description meaning notes note comment comments type default example unit reason owner who
    details price cost explanation purpose required doc docs since version boot_val context
    category
    """
)
_EMPTY = frozenset({"", "-", "—", "–", "n/a"})
MOST_ROWS = 400
"""Rows of one table that are read."""


def read_table(rows: list[tuple[int, str]]) -> Iterator[Setting]:
    """The settings of one table, given as numbered lines."""
    table = [(number, _cells(line)) for number, line in rows[:MOST_ROWS] if not _RULED.match(line)]
    if len(table) < 2 or not any(_RULED.match(line) for _, line in rows[:3]):
        return
    header = [cell.lower().strip("`* ") for cell in table[0][1]]
    columns = _columns(header)
    for number, cells in table[1:]:
        yield from _row(number, cells, header, columns)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in without_struck(line).strip().strip("|").split("|")]


def _columns(header: list[str]) -> list[tuple[int, bool]]:
    """Columns that hold values, and whether their heading is a parent of the row's name."""
    named = [i for i, cell in enumerate(header) if i and cell in _VALUES]
    if named:
        return [(named[0], False)]
    if header[0] and header[0] not in _NAMES | _PLACES:
        return []
    return [(i, True) for i, cell in enumerate(header) if i and cell and cell not in _DESCRIBES]


def _row(
    number: int, cells: list[str], header: list[str], columns: list[tuple[int, bool]]
) -> Iterator[Setting]:
    name = cells[0].strip("`* ") if cells else ""
    if not name or len(name) > 80:
        return
    for column, parent in columns:
        if column < len(cells) and cells[column].strip("`") not in _EMPTY:
            path = (header[column], name) if parent else (name,)
            yield Setting(
                path,
                cells[column].strip("* "),
                number,
                "settings" if _plain(name) else "prose",
                number,
            )


def _plain(name: str) -> bool:
    """A name without blanks may be a setting of its own; words are believed less."""
    return " " not in name
