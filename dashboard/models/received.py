"""What was sent: sources, runs, files, chunks, and the jobs that judge them."""

from __future__ import annotations

import secrets
import uuid
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

ARRIVING = timedelta(minutes=10)


def run_name() -> str:
    return f"r-{secrets.token_hex(4)}"


class Source(models.Model):
    """Where runs come from: one team's installation of one runtime."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=120)
    runtime = models.CharField(max_length=80, blank=True)
    team = models.CharField(max_length=80, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="owned_sources",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class Run(models.Model):
    """One agent run: the journal of `external_id`, however many files carry it.

    `head` names what was received so far: each chunk and each event of ours extends it by one
    SHA-256. `last_seq` is the highest number that the product handed out or was given in a batch.
    `header` is the first line of a live run, which the product records event by event.
    """

    public_id = models.CharField(max_length=16, unique=True, default=run_name, editable=False)
    source = models.ForeignKey(Source, on_delete=models.PROTECT, related_name="runs")
    external_id = models.CharField(max_length=255)
    title = models.CharField(max_length=255, blank=True)
    runtime = models.CharField(max_length=80, blank=True)
    runtime_version = models.CharField(max_length=80, blank=True)
    agent = models.CharField(max_length=120, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="owned_runs",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    first_at = models.DateTimeField(null=True, blank=True)
    last_at = models.DateTimeField(null=True, blank=True)
    last_received_at = models.DateTimeField(null=True, blank=True)
    head = models.CharField(max_length=64, blank=True)
    received_bytes = models.BigIntegerField(default=0)
    last_seq = models.BigIntegerField(default=0)
    header = models.TextField(blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["source", "external_id"], name="run_once_per_source"),
        )
        indexes = (models.Index(fields=["-last_received_at"]),)

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_arriving(self) -> bool:
        """Whether the agent may still be at work: something came in the last ten minutes."""
        last = self.last_received_at
        return last is not None and timezone.now() - last < ARRIVING


class File(models.Model):
    """One file of a run. A file that was rewritten in place starts a new generation.

    `rewrites`: this generation is not known to go on from the one before, which is kept.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="files")
    name = models.CharField(max_length=512)
    generation = models.PositiveIntegerField(default=1)
    current = models.BooleanField(default=True)
    adapter = models.CharField(max_length=40, blank=True)
    size_bytes = models.BigIntegerField(default=0)
    rewrites = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["run", "name", "generation"], name="file_generation"),
        )

    def __str__(self) -> str:
        return self.name


class Chunk(models.Model):
    """Bytes as they came, less secrets, compressed with zstd. `sha256` is of the bytes as sent.

    What stands in place of a secret is as long as the secret, so that places stay what they were.
    `through_sha256`, where the sender told it, is of the file as sent from its start to here.
    """

    file = models.ForeignKey(File, on_delete=models.PROTECT, related_name="chunks")
    offset = models.BigIntegerField()
    size_bytes = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    through_sha256 = models.CharField(max_length=64, null=True)
    data = models.BinaryField()
    receipt = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["file", "offset"], name="chunk_once"),)

    def __str__(self) -> str:
        return f"{self.file}@{self.offset}"


class Job(models.Model):
    """A run waits for its verdict. This table is the truth; a queued message is only a bell."""

    class State(models.TextChoices):
        PENDING = "pending"
        LEASED = "leased"
        DONE = "done"
        QUARANTINED = "quarantined"

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="jobs")
    reason = models.CharField(max_length=40)
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    leased_by = models.CharField(max_length=120, blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["run"], condition=Q(state="pending"), name="job_pending_once_per_run"
            ),
        )
        indexes = (models.Index(fields=["state", "lease_until"]),)

    def __str__(self) -> str:
        return f"{self.run}: {self.state}"


class IdempotentAnswer(models.Model):
    """The first answer given for an `Idempotency-Key`; the same key with another body is a 409."""

    token = models.ForeignKey("dashboard.Token", on_delete=models.CASCADE)
    key = models.CharField(max_length=255)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["token", "key"], name="answer_once"),)

    def __str__(self) -> str:
        return f"{self.key}: {self.status}"
