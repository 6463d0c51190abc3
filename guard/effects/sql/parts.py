"""Statements of a text to parts, at the database that the call shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from guard.effects.model import Part, opaque, read
from guard.effects.places import file_part
from guard.effects.targets import Reach, class_of, reached

if TYPE_CHECKING:
    from guard.effects.sql.statements import Statement


def statements_of(text: str, dialect: str) -> tuple[Statement, ...]:
    """What a text does. The SQL library loads here: only few calls need its 0.2 s."""
    from guard.effects.sql.statements import statements

    return statements(text, dialect)


def sql_parts(
    text: str, dialect: str, reach: Reach, *, summary: str = "", target: str | None = None
) -> list[Part]:
    """What an SQL text does; a text that changes nothing gives one read."""
    summary = summary or " ".join(text.split())[:120]
    found = [_part(one, reach, summary, target) for one in statements_of(text, dialect)]
    return found or [read("nothing of it is kept", "sql", summary=summary)]


def _part(one: Statement, reach: Reach, summary: str, target: str | None) -> Part:
    rule = f"sql: {one.does}"
    match one.does:
        case "read":
            return read(one.why, rule, summary=summary)
        case "write":
            part = reached(reach, one.why, rule, one.certainty, summary=summary, target=target)
            return msgspec.structs.replace(part, target=target)
        case "message":
            sort = class_of(reach)
            return Part(True, sort, "message", one.certainty, one.why, rule, summary, target)
        case "file":
            return file_part([], one.why, rule, summary=summary)
        case "call":
            return opaque(one.why, rule, "database", summary)
