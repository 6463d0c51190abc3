"""What the adapters of most runtimes do alike: keep the window while a source is replayed.

`Replay` writes the events that follow from what an adapter finds and knows, at each moment, which
spans are in the window of each branch (`semantics.md` 3.3). The rules are those of
`runtimes/mapping.md`; an adapter says what happened, never how it is numbered or recorded.
"""

from __future__ import annotations

import re
from typing import Any

from msgspec import structs

from guard.adapters.emit_shown import (
    NAMELESS,
    Shown,
    bare,
    content_hash,
    counted,
    safe_id,
    said,
    value_hash,
)
from guard.adapters.emit_window import (
    LESS_THAN_KNOWN,
    MORE_THAN_KNOWN,
    PERMISSION_MODE,
    Windows,
)
from guard.effects import Call, Judgement, Outcome, classify, outcome
from guard.events import Effect, EffectState, Gate, Usage

_PATH_WORDS = ("path", "file_path", "filePath", "absolute_path", "target_file", "filename")
_SEARCHES = re.compile(r"(?i)(?!.*replace)(?:grep|glob|search|find|list|(?:^|_)(?:ls|tree)$)")
"""Tools that look through a folder: what they answer is no text of the path that they name."""
USER_SHELL = "user-shell"


class Replay(Windows):
    """The windows, and with them effects, gates and token counts."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: dict[str, Effect] = {}
        """The first event of each call."""
        self.settled: set[str] = set()
        self.gates: set[str] = set()
        self._sent: dict[str, Call] = {}
        self._bodies: dict[str, str] = {}
        self._branch_of: dict[str, str] = {}

    def show(self, shown: Shown) -> None:
        """The answer to a call that named one file was read from that file."""
        if shown.role == "tool" and shown.path is None:
            shown = structs.replace(shown, path=self._path_of(said(shown.effect)))
        super().show(shown)

    def _path_of(self, call: str | None) -> str | None:
        """The one file that a call named, by the words that runtimes have for it."""
        known = self._sent.get(call or "")
        searches = known is not None and _SEARCHES.search(known.tool) is not None
        sent = None if known is None or searches else known.input
        named = (
            [sent[word] for word in _PATH_WORDS if word in sent] if isinstance(sent, dict) else []
        )
        return named[0] if len(named) == 1 and isinstance(named[0], str) else None

    # Effects

    def call(
        self,
        id_: str,
        tool: str,
        sent: Any = None,
        *,
        annotations: dict[str, Any] | None = None,
        context: Any = None,
    ) -> None:
        """A tool call left the model. The second time it says nothing new.

        `sent` None = its input is not on record (yet): nothing binds it.
        """
        if id_ in self._sent:
            self.rec.use()
            return
        call = Call(tool, sent, None, annotations, context)
        self._sent[id_] = call
        # What a tool did by its name alone is no judgement: the input decides, and it is not here.
        judged = None if sent is None else classify(call)
        self.calls[id_] = self._effect(id_, "started", call, judged)

    def result(self, id_: str, result: Any, *, error: bool = False, tool: str = "") -> Outcome:
        """The answer to a call. What it says may change what is known about the call.

        `tool` names the tool of a call that is not on record.
        """
        call = self._sent.get(id_) or Call(tool, None)
        self._sent[id_] = call = structs.replace(call, result=result)
        became = outcome(call, error=error)
        if became.state == "started":
            self.rec.use()
            self.rec.blind_from(id_, "a task in the background whose end is not on record")
        else:
            state: EffectState = "failed" if became.state == "rejected" else became.state
            judged = None if call.input is None else classify(call)
            self.end(id_, state, partial=became.partial, judged=judged)
        return became

    def end(
        self,
        id_: str,
        state: EffectState,
        *,
        partial: bool = False,
        sent: Any = None,
        judged: Judgement | None = None,
    ) -> None:
        """What became of a call. `sent` is its input where the call itself did not show it."""
        call = self._sent.get(id_) or Call("", None)
        if sent is not None and call.input is None:
            call = structs.replace(call, input=sent)
            judged = classify(call)
        self._sent[id_] = call
        self.settled.add(id_)
        self.rec.sighted(id_, covered=True)
        self._effect(id_, state, call, judged, partial=partial and state == "failed")

    def evidence(self, id_: str, state: EffectState, **context: Any) -> None:
        """More came on record about a call: an inverse, say. Without news there is no event."""
        call = self._sent.get(id_)
        if call is None:
            return
        before = classify(call)
        self._sent[id_] = call = structs.replace(call, context=context)
        judged = classify(call)
        if (judged.reversibility, judged.inverse) != (before.reversibility, before.inverse):
            self._effect(id_, state, call, judged)

    def open_calls(self) -> list[str]:
        """Calls without an answer, oldest first."""
        return [id_ for id_ in self._sent if id_ not in self.settled]

    def has_call(self, id_: str) -> bool:
        """Whether this call was seen to start."""
        return id_ in self._sent

    def tool_of(self, id_: str) -> str:
        """The tool of a call, or nothing."""
        return self._sent[id_].tool if id_ in self._sent else ""

    def body(self, id_: str) -> str | None:
        """The hash of what was sent, where that is on record."""
        call = self._sent.get(id_)
        if call is None or call.input is None:
            return None
        if id_ not in self._bodies:
            self._bodies[id_] = value_hash(call.input)
        return self._bodies[id_]

    def _effect(
        self,
        id_: str,
        state: EffectState,
        call: Call,
        judged: Judgement | None,
        *,
        partial: bool = False,
    ) -> Effect:
        told = judged is not None or state == "started"
        return self.rec.add(
            Effect,
            at=self.at,
            branch=self._branch_of.setdefault(id_, self.branch),
            id=id_ or NAMELESS,
            state=state,
            reversibility=judged.reversibility if judged else None,
            inverse=judged.inverse if judged else None,
            write=judged.write if judged else None,
            body=self.body(id_),
            partial=True if partial else None,
            tool=call.tool if told and call.tool else None,
            target=judged.target if judged else None,
            summary=judged.summary if judged else None,
            classed_by=", ".join(judged.overridden) or None if judged else None,
        )

    # Gates and usage

    def ask(self, gate: str, call: str, by: str) -> None:
        """A person is asked about a call. It is about no edit: it names the call in its place."""
        self.gates.add(gate)
        body = self.body(call)
        effects = {} if body is None else {call or NAMELESS: body}
        self.rec.add(
            Gate,
            at=self.at,
            id=gate,
            state="requested",
            edit=call or NAMELESS,
            effects=effects,
            by=by,
        )

    def answer(self, gate: str, *, approved: bool, by: str, human: bool) -> None:
        """Somebody answered. `human` only where the source says that a person did."""
        state = "approved" if approved else "rejected"
        self.rec.add(Gate, at=self.at, id=gate, state=state, by=by, human=human and approved)

    def usage(
        self, sent: int, answered: int, *, window: int | None = None, limit: int | None = None
    ) -> None:
        """Tokens of one model call. `sent` is all that the model read, cached or not."""
        if counted(sent) is None or counted(answered) is None:
            self.rec.skip("token count that is no count")
            return
        weighed = window is not None and sent
        usage = self.rec.add(
            Usage,
            at=self.at,
            branch=self.branch,
            input_tokens=sent,
            output_tokens=answered,
            window_tokens=counted(window),
            limit_tokens=counted(limit),
            expected_tokens=self.expected(sent) if weighed else None,
        )
        if usage.disagrees:
            more = sent > (usage.expected_tokens or 0)
            self.rec.find(MORE_THAN_KNOWN if more else LESS_THAN_KNOWN, usage.seq or 0)


__all__ = ["PERMISSION_MODE", "USER_SHELL", "Replay", "Shown", "bare", "content_hash", "safe_id"]
