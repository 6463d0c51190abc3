"""Search by words behind one door: PostgreSQL's text index, or FTS5 of SQLite.

Both see words that were taken apart here, so that they find the same and no character of a query
means anything to either: a query is words, all of which must be there, the last one as a beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

MOST_WORDS = 4_000
LONGEST_WORD = 64
MOST_ASKED = 12
_WORD = re.compile(r"[^\W_]+")
_SQLITE = "SELECT rowid FROM dashboard_search WHERE dashboard_search MATCH %s"
_POSTGRES = "SELECT id FROM dashboard_searchrow WHERE lexemes @@ %s::tsquery"


def words(*texts: str) -> str:
    """The words of texts, each once, as a row keeps them."""
    found = dict.fromkeys(word for text in texts for word in _words(text))
    return " ".join(list(found)[:MOST_WORDS])


def matching(rows: QuerySet[Any], q: str) -> QuerySet[Any]:
    """Rows of `SearchRow` that have every word of a query; none for a query without a word."""
    asked = list(dict.fromkeys(_words(q)))[:MOST_ASKED]
    if not asked:
        return rows.none()
    if connection.vendor == "postgresql":
        query = " & ".join(f"'{word}'" for word in asked) + ":*"
        return rows.filter(pk__in=RawSQL(_POSTGRES, [query]))  # noqa: S611
    query = " AND ".join(f'"{word}"' for word in asked) + "*"
    return rows.filter(pk__in=RawSQL(_SQLITE, [query]))  # noqa: S611


def excerpt(text: str, q: str, around: int = 80) -> str:
    """The part of a text around the first of the query's words."""
    places = [text.casefold().find(word) for word in _words(q)]
    place = min((found for found in places if found >= 0), default=0)
    start, end = max(0, place - around), place + 2 * around
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def _words(text: str) -> Iterable[str]:
    return (word[:LONGEST_WORD] for word in _WORD.findall(text.casefold()))
