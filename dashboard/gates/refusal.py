"""Why a gate cannot be asked for, answered or used: one exception with the contract's codes."""

from __future__ import annotations

REASONS = {
    "self": "asked for by you or by your agent, or the digest is yours: another person decides",
    "forbidden": "you are not a reviewer for this source",
    "reauthenticate": "sign in again: this answer lets an irreversible effect through",
    "changed": "something changed since the page was shown: look again",
    "expired": "the time to answer is over; nobody answered, so the runtime is told no",
    "decided": "already decided",
    "withdrawn": "the question was withdrawn",
    "rolled_back": "the edit it is about was rolled back",
    "epoch_swapped": "the policy changed since it was asked",
    "revoked": "the approval was revoked",
    "void": "a rollback made the approval void",
    "claimed": "another person is looking at it",
    "reason_required": "say what you checked: a reason is required",
    "not_approved": "there is no approval to revoke",
    "pins": "only facts that the digest lost can be pinned back",
    "error": "the journal cannot be judged",
    "missing": "the request names bytes that are not here",
}


class GateRefused(Exception):
    """`code` is one of the contract's; `shown` says what stands against it: hashes, a name."""

    def __init__(self, code: str, reason: str = "", **shown: object) -> None:
        self.code = code
        self.reason = reason or REASONS[code]
        self.shown = shown
        super().__init__(code, self.reason)

    def __str__(self) -> str:
        return f"{self.code}: {self.reason}"
