"""The command line: `guard COMMAND ...`. Each command is one file, imported when it is called.

A command has `arguments(parser)` and `run(args)`, which returns the exit status. Whatever stops it
becomes status 2 and one line on standard error (`report-format.md` 1).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "judge": ("judging", "judge the journal of one run"),
        "rollback": ("rolling_back", "a rollback on paper: what it would give back, and what not"),
        "convert": ("converting", "write any session that an adapter reads as a native journal"),
        "import": ("importing", "send session files to a server, each byte once"),
        "watch": ("watching", "follow session files and send what is new"),
        "coverage": ("covering", "what a source can and cannot prove"),
        "rules": ("listing", "every rule, in code order"),
        "explain": ("explaining", "the page of one rule"),
        "effects": ("labelling_effects", "tool calls to effects, as lines of JSON"),
        "facts": ("finding_facts", "texts to gating facts, as lines of JSON"),
        "compare": ("comparing", "facts and a digest to what it kept, as lines of JSON"),
        "hook": ("hooking", "hooks of a running agent: answer, install, uninstall, status"),
    }
)
"""Name -> module of this package and what it does, in the order of the help."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` without the program's own name. Returns the exit status."""
    words = sys.argv[1:] if argv is None else list(argv)
    if not words or words[0] in {"-h", "--help"}:
        sys.stdout.write(_overview())
        return 0 if words else 2
    if words[0] not in COMMANDS:
        sys.stderr.write(f"guard: no command {words[0]!a}; there are {', '.join(COMMANDS)}\n")
        return 2
    boundary = import_module("guard.cli.boundary")
    status: int = boundary.run(words[0], COMMANDS[words[0]][0], words[1:])
    return status


def _overview() -> str:
    rows = "".join(f"  {name:<10} {does}\n" for name, (_, does) in COMMANDS.items())
    return f"usage: guard COMMAND ...\n\n{rows}\n`guard COMMAND --help` says more.\n"
