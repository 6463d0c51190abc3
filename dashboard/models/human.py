"""What people decided. Decisions, votes, uses and notes are never changed or deleted."""

from __future__ import annotations

from django.conf import settings
from django.db import models

PERSON = settings.AUTH_USER_MODEL


class Gate(models.Model):
    """A question to a person about exact bytes (`gates.md`). Only `state` and the claim move.

    `edit_hash` is the hash of the edit's `out` in the journal that the answer rests on; it differs
    from `digest_hash` only when facts were pinned to a digest that is applied already.
    `effects`: `[{"id", "sha256", "tool", "target", "summary", "payload"}]`; `facts`: the rows of
    `shown` as they were when the gate was opened; `position`: highest number known then;
    `closed_why`: code of what ended it when that was no person (`rolled_back`, `expired`, ...).
    """

    class State(models.TextChoices):
        PENDING = "pending"
        APPROVED = "approved"
        REJECTED = "rejected"
        EXPIRED = "expired"
        WITHDRAWN = "withdrawn"
        CONSUMED = "consumed"
        REVOKED = "revoked"
        VOID = "void"

    class Risk(models.TextChoices):
        COMMIT = "commit"
        OTHER = "other"

    public_id = models.CharField(max_length=24, unique=True, editable=False)
    run = models.ForeignKey("dashboard.Run", on_delete=models.PROTECT, related_name="gates")
    edit_id = models.CharField(max_length=512)
    digest_hash = models.CharField(max_length=512, blank=True)
    digest_text = models.TextField(blank=True)
    edit_hash = models.CharField(max_length=512, blank=True)
    window_hash = models.CharField(max_length=64, blank=True)
    shown_hash = models.CharField(max_length=64)
    rules_version = models.CharField(max_length=40)
    requester_agent = models.CharField(max_length=255)
    requested_with = models.ForeignKey(
        "dashboard.Token", on_delete=models.PROTECT, null=True, blank=True
    )
    owner = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    author = models.CharField(max_length=512, blank=True)
    policy = models.CharField(max_length=512, blank=True)
    risk = models.CharField(max_length=8, choices=Risk.choices, default=Risk.COMMIT)
    effects = models.JSONField(default=list)
    facts = models.JSONField(default=list)
    agent_words = models.TextField(blank=True)
    verdict = models.CharField(max_length=16, blank=True)
    rules = models.JSONField(default=list)
    position = models.BigIntegerField(default=0)
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    needed = models.PositiveSmallIntegerField(default=1)
    replaced_by = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="replaces"
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_why = models.CharField(max_length=16, blank=True)
    claimed_by = models.ForeignKey(
        PERSON, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    claim_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = (
            models.Index(fields=["state", "created_at"]),
            models.Index(fields=["run", "edit_id"]),
        )

    def __str__(self) -> str:
        return self.public_id


class Decision(models.Model):
    """The one answer of a gate. `pins`: `["scope:key", …]` that were put back, word for word."""

    class Answer(models.TextChoices):
        APPROVED = "approved"
        REJECTED = "rejected"

    gate = models.OneToOneField(Gate, on_delete=models.PROTECT, related_name="decision")
    by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    answer = models.CharField(max_length=8, choices=Answer.choices)
    reason = models.TextField()
    pins = models.JSONField(default=list)
    digest_hash = models.CharField(max_length=512, blank=True)
    shown_hash = models.CharField(max_length=64)
    rules_version = models.CharField(max_length=40)
    decided_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.gate}: {self.answer} by {self.by}"


class Vote(models.Model):
    """One of the N approvals of a gate that asks for several people."""

    gate = models.ForeignKey(Gate, on_delete=models.PROTECT, related_name="votes")
    by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    shown_hash = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["gate", "by"], name="vote_once"),)

    def __str__(self) -> str:
        return f"{self.gate}: {self.by}"


class Consumption(models.Model):
    """One effect that acted on an approval; `body` is the request, `key` makes it repeatable."""

    gate = models.ForeignKey(Gate, on_delete=models.PROTECT, related_name="consumptions")
    effect_id = models.CharField(max_length=512)
    key = models.CharField(max_length=255)
    body = models.JSONField()
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["gate", "effect_id"], name="consumption_once"),
        )

    def __str__(self) -> str:
        return f"{self.gate}: {self.effect_id}"


class GateEvent(models.Model):
    """An event that this product appended to a journal for one of its gates.

    `event` is the native `gate` event. It carries its `seq` in a native journal; in a journal read
    from a runtime's own files it stands after event `after`, or before the start it lets through.
    """

    run = models.ForeignKey("dashboard.Run", on_delete=models.PROTECT, related_name="gate_events")
    gate = models.ForeignKey(Gate, on_delete=models.PROTECT, related_name="events")
    event = models.JSONField()
    after = models.BigIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.gate}: {self.event.get('state')}"


class Note(models.Model):
    """A note on a run, edit, effect or finding; it hides nothing and cannot be changed."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.PROTECT, related_name="notes")
    kind = models.CharField(max_length=16)
    code = models.CharField(max_length=8, blank=True)
    subject = models.CharField(max_length=512, blank=True)
    by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        indexes = (models.Index(fields=["run", "code", "subject"]),)

    def __str__(self) -> str:
        return f"{self.run} {self.code} {self.subject}"


class Case(models.Model):
    """A story told from runs, ranges, findings and notes."""

    public_id = models.CharField(max_length=16, unique=True)
    title = models.CharField(max_length=200)
    by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.public_id


class CaseItem(models.Model):
    """One step of a case: a stretch of a run, or a finding, with a word about it."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="items")
    run = models.ForeignKey("dashboard.Run", on_delete=models.PROTECT, related_name="+")
    from_seq = models.BigIntegerField(null=True, blank=True)
    to_seq = models.BigIntegerField(null=True, blank=True)
    code = models.CharField(max_length=8, blank=True)
    subject = models.CharField(max_length=512, blank=True)
    text = models.TextField(blank=True)
    by = models.ForeignKey(PERSON, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.case} {self.pk}"


class SavedView(models.Model):
    """A person's name for a URL with filters."""

    user = models.ForeignKey(PERSON, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=80)
    url = models.CharField(max_length=2000)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["user", "name"], name="saved_view_once"),)

    def __str__(self) -> str:
        return self.name
