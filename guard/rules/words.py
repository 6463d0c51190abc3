"""Names in messages: a message is one line, however many things it is about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from guard.answers import Fact
from guard.bits import places
from guard.subset import Subset

_NAMED = 3
_LONGEST = 80


def few(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    if isinstance(names, Subset):
        shown = [names.names.all[place] for place in islice(places(names.bits), _NAMED)]
        count = names.bits.bit_count()
    else:
        shown, count = list(names[:_NAMED]), len(names)
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    return ", ".join(dict.fromkeys(shown)) + more


def fact_of(fact: Fact) -> str:
    """`cfg.yml:max_retries = 0`, on one line: without the mark that tells rules apart."""
    scope, colon, key = fact[0].rpartition(":")
    value = " ".join(fact[1].split())
    shown = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return f"{scope.partition('#')[0]}{colon}{key} = {shown}"
