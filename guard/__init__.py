"""The judge of Journal Guard: one pure pipeline, read -> fold -> judge.

No clock, no network, no Django. What a verdict means stands in `semantics.md`; what is read in
`journal-format.md`; what is printed in `report-format.md`.
"""

RULES_VERSION = "1"
"""Changes whenever a verdict on the same bytes could change (`report-format.md` 5)."""
