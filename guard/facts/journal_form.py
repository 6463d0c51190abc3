"""Facts as a journal carries them: `"scope:key"` -> value (`journal-format.md` 2).

A name stands once in that map, but a scope may say several rules, several elements of a list, or a
key in several mappings. Such a fact gets a mark of its own value into its scope
(`user#1f0c…:rule`). The mark depends on nothing else, so the same sentence meets itself wherever it
is read, and none pushes another out. Rules and keys of lists are always marked: what is left of a
list in a digest must meet the same names. A `:` in a key would move the border between scope and
key; it becomes `/`.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable

from guard.facts.fact import Fact

MARK_DIGITS = 12
"""Hexadecimal digits of the sha256 of a value: 48 bits, enough for the facts of one scope."""
_LISTS = re.compile(
    r"(?:^|[._])(?:(?:allow|den|block|permit|forbid|exclude|include)\w*|ask|args|verbs|resources|"
    r"scopes|cap_add|cap_drop|cidr_blocks)$"
)
_ONE = re.compile(r"true|false|none|\d\S*")


def as_journal(facts: Iterable[Fact]) -> dict[str, str]:
    """The map for the `facts` of a span or an `out`, in the order of the facts."""
    return {name: fact.value for name, fact in named(facts).items()}


def named(facts: Iterable[Fact]) -> dict[str, Fact]:
    """Facts of one content by their names in the journal, which tell several rules apart."""
    found = list(facts)
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for fact in found:
        values[fact.scope, fact.key].add(fact.value)
    return {_name(fact, len(values[fact.scope, fact.key])): fact for fact in found}


def _name(fact: Fact, different: int) -> str:
    key = fact.key.replace(":", "/")
    listed = _LISTS.search(fact.key) and not _ONE.fullmatch(fact.value)
    if fact.kind != "rule" and different == 1 and not listed:
        return f"{fact.scope}:{key}"
    mark = hashlib.sha256(fact.value.encode()).hexdigest()[:MARK_DIGITS]
    return f"{fact.scope}#{mark}:{key}"
