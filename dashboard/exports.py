"""Tables and cases as files: CSV, JSON, Markdown, HTML. Each escapes for what reads it.

A spreadsheet runs a cell that begins with `= + - @`, a tab or a line end, also behind a delimiter;
such a cell gets a `'` in front. Hidden characters stand as `[U+200B]` in every format but JSON,
which has its own escapes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.http import HttpResponse
from django.utils.http import content_disposition_header

from dashboard import times
from dashboard.visible import plain

MOST_ROWS = 200_000
_FORMULA = re.compile(r"^[\s\x00]*[=+\-@\t\r\n\x00]|[,;\t][\s\x00]*[=+\-@]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>&~$])")
_FILE_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def cell(value: object) -> str | int | float:
    """A value as a spreadsheet may hold it."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raw = times.stamp(value) if isinstance(value, datetime) else str(value)
        text = plain(raw).replace("\n", " ")
        return f"'{text}" if _FORMULA.search(raw) or _FORMULA.search(text) else text
    return value


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV (RFC 4180). Beyond `MOST_ROWS` a last row says that the rest is left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(head)
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            writer.writerow([f"left out: all rows after the first {MOST_ROWS}"])
            break
        writer.writerow([cell(value) for value in row])
    return out.getvalue()


def markdown(text: str) -> str:
    """Text in which no character means anything to Markdown or HTML."""
    return _MARKDOWN.sub(r"\\\1", plain(text)).replace("\n", "  \n")


def file_name(*parts: str) -> str:
    """A name that is safe in a header and on every disk."""
    return _FILE_NAME.sub("-", "-".join(parts)).strip("-.")[:120] or "export"


def attachment(data: str | bytes, name: str, content_type: str) -> HttpResponse:
    """A download; the name is given as RFC 6266 asks."""
    answer = HttpResponse(data, content_type=content_type)
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def table(
    kind: str, name: str, head: Sequence[str], rows: Iterable[Sequence[object]]
) -> HttpResponse:
    """A table as a download: `csv`, or `json` as a list of objects."""
    if kind == "csv":
        return attachment(csv_text(head, rows), f"{name}.csv", "text/csv; charset=utf-8")
    found = [dict(zip(head, map(_json_value, row), strict=True)) for row in _cut(rows)]
    data = indented(found)
    return attachment(data, f"{name}.json", "application/json")


def _cut(rows: Iterable[Sequence[object]]) -> Iterable[Sequence[object]]:
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            return
        yield row


def _json_value(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return value


def indented(found: object) -> bytes:
    """JSON that a person can read too."""
    return msgspec.json.format(msgspec.json.encode(found), indent=2)
