"""The hash chain over numbered events (`journal-format.md` 5)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from guard.canonical import canonical
from guard.events import AnyEvent

START = "0" * 64
"""`prev` of event 1."""


def link(prev: str, members: dict[str, Any]) -> str:
    """The `chain` of an event: members as they were written, no default filled in."""
    body = {name: value for name, value in members.items() if name not in {"prev", "chain"}}
    return hashlib.sha256(prev.encode() + canonical(body)).hexdigest()


def holds(members: dict[str, Any]) -> bool:
    """Whether a chained event has the hash that it says."""
    return bool(link(members["prev"], members) == members["chain"])


def form_of(members: dict[str, Any]) -> str:
    """The hash of the whole event, `prev` and `chain` included."""
    return hashlib.sha256(canonical(members)).hexdigest()


def breaks(numbered: Iterable[AnyEvent]) -> Iterator[int]:
    """Numbers at which the chain does not go on, in the order of `seq`; hashes are not looked at.

    Only earlier events decide about an event, so the answer for a prefix is a part of the answer.
    """
    chained = False
    heads: dict[int, set[str]] = {0: {START}}
    for event in numbered:
        number = event.seq or 0
        if event.chain is None:
            if chained:
                yield number
            continue
        chained = True
        if event.prev not in heads.get(number - 1, {event.prev}):
            yield number
        heads = {kept: heads[kept] for kept in (number - 1, number) if kept in heads}
        heads.setdefault(number, set()).add(event.chain)
