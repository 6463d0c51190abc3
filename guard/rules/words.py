"""Names in messages: a message is one line, however many things it is about."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from guard.bits import places
from guard.subset import Subset

_NAMED = 3


def few(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    if isinstance(names, Subset):
        shown = [names.names.all[place] for place in islice(places(names.bits), _NAMED)]
        count = names.bits.bit_count()
    else:
        shown, count = list(names[:_NAMED]), len(names)
    more = f" and {count - _NAMED} more" if count > _NAMED else ""
    return ", ".join(dict.fromkeys(shown)) + more
