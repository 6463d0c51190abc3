"""Everything that people decide: the only way a gate is opened, answered, used or ended.

The contract is `gates.md`. Each step moves the state by compare-and-set, writes its entry in the
ledger and its event in the journal, in one transaction.
"""

from dashboard.gates.claims import claim, release
from dashboard.gates.closing import expire, expire_due, follow, revoke, warn_expiring, withdraw
from dashboard.gates.deciding import decide, pinned_text
from dashboard.gates.opening import Question, Stake, open_gate
from dashboard.gates.people import why_not
from dashboard.gates.present import about, shown, shown_hash
from dashboard.gates.refusal import GateRefused
from dashboard.gates.using import Use, consume

__all__ = [
    "GateRefused",
    "Question",
    "Stake",
    "Use",
    "about",
    "claim",
    "consume",
    "decide",
    "expire",
    "expire_due",
    "follow",
    "open_gate",
    "pinned_text",
    "release",
    "revoke",
    "shown",
    "shown_hash",
    "warn_expiring",
    "why_not",
    "withdraw",
]
