"""What is searched by words: derived rows, rebuilt together with those they speak of."""

from __future__ import annotations

from django.db import models


class SearchRow(models.Model):
    """One thing that can be found. `words`: each word once, in lower case, separated by spaces.

    The databases index `words` themselves (`migrations/0007_search.py`): PostgreSQL by a generated
    `tsvector` with a GIN index, SQLite by an FTS5 table that triggers keep in step.
    """

    class Kind(models.TextChoices):
        RUN = "run"
        EDIT = "edit"
        EFFECT = "effect"
        FINDING = "finding"
        TEXT = "text"

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    ref = models.CharField(max_length=512, blank=True)
    code = models.CharField(max_length=8, blank=True)
    seq = models.BigIntegerField(default=0)
    danger = models.BooleanField(default=False)
    shown = models.TextField(blank=True)
    words = models.TextField()

    class Meta:
        indexes = (models.Index(fields=["run", "kind"]),)

    def __str__(self) -> str:
        return f"{self.kind} {self.ref}"
