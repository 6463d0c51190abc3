"""What a rule is: a code, how bad and how sure, a check, and a docstring that is its page."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Literal

import msgspec
from msgspec import Struct

from guard.listing import Numbered
from guard.order import number_at
from guard.state import State
from guard.subset import Subset

Severity = Literal["error", "warning", "info"]
Certainty = Literal["proven", "possible"]

SECTIONS = ("Why it matters", "Example", "What to do", "Source")
"""The headings of a page, in order, after the claim."""

LISTED = 1000
"""So many numbers a finding names at most, where the journal decides how many there are."""


class Finding(Struct, frozen=True):
    """Something that a person should know (`report-format.md` 5.10), as the report prints it."""

    code: str
    subject: str
    severity: Severity
    certainty: Certainty
    message: str
    seqs: tuple[int, ...]
    """Numbers of the events concerned, rising."""


class Verdict(Struct, frozen=True):
    """How bad, and how sure. What is only possible is never an error."""

    severity: Severity
    certainty: Certainty


NOTHING = Numbered(())


class Draft(Struct, frozen=True):
    """A finding whose numbers are not written out yet: there may be as many as the journal has."""

    code: str
    subject: str
    severity: Severity
    certainty: Certainty
    message: str
    own: tuple[int, ...]
    among: int = 0
    """Further things whose numbers belong to it, as `things` arranges them."""
    things: Numbered = NOTHING

    def lowest(self) -> int:
        """The lowest number; 0 where there is none (`report-format.md` 4)."""
        further = self.things.lowest(self.among)
        return min((*self.own, *(() if further is None else (further,))), default=0)

    def finding(self) -> Finding:
        """The finding, with all numbers."""
        return self._with(tuple(self.things.listed(self.own, self.among)))

    def encode(self) -> bytes:
        """The finding as JSON."""
        head = msgspec.json.encode(self._with(())).removesuffix(b"]}")
        return head + self.things.text(self.own, self.among) + b"]}"

    def _with(self, seqs: tuple[int, ...]) -> Finding:
        return Finding(self.code, self.subject, self.severity, self.certainty, self.message, seqs)


class Timelines:
    """Edits and effects by their numbers, made when the first rule needs them."""

    def __init__(self, state: State) -> None:
        self._state = state

    @cached_property
    def edits(self) -> Numbered:
        """Edits by their numbers."""
        rank = self._state.veil.names.rank
        return Numbered((edit.seq, rank[edit.index]) for edit in self._state.edits.all)

    @cached_property
    def effects(self) -> Numbered:
        """Effects by the numbers at which they started."""
        appraisal = self._state.appraisal
        starts = (
            (number_at(total.began), appraisal.names.rank[index])
            for index, total in enumerate(appraisal.rows)
            if total.began is not None
        )
        return Numbered((number, bit) for number, bit in starts if number is not None)


class Reporter(Struct, frozen=True):
    """Makes the findings of one rule."""

    code: str
    verdict: Verdict | None
    timelines: Timelines

    def __call__(
        self,
        subject: str,
        message: str,
        seqs: Iterable[int | None] = (),
        *,
        effects: Subset | None = None,
        edits: Subset | None = None,
        verdict: Verdict | None = None,
    ) -> Draft:
        """A finding at `seqs` (None falls out), and where `effects` started or `edits` stand.

        `verdict`: where the rule has no own one.
        """
        said = verdict or self.verdict
        assert said is not None
        own = tuple({seq for seq in seqs if seq is not None})
        head = (self.code, subject, said.severity, said.certainty, message, own)
        if effects is not None:
            things = self.timelines.effects
            return Draft(*head, things.arranged(effects.bits), things)
        if edits is not None:
            things = self.timelines.edits
            return Draft(*head, things.arranged(edits.bits), things)
        return Draft(*head)


Check = Callable[[State, Reporter], Iterator[Draft]]


class Rule(Struct, frozen=True):
    """One entry of `RULES`."""

    code: str
    verdict: Verdict | None
    """None where not all of its findings are as bad or as sure; then its page says which are."""
    page: str
    """Markdown: the claim, then `SECTIONS`."""
    check: Check

    @property
    def severity(self) -> str:
        """As the list of rules shows it."""
        return self.verdict.severity if self.verdict else "varies"

    @property
    def certainty(self) -> str:
        """As the list of rules shows it."""
        return self.verdict.certainty if self.verdict else "varies"

    @property
    def claim(self) -> str:
        """The first paragraph of the page."""
        return " ".join(self.page.split("\n\n", 1)[0].split())

    def drafts(self, state: State, timelines: Timelines) -> Iterator[Draft]:
        """What the rule has to say of a journal."""
        return self.check(state, Reporter(self.code, self.verdict, timelines))


def rule(
    code: str, severity: Severity | None = None, certainty: Certainty = "proven"
) -> Callable[[Check], Rule]:
    """Make a check the rule of a code; its docstring becomes the page. No severity: it varies."""
    verdict = None if severity is None else Verdict(severity, certainty)
    return lambda check: Rule(code, verdict, inspect.getdoc(check) or "", check)
