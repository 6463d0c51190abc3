"""Policies, epochs, how a rollback may be replayed, and frozen policies (`semantics.md` 11)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from guard.answers import Epoch, Mode, Pin, Swap
from guard.closure import Records
from guard.edits import Edits, Performed, RolledBack, ids
from guard.events import Discipline, Policy
from guard.order import at


class Policies:
    """Every coming into force of a policy, and every seal, in order."""

    def __init__(self) -> None:
        self.all: list[Policy] = []
        self.numbers: list[int] = []
        self.seals: list[int] = []
        self.reaching: list[int] = []
        """Numbers of policies that can name something in the recovery store."""

    def copy(self) -> Policies:
        other = Policies()
        other.all, other.numbers = self.all.copy(), self.numbers.copy()
        other.seals, other.reaching = self.seals.copy(), self.reaching.copy()
        return other

    def add(self, policy: Policy, number: int) -> None:
        self.all.append(policy)
        self.numbers.append(number)
        if policy.reaches_recovery:
            self.reaching.append(number)

    def in_force(self, number: int) -> Policy | None:
        """The latest policy below a number (11.2); None: a policy without name."""
        place = bisect_left(self.numbers, number)
        return self.all[place - 1] if place else None

    def digest(self, number: int) -> str | None:
        policy = self.in_force(number)
        return None if policy is None else policy.digest


def epochs(policies: Policies, lowest: int, highest: int) -> Iterator[Epoch]:
    """One row per maximal run of one digest, from the lowest number to the highest (11.3)."""
    if not highest:
        return
    digest: str | None = None
    first = lowest
    for policy, number in zip(policies.all, policies.numbers, strict=True):
        if policy.digest == digest:
            continue
        if number > first or digest is not None:
            yield Epoch(digest, first, max(first, number - 1))
        digest, first = policy.digest, number
    yield Epoch(digest, first, highest)


def mode(
    span_of: Sequence[Performed],
    absent: bool,
    number: int,
    edits: Edits,
    records: Records,
    policies: Policies,
) -> Mode:
    """How a rollback at a number may be replayed (11.4). `span_of`: its range."""
    if not span_of and not absent:
        return "noop"
    if absent or not all(records.good(edit, number) for edit in span_of):
        return "halt"
    in_force = policies.digest(number)
    if any(edit.policy != in_force for edit in span_of):
        return "epoch"
    return "merge" if _edited_again(span_of, number, edits) else "linear"


def _edited_again(span_of: Sequence[Performed], number: int, edits: Edits) -> bool:
    """Whether an edit that stands outside the range took a span of it (11.4, `merge`)."""
    first = min(edit.seq for edit in span_of)
    inside = {edit.index for edit in span_of}

    def counts(index: int) -> bool:
        taker = edits[index]
        return (
            first < taker.seq < number
            and index not in inside
            and edits.stands(taker, at(number) - 1)
        )

    spans = {span for edit in span_of for span in edit.touched}
    if any(edit.vague for edit in span_of):
        return any(map(counts, _since(reversed(edits.taking), first, edits)))
    if spans and any(map(counts, _since(reversed(edits.vague), first, edits))):
        return True
    return any(
        any(map(counts, _since(edits.takers.newest_first(span), first, edits))) for span in spans
    )


def _since(newest_first: Iterable[int], number: int, edits: Edits) -> Iterator[int]:
    """Those edits that have a number above `number`."""
    for index in newest_first:
        if edits[index].seq <= number:
            return
        yield index


def swap(number: int, edits: Edits, policies: Policies, how: Discipline) -> Swap:
    """Freeze discipline at a `policy` event (11.8)."""
    place = bisect_left(policies.seals, number)
    sealed = policies.seals[place - 1] if place else 0
    first = bisect_left(edits.all, sealed + 1, key=lambda edit: edit.seq)
    last = bisect_left(edits.all, number, key=lambda edit: edit.seq)
    still = [edit for edit in edits.all[first:last] if edits.stands(edit, at(number))]
    refused = how == "freeze" and bool(still)
    return Swap(
        verdict="refuse" if refused else "ok",
        open=ids(still),
        seqs=tuple(sorted({edit.seq for edit in still})),
    )


def pins(crossing: Sequence[RolledBack], edits: Edits) -> Iterator[Pin]:
    """Edits that took a span which a crossing rollback had just restored (11.7).

    `crossing`: the rollbacks in mode `epoch`. A gate may allow what is found; it is not asked here.
    """
    on_branch: dict[str, list[Performed]] = {}
    for edit in edits.all:
        if edit.edit.by != "human":
            on_branch.setdefault(edit.branch, []).append(edit)
    for rolled in crossing:
        found = on_branch.get(rolled.branch, [])
        place = bisect_left(found, rolled.seq + 1, key=lambda edit: edit.seq)
        if place == len(found):
            continue
        restored = rolled.partial or {span for undone in rolled.range for span in undone.taken}
        edit = found[place]
        taken = restored & edit.taken.keys()
        if taken:
            yield Pin(edit.id, edit.seq, rolled.id, rolled.seq, tuple(sorted(taken)))
