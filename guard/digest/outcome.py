"""What the check of a digest says (labels guide, section 3)."""

from typing import Literal

import msgspec

from guard.facts.fact import Fact

Status = Literal["kept", "altered", "dropped", "weakened", "unproven"]


class Checked(msgspec.Struct, frozen=True):
    """One fact, and what became of it in the digest."""

    fact: Fact
    status: Status
    found: str | None
    """The words of the digest that decided, or None if there were none."""
    line: int | None
    """1-based line of the digest, or None."""
    why: str
    """One sentence for a reviewer; names the rule of the guide."""


class Added(msgspec.Struct, frozen=True):
    """Authority that the digest claims and no source gave (D8)."""

    text: str
    """Exact substring of the digest."""
    line: int
    why: str


class Comparison(msgspec.Struct, frozen=True):
    """A digest held against the facts it was to keep."""

    checked: tuple[Checked, ...]
    """In the order of the facts."""
    added: tuple[Added, ...]
    unread: tuple[str, ...] = ()
    """What of the digest was not read, for want of bounds; empty when all was read."""


class Verdict(msgspec.Struct, frozen=True):
    """A status before it is tied to its fact."""

    status: Status
    why: str
    found: str | None = None
    line: int | None = None
    claims: tuple[tuple[str, int], ...] = ()
    """Pieces of the digest that this verdict shows to be added authority."""
