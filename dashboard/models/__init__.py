"""Tables by who writes them: people and tokens, received, derived, human, ledger."""

from dashboard.models.alerts import AlertFiring, AlertRule, AlertStep
from dashboard.models.derived import (
    EditRow,
    EffectRow,
    EpochRow,
    FactRow,
    FindingRow,
    GapRow,
    JournalGateRow,
    LineRow,
    ProposalRow,
    RollbackRow,
    Series,
    SkipCount,
    Verdict,
)
from dashboard.models.effect_rules import EffectRule
from dashboard.models.human import (
    Case,
    CaseItem,
    Consumption,
    Decision,
    Gate,
    GateEvent,
    Note,
    SavedView,
    Vote,
)
from dashboard.models.ledger import Entry, LedgerHead
from dashboard.models.notices import Attempt, Delivery, NoticeRow, Target
from dashboard.models.people import LoginFailure, Membership, Role, Scope, Token
from dashboard.models.received import Chunk, File, IdempotentAnswer, Job, Run, Source
from dashboard.models.redaction import Redaction
from dashboard.models.retention import Hold, Retention, Tombstone
from dashboard.models.search import SearchRow
from dashboard.models.switches import RuleSwitch

__all__ = [
    "AlertFiring",
    "AlertRule",
    "AlertStep",
    "Attempt",
    "Case",
    "CaseItem",
    "Chunk",
    "Consumption",
    "Decision",
    "Delivery",
    "EditRow",
    "EffectRow",
    "EffectRule",
    "Entry",
    "EpochRow",
    "FactRow",
    "File",
    "FindingRow",
    "GapRow",
    "Gate",
    "GateEvent",
    "Hold",
    "IdempotentAnswer",
    "Job",
    "JournalGateRow",
    "LedgerHead",
    "LineRow",
    "LoginFailure",
    "Membership",
    "Note",
    "NoticeRow",
    "ProposalRow",
    "Redaction",
    "Retention",
    "Role",
    "RollbackRow",
    "RuleSwitch",
    "Run",
    "SavedView",
    "Scope",
    "SearchRow",
    "Series",
    "SkipCount",
    "Source",
    "Target",
    "Token",
    "Tombstone",
    "Verdict",
    "Vote",
]
