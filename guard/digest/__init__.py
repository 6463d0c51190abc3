"""The check of a digest against the facts before it (labels guide, section 3)."""

from guard.digest.check import compare, kept
from guard.digest.labels import label_comparison
from guard.digest.outcome import Added, Checked, Comparison, Status

__all__ = ["Added", "Checked", "Comparison", "Status", "compare", "kept", "label_comparison"]
