"""How a word of a closed set looks: the sign, the word that people read, and its weight.

A status is icon + word + colour, never colour alone. What is not in a table is shown as `unknown`
looks, with its own word: nothing new is ever green by accident.
"""

from __future__ import annotations

from typing import NamedTuple


class Sign(NamedTuple):
    """`look` is ok, warn, danger, gate, unknown or plain; `icon` a symbol of the sprite."""

    look: str
    icon: str
    word: str


def _ok(word: str, icon: str = "ok") -> Sign:
    return Sign("ok", icon, word)


def _warn(word: str, icon: str = "warn") -> Sign:
    return Sign("warn", icon, word)


def _danger(word: str, icon: str = "danger") -> Sign:
    return Sign("danger", icon, word)


def _unknown(word: str = "unknown", icon: str = "unknown") -> Sign:
    return Sign("unknown", icon, word)


def _plain(word: str, icon: str = "") -> Sign:
    return Sign("plain", icon, word)


SIGNS: dict[str, dict[str, Sign]] = {
    "integrity": {
        "ok": _ok("whole"),
        "gap": _warn("gap"),
        "fork": _danger("fork"),
        "tampered": _danger("tampered"),
        "tail_lost": _danger("tail lost"),
    },
    "closure": {"closed": _ok("closed"), "unknown": _unknown(), "violated": _danger("violated")},
    "soundness": {
        "sound": _ok("sound"),
        "unsound": _danger("unsound"),
        "unknown": _unknown(),
        "none": _plain("nothing to undo", "ok"),
    },
    "mode": {
        "noop": _ok("nothing to undo"),
        "linear": _ok("linear"),
        "merge": _warn("merge"),
        "epoch": _warn("epoch replay"),
        "halt": _danger("halt"),
        "none": _plain("nothing to undo", "ok"),
    },
    "retention": {
        "equal": _ok("equal"),
        "unknown": _unknown(),
        "mismatch": _danger("mismatch"),
        "none": _plain("no rollback", "ok"),
    },
    "status": {
        "reversible": _ok("reversible"),
        "undone": _plain("undone", "undo"),
        "unknown": _unknown("status unknown"),
        "provisional": _warn("provisional"),
        "merge": _warn("merge"),
        "irreversible": _danger("record lost"),
        "out_of_scope": _plain("out of scope"),
    },
    "class": {
        "reversible": _ok("reversible"),
        "irreversible": _plain("irreversible", "irrev"),
        "deferred": _plain("deferred", "clock"),
        "unknown": _warn("class unknown"),
    },
    "outcome": {
        "committed": _plain("committed", "check"),
        "failed": _plain("failed", "x"),
        "held": _plain("held", "clock"),
        "planned": _plain("planned", "clock"),
        "started": _warn("started"),
        "unknown": _unknown("no answer"),
    },
    "verdict": {
        "proceed": _ok("proceed"),
        "gate": Sign("gate", "gate", "gate"),
        "refuse": _danger("refuse"),
        "out_of_scope": _plain("out of scope"),
    },
    "gate": {
        "pending": Sign("gate", "gate", "open"),
        "approved": _ok("approved, not used", "check"),
        "consumed": _plain("used", "check"),
        "rejected": _plain("rejected", "x"),
        "expired": _unknown("expired", "clock"),
        "withdrawn": _unknown("withdrawn", "undo"),
        "revoked": _warn("revoked", "x"),
        "void": _warn("void", "x"),
    },
    "journal_gate": {
        "valid": _ok("approved", "check"),
        "pending": Sign("gate", "gate", "open"),
        "rejected": _plain("rejected", "x"),
        "revoked": _warn("revoked", "x"),
        "expired": _unknown("expired", "clock"),
        "self": _danger("approved by its own author"),
        "nonhuman": _danger("not a person"),
        "stale": _warn("stale"),
        "unbound": _warn("not for this effect"),
    },
    "fact": {
        "kept": _ok("kept", "kept"),
        "altered": _warn("altered", "altered"),
        "weakened": _warn("weakened", "weakened"),
        "dropped": _danger("dropped", "dropped"),
        "unproven": _unknown("unproven"),
        "added": Sign("gate", "added", "added"),
    },
    "severity": {
        "error": _danger("error"),
        "warning": _warn("warning"),
        "info": _plain("info"),
    },
    "coverage": {
        "proves": _ok("proves"),
        "cannot prove": _unknown("cannot prove"),
        "blind spot": _warn("blind spot"),
        "finding": _plain("noted", "hand"),
    },
    "job": {
        "pending": _plain("waits", "clock"),
        "leased": _plain("being judged", "clock"),
        "done": _ok("judged"),
        "quarantined": _danger("quarantined"),
    },
    "line": {
        "accepted": _ok("named skip", "ok"),
        "accepted-named-skip": _unknown("named skip"),
        "quarantined": _warn("quarantined"),
        "refused": _danger("refused", "dropped"),
    },
}

LIGHTS = ("integrity", "closure", "soundness", "mode", "retention")
LIGHT_NAMES = {
    "integrity": "Integrity",
    "closure": "Closure",
    "soundness": "Soundness",
    "mode": "Replay mode",
    "retention": "Retention",
}
FACT_ORDER = ("dropped", "altered", "weakened", "unproven", "added", "kept")
OPS = {
    "summarize": "summary",
    "replace": "replacement",
    "evict": "eviction",
    "drop": "drop",
    "clear": "clear",
    "restore": "restore",
}


def sign(table: str, value: str | None) -> Sign:
    """The sign of a closed-set word; of an empty one, that nothing is known yet."""
    if not value:
        return _unknown("not judged yet")
    return SIGNS[table].get(value, _unknown(value.replace("_", " ")))


def count(number: int, noun: str, nouns: str = "") -> str:
    """`1 edit`, `1,204 edits`."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"
