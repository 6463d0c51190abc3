"""Native JSON whose shape nobody promised: the part that has the shape, or nothing."""

from __future__ import annotations

from typing import Any

from guard.adapters.emit_shown import safe_id

Members = dict[str, Any]


def members_of(value: Any) -> Members:
    """An object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def objects_in(value: Any) -> list[Members]:
    """The objects of a list; nothing for what is none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def id_of(members: Members) -> str:
    """The native `id` as the id of a span."""
    return safe_id(str(members.get("id")))


def total(*counts: Any) -> int:
    """The sum of those that are counts."""
    return sum(count for count in counts if isinstance(count, int) and count > 0)
