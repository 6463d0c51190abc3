"""The five lights of a run: never merged, each with its reason and what would make it known."""

from __future__ import annotations

from collections import defaultdict

from django.db.models import Count, Q
from msgspec import Struct

from dashboard import words
from dashboard.models import FindingRow, Run, Verdict
from dashboard.visible import brief, plain
from dashboard.words import LIGHT_NAMES, LIGHTS, Sign

CODES = (
    "JG101",
    "JG102",
    "JG109",
    "JG201",
    "JG203",
    "JG205",
    "JG206",
    "JG301",
    "JG302",
    "JG304",
    "JG306",
    "JG401",
    "JG402",
    "JG901",
)
MOST = 400
NAMED = 3


class Light(Struct, frozen=True):
    """One light. `known_by` says what would make an unknown known; empty when it is known."""

    key: str
    name: str
    sign: Sign
    reason: str
    known_by: str = ""


class Facts(Struct, frozen=True):
    """What the reasons are made of."""

    at: int
    edits: int
    unsound: list[str]
    unclear: list[str]
    crossing: list[str]
    halted: list[str]
    rollbacks: int
    unseen: list[str]
    mismatched: list[str]
    unsound_rollbacks: list[str]
    missing: int
    first_missing: int
    findings: dict[str, list[FindingRow]]


def lights(run: Run, verdict: Verdict | None) -> list[Light]:
    """The lights in fixed order; of a run that is not judged yet, all unknown."""
    if verdict is None:
        why = "The journal is not judged yet."
        sign = words.sign("integrity", None)
        return [Light(name, LIGHT_NAMES[name], sign, why) for name in LIGHTS]
    facts = _facts(run, verdict.at)
    makers = (_integrity, _closure, _soundness, _mode, _retention)
    out = []
    for name, maker in zip(LIGHTS, makers, strict=True):
        value = getattr(verdict, name)
        reason, known_by = maker(value, facts)
        out.append(Light(name, LIGHT_NAMES[name], words.sign(name, value), reason, known_by))
    return out


def _facts(run: Run, at: int) -> Facts:
    edits = run.edits.order_by("seq").only("run", "edit_id", "soundness", "mode", "seq")
    rollbacks = run.rollbacks.order_by("seq").only(
        "run", "rollback_id", "soundness", "mode", "retention"
    )
    known = list(rollbacks)
    counted = edits.aggregate(n=Count("id"))
    marked = list(edits.filter(Q(soundness__in=("unsound", "unknown")) | Q(mode__in=MODES))[:MOST])
    gaps = list(run.gaps.order_by("first_seq").values_list("first_seq", "last_seq"))
    return Facts(
        at=at,
        edits=counted["n"],
        unsound=[row.edit_id for row in marked if row.soundness == "unsound"],
        unclear=[row.edit_id for row in marked if row.soundness == "unknown"],
        crossing=[row.edit_id for row in marked if row.mode in {"epoch", "merge"}]
        + [row.rollback_id for row in known if row.mode in {"epoch", "merge"}],
        halted=[row.edit_id for row in marked if row.mode == "halt"]
        + [row.rollback_id for row in known if row.mode == "halt"],
        rollbacks=len(known),
        unseen=[row.rollback_id for row in known if row.retention == "unknown"],
        mismatched=[row.rollback_id for row in known if row.retention == "mismatch"],
        unsound_rollbacks=[row.rollback_id for row in known if row.soundness == "unsound"],
        missing=sum(last - first + 1 for first, last in gaps),
        first_missing=gaps[0][0] if gaps else 0,
        findings=_findings(run),
    )


MODES = ("epoch", "merge", "halt")


def _findings(run: Run) -> dict[str, list[FindingRow]]:
    out: dict[str, list[FindingRow]] = defaultdict(list)
    rows = run.findings.filter(code__in=CODES).defer("seqs").order_by("code", "seq", "subject")
    for row in rows[:MOST]:
        out[row.code].append(row)
    return out


