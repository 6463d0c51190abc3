"""Whether everything is really back after a rollback (`semantics.md` 12)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from guard.answers import Integrity, Retention, RetentionVerdict
from guard.edits import Edits, RolledBack
from guard.events import Merge, Observed
from guard.order import at


class Look(Struct, frozen=True):
    """The first look at a branch after a rollback, held against what its window should hold."""

    observed: Observed
    seq: int
    missing: frozenset[str]
    extra: frozenset[str]
    changed: frozenset[str]
    vague: bool
    """An edit of the branch stands of which it is not known what left (3.9)."""
    dropped: frozenset[str] = frozenset()
    """Given up by a merge before the look, and not entered again since."""


class Looks:
    """Who looked after which rollback, and what was given up knowingly."""

    def __init__(self) -> None:
        self.merges: dict[str, list[Merge]] = {}
        """Rollback id -> its merges, before or after it."""
        self.after: dict[int, Look] = {}
        """Rollback (by index) -> the first look after it on its branch."""
        self.waiting: dict[str, list[RolledBack]] = {}
        """Branch -> rollbacks after which nobody looked yet."""
        self.entered: dict[tuple[str, str], int] = {}
        """(branch, span given up) -> the latest number at which it was read, or written by an
        edit."""
        self.given_up: set[str] = set()

    def copy(self) -> Looks:
        other = Looks()
        other.merges = {rollback: merges.copy() for rollback, merges in self.merges.items()}
        other.after, other.entered = self.after.copy(), self.entered.copy()
        other.waiting = {branch: rolled.copy() for branch, rolled in self.waiting.items()}
        other.given_up = self.given_up.copy()
        return other

    def merge(self, event: Merge) -> None:
        self.merges.setdefault(event.rollback, []).append(event)
        self.given_up.update(event.dropped)

    def await_look(self, rolled: RolledBack) -> None:
        self.waiting.setdefault(rolled.branch, []).append(rolled)

    def look(self, event: Observed, number: int, window: dict[str, str], edits: Edits) -> None:
        """Somebody looked at a branch whose window should be `window`."""
        waiting = self.waiting.get(event.branch, [])
        asking = [rolled for rolled in waiting if rolled.seq < number]
        if not asking:
            return
        self.waiting[event.branch] = [rolled for rolled in waiting if rolled.seq >= number]
        look = _compare(event, number, window, edits)
        for rolled in asking:
            self.after[rolled.index] = replace(look, dropped=self._dropped(rolled))

    def _dropped(self, rolled: RolledBack) -> frozenset[str]:
        return frozenset(
            span
            for merge in self.merges.get(rolled.id, ())
            for span in merge.dropped
            if self.entered.get((rolled.branch, span), 0) <= (merge.seq or 0)
        )

    def dropped_for(self, rolled: RolledBack, look: Look) -> frozenset[str]:
        """Spans that are not declared, as merges before or after the look gave them up."""
        return look.dropped.union(
            span
            for merge in self.merges.get(rolled.id, ())
            if (merge.seq or 0) > look.seq
            for span in merge.dropped
        )


def _compare(event: Observed, number: int, window: dict[str, str], edits: Edits) -> Look:
    seen = event.spans
    return Look(
        observed=event,
        seq=number,
        missing=frozenset(window.keys() - seen.keys()),
        extra=frozenset(seen.keys() - window.keys()),
        changed=frozenset(
            span for span in window.keys() & seen.keys() if window[span] != seen[span]
        ),
        vague=any(
            edits[index].branch == event.branch
            and edits[index].seq < number
            and edits.stands(edits[index], at(number))
            for index in edits.vague
        ),
    )


def retention(rolled: RolledBack, looks: Looks, integrity: Integrity) -> Retention:
    """The verdict on one rollback (12.1 to 12.5)."""
    look = looks.after.get(rolled.index)
    if look is None:
        return Retention("unknown", reason="an observed event after it on its branch")
    dropped = looks.dropped_for(rolled, look)
    missing = look.missing - dropped
    changed = look.changed - dropped
    extra = look.extra | (dropped & look.observed.spans.keys())
    return Retention(
        *_verdict(bool(missing or changed or extra), look, integrity),
        missing=tuple(sorted(missing)),
        extra=tuple(sorted(extra)),
        changed=tuple(sorted(changed)),
        observed=look.seq,
    )


def _verdict(
    differs: bool, look: Look, integrity: Integrity
) -> tuple[RetentionVerdict, str | None]:
    if look.vague:
        return "unknown", "what the vague edits of its branch took"
    if differs:
        return "mismatch", None
    if not integrity.allows_good:
        return "unknown", f"a whole journal (this one: {integrity.verdict})"
    return "equal", None
