"""The tables: every row can be read, every name stands once, every reader is used."""

from __future__ import annotations

import re

import pytest

from guard.effects.readers import READERS
from guard.effects.tables import Row, Tool, programs, table, tools_in

FILES = sorted(set(programs().values()))
TABLES = ["browser", "clients", "code", "http", "own_commands", "places", "powershell", "results",
          "shells", "sql", "tools", "words"]  # fmt: skip


def _tools() -> list[Tool]:
    return [tool for file in FILES for tool in tools_in(file).values()]


def _rows(tool: Tool) -> list[Row]:
    return [*tool.anywhere, *(row for rows in tool.by_word.values() for row in rows)]


@pytest.mark.parametrize("file", FILES)
def test_every_row_of_a_file_can_be_read_and_gives_a_reason(file: str) -> None:
    for tool in tools_in(file).values():
        assert _rows(tool), tool.name
        assert all(row.why for row in _rows(tool)), tool.name


def test_every_name_stands_in_one_file_only() -> None:
    names = [name for file in FILES for name in tools_in(file)]
    assert sorted(names) == sorted(set(names))
    assert set(names) == set(programs())


def test_hundreds_of_programs_are_known() -> None:
    assert len(programs()) > 1_500
    assert sum(len(tools_in(file)) for file in FILES) == len(programs())


def test_every_reader_is_named_by_a_row_and_every_row_names_a_reader() -> None:
    named = {row.label.arg for tool in _tools() for row in _rows(tool) if row.label.kind == "by"}
    assert named == set(READERS)


@pytest.mark.parametrize("name", TABLES)
def test_every_other_table_can_be_decoded(name: str) -> None:
    assert table(name)


def test_a_broken_row_is_named() -> None:
    from guard.effects.tables import _row

    with pytest.raises(
        ValueError, match=re.escape("tables: git push -n: no label of ours: 'reed'")
    ):
        _row("git", "push", "-n", "reed", "a reason")


def test_a_row_that_an_earlier_one_hides_is_no_row() -> None:
    hidden = [
        f"{tool.name}: {row.why}"
        for tool in _tools()
        for at, row in enumerate(tool.anywhere)
        if any(not before.verb and not before.when for before in tool.anywhere[:at])
    ]
    assert hidden == []
