"""Our own log of receipts and decisions: append-only, each entry bound to the one before it."""

from __future__ import annotations

from django.db import models


class Entry(models.Model):
    """One step. `hash` = SHA-256 of `prev` and the entry's canonical form (`ledger.py`)."""

    seq = models.BigIntegerField(unique=True)
    kind = models.CharField(max_length=40, db_index=True)
    run = models.ForeignKey("dashboard.Run", on_delete=models.PROTECT, null=True, blank=True)
    actor = models.CharField(max_length=200)
    body = models.JSONField()
    prev = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        ordering = ("seq",)
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


class LedgerHead(models.Model):
    """The last entry, one row: locking it puts the writers in a line."""

    seq = models.BigIntegerField(default=0)
    hash = models.CharField(max_length=64, default="0" * 64)

    def __str__(self) -> str:
        return f"{self.seq}"