def named(ids: list[str]) -> str:
    """`e3, e5`, or `e1, e2, e3 and 9 more`."""
    shown = ", ".join(plain(brief(name)) for name in ids[:NAMED])
    return shown if len(ids) <= NAMED else f"{shown} and {len(ids) - NAMED:,} more"


def makes_known(message: str) -> str:
    """The part of a finding's message that says what would tell; empty when none does."""
    _, found, tail = message.rpartition("; ")
    return tail.removesuffix(" would tell") if found and tail.endswith(" would tell") else ""


def _first(facts: Facts, *codes: str) -> FindingRow | None:
    return next((rows[0] for code in codes if (rows := facts.findings.get(code))), None)


def _from_finding(row: FindingRow | None, otherwise: str) -> tuple[str, str]:
    if row is None:
        return otherwise, ""
    known_by = makes_known(row.message)
    reason = row.message.rpartition("; ")[0] if known_by else row.message
    return _sentence(reason), known_by


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _integrity(value: str, facts: Facts) -> tuple[str, str]:
    if value == "ok":
        return f"All numbers up to {facts.at:,} are here; no check failed.", ""
    if value == "gap":
        missing = words.count(facts.missing, "number")
        are = "is" if facts.missing == 1 else "are"
        reason = f"{missing} {are} missing, the first at {facts.first_missing:,}."
        return reason, "the missing lines; import the file part that holds them"
    return _from_finding(_first(facts, "JG401"), "The chain or the numbers do not fit together.")


def _closure(value: str, facts: Facts) -> tuple[str, str]:
    edits = words.count(facts.edits, "edit")
    if value == "closed" and not facts.edits:
        return "No edit was made, so none needs a recovery record.", ""
    if value == "closed":
        return f"{edits}: each of those that need one has its recovery record.", ""
    if value == "violated":
        lacking = [row.subject for row in facts.findings.get("JG201", [])]
        twice = [row.subject for row in facts.findings.get("JG205", [])]
        if lacking:
            return f"{edits}; no good recovery record: {named(lacking)}.", ""
        return f"{edits}; one id on two edits: {named(twice)}.", ""
    return _from_finding(_first(facts, "JG203"), "It is not known whether every edit was recorded.")


def _soundness(value: str, facts: Facts) -> tuple[str, str]:
    if value == "none":
        return "No edit is in force and none was rolled back, so there is nothing to ask.", ""
    if value == "sound":
        return "No edit overlapped an effect that a rollback would leave behind.", ""
    if value == "unsound":
        parts = []
        if facts.unsound_rollbacks:
            parts.append(
                f"rollback {named(facts.unsound_rollbacks)} brought the window back, not the world"
            )
        if facts.unsound:
            parts.append(f"undoing {named(facts.unsound)} would leave an effect behind")
        return _sentence("; ".join(parts) or "an effect stands that no rollback undoes"), ""
    unclear = named(facts.unclear)
    reason, known_by = _from_finding(_first(facts, "JG102", "JG109", "JG901"), "")
    return (f"Not known for {unclear}. {reason}" if unclear else reason), known_by


def _mode(value: str, facts: Facts) -> tuple[str, str]:
    if value == "halt":
        return f"{named(facts.halted)} cannot be undone: no good recovery record.", ""
    if value in {"epoch", "merge"}:
        border = "an epoch border lies between"
        what = border if value == "epoch" else "a later edit has taken the same spans"
        who = named(facts.crossing) or "A rollback"
        return f"{who}: {what}; linear replay is refused.", ""
    if value in {"noop", "none"}:
        return "There is nothing to undo.", ""
    return "Every edit in force can be undone newest first.", ""


def _retention(value: str, facts: Facts) -> tuple[str, str]:
    if value == "mismatch":
        return f"After {named(facts.mismatched)} the window was not what was declared.", ""
    if value == "none":
        return "No rollback was made, so nobody had to look.", ""
    if value == "equal":
        return "After each rollback the window was reported, and it was the declared one.", ""
    row = _first(facts, "JG306")
    if row is not None and makes_known(row.message):
        return _from_finding(row, "")
    reason = f"After {named(facts.unseen)} nobody reported the window."
    return reason, "an observed event after the rollback"
