"""What running a command line does: every act on the way, with how sure it is that it runs.

The line is walked as a shell would run it: branches that never run give nothing, guarded ones
give acts that are possible, functions give theirs when they are called (`GUIDE.md` 1.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from guard.effects.commands import NOTHING, Command, Stdin, doubted
from guard.effects.model import Part, opaque
from guard.effects.override import Override, overridden
from guard.effects.programs import judge
from guard.effects.shell import simple
from guard.effects.shell.flow import Ends, Guard, ends, next_step, prints, said
from guard.effects.shell.parse import TooDeep, parse
from guard.effects.shell.scope import Scope
from guard.effects.shell.syntax import (
    Case,
    Chain,
    Check,
    For,
    Function,
    Group,
    If,
    Negated,
    Node,
    Pipe,
    Script,
    Simple,
    While,
)

MOST_STEPS = 3_000
"""Statements run for one call, loops and functions included; then the rest is unknown."""
MOST_TEXT = 200_000
"""Characters parsed for one call, texts inside texts counted each time."""
MOST_NESTED = 24
"""Shells inside shells, substitutions and functions included."""
MOST_ROUNDS = 8
"""Rounds of a loop over known words; later words are taken as not known."""


class Budget(msgspec.Struct):
    """What is left of the work one call may cost, what its result says, and what it wrote.

    `written`: files whose text this call made, by their paths.
    """

    overrides: Sequence[Override] = ()
    stdout: str = ""
    succeeded: bool = False
    steps: int = MOST_STEPS
    characters: int = MOST_TEXT
    written: dict[str, str] = {}


class Shell:
    """One shell; an inner one shares the budget and starts with a copy of the scope.

    It is the `commands.Machine` of the readers.
    """

    def __init__(
        self, budget: Budget, scope: Scope | None = None, nested: int = 0, stdin: Stdin = NOTHING
    ) -> None:
        if nested > MOST_NESTED:
            raise TooDeep
        self.budget = budget
        self.scope = scope or Scope()
        self.nested = nested
        self.stdin = stdin
        self.parts: list[Part] = []
        self.ended = False
        self.floor = Guard.SURE

    def run_text(self, text: str, stdin: Stdin = NOTHING, words: Sequence[str] = ()) -> list[Part]:
        inner = self.inner(stdin)
        inner.scope.number(words, start=0)
        inner.script(self.parsed(text), Guard.SURE)
        return inner.parts

    def run_here(self, text: str) -> list[Part]:
        inner = Shell(self.budget, self.scope, self.nested + 1, self.stdin)
        inner.script(self.parsed(text), Guard.SURE)
        self.ended = self.ended or inner.ended
        return inner.parts

    def text_in(self, path: str) -> str | None:
        return self.budget.written.get(path.removeprefix("./"))

    def run_words(
        self, words: Sequence[str], command: Command, *, supplied: bool = False
    ) -> list[Part]:
        assigned, words = _assignments(words)
        if not words:
            return []
        self._step()
        if command.wraps > MOST_NESTED:
            raise TooDeep
        inner = msgspec.structs.replace(
            command,
            name=words[0],
            words=words[1:],
            env={**command.env, **assigned},
            wraps=command.wraps + 1,
            supplied=supplied or command.supplied,
        )
        return self.judged(inner)

    def inner(self, stdin: Stdin) -> Shell:
        """A subshell fed from `stdin`."""
        return Shell(self.budget, self.scope.child(), self.nested + 1, stdin)

    def parsed(self, text: str) -> Script:
        self.budget.characters -= len(text)
        if self.budget.characters < 0:
            raise TooDeep
        return parse(text)

    def judged(self, command: Command) -> list[Part]:
        """One command's parts: a rule of the team first, then the tables."""
        for override in self.budget.overrides:
            part = overridden(override, command)
            if part is not None:
                return [part]
        return judge(command, self)

    def emit(self, parts: Sequence[Part], guard: Guard) -> None:
        self.parts.extend(parts if guard is Guard.SURE else doubted(parts, "if it is reached"))

    def leave(self, guard: Guard) -> None:
        """`exit` and its like: for sure, or it makes all that follows possible only."""
        if guard is Guard.SURE:
            self.ended = True
        elif guard is Guard.CHECKED:
            self.floor = Guard.CHECKED

    def _step(self) -> None:
        self.budget.steps -= 1
        if self.budget.steps < 0:
            raise TooDeep

    def script(self, script: Script, guard: Guard, *, last: bool = False) -> None:
        """Run statements in order; `last`: the result of the call is the result of the last."""
        if script.broken:
            why = "the command line could not be parsed; a well-formed one would be judged"
            self.emit([opaque(why, "shell: syntax error")], guard)
        for at, node in enumerate(script.items):
            if self.ended:
                return
            final = last and at == len(script.items) - 1 and self.budget.succeeded
            self.run(node, max(guard, self.floor), final=final)

    def run(self, node: Node, guard: Guard, *, final: bool = False) -> None:
        self._step()
        match node:
            case Simple():
                simple.run(self, node, guard)
            case Check(runs):
                for text in runs:
                    simple.substitute(self, text, guard)
            case Pipe(stages):
                self._pipe(stages, guard)
            case Negated(inner):
                self.run(inner, guard)
            case Chain():
                self._chain(node, guard, final=final)
            case Group():
                self._group(node, guard)
            case If() | Case():
                self._branches(node, guard)
            case While():
                self._while(node, guard)
            case For():
                self._for(node, guard)
            case Function(name, body):
                self.scope.functions[name] = body

    def _chain(self, chain: Chain, guard: Guard, *, final: bool) -> None:
        state: Ends = ends(chain.first)
        self.run(chain.first, guard)
        passed = final and all(operator == "&&" for operator, _ in chain.rest)
        for at, (operator, node) in enumerate(chain.rest):
            runs, level, state_after = next_step(state, operator, ends(node))
            if runs and not self.ended:
                shown = passed or said(chain.rest[at:], self.budget.stdout)
                self.run(node, max(guard, self.floor, Guard.SURE if shown else level))
                self._left(operator, state)
            state = state_after

    def _left(self, operator: Literal["&&", "||"], state: Ends) -> None:
        """An `exit` that hangs on a command's success does not end the line for sure."""
        if self.ended and state == "work":
            self.ended = False
            if operator == "&&":
                self.floor = Guard.CHECKED

    def _pipe(self, stages: Sequence[Node], guard: Guard) -> None:
        flows = self.stdin
        for node in stages:
            self._stage(node, flows, guard)
            text = prints(node, self.scope.text)
            flows = Stdin("pipe") if text is None else Stdin("text", text)

    def _stage(self, node: Node, flows: Stdin, guard: Guard) -> None:
        """One stage, in a shell of its own; a plain command cannot tell the difference."""
        if isinstance(node, Simple) and node.words and not node.assigns:
            kept = self.stdin, self.scope.cwd, self.ended, self.floor
            self.stdin = flows
            simple.run(self, node, guard)
            self.stdin, self.scope.cwd, self.ended, self.floor = kept
            return
        inner = self.inner(flows)
        inner.run(node, Guard.SURE)
        self.emit(inner.parts, guard)

    def _group(self, group: Group, guard: Guard) -> None:
        stdin = simple.redirect(self, group.redirects, guard) or self.stdin
        scope = self.scope.child() if group.subshell else self.scope
        inner = Shell(self.budget, scope, self.nested + 1, stdin)
        inner.script(group.body, Guard.SURE)
        self.emit(inner.parts, guard)
        if not group.subshell:
            self.floor = max(self.floor, inner.floor)
            if inner.ended:
                self.leave(guard)

    def _branches(self, node: If | Case, guard: Guard) -> None:
        if isinstance(node, Case):
            simple.text_of(self, node.subject, guard)
            for body in node.bodies:
                self._branch(body, guard)
            return
        for condition, body in node.arms:
            self.script(condition, guard)
            state = ends(condition.items[-1]) if condition.items else "work"
            if state == "true":
                self.script(body, guard)
                return
            if state != "false":
                self._branch(body, guard)
        if node.otherwise is not None:
            never = all(test.items and ends(test.items[-1]) == "false" for test, _ in node.arms)
            if never:
                self.script(node.otherwise, guard)
            else:
                self._branch(node.otherwise, guard)

    def _branch(self, body: Script, guard: Guard) -> None:
        shown = said([("&&", node) for node in body.items], self.budget.stdout)
        self.script(body, guard if shown else max(guard, Guard.CHECKED))

    def _while(self, node: While, guard: Guard) -> None:
        self.script(node.condition, guard)
        state = ends(node.condition.items[-1]) if node.condition.items else "work"
        if state == ("true" if node.until else "false"):
            return
        sure = state == ("false" if node.until else "true")
        self.scope.forget_read(node.condition)
        self.script(node.body, guard if sure else max(guard, Guard.CHECKED))
        self.ended = self.ended and not sure

    def _for(self, node: For, guard: Guard) -> None:
        values = None if node.words is None else simple.values(self, node.words, guard)
        if values is not None and not values:
            return
        if node.words is not None and any(map(_is_pattern, node.words)):
            self.scope.patterns.add(node.variable)
        known = values or [None]
        sure = any(value is not None for value in known)
        rounds = [*known[:MOST_ROUNDS], *([None] if len(known) > MOST_ROUNDS else [])]
        for value in rounds:
            self.scope.variables[node.variable] = value
            self.script(node.body, guard if sure else max(guard, Guard.CHECKED))
            if self.ended:
                return


def _is_pattern(word: object) -> bool:
    return isinstance(word, str) and any(sign in word for sign in "*?[")


def _assignments(words: Sequence[str]) -> tuple[dict[str, str], Sequence[str]]:
    """`NAME=value` words before a command, and the command."""
    assigned: dict[str, str] = {}
    for at, word in enumerate(words):
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            return assigned, words[at:]
        assigned[name] = value
    return assigned, ()
