"""One run: its head, what is worst about it in a sentence, and whether it is judged yet."""

from __future__ import annotations

from django.db.models import Q
from msgspec import Struct

from dashboard import ingest, times, words
from dashboard.models import EditRow, EffectRow, Gate, Job, Run, Verdict
from dashboard.queries.lights import Light, lights, named
from dashboard.queries.redaction import secrets_in
from dashboard.visible import brief, plain


class Banner(Struct, frozen=True):
    """The worst thing, in full: `strong` first, then the rest. `look` is danger, warn or plain."""

    look: str
    icon: str
    strong: str
    text: str = ""


class RunPage(Struct, frozen=True):
    run: Run
    verdict: Verdict | None
    job: Job | None
    lights: list[Light]
    banner: Banner | None
    open_gates: int
    edits: int
    proposed: int
    secrets: int

    @property
    def unsafe_sign(self) -> words.Sign:
        number = self.verdict.unsafe_windows if self.verdict else 0
        return words.Sign("danger", "danger", words.count(number, "unsafe window"))


def current(run: Run) -> Verdict | None:
    """The verdict in force; the packed report stays in the table."""
    return run.verdicts.filter(current=True).defer("report").first()


def total_of(verdict: Verdict | None) -> int:
    return verdict.at if verdict else 0


def run_page(run: Run) -> RunPage:
    verdict = current(run)
    job = run.jobs.order_by("-created_at", "-pk").first()
    made = run.edits.values("edit_id")
    return RunPage(
        run=run,
        verdict=verdict,
        job=job,
        lights=lights(run, verdict),
        banner=_banner(run, verdict, job),
        open_gates=run.gates.filter(state=Gate.State.PENDING).count(),
        edits=run.edits.count(),
        proposed=run.proposals.exclude(edit_id__in=made).count(),
        secrets=secrets_in([run.pk]).total(),
    )


def _banner(run: Run, verdict: Verdict | None, job: Job | None) -> Banner | None:
    if job is not None and job.state == Job.State.QUARANTINED:
        text = (
            f"{plain(job.error)} What was received is kept; send the run again when it is mended."
        )
        return Banner("danger", "danger", "This journal could not be judged.", text)
    if verdict is None:
        return Banner("plain", "clock", "Received, not judged yet.", "This page follows by itself.")
    if verdict.worst == ingest.DELETED:
        text = "What was said of it stays; no edit of it can be undone, and no text be read again."
        return Banner("warn", "clock", "The bytes of this run were deleted.", text)
    return _unsafe(run) or _broken(run, verdict)


def _unsafe(run: Run) -> Banner | None:
    effect = run.effects.filter(danger=True).order_by("seq").first()
    if effect is None:
        return None
    edit = _over(run, effect)
    if edit is None:
        return None
    name, kind = plain(brief(edit.edit_id)), words.OPS.get(edit.op, edit.op)
    gained = (
        edit.tokens_before - edit.tokens_after
        if edit.tokens_before is not None and edit.tokens_after is not None
        else None
    )
    back = f"{gained:,} tokens" if gained and gained > 0 else "the window"
    others = run.effects.filter(danger=True).count() - 1
    more = (
        f" So {'were' if others > 1 else 'was'} {words.count(others, 'more effect')}."
        if others
        else ""
    )
    when = f" at {times.stamp(effect.at)}" if effect.at else ""
    text = (
        f"Effect {plain(brief(effect.effect_id))}, which cannot be reversed, "
        f"{_became(effect)}{when} while {kind} {name} was what the model read.{more}"
    )
    return Banner(
        "danger",
        "danger",
        f"A rollback of {name} restores {back} and undoes nothing outside.",
        text,
    )


def _became(effect: EffectRow) -> str:
    return {"committed": "was committed", "started": "was started"}.get(
        effect.state, "left without an answer"
    )


def _over(run: Run, effect: EffectRow) -> EditRow | None:
    """The outermost edit in force when the effect happened."""
    at = effect.end_seq or effect.seq
    rows = run.edits.filter(Q(end_seq=None) | Q(end_seq__gt=effect.seq), seq__lt=at)
    return rows.filter(branch=effect.branch).order_by("depth", "seq").first() or rows.first()


def _broken(run: Run, verdict: Verdict) -> Banner | None:
    if verdict.integrity in {"tampered", "fork", "tail_lost"}:
        strong = "This journal is not what was written."
        word = words.sign("integrity", verdict.integrity).word
        return Banner(
            "danger", "danger", strong, f"Integrity: {word}. No verdict here is positive."
        )
    if verdict.closure == "violated":
        rows = run.findings.filter(code__in=("JG201", "JG205")).order_by("seq")
        lost = list(rows.values_list("subject", flat=True)[:20])
        strong = f"{named(lost)} cannot be undone: no good recovery record."
        text = "Its spans must come from their source; a record is never rebuilt."
        return Banner("danger", "dropped", strong, text)
    if verdict.integrity == "gap":
        strong = "Numbers are missing."
        return Banner("warn", "warn", strong, "What happened there is not known, and counts so.")
    return None
