"""What we computed from what was received: no human input, so it may be deleted and rebuilt.

The rows carry the verdicts of `guard-report/1` (`report-format.md` 5) and what the pages need
beside them; `seq` is a place in the journal, times are the source's own.
"""

from __future__ import annotations

from django.db import models


class Verdict(models.Model):
    """One judgement of a run: of what was received up to `head`, by `rules_version`.

    Earlier ones stay. `changes` lists what differs from the judgement before:
    `[{"what", "subject", "was", "now"}]`. `last_chunk` and `last_event` are the ids of
    the last chunk and of the last gate event of ours that were read.
    """

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="verdicts")
    head = models.CharField(max_length=64)
    rules_version = models.CharField(max_length=40)
    current = models.BooleanField(default=True)
    judged_at = models.DateTimeField(auto_now_add=True)
    last_chunk = models.BigIntegerField(default=0)
    last_event = models.BigIntegerField(default=0)
    at = models.BigIntegerField(default=0)
    events = models.PositiveIntegerField(default=0)
    report = models.BinaryField()
    integrity = models.CharField(max_length=12)
    closure = models.CharField(max_length=12)
    soundness = models.CharField(max_length=12)
    mode = models.CharField(max_length=12)
    retention = models.CharField(max_length=12)
    worst = models.CharField(max_length=200)
    summaries = models.PositiveIntegerField(default=0)
    unsafe_windows = models.PositiveIntegerField(default=0)
    open_writes = models.PositiveIntegerField(default=0)
    changes = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["run", "head", "rules_version"], name="verdict_once_per_head"
            ),
            models.UniqueConstraint(
                fields=["run"], condition=models.Q(current=True), name="verdict_current_once"
            ),
        )
        indexes = (
            models.Index(fields=["run", "-judged_at"]),
            models.Index(
                fields=["soundness", "run"],
                condition=models.Q(current=True),
                name="verdict_now_soundness",
            ),
        )

    def __str__(self) -> str:
        return f"{self.run} at {self.at}: {self.worst}"


class EditRow(models.Model):
    """One row for each edit id of the report. `depth` = row of the bar when edits are nested.

    `operative`: `[{"branch", "from", "to"}]`; `end_seq` is None while the edit is operative on its
    own branch. `soundness`, `mode`, `blame` are those of *undone alone, now*, and blank when the
    edit is undone. `overlaps` and `blame` hold the first 1,000 ids, `overlap_count`
    says how many there are. `unsafe`: something that no
    rollback brings back happened under it.
    """

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="edits")
    edit_id = models.CharField(max_length=512)
    seq = models.BigIntegerField()
    op = models.CharField(max_length=12)
    by = models.CharField(max_length=8)
    branch = models.CharField(max_length=512)
    author = models.CharField(max_length=512, blank=True)
    policy = models.CharField(max_length=512, blank=True)
    status = models.CharField(max_length=16)
    end_seq = models.BigIntegerField(null=True)
    depth = models.PositiveSmallIntegerField(default=0)
    operative = models.JSONField(default=list)
    tokens_before = models.BigIntegerField(null=True)
    tokens_after = models.BigIntegerField(null=True)
    soundness = models.CharField(max_length=12, blank=True)
    mode = models.CharField(max_length=12, blank=True)
    blame = models.JSONField(default=list)
    overlaps = models.JSONField(default=list)
    overlap_count = models.PositiveIntegerField(default=0)
    elided = models.JSONField(default=dict)
    lacking = models.JSONField(default=dict)
    kept = models.PositiveIntegerField(default=0)
    altered = models.PositiveIntegerField(default=0)
    dropped = models.PositiveIntegerField(default=0)
    weakened = models.PositiveIntegerField(default=0)
    unproven = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    trigger = models.CharField(max_length=120, blank=True)
    at = models.DateTimeField(null=True)
    taken = models.JSONField(default=list)
    out_hash = models.CharField(max_length=512, blank=True)
    fidelity = models.CharField(max_length=8)
    opaque = models.BooleanField(default=False)
    unsafe = models.BooleanField(default=False)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["run", "edit_id"], name="edit_row_once"),)
        indexes = (models.Index(fields=["run", "seq"]),)

    def __str__(self) -> str:
        return self.edit_id


class FactRow(models.Model):
    """What became of one gating fact in one edit. Lines count from 1 within the span's text."""

    edit = models.ForeignKey(EditRow, on_delete=models.CASCADE, related_name="facts")
    scope = models.CharField(max_length=1024)
    key = models.CharField(max_length=512)
    value = models.TextField()
    kind = models.CharField(max_length=40, blank=True)
    status = models.CharField(max_length=12)
    found = models.TextField(blank=True)
    source_seq = models.BigIntegerField(null=True)
    source_line = models.PositiveIntegerField(null=True)
    digest_line = models.PositiveIntegerField(null=True)
    why = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.scope}:{self.key} {self.status}"


