"""Gating facts of a text (labels guide, F; `semantics.md` 3; `journal-format.md` 2)."""

from guard.facts.extraction import read
from guard.facts.fact import Extraction, Fact, Kind
from guard.facts.journal_form import as_journal, named
from guard.facts.labels import label_facts
from guard.facts.normalise import normalise_key, normalise_value

__all__ = [
    "Extraction",
    "Fact",
    "Kind",
    "as_journal",
    "extract",
    "label_facts",
    "named",
    "normalise_key",
    "normalise_value",
    "read",
]


def extract(text: str, scope: str) -> list[Fact]:
    """The gating facts of a text, in its order; `read` also says what was left unread."""
    return list(read(text, scope).facts)
