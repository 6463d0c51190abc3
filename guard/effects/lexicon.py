"""What the words of a name say of an act and of the service it reaches (M1): hints, never proof."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Literal, cast

from guard.effects.model import Domain
from guard.effects.tables import table

Act = Literal["read", "write", "neutral"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPLIT = re.compile(r"[^A-Za-z0-9]+")
_JOINS = frozenset({"or", "and"})


def words_of(name: str) -> list[str]:
    """`pods_delete`, `podsDelete`, `pods-delete` to lower-case words."""
    return [word.lower() for word in _SPLIT.split(_CAMEL.sub("_", name)) if word]


@cache
def _acts() -> Mapping[str, Act]:
    lists = table("words")
    acts: dict[str, Act] = dict.fromkeys(lists["neutral"], "neutral")
    acts.update(dict.fromkeys(lists["write"], "write"))
    acts.update(dict.fromkeys(lists["read"], "read"))
    return acts


@cache
def _services() -> Mapping[str, tuple[Domain, bool]]:
    """Service to (domain, whether it is another's: what reaches it has left the machine)."""
    lists = table("words")
    near = {
        name: (domain, False) for domain, all_ in lists["local_services"].items() for name in all_
    }
    far = {name: (domain, True) for domain, all_ in lists["services"].items() for name in all_}
    return cast(Mapping[str, tuple[Domain, bool]], {**near, **far})


def act_of(words: Sequence[str]) -> Act | None:
    """What the first act in a name says; `get_or_create` writes; else a thing to look at."""
    joined = [at for at, word in enumerate(words) if word in _JOINS]
    if joined and any(_acts().get(word) == "write" for word in words[joined[0] :]):
        return "write"
    pairs = table("words")["pairs"]
    for at, word in enumerate(words):
        pair = pairs.get(" ".join(words[at : at + 2]))
        if pair is not None or word in _acts():
            return cast(Act, pair or _acts()[word])
    return "read" if any(word in table("words")["things"] for word in words) else None


def service_of(words: Iterable[str]) -> tuple[Domain, bool] | None:
    """The domain of the first service named, and whether reaching it leaves the machine."""
    return next((_services()[word] for word in words if word in _services()), None)


@cache
def dry_flags() -> frozenset[str]:
    return frozenset(table("words")["dry_flags"])


@cache
def dry_fields() -> frozenset[str]:
    return frozenset(table("words")["dry_fields"])