class EffectRow(models.Model):
    """One logical effect. `danger`: an irreversible write that touched an unsafe window."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="effects")
    effect_id = models.CharField(max_length=512)
    seq = models.BigIntegerField()
    start_seq = models.BigIntegerField(null=True)
    end_seq = models.BigIntegerField(null=True)
    branch = models.CharField(max_length=512)
    state = models.CharField(max_length=12)
    reversibility = models.CharField(max_length=12)
    write = models.BooleanField()
    domain = models.CharField(max_length=40, blank=True)
    tool = models.TextField(blank=True)
    target = models.TextField(blank=True)
    summary = models.TextField(blank=True)
    why = models.TextField(blank=True)
    classed_by = models.CharField(max_length=512, blank=True)
    """The team's rules that decided its class, such as `3 of ann`."""
    lacking = models.JSONField(default=list)
    """`[edit, scope, key, value]` of facts that were not in the window when it started."""
    partial = models.BooleanField(default=False)
    authorization = models.CharField(max_length=12)
    stands_in_way = models.JSONField(default=list)
    danger = models.BooleanField(default=False)
    at = models.DateTimeField(null=True)

    class Meta:
        indexes = (
            models.Index(fields=["run", "seq"]),
            models.Index(fields=["run", "danger"]),
        )

    def __str__(self) -> str:
        return self.effect_id


class EpochRow(models.Model):
    """A maximal stretch under one policy; `policy` is blank before the first one."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="epochs")
    policy = models.CharField(max_length=512, blank=True)
    from_seq = models.BigIntegerField()
    to_seq = models.BigIntegerField()
    at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.policy or 'no policy'} {self.from_seq}-{self.to_seq}"


class RollbackRow(models.Model):
    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="rollbacks")
    rollback_id = models.CharField(max_length=512)
    seq = models.BigIntegerField()
    soundness = models.CharField(max_length=12)
    blame = models.JSONField(default=list)
    residue = models.JSONField(default=list)
    watch = models.JSONField(default=list)
    mode = models.CharField(max_length=12)
    retention = models.CharField(max_length=12)
    missing = models.JSONField(default=list)
    extra = models.JSONField(default=list)
    changed = models.JSONField(default=list)
    at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.rollback_id


class ProposalRow(models.Model):
    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="proposals")
    edit_id = models.CharField(max_length=512)
    seq = models.BigIntegerField()
    verdict = models.CharField(max_length=16)
    rules = models.JSONField(default=list)
    at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.edit_id


class JournalGateRow(models.Model):
    """A gate as the journal tells it; our own gates are `Gate`."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="journal_gates")
    gate_id = models.CharField(max_length=512)
    seq = models.BigIntegerField()
    edit = models.CharField(max_length=512, blank=True)
    state = models.CharField(max_length=12)
    at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.gate_id


class GapRow(models.Model):
    """Numbers that are missing, or a hole the journal itself reports (then `what` says it)."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="gaps")
    first_seq = models.BigIntegerField()
    last_seq = models.BigIntegerField()
    what = models.TextField(blank=True)
    consequence = models.TextField(blank=True)

    def __str__(self) -> str:
        return f"{self.first_seq}-{self.last_seq}"


class FindingRow(models.Model):
    """A finding of the report. (run, code, subject) survives a rerun; notes attach by it."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="findings")
    code = models.CharField(max_length=8)
    subject = models.CharField(max_length=512)
    severity = models.CharField(max_length=8)
    certainty = models.CharField(max_length=8)
    message = models.TextField()
    seqs = models.JSONField(default=list)
    seq = models.BigIntegerField(default=0)
    first_seen_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["run", "code", "subject"], name="finding_once"),
        )
        indexes = (
            models.Index(fields=["code"]),
            models.Index(fields=["severity"]),
        )

    def __str__(self) -> str:
        return f"{self.code} {self.subject}"


class LineRow(models.Model):
    """A line that is no event of its own: skipped by name, quarantined or refused."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="lines")
    file = models.CharField(max_length=512)
    line = models.PositiveIntegerField(default=0)
    answer = models.CharField(max_length=24)
    reason = models.TextField(blank=True)
    kept = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.answer}"


class SkipCount(models.Model):
    """How often a kind of native record was skipped by name in one file."""

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="skips")
    file = models.CharField(max_length=512)
    name = models.CharField(max_length=200)
    count = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.name} × {self.count}"


class Series(models.Model):
    """Arrays for the figures, zstd over msgpack.

    `usage`: `{"seq", "at_us", "window_tokens", "limit"}`; `clock`: `{"seq", "at_us"}`, sampled;
    `writes`: `{"seq", "look", "looks"}`, where `look` counts in `looks`: (class, state, danger).
    """

    run = models.ForeignKey("dashboard.Run", on_delete=models.CASCADE, related_name="series")
    kind = models.CharField(max_length=16)
    data = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["run", "kind"], name="series_once"),)

    def __str__(self) -> str:
        return self.kind
