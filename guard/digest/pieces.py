"""The clauses of a digest, read once and found again by what they speak of."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from guard.digest.reading import Sense, sense
from guard.digest.statements import Statement

CUT = re.compile(r";\s|\s[–—]\s|\s-\s")
LONGEST = 600
"""Characters of one clause that are read."""


class Piece(msgspec.Struct, frozen=True):
    """A clause, its statement and its sense."""

    text: str
    statement: Statement
    sense: Sense


class Pieces:
    """All clauses, by their acts and things: a rule is held only against clauses that share one."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._all = [piece for statement in statements for piece in _pieces(statement)]
        self._by: dict[str, list[int]] = defaultdict(list)
        for place, piece in enumerate(self._all):
            for mark in piece.sense.acts | piece.sense.things:
                self._by[mark].append(place)

    def about(self, meant: Sense) -> Iterator[Piece]:
        """Clauses that share an act or a thing, in the order of the digest."""
        places = {place for mark in meant.acts | meant.things for place in self._by.get(mark, ())}
        for place in sorted(places):
            yield self._all[place]


def _pieces(statement: Statement) -> Iterator[Piece]:
    whole = statement.body or statement.text
    parts = CUT.split(whole)
    for text in [whole, *parts] if len(parts) > 1 else parts:
        bare = text.strip()[:LONGEST]
        if bare:
            yield Piece(bare, statement, sense(bare))
