"""What a writer found of a digest, as it stands in a journal: `digest_check` of an `out`.

`journal-format.md` does not name this member, so no verdict of `semantics.md` rests on it; the
findings JG111 to JG113 do. A writer that has the texts compares them (`guard.digest`) and says the
outcome here; facts that the digest says in no way stand nowhere, they are what `elided` leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

MOST_ADDED = 100
"""So many claims of one digest are written down."""
LONGEST_CLAIM = 500
"""Characters of one claim that are written down."""


class DigestCheck(Struct, frozen=True, omit_defaults=True):
    """The outcome of a check; names are those of the facts in the journal (`scope:key`)."""

    altered: tuple[str, ...] = ()
    weakened: tuple[str, ...] = ()
    unproven: tuple[str, ...] = ()
    """Only a reader can tell whether these are kept."""
    added: tuple[str, ...] = ()
    """Words of the digest that claim an authority nobody gave."""


def noted(statuses: Mapping[str, str], added: Iterable[str]) -> dict[str, Any]:
    """The member `digest_check` from the status of each fact by name, and the claims."""
    said = {
        status: tuple(name for name, found in statuses.items() if found == status)
        for status in ("altered", "weakened", "unproven")
    }
    claims = tuple(text[:LONGEST_CLAIM] for text in added)[:MOST_ADDED]
    found: dict[str, Any] = msgspec.to_builtins(DigestCheck(**said, added=claims))
    return found


def check_of(member: Any) -> DigestCheck | None:
    """The check that a journal carries; None where there is none, or none of this shape."""
    if member is None:
        return None
    try:
        return msgspec.convert(member, DigestCheck)
    except msgspec.ValidationError:
        return None
