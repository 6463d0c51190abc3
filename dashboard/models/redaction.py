"""What was taken out of received bytes before they were stored. Append-only."""

from __future__ import annotations

from django.db import models

from dashboard.models.received import Chunk


class Redaction(models.Model):
    """The secrets of one chunk: how many of each kind, and what shows that nothing else changed.

    `stored_sha256` is of the bytes that are kept; the chunk's own `sha256` is of what was sent.
    `chains`: the `chain` of each changed line of a native journal whose chain held when it came,
    with the SHA-256 of the line as it is kept. `bodies`: the hash of each value that held a secret,
    as it is kept and as it came. `raw`: the bytes as sent, only when the setting says so.
    """

    chunk = models.OneToOneField(Chunk, on_delete=models.PROTECT, related_name="redaction")
    counts = models.JSONField()
    stored_sha256 = models.CharField(max_length=64)
    chains = models.JSONField(default=dict)
    bodies = models.JSONField(default=dict)
    raw = models.BinaryField(null=True)

    def __str__(self) -> str:
        return f"{self.chunk}: {sum(self.counts.values())} secrets"
