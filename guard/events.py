"""The events of `context-journal/1`: one frozen type per kind, and their closed union.

Fields, types and defaults are those of `journal-format.md` 3 and 4. Texts that are only shown to
people are typed loosely here, since they are never a reason for a verdict.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NewType, TypeAlias

from msgspec import Meta, Struct, field

SpanId = NewType("SpanId", str)
EditId = NewType("EditId", str)
EffectId = NewType("EffectId", str)
GateId = NewType("GateId", str)
RollbackId = NewType("RollbackId", str)
Branch = NewType("Branch", str)
Hash = NewType("Hash", str)
Digest = NewType("Digest", str)

MAX_INTEGER = 9007199254740991
MAIN = Branch("main")

Id: TypeAlias = Annotated[str, Meta(min_length=1)]
Seq: TypeAlias = Annotated[int, Meta(ge=1, le=MAX_INTEGER)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Facts: TypeAlias = dict[str, str]
"""`"scope:key"` -> value. The key is what stands after the last colon."""

Role = Literal["tool", "user", "assistant", "system", "policy", "edit_history"]
Op = Literal["summarize", "replace", "evict", "drop", "clear", "restore"]
By = Literal["model", "host", "human"]
Fidelity = Literal["exact", "derived", "count", "unknown"]
EffectState = Literal["planned", "held", "started", "committed", "failed", "unknown"]
Reversibility = Literal["reversible", "irreversible", "deferred", "unknown"]
GateStep = Literal["requested", "approved", "rejected", "revoked"]
Phase = Literal["exploration", "commit"]
Discipline = Literal["epoch", "freeze"]


class Checkpoint(Struct, frozen=True):
    """An earlier reading of this journal: so many numbered events, and the last one's `chain`."""

    count: Count
    hash: str


class Header(
    Struct, frozen=True, kw_only=True, tag_field="kind", tag="journal", omit_defaults=True
):
    """The first line of a journal (`journal-format.md` 4.1)."""

    format: Literal["context-journal/1"]
    id: Id
    runtime: str = ""
    runtime_version: str = ""
    agent: str = ""
    discipline: Discipline = "epoch"
    append_only: bool = False
    fixed_policy: bool = False
    ledger: Literal["complete", "none"] | list[tuple[Seq, Seq]] = "none"
    checkpoint: Checkpoint | None = None


class Event(Struct, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True, gc=False):
    """What every event carries (`journal-format.md` 3). `seq` is None on an unnumbered effect."""

    seq: Seq | None = None
    after: Count = 0
    before: Seq | None = None
    at: str | None = None
    branch: Id = "main"
    prev: str | None = None
    chain: str | None = None


class Source(Struct, frozen=True, omit_defaults=True, gc=False):
    """Where a span was read. Texts for people."""

    path: str | None = None
    tool: str | None = None


class Span(Event, tag="span", frozen=True, kw_only=True):
    """Something enters the window, or is read again."""

    id: Id
    hash: Id
    role: Role = "tool"
    text: str | None = None
    tokens: Count | None = None
    source: Source | None = None
    effect: Id | None = None
    facts: Facts = field(default_factory=dict)


class Record(Event, tag="record", frozen=True, kw_only=True):
    """A recovery record was written. It comes before its edit (`semantics.md` 10.1)."""

    edit: Id
    prior: dict[str, Id]
    payload: bool = False


