"""Many parts to one judgement: the worst part names the call (`GUIDE.md` 1.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from guard.effects.model import Domain, Judgement, Part, read

_BY_CLASS = {"reversible": 1, "unknown": 2, "irreversible": 3}
_BY_DOMAIN = {domain: place for place, domain in enumerate(get_args(Domain))}
_NOTHING = read("nothing runs", "no command")


def rank(part: Part) -> tuple[int, int, int]:
    """Irreversible over unknown over reversible over read; proven first; the farther domain first.

    Of two reads the one that is only possible is worse: what it hides may be a write.
    """
    if not part.write:
        return (0, int(part.certainty == "possible"), 0)
    return (
        _BY_CLASS[part.reversibility],
        int(part.certainty == "proven"),
        _BY_DOMAIN[part.domain],
    )


def judgement_of(parts: Sequence[Part]) -> Judgement:
    """The judgement that the worst of the parts gives; the first of equals."""
    worst = max(parts, key=rank, default=_NOTHING)
    used = dict.fromkeys(part.override for part in parts if part.override is not None)
    return Judgement(
        write=worst.write,
        reversibility=worst.reversibility,
        domain=worst.domain,
        certainty=worst.certainty,
        why=worst.why,
        inverse=worst.inverse,
        target=worst.target,
        summary=worst.summary or None,
        rule=worst.rule,
        overridden=tuple(used),
    )
