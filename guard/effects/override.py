"""A team's own rules: they decide before the tables, and each use is named in the judgement."""

from __future__ import annotations

import msgspec

from guard.effects.commands import Command
from guard.effects.globs import Glob
from guard.effects.model import Call, Certainty, Domain, Part, Reversibility


class Override(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One rule of a team. `tool` and `command` are literals in which `*` stands for any text.

    With `command`, it decides each simple command of a command line whose words, joined by single
    spaces, fit (also behind `sudo`, `bash -c` and the like). `arguments` maps names of a tool's
    input to patterns that must all fit. A field left out of the verdict is `unknown`, not a guess.
    """

    id: str
    tool: str = "*"
    command: str | None = None
    arguments: dict[str, str] = {}
    write: bool = True
    reversibility: Reversibility = "unknown"
    domain: Domain = "process"
    certainty: Certainty = "proven"
    why: str = "a rule of the team"

    def speaks_of(self, tool: str) -> bool:
        return Glob(self.tool).matches(tool)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("an override needs an id: it is what the log names")
        if not self.write and (self.reversibility, self.domain) != ("reversible", "none"):
            raise ValueError(f"override {self.id}: a read is reversible, domain none")
        if self.write and self.domain == "none":
            raise ValueError(f"override {self.id}: a write needs a domain")


def overridden(override: Override, command: Command) -> Part | None:
    """The part that a rule makes of one simple command, if it speaks of it."""
    if override.command is None:
        return None
    line = " ".join((command.name, *command.words))
    return _part(override, line) if Glob(override.command).matches(line) else None


def overridden_call(override: Override, call: Call) -> Part | None:
    """The part that a rule makes of a whole call, if it speaks of it."""
    if override.command is not None or not override.speaks_of(call.tool):
        return None
    given = call.input if isinstance(call.input, dict) else {}
    fits = all(
        Glob(pattern).matches(str(given.get(name, "")))
        for name, pattern in override.arguments.items()
    )
    return _part(override, call.tool) if fits else None


def _part(override: Override, summary: str) -> Part:
    return Part(
        override.write,
        override.reversibility,
        override.domain,
        override.certainty,
        override.why,
        override.id,
        summary,
        override=override.id,
    )
