"""What the judge answers: one frozen type per verdict of `semantics.md`, never merged into one.

Ids of effects and edits stand sorted by code point, without repeats (`report-format.md` 4).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from guard.subset import Subset

Fact: TypeAlias = tuple[str, str]
"""(`scope:key`, value), compared as a pair (`semantics.md` 3.5)."""

SoundnessVerdict = Literal["sound", "unsound", "unknown"]
Mode = Literal["noop", "halt", "epoch", "merge", "linear"]
RetentionVerdict = Literal["equal", "mismatch", "unknown"]
ClosureVerdict = Literal["closed", "unknown", "violated"]
IntegrityVerdict = Literal["ok", "gap", "fork", "tampered", "tail_lost"]
Status = Literal[
    "reversible", "unknown", "provisional", "merge", "irreversible", "undone", "out_of_scope"
]
GateState = Literal[
    "valid",
    "rejected",
    "revoked",
    "pending",
    "self",
    "nonhuman",
    "stale",
    "unbound",
    "expired",
]
ProposalVerdict = Literal["proceed", "gate", "refuse", "out_of_scope"]
EffectVerdict = Literal["proceed", "gate", "refuse"]
RuleName = Literal["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"]


class Interval(Struct, frozen=True, gc=False, rename={"start": "from", "end": "to"}):
    """One operative interval of an edit (`semantics.md` 4.1), in numbers; both ends are outside.

    It is a row of the report as it stands (`report-format.md` 5.4).
    """

    branch: str
    start: int
    end: int | None
    """None while it is open."""


class Soundness(Struct, frozen=True):
    """Did anything irreversible happen meanwhile? (`semantics.md` 6.6, 6.7)"""

    verdict: SoundnessVerdict
    blame: Subset
    """Effects that are harmful in at least one world. `numbers`: where they started."""
    residue: Subset
    """Effects that a gate lets through in at least one world."""
    watch: Subset
    """Writes that touch inside and are neither committed nor failed."""
    hidden: str | None = None
    """What would exclude an effect that nobody saw, where one is possible (6.5, 6.8)."""


class IfUndone(Struct, frozen=True):
    """What a rollback of one edit alone, standing at now, would be (`semantics.md` 6.9)."""

    soundness: Soundness
    mode: Mode


class Retention(Struct, frozen=True):
    """Is everything really back? (`semantics.md` 12)"""

    verdict: RetentionVerdict
    reason: str | None = None
    """With `unknown`: what would tell."""
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    observed: int | None = None
    """Number of the `observed` event that was asked."""


class Closure(Struct, frozen=True):
    """Has every performed edit its recovery record? (`semantics.md` 10.4, 10.5)"""

    verdict: ClosureVerdict
    performed: int
    recorded: int
    missing: tuple[str, ...]
    late: tuple[str, ...]


class Integrity(Struct, frozen=True):
    """Is the journal whole and unchanged? (`semantics.md` 13)"""

    verdict: IntegrityVerdict
    seqs: tuple[int, ...]
    """At most the first 1,000."""

    @property
    def allows_good(self) -> bool:
        """Whether a positive verdict is possible at all (13.2)."""
        return self.verdict in {"ok", "gap"}


class Epoch(Struct, frozen=True):
    """A maximal run of one policy digest (`semantics.md` 11.3); both numbers are included."""

    policy: str | None
    first: int
    last: int


class Swap(Struct, frozen=True):
    """May the policy change here? (`semantics.md` 11.8)"""

    verdict: Literal["ok", "refuse"]
    open: tuple[str, ...]
    seqs: tuple[int, ...]
    """Numbers of the open edits."""


class Pin(Struct, frozen=True):
    """An edit took a span that a crossing rollback had just restored (`semantics.md` 11.7)."""

    edit: str
    edit_seq: int
    rollback: str
    rollback_seq: int
    spans: tuple[str, ...]


class ProposalAnswer(Struct, frozen=True):
    """May the window be edited like this? (`semantics.md` 9.1)"""

    verdict: ProposalVerdict
    rules: tuple[RuleName, ...] = ()
    reasons: tuple[str, ...] = ()
    """One sentence for each rule that fires."""


class Authorization(Struct, frozen=True):
    """May the effect start under the edits that hide what it may rest on? (`semantics.md` 9.2)"""

    verdict: EffectVerdict
    edits: Subset
    """The edits that stand in the way."""
    started: bool
    """Whether it has started. Unnumbered events stand at their earliest rooms here and below."""
    start: int | None
    """Number of its start, where that has one."""
    lacking: bool
    """Whether a fact was lacking as written (not by 3.9 or 3.10) for one of the edits."""
    unplaced: bool = False
    """Whether its unnumbered events may stand in too many ways to look at each."""

    @property
    def seqs(self) -> tuple[int, ...]:
        """Numbers of the edits, rising."""
        return self.edits.numbers
