"""Bodies of calls and answers. A member that is not named here is refused, never ignored."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

Name = Field(min_length=1, max_length=255)
Hash = Field(min_length=1, max_length=512)
Sha256Hex = Field("", pattern="^([0-9a-fA-F]{64})?$")


class Strict(Schema):
    model_config = ConfigDict(extra="forbid", str_max_length=1 << 20)


class RunIn(Strict):
    """The header of a live run (`journal-format.md` 4.1) and whose agent it is."""

    id: str = Name
    owner: str = Field("", max_length=254, description="account or e-mail of the agent's owner")
    runtime: str = Field("", max_length=80)
    runtime_version: str = Field("", max_length=80)
    agent: str = Field("", max_length=120)
    discipline: Literal["epoch", "freeze"] = "epoch"
    append_only: bool = False
    fixed_policy: bool = False
    ledger: Literal["complete", "none"] = "none"


class RunOut(Schema):
    run: str
    id: str
    source: str
    title: str
    runtime: str
    received_bytes: int
    next_seq: int
    last_received_at: datetime | None
    judged: bool
    worst: str


class RunsOut(Schema):
    runs: list[RunOut]
    next_cursor: int | None


class SentIn(Schema):
    """What a sender may say about a piece of a file; all of it may be left out."""

    prefix_sha256: str = Sha256Hex
    through_sha256: str = Sha256Hex
    generation: int = Field(0, ge=0, le=1 << 30, description="0: the current one; next: begin it")
    rewrite: bool = Field(False, description="the file from its start, also when it differs")


class ReceiptOut(Schema):
    """Stored, once, durably. The verdict follows; `job` is what makes it."""

    receipt: str
    run: str
    file: str
    generation: int
    offset: int
    size_bytes: int
    sha256: str
    duplicate: bool
    job: int | None
    redacted: int = 0
    first_seq: int | None = None
    last_seq: int | None = None


class OutIn(Strict):
    id: str = Name
    hash: str = Hash
    text: str | None = None
    tokens: int | None = Field(None, ge=0, le=9007199254740991)
    facts: dict[str, str] = Field(default_factory=dict)
    opaque: bool = False


class StoreIn(Strict):
    payload: bool = False
    verified: bool = False
    lossy: bool = False


class HoldIn(Strict):
    """Ask for a gate at once when the verdict is `gate`."""

    agent: str = Field("", max_length=255, description="who asks; default: the run's agent")
    words: str = Field("", max_length=20000, description="the agent's own explanation")
    risk: Literal["commit", "other"] = "commit"
    expires_in_s: int | None = Field(None, ge=1, le=604800)
    needed: int = Field(1, ge=1, le=10)


class PayloadIn(Strict):
    """An effect at stake, with its exact payload or the hash of one that the journal has."""

    id: str = Name
    sha256: str = Hash
    tool: str = Field("", max_length=512)
    target: str = Field("", max_length=4096)
    summary: str = Field("", max_length=20000)
    payload: str | None = Field(None, description="the text whose UTF-8 bytes have this sha256")


class ProposalIn(Strict):
    """Fields of a `proposal` event (`journal-format.md` 4.5), without its number."""

    id: str = Name
    op: Literal["summarize", "replace", "evict", "drop", "clear", "restore"]
    by: Literal["model", "host", "human"] = "model"
    author: str | None = Field(None, min_length=1, max_length=255)
    spans: list[str] = Field(alias="in", max_length=10000)
    out: OutIn | None
    policy: str | None = Field(None, min_length=1, max_length=512)
    fidelity: Literal["exact", "derived", "count", "unknown"] = "exact"
    targets: list[str] = Field(default=[], max_length=1000)
    store: StoreIn = StoreIn()
    branch: str = Field("main", min_length=1, max_length=255)
    at: datetime | None = None
    effects: list[PayloadIn] = Field(default=[], max_length=100)
    hold: HoldIn | None = None


class EffectIn(Strict):
    """One step of an effect (`journal-format.md` 4.6), without its number."""

    id: str = Name
    state: Literal["planned", "held", "started", "committed", "failed", "unknown"]
    reversibility: Literal["reversible", "irreversible", "deferred", "unknown"] | None = Field(
        None, alias="class"
    )
    inverse: bool | None = None
    write: bool | None = None
    body: str | None = Field(None, min_length=1, max_length=512)
    key: str | None = Field(None, min_length=1, max_length=255)
    depends_on: list[str] | None = Field(None, max_length=1000)
    compensates: str | None = Field(None, min_length=1, max_length=255)
    partial: bool | None = None
    tool: str | None = Field(None, max_length=512)
    target: str | None = Field(None, max_length=4096)
    summary: str | None = Field(None, max_length=20000)
    branch: str = Field("main", min_length=1, max_length=255)
    at: datetime | None = None
    payload: str | None = None
    hold: HoldIn | None = None


class GateIn(Strict):
    """A question to a person about exact bytes (`gates.md`, Request)."""

    run: str = Name
    edit: str = Name
    digest: str | None = Field(None, min_length=1, max_length=512)
    digest_text: str | None = None
    effects: list[PayloadIn] = Field(default=[], max_length=100)
    agent: str = Field("", max_length=255)
    policy: str | None = Field(None, max_length=512)
    words: str = Field("", max_length=20000)
    risk: Literal["commit", "other"] = "commit"
    expires_in_s: int | None = Field(None, ge=1, le=604800)
    needed: int = Field(1, ge=1, le=10)


class GateOut(Schema):
    """A gate as its runtime sees it. `digest_text` stands here only when facts were pinned."""

    gate: str
    run: str
    edit: str
    state: str
    digest: str | None
    effects: list[dict[str, str]]
    expires_at: datetime
    answer: str | None
    reason: str | None
    by: str | None
    replaced_by: str | None
    pins: list[str]
    digest_text: str | None
    why: str
    next_step: str
    events: list[dict[str, Any]]


class VerdictOut(Schema):
    """What a live proposal or effect is told, and what to do next."""

    verdict: Literal["proceed", "gate", "refuse", "out_of_scope"]
    codes: list[str]
    reasons: list[str]
    edits: list[str]
    seq: int | None
    rules_version: str
    gates: list[GateOut]
    next_step: str


class ConsumeIn(Strict):
    effect: str = Name
    digest: str | None = Field(None, min_length=1, max_length=512)
    payload_sha256: str = Hash


class ConsumeOut(Schema):
    """Everything but `ok` means: do not act."""

    code: Literal[
        "ok",
        "unknown",
        "pending",
        "not_approved",
        "expired",
        "consumed",
        "digest_mismatch",
        "payload_mismatch",
        "epoch_swapped",
        "rolled_back",
        "void",
        "error",
    ]
    detail: str
    next_step: str


class FindingOut(Schema):
    code: str
    subject: str
    severity: str
    certainty: str
    message: str
    seqs: list[int]


class FindingsOut(Schema):
    findings: list[FindingOut]
    rules_version: str
    at: int
