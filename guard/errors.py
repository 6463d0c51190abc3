"""One tree of errors: findings are returned, these are raised when a request cannot be met."""

from __future__ import annotations

from collections.abc import Sequence


class GuardError(Exception):
    """Root of everything `guard` raises on purpose."""


class JournalError(GuardError):
    """Bytes that a strict reader refuses (`journal-format.md` 6). `line` counts from 1."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason, line)
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        return self.reason if self.line is None else f"{self.line}: {self.reason}"


class UnsafeSummarizationError(GuardError):
    """A proposal or an effect that may not go ahead, with every code that speaks against it."""

    def __init__(self, subject: str, verdict: str, codes: Sequence[str]) -> None:
        super().__init__(subject, verdict, tuple(codes))
        self.subject = subject
        self.verdict = verdict
        self.codes = tuple(codes)

    def __str__(self) -> str:
        return f"{self.subject}: {self.verdict} ({', '.join(self.codes) or 'no code'})"


class IrreversibleEditError(GuardError):
    """An edit cannot be undone; undo stops instead of inventing (`semantics.md` 10.6)."""


class RecordMissing(IrreversibleEditError):
    """The recovery record of an edit is gone, so undoing it would be invention."""

    def __init__(self, edit_id: str) -> None:
        super().__init__(edit_id)
        self.edit_id = edit_id

    def __str__(self) -> str:
        return f"edit {self.edit_id}: no good recovery record; re-derive the span from its source"


class ReplayPolicyEpochError(GuardError):
    """A rollback crosses a policy border and may not be replayed linearly (`semantics.md` 11.4)."""

    def __init__(self, policies: Sequence[str | None]) -> None:
        super().__init__(tuple(policies))
        self.policies = tuple(policies)

    def __str__(self) -> str:
        names = ", ".join("no policy" if policy is None else policy for policy in self.policies)
        return f"the range was edited under {names}: replay each epoch, reconcile by a logged merge"


class GateError(GuardError):
    """A gate was used against its contract (`gates.md`). `code` is one of its reason codes."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.code}: {self.reason}"
