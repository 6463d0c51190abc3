"""What a tool call did: read or write, where, whether it can be undone, and how sure that is.

`classify(Call(...))` is the whole of it. The knowledge stands in `tables/`; the rules by which it
is used are `GUIDE.md` 1 of the labels, and their numbers (E1, M2) stand where they are applied.
"""

from guard.effects.judge import classify, team_rules
from guard.effects.model import (
    Call,
    Certainty,
    Domain,
    Judgement,
    Reversibility,
    label,
    read_ndjson,
)
from guard.effects.override import Override
from guard.effects.results import Outcome, outcome

__all__ = [
    "Call",
    "Certainty",
    "Domain",
    "Judgement",
    "Outcome",
    "Override",
    "Reversibility",
    "classify",
    "label",
    "outcome",
    "read_ndjson",
    "team_rules",
]
