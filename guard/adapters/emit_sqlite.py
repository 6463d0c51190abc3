"""Rows of a SQLite database as lines of JSON, for runtimes that keep their sessions in one.

The database may be in use: it is opened read-only and never locked for longer than one query.
"""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import msgspec

from guard.adapters.base import SourceFile

MAGIC = b"SQLite format 3\0"


class Rows(SourceFile, frozen=True):
    """The rows that one query gives, each a line. Columns of JSON stay JSON."""

    query: str
    parameters: tuple[str, ...] = ()
    json_columns: frozenset[str] = frozenset()

    def lines(self) -> Iterator[bytes]:
        """One object for each row, its members named as the columns."""
        for row in select(self, self.query, self.parameters):
            members = {
                name: _raw(value) if name in self.json_columns else value
                for name, value in row.items()
            }
            yield msgspec.json.encode(members) + b"\n"

    def open(self) -> BinaryIO:
        """All lines at once, for whoever wants to see the head."""
        return io.BytesIO(b"".join(self.lines()))


def _raw(value: object) -> object:
    return msgspec.Raw(value.encode()) if isinstance(value, str) and value else value


def select(
    file: SourceFile, query: str, parameters: tuple[str, ...] = ()
) -> Iterator[dict[str, object]]:
    """The rows of a query. Raises `sqlite3.Error` for what is no database or lacks the table."""
    with closing(_connect(file)) as connection:
        cursor = connection.execute(query, parameters)
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))


def _connect(file: SourceFile) -> sqlite3.Connection:
    if isinstance(file.origin, bytes):
        connection = sqlite3.connect(":memory:")
        connection.deserialize(file.origin)
        return connection
    return _read_only(file.origin)


def _read_only(path: Path) -> sqlite3.Connection:
    """A live database by its log as well; a copy without its log in a folder nobody may write."""
    uri = path.resolve().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        return sqlite3.connect(f"{uri}?immutable=1", uri=True)
    return connection
