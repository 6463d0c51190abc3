"""What a setting switches off, allowed by a sentence of the digest (labels guide D4, D8)."""

from collections.abc import Sequence
from typing import Final

from guard.digest.outcome import Verdict
from guard.digest.reading import sense
from guard.digest.source import Source
from guard.digest.statements import Statement, trimmed
from guard.facts.acts import act_of
from guard.facts.fact import Fact
from guard.facts.normalise import words_of
from guard.facts.wordlist import word_set

_OFF: Final = word_set("0 false none never no off")
_ON: Final = word_set("true on yes 1 read-only")
_CHANGING: Final = frozenset({"write", "change", "delete", "create"})
_ACTS: Final = _CHANGING | word_set(
    "retry restart push merge deploy release send force install upload spend approve migrate"
)
_ALSO: Final = {"attempts": "retry", "destroy": "delete", "publish": "release"}


def switched_off(fact: Fact) -> frozenset[str]:
    """The acts that a setting forbids: `max_retries: 0` retries, `read_only: true` writes."""
    leaf = words_of(fact.key.rsplit(".", maxsplit=1)[-1])
    if {"read", "only"} <= set(leaf) or fact.value == "read-only":
        return _CHANGING if fact.value in _ON else frozenset()
    if fact.value.casefold() not in _OFF:
        return frozenset()
    acts = {_ALSO.get(word) or act_of(word) for word in leaf}
    return frozenset(act for act in acts if act in _ACTS)


def permitted(fact: Fact, digest: Sequence[Statement], source: Source) -> Verdict | None:
    """`The uploader may retry` for `max_retries: 0`: the setting is gone, a permission stands."""
    acts = switched_off(fact)
    if not acts:
        return None
    for statement in digest:
        said = sense(statement.body or statement.text)
        if not acts & said.acts or statement.question or said.condition:
            continue
        if said.negative and said.forbids and not said.permits:
            why = "other words with the same sense (D6)"
            return Verdict("unproven", why, statement.text[:200], statement.line)
        if said.negative or not said.permits or statement.gone:
            continue
        if statement.forbidden or source.gave(statement.text):
            continue
        why = "the digest allows what this switches off (D4, D8)"
        claim = trimmed(statement.body or statement.text)
        line = statement.line
        return Verdict("dropped", why, statement.text[:200], line, ((claim, line),))
    return None
