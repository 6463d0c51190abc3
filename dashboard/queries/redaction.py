"""What was taken out of the bytes of runs before they were stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from django.db.models import BooleanField, ExpressionWrapper, Q

from dashboard.models import Redaction, Run


def secrets_in(run_ids: Iterable[int]) -> Counter[str]:
    """Kinds of secrets that were taken out of these runs, with how often."""
    noted = Redaction.objects.filter(chunk__file__run__in=list(run_ids))
    total: Counter[str] = Counter()
    for counts in noted.values_list("counts", flat=True):
        total.update(counts)
    return total


def pieces(run: Run) -> list[Redaction]:
    """The pieces of a run's files that held secrets, in the order in which they came."""
    noted = Redaction.objects.filter(chunk__file__run=run).select_related("chunk__file")
    kept = noted.annotate(has_raw=ExpressionWrapper(Q(raw__isnull=False), BooleanField()))
    return list(kept.defer("chunk__data", "chains", "bodies", "raw").order_by("pk"))