class Out(Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What enters the window instead of the spans that an edit takes."""

    id: Id
    hash: Id
    text: str | None = None
    tokens: Count | None = None
    facts: Facts = field(default_factory=dict)
    opaque: bool = False
    digest_check: Any = None
    """What its writer found in it (`guard.fates`); anything, since the format does not name it."""


class Edit(Event, tag="edit", frozen=True, kw_only=True):
    """The window was changed. `in_` stands as `in` in the journal."""

    id: Id
    op: Op
    by: By = "model"
    author: Id | None = None
    in_: list[Id] = field(name="in")
    out: Out | None
    policy: Id | None = None
    fidelity: Fidelity = "exact"
    trigger: Any = None
    count: Any = None
    tokens_before: Any = None
    """Size of the window that the edit found, where its source says it."""


class Store(Struct, frozen=True, omit_defaults=True):
    """What a proposal says about its recovery store. What is not said is not believed."""

    payload: bool = False
    verified: bool = False
    lossy: bool = False


class Proposal(Event, tag="proposal", frozen=True, kw_only=True):
    """An edit that is not made yet. The last proposal of one id counts."""

    id: Id
    op: Op
    by: By = "model"
    author: Id | None = None
    in_: list[Id] = field(name="in")
    out: Out | None
    policy: Id | None = None
    fidelity: Fidelity = "exact"
    targets: list[str] = field(default_factory=list)
    store: Store = Store()


class Effect(Event, tag="effect", frozen=True, kw_only=True):
    """One step of one attempt to change something outside the window.

    `reversibility` stands as `class` in the journal. A None means that the step does not carry the
    field: the latest step that does decides (`semantics.md` 5.2).
    """

    id: Id
    state: EffectState
    reversibility: Reversibility | None = field(name="class", default=None)
    inverse: bool | None = None
    write: bool | None = None
    body: Id | None = None
    key: Id | None = None
    depends_on: list[str] | None = None
    compensates: Id | None = None
    partial: bool | None = None
    tool: str | None = None
    target: str | None = None
    summary: str | None = None
    classed_by: Any = None
    """The team's rules that decided its class; for people, and the format does not name it."""


class Rollback(Event, tag="rollback", frozen=True, kw_only=True):
    """Edits were undone: exactly one of `edits` and `to` is given."""

    id: Id
    edits: list[Id] | None = None
    to: Count | None = None
    spans: list[Id] | None = None
    all_branches: bool = False


class Merge(Event, tag="merge", frozen=True, kw_only=True):
    """A rollback was reconciled; `dropped` are the spans that knowingly do not come back."""

    rollback: Id
    dropped: list[Id] = field(default_factory=list)


class Observed(Event, tag="observed", frozen=True, kw_only=True):
    """Somebody looked at the real window: everything in it, span id -> hash."""

    spans: dict[str, Id]


class Policy(Event, tag="policy", frozen=True, kw_only=True):
    """A pruning policy comes into force. The same digest is the same policy."""

    id: Id
    digest: Id
    value: dict[str, Any] = field(default_factory=dict)
    reaches_recovery: bool = False


class Seal(Event, tag="seal", frozen=True, kw_only=True):
    """Closes the open operations of an epoch."""


class Gate(Event, tag="gate", frozen=True, kw_only=True):
    """A question to a person, and the answer. The reader checks which step needs which field."""

    id: Id
    state: GateStep
    by: Id
    edit: Id | None = None
    digest: Id | None = None
    effects: dict[str, Id] = field(default_factory=dict)
    human: bool = False
    until_seq: Seq | None = None
    expires_at: str | None = None


class Lost(Event, tag="lost", frozen=True, kw_only=True):
    """The recovery record of `edit` was here and is gone: a tombstone."""

    edit: Id


class Probe(Event, tag="probe", frozen=True, kw_only=True):
    """The undo of `edit` was tried against the present window."""

    edit: Id
    ok: bool


class Inventory(Event, tag="inventory", frozen=True, kw_only=True):
    """The edits whose records the store really holds, read by `by`."""

    edits: list[Id]
    by: Id | None = None


class Counter(Event, tag="counter", frozen=True, kw_only=True):
    """Readings of the two counters kept beside the records."""

    performed: Count
    recorded: Count | None = None


class Fork(Event, tag="fork", frozen=True, kw_only=True):
    """A new branch starts with the window that branch `from_` has here."""

    branch: Id
    from_: Id = field(name="from")


LEAST_MISFIT_TOKENS = 2_000
MISFIT_SHARE = 0.5
"""Sizes are estimates: only a difference beyond both says that something is not on record."""


class Usage(Event, tag="usage", frozen=True, kw_only=True):
    """Tokens of one model call; size and limit of the window, in tokens."""

    input_tokens: Count
    output_tokens: Count
    window_tokens: Count | None = None
    limit_tokens: Count | None = None
    expected_tokens: Any = None
    """What the window on record before this call leads its recorder to expect; not in the format,
    so that anything may stand here, and what is no count says nothing."""

    @property
    def disagrees(self) -> bool:
        """Whether the window that was read is far from the one on record."""
        if type(self.expected_tokens) is not int:
            return False
        read = self.input_tokens if self.window_tokens is None else self.window_tokens
        larger = max(read, self.expected_tokens)
        return abs(read - self.expected_tokens) > max(LEAST_MISFIT_TOKENS, larger * MISFIT_SHARE)


class Gap(Event, tag="gap", frozen=True, kw_only=True):
    """Something is known to be missing here."""

    what: str
    first_seq: Seq | None = None
    last_seq: Seq | None = None
    consequence: str = ""


class PhaseStart(Event, tag="phase", frozen=True, kw_only=True):
    """`phase` of the run from here on. Before the first one: `exploration`."""

    phase: Phase


class Unknown(Event, tag=False, frozen=True, kw_only=True):
    """A kind that this version does not know: a named skip that takes its number (8)."""

    kind: str


Known: TypeAlias = (
    Span
    | Record
    | Edit
    | Proposal
    | Effect
    | Rollback
    | Merge
    | Observed
    | Policy
    | Seal
    | Gate
    | Lost
    | Probe
    | Inventory
    | Counter
    | Fork
    | Usage
    | Gap
    | PhaseStart
)
AnyEvent: TypeAlias = Known | Unknown
