"""A context window that really applies and undoes edits, inside a runtime's own process.

Every method happens whole, or raises and changes nothing. The record comes first, the journal
second, the window last: whatever interrupts them, a window is never ahead of its journal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from guard.errors import IrreversibleEditError, RecordMissing
from guard.events import (
    MAIN,
    AnyEvent,
    Branch,
    By,
    Counter,
    Digest,
    Discipline,
    Edit,
    EditId,
    Hash,
    Inventory,
    Merge,
    Observed,
    Op,
    Out,
    Policy,
    Probe,
    Record,
    Role,
    Rollback,
    Seal,
    Span,
    SpanId,
)
from guard.undo_region import Content, EditRefused, UndoRegion

__all__ = ["Append", "Candidate", "Content", "EditRefused", "PruningPolicy", "UndoRegion", "Window"]

Append = Callable[[AnyEvent], object]
"""Gives an event the next number and appends it to the journal, durably."""

Version = tuple[SpanId, Hash]


class Candidate(Struct, frozen=True):
    """All that a pruning policy sees of a span. No candidate stands for a recovery record."""

    id: SpanId
    role: Role
    tokens: int | None


PruningPolicy = Callable[[Sequence[Candidate]], Iterable[SpanId]]
"""Names the spans that leave, out of the candidates that it is given."""


class _Cut(Struct, frozen=True):
    """An edit that was made: what it took, what entered, and the policy in force."""

    id: EditId
    taken: dict[SpanId, Hash]
    out: Version | None
    policy: Digest | None

    def touched(self) -> set[SpanId]:
        """The spans that stand in its `in` or `out`."""
        return {*self.taken, self.out[0]} if self.out else set(self.taken)


class Window:
    """What the model reads, on one branch of one journal."""

    def __init__(
        self,
        region: UndoRegion,
        append: Append,
        *,
        branch: Branch = MAIN,
        discipline: Discipline = "epoch",
    ) -> None:
        self._region = region
        self._append = append
        self._branch = branch
        self._discipline = discipline
        self._contents: dict[SpanId, Content] = {}
        self._hashes: dict[SpanId, Hash] = {}
        self._log: list[Version | _Cut] = []
        self._cuts: dict[EditId, _Cut] = {}
        self._undone: set[EditId] = set()
        self._sealed: set[EditId] = set()
        self._pinned: set[SpanId] = set()
        self._policy: Digest | None = None

    def spans(self) -> dict[SpanId, Content]:
        """Everything that is in the window now."""
        return dict(self._contents)

    def candidates(self) -> tuple[Candidate, ...]:
        """Everything that a pruning policy may name."""
        return tuple(Candidate(span, c.role, c.tokens) for span, c in self._contents.items())

    def add(self, span: SpanId, content: Content) -> None:
        """Something enters the window, or is read again."""
        version = (span, content.hash())
        self._append(
            Span(
                id=span,
                hash=version[1],
                role=content.role,
                text=content.text,
                tokens=content.tokens,
                facts=content.facts,
                branch=self._branch,
            )
        )
        self._log.append(version)
        self._contents[span], self._hashes[span] = content, version[1]

    def compact(
        self, edit: EditId, policy: PruningPolicy, digest: Content | None, *, by: By = "model"
    ) -> None:
        """Let a policy choose what leaves. One name that is no span of the window refuses all."""
        chosen = tuple(policy(self.candidates()))
        self.edit(edit, "evict" if digest is None else "summarize", chosen, digest, by=by)

    def edit(
        self,
        edit: EditId,
        op: Op,
        take: Sequence[SpanId],
        digest: Content | None,
        *,
        by: By = "model",
        author: str | None = None,
    ) -> None:
        """Take spans out; `digest` enters instead, as the span `digest-<edit>`.

        Raises `RecordMissing` when an edit made so far has lost its record, else `EditRefused`.
        """
        self._check_closure()
        self._check_take(edit, take, by)
        out = None if digest is None else (SpanId(f"digest-{edit}"), digest.hash())
        cut = _Cut(edit, {span: self._hashes[span] for span in take}, out, self._policy)
        self._region.write(edit, {span: self._contents[span] for span in take})
        self._append(Record(edit=edit, prior=_plain(cut.taken), payload=True))
        self._append(
            Edit(
                id=edit,
                op=op,
                by=by,
                author=author,
                in_=list(take),
                out=_out(out, digest),
                branch=self._branch,
            )
        )
        self._apply(cut, digest)
        if by != "human":
            self._pinned.clear()

    def undo(self, *edits: EditId, by: By = "model") -> EditId | None:
        """Give back what these edits took, newest first.

        Where a later edit has edited their spans again, undoing is a merge: a new edit with its own
        record, whose id is returned. Raises `RecordMissing` when a record is gone or does not fit,
        and `EditRefused` for an edit that is not in force.
        """
        cuts = self._in_force(edits)
        taken = self._recovered(cuts)
        carriers = self._carriers(cuts)
        if carriers:
            return self._merge(cuts, taken, carriers, by)
        self._roll_back(cuts, taken)
        return None

    def probe(self, edit: EditId) -> bool:
        """Try an undo against the present window without doing it, and put the answer on record."""
        try:
            self._recovered(self._in_force([edit]))
        except IrreversibleEditError:
            ok = False
        else:
            ok = True
        self._append(Probe(edit=edit, ok=ok))
        return ok

    def swap(self, policy: str, digest: Digest, value: Mapping[str, object]) -> None:
        """A pruning policy comes into force. Under `freeze`, open edits refuse it."""
        still_open = self._cuts.keys() - self._undone - self._sealed
        if self._discipline == "freeze" and still_open:
            raise EditRefused(f"the policy is frozen while {', '.join(sorted(still_open))} is open")
        self._append(Policy(id=policy, digest=digest, value=dict(value)))
        self._policy = digest

    def seal(self) -> None:
        """Close the open edits, so that the policy may change under `freeze`."""
        self._append(Seal())
        self._sealed = set(self._cuts)

    def observe(self) -> None:
        """Put on record what really is in the window."""
        self._append(Observed(spans=_plain(self._hashes), branch=self._branch))

    def audit(self, auditor: str) -> None:
        """Put on record what the region holds; then raise `RecordMissing` if that is not all."""
        self._append(Inventory(edits=sorted(self._region.edits()), by=auditor))
        self._append(Counter(performed=len(self._cuts)))
        self._check_closure()

    def _check_closure(self) -> None:
        # Every edit performed, not every edit that survives: what is gone is what must be missed.
        missing = self._cuts.keys() - self._region.edits()
        if missing:
            raise RecordMissing(min(missing))

    def _check_take(self, edit: EditId, take: Sequence[SpanId], by: By) -> None:
        if edit in self._cuts or f"digest-{edit}" in self._contents:
            raise EditRefused(f"edit {edit}: one id is one edit")
        if len(set(take)) != len(take):
            raise EditRefused(f"edit {edit} takes a span twice")
        strangers = [span for span in take if span not in self._contents]
        if strangers:
            raise EditRefused(f"edit {edit}: {strangers[0]} is no span of the window")
        pinned = self._pinned.intersection(take)
        if by != "human" and pinned:
            raise EditRefused(
                f"edit {edit}: {min(pinned)} came back across a policy swap; kept once"
            )

    def _apply(self, cut: _Cut, digest: Content | None) -> None:
        self._log.append(cut)
        self._cuts[cut.id] = cut
        for span in cut.taken:
            del self._contents[span], self._hashes[span]
        if cut.out is not None and digest is not None:
            self._contents[cut.out[0]], self._hashes[cut.out[0]] = digest, cut.out[1]

    def _in_force(self, edits: Iterable[EditId]) -> list[_Cut]:
        """These edits, newest first."""
        wanted = set(edits)
        strangers = (wanted - self._cuts.keys()) | (wanted & self._undone)
        if strangers or not wanted:
            raise EditRefused(f"edit {min(strangers, default='none')} is not in force")
        return [cut for cut in reversed(self._cuts.values()) if cut.id in wanted]

    def _recovered(self, cuts: Iterable[_Cut]) -> dict[Version, Content]:
        return {
            (span, cut.taken[span]): content
            for cut in cuts
            for span, content in self._region.read(cut.id, cut.taken).items()
        }

    def _carriers(self, cuts: list[_Cut]) -> list[_Cut]:
        """Later edits in force that took a span of `cuts`, or of another carrier, again."""
        touched = set().union(*(cut.touched() for cut in cuts))
        carriers = []
        order = list(self._cuts.values())
        for cut in order[order.index(cuts[-1]) + 1 :]:
            outside = cut not in cuts and cut.id not in self._undone
            if outside and touched.intersection(cut.taken):
                carriers.append(cut)
                touched |= cut.touched()
        return carriers

    def _merge(
        self, cuts: list[_Cut], taken: dict[Version, Content], carriers: list[_Cut], by: By
    ) -> EditId:
        """One span with what was taken and what was made of it since: nothing older wins."""
        digests = [cut.out[0] for cut in (*cuts, *carriers) if cut.out is not None]
        take = [span for span in digests if span in self._contents]
        back = [content for (span, _), content in taken.items() if span not in self._contents]
        parts = [*back, *(self._contents[span] for span in take)]
        facts = {name: value for part in parts for name, value in part.facts.items()}
        merge = EditId(f"merge-{cuts[0].id}-{len(self._cuts)}")
        merged = Content("\n\n".join(part.text for part in parts), facts)
        self.edit(merge, "restore", take, merged, by=by)
        return merge

    def _roll_back(self, cuts: list[_Cut], taken: dict[Version, Content]) -> None:
        names = [cut.id for cut in cuts]
        rollback = f"undo-{names[0]}"
        self._append(Rollback(id=rollback, edits=list(names), branch=self._branch))
        crossing = any(cut.policy != self._policy for cut in cuts)
        if crossing:
            self._append(Merge(rollback=rollback))
        self._undone.update(names)
        self._restore(taken)
        if crossing:
            self._pinned = {span for span, _ in taken} & self._contents.keys()

    def _restore(self, taken: dict[Version, Content]) -> None:
        """The window as if the undone edits had never been made (`semantics.md` 3.3)."""
        here = {(span, self._hashes[span]): content for span, content in self._contents.items()}
        self._hashes = self._replayed()
        self._contents = {
            version[0]: here[version] if version in here else taken[version]
            for version in self._hashes.items()
        }

    def _replayed(self) -> dict[SpanId, Hash]:
        window: dict[SpanId, Hash] = {}
        for step in self._log:
            if not isinstance(step, _Cut):
                window[step[0]] = step[1]
            elif step.id not in self._undone:
                for span in step.taken:
                    window.pop(span, None)
                if step.out is not None:
                    window[step.out[0]] = step.out[1]
        return window


def _plain(spans: Mapping[SpanId, Hash]) -> dict[str, str]:
    return {str(span): str(version) for span, version in spans.items()}


def _out(version: Version | None, digest: Content | None) -> Out | None:
    if version is None or digest is None:
        return None
    return Out(
        id=version[0],
        hash=version[1],
        text=digest.text,
        tokens=digest.tokens,
        facts=digest.facts,
    )
