"""The window of each branch while a source is replayed, and the events that change it.

The rules are those of `runtimes/mapping.md` (Window, Edits) and `semantics.md` (numbers).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from guard.adapters.base import text_hash
from guard.adapters.emit_shown import (
    Shown,
    bounded,
    content_hash,
    counted,
    said,
    spoken,
    value_hash,
)
from guard.adapters.recorder import Recorder
from guard.digest import compare
from guard.events import (
    MAIN,
    By,
    Edit,
    Fidelity,
    Fork,
    Op,
    Out,
    Policy,
    Record,
    Rollback,
    Source,
    Span,
)
from guard.facts import Fact, extract, named
from guard.fates import noted

PERMISSION_MODE = "permission-mode"
CHARACTERS_PER_TOKEN = 4
LEAST_CHARACTERS = 20_000
MORE_THAN_KNOWN = "a call read far more tokens than the window on record has: content is missing"
LESS_THAN_KNOWN = "a call read far fewer tokens than the window on record has: an edit is missing"


class Scale:
    """Checks a replayed window against the tokens of the calls that read it.

    Only the difference of two sizes counts, so that what no record holds (system prompt, tool
    definitions) does not matter. Characters of a token: as many as in what came in since the last
    edit, or four.
    """

    def __init__(self) -> None:
        self.characters = 0
        self._first: tuple[int, int] | None = None
        self._before: tuple[int, int] | None = None

    def unsure(self) -> None:
        """It is not known what is in the window now: the next call starts anew."""
        self._first = self._before = None

    def expect(self, tokens: int) -> int | None:
        """What the next call, which read so many tokens, could be expected to read."""
        before, self._before = self._before, (tokens, self.characters)
        if before is None or self._first is None:
            self._first = self._before
            return None
        more = self.characters - before[1]
        expected = max(0, before[0] + round(more / self._characters_per_token(before)))
        if more < 0:
            self._first = self._before
        return expected

    def _characters_per_token(self, last: tuple[int, int]) -> float:
        assert self._first is not None
        tokens, characters = last[0] - self._first[0], last[1] - self._first[1]
        if characters < LEAST_CHARACTERS or tokens <= 0:
            return CHARACTERS_PER_TOKEN
        return min(max(characters / tokens, CHARACTERS_PER_TOKEN / 4), CHARACTERS_PER_TOKEN * 2)


class Windows:
    """The window of each branch. `at` and `branch` hold for what comes next."""

    def __init__(self) -> None:
        self.rec = Recorder()
        self.at: str | None = None
        self.branch: str = MAIN
        self.edits: dict[str, Edit] = {}
        self.undone: set[str] = set()
        self._steps: dict[str, list[Span | Edit]] = {MAIN: []}
        self._windows: dict[str, dict[str, str]] = {MAIN: {}}
        self._latest: dict[str, str] = {}
        self._found: dict[tuple[str, str], dict[str, Fact]] = {}
        self._said: dict[tuple[str, str], str] = {}
        self._sizes: dict[str | None, int] = {}
        self._scales: dict[str, Scale] = {MAIN: Scale()}
        self._policy: dict[str, Any] = {}
        self._pending: dict[str, Any] = {}
        self._permission: dict[str, str] = {}

    @property
    def window(self) -> dict[str, str]:
        """Span id -> hash of what the model of this branch reads now, in order of arrival."""
        return self._windows[self.branch]

    def known(self, span: str) -> str | None:
        """The hash of the latest version of a span on any branch (`semantics.md` 3.4)."""
        return self._latest.get(span)

    def facts_of(self, spans: Iterable[str]) -> dict[str, Fact]:
        """The gating facts of the latest versions of these spans, by their names in the journal."""
        found: dict[str, Fact] = {}
        for span in spans:
            found.update(self._found.get((span, self._latest.get(span, "")), {}))
        return found

    def show(self, shown: Shown) -> None:
        """The model reads a content. The same content under the same id says nothing new."""
        hash_ = content_hash(shown.content)
        if self.window.get(shown.id) == hash_:
            self.rec.use()
            return
        words = shown.words
        found = {} if shown.role == "assistant" else named(extract(words, shown.scope))
        if shown.role == "user":
            self._said[shown.id, hash_] = words
        path, tool = said(shown.path), said(shown.tool)
        source = Source(path, tool) if path or tool else None
        span = self.rec.add(
            Span,
            at=self.at,
            branch=self.branch,
            id=shown.id,
            hash=hash_,
            role=shown.role,
            text=None if shown.place else spoken(words),
            tokens=shown.tokens,
            source=source,
            effect=said(shown.effect),
            facts=_values(found),
        )
        if shown.place:
            self.rec.places[shown.id] = shown.place
        self._declare(span.id, hash_, found, len(words) or len(str(shown.content)))
        self._enter(span)

    def _declare(self, span: str, hash_: str, found: dict[str, Fact], size: int) -> None:
        self._latest[span] = hash_
        self._sizes[hash_] = size
        if found:
            self._found.setdefault((span, hash_), found)

    def _enter(self, span: Span) -> None:
        self._steps[self.branch].append(span)
        left = self.window.get(span.id)
        self._scales[self.branch].characters += self._sizes[span.hash] - self._sizes.get(left, 0)
        self.window[span.id] = span.hash

    def _step(self, edit: Edit) -> None:
        self._steps[self.branch].append(edit)
        before = self._size()
        _apply(self.window, edit)
        self._scales[self.branch].characters += self._size() - before

    def _size(self) -> int:
        """Characters of the window."""
        return sum(self._sizes.get(hash_, 0) for hash_ in self.window.values())

    def expected(self, tokens: int) -> int | None:
        """What the window on record leads to expect of a call that read so many tokens."""
        return self._scales[self.branch].expect(tokens)

    def fork(self, branch: str) -> None:
        """A sub-agent starts with an empty window, or with that of this branch if it inherits."""
        self.rec.add(Fork, at=self.at, branch=branch, from_=self.branch)
        self._steps[branch] = list(self._steps[self.branch])
        self._windows[branch] = dict(self.window)
        self._scales[branch] = Scale()
        self._scales[branch].characters = self._scales[self.branch].characters

    def has_branch(self, branch: str) -> bool:
        """Whether it was forked already, or is the main one."""
        return branch in self._windows

    # Edits

    def next_edit(self, *, recorded: bool) -> str:
        """The id of the edit that comes next, where its source gives it none."""
        self.settle()
        return f"edit-{self.rec.next + recorded}"

    def edit(
        self,
        id_: str | None,
        op: Op,
        by: By,
        gone: Iterable[str],
        out: Out | None = None,
        *,
        fidelity: Fidelity = "exact",
        held: bool = True,
        trigger: str | None = None,
        count: int | None = None,
        tokens: int | None = None,
    ) -> Edit:
        """The window was changed. `held` = the source, and so our copy of it, still has it all.

        `tokens` = the size of the window before, where the source says it.
        """
        self.settle()
        taken = list(dict.fromkeys(gone))
        recorded = held and fidelity in {"exact", "derived"}
        id_ = id_ or self.next_edit(recorded=recorded)
        if recorded:
            self._copy(id_, taken)
        edit = self.rec.add(
            Edit,
            at=self.at,
            branch=self.branch,
            id=id_,
            op=op,
            by=by,
            in_=taken,
            out=out,
            fidelity=fidelity,
            trigger=trigger,
            count=count,
            tokens_before=counted(tokens),
        )
        self._made(edit)
        return edit

    def _made(self, edit: Edit) -> None:
        self.edits[edit.id], out = edit, edit.out
        if out is not None:
            self._declare(out.id, out.hash, {}, len(out.text or ""))
        self._step(edit)
        if edit.fidelity in {"count", "unknown"} or (out is not None and out.opaque):
            self._scales[self.branch].unsure()

    def _copy(self, edit: str, taken: Iterable[str]) -> None:
        """The recovery record of an edit: what it takes, and that its contents are held (10.1)."""
        held = ((span, self.window.get(span) or self._latest.get(span)) for span in taken)
        prior = {span: hash_ for span, hash_ in held if hash_ is not None}
        self.rec.add(Record, at=self.at, edit=edit, prior=prior, payload=True)

    def digest(self, id_: str, content: Any, taken: Iterable[str], text: str | None = None) -> Out:
        """What stands in the place of `taken`: a digest that can be read, and what it keeps."""
        words = text if text is not None else content if isinstance(content, str) else ""
        hash_ = content_hash(content)
        kept, check = self._checked(taken, words)
        self._found[id_, hash_] = kept
        facts = _values(kept)
        return Out(id=id_, hash=hash_, text=spoken(words), facts=facts, digest_check=check)

    def _checked(
        self, taken: Iterable[str], words: str
    ) -> tuple[dict[str, Fact], dict[str, Any] | None]:
        """The facts of `taken` that a digest still states, by their names; what became of all."""
        spans = list(taken)
        known = self.facts_of(spans)
        if not known or not words:
            return {}, None
        before = (self._said.get((span, self._latest.get(span, "")), "") for span in spans)
        found = compare(list(known.values()), "\n".join(filter(None, before)), words)
        became = {name: each.status for name, each in zip(known, found.checked, strict=True)}
        kept = {name: fact for name, fact in known.items() if became[name] == "kept"}
        return kept, noted(became, (claim.text for claim in found.added))

    def opaque(self, id_: str, content: Any) -> Out:
        """A digest that cannot be read (`semantics.md` 3.10)."""
        return Out(id=id_, hash=content_hash(content), opaque=True)

    def roll_back(self, edits: Sequence[str]) -> None:
        """Edits were undone; what they took is in the window again."""
        id_ = f"rollback-{self.rec.next}"
        self.rec.add(Rollback, at=self.at, branch=self.branch, id=id_, edits=list(edits))
        self.undone.update(edits)
        window: dict[str, str] = {}
        for step in self._steps[self.branch]:
            if not (isinstance(step, Edit) and step.id in self.undone):
                _apply(window, step)
        self._windows[self.branch] = window
        self._scales[self.branch].characters = self._size()

    def rewind(
        self,
        id_: str | None,
        left: Collection[str],
        crossed: Sequence[str] = (),
        *,
        fidelity: Fidelity = "exact",
    ) -> None:
        """A person went back: the edits `crossed` are undone, then the spans in `left` leave.

        An earlier going back is never crossed: what it dropped does not come back by going further.
        """
        back = [edit for edit in reversed(crossed) if self._can_be_undone(edit)]
        if back:
            self.roll_back(back)
        gone = [span for span in self.window if span in left and span != PERMISSION_MODE]
        if gone:
            self.edit(id_, "drop", "human", gone, fidelity=fidelity)

    def _can_be_undone(self, edit: str) -> bool:
        return edit not in self.undone and self.edits[edit].by != "human"

    def in_window(self) -> list[str]:
        """The spans that an edit of the whole window takes: all but what the host itself holds."""
        return [span for span in self.window if span != PERMISSION_MODE]

    # Policy

    def decided_by(self, **facts: Any) -> None:
        """Facts about what decides about the window; they come into force with `settle`."""
        known = {name: bounded(value) for name, value in facts.items() if value is not None}
        self._pending = {**(self._pending or self._policy), **known}
        self.rec.use()

    def settle(self) -> None:
        """What decides about the window comes into force, if it is not what it was."""
        if not self._pending or self._pending == self._policy:
            return
        self._policy = self._pending
        id_ = f"policy-{self.rec.next}"
        value = dict(self._policy)
        self.rec.add(Policy, at=self.at, id=id_, digest=value_hash(value), value=value)

    def permission(self, modes: Mapping[str, Any]) -> None:
        """Permission and sandbox modes: gating facts of scope `system`, held by the host."""
        stated = {name: str(mode) for name, mode in sorted(modes.items()) if mode}
        if not stated or stated == self._permission:
            self.rec.use()
            return
        self._permission = stated
        words = "\n".join(f"{name} = {mode}" for name, mode in stated.items())
        found = {
            f"system:{name}": Fact("system", name, mode, "permission", line)
            for line, (name, mode) in enumerate(stated.items(), 1)
        }
        span = self.rec.add(
            Span,
            at=self.at,
            branch=self.branch,
            id=PERMISSION_MODE,
            hash=text_hash(words),
            role="system",
            text=words,
            facts=_values(found),
        )
        self._declare(span.id, span.hash, found, len(words))
        self._enter(span)


def _values(found: Mapping[str, Fact]) -> dict[str, str]:
    return {name: fact.value for name, fact in found.items()}


def _apply(window: dict[str, str], step: Span | Edit) -> None:
    if isinstance(step, Span):
        window[step.id] = step.hash
        return
    for span in step.in_:
        window.pop(span, None)
    if step.out is not None:
        window[step.out.id] = step.out.hash
