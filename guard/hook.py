"""The hook executable: `python guard/hook.py claude-code|codex`, one event as JSON on stdin.

Standard library only, and as little of it as possible: most calls of an agent are reads, and a
read ends here, without the server. Everything else is in `guard.hooks`, imported when needed.

Exit status before a tool call: 0 lets it go on to the host's own rules, 2 stops it. Whatever goes
wrong on the way to an explicit yes is 2 (`runtimes/claude-code.md` 4).
"""

import json
import os
import re
import sys
from importlib import import_module

REFUSED, FAILED = 2, 1
HOSTS = ("claude-code", "codex")

READING_TOOLS = frozenset(
    ("Read", "Grep", "Glob", "LS", "NotebookRead", "TodoRead", "BashOutput", "TaskOutput")
)
"""Tools of the hosts that only read. A test holds this against `guard.effects`."""
READING_COMMANDS = frozenset(
    ("ls", "pwd", "cat", "head", "tail", "wc", "grep", "stat", "du", "df", "whoami", "id")
)
"""Programs that only read, whatever their options; held against `guard.effects` too."""
_PLAIN = re.compile(r"[A-Za-z0-9_./:=,@%+ -]+", re.ASCII)
"""A command of plain words: nothing of it means anything to a shell."""

EVENTS = {
    "PreToolUse": "before",
    "PostToolUse": "after",
    "PostToolUseFailure": "after",
    "PreCompact": "compacting",
    "PostCompact": "compacting",
    "SessionStart": "compacting",
}


def is_read(tool: object, given: object) -> bool:
    """Whether a call is a read beyond doubt, by its name or as one plain command."""
    if tool in READING_TOOLS:
        return True
    command = given.get("command") if tool == "Bash" and isinstance(given, dict) else None
    if not isinstance(command, str) or not _PLAIN.fullmatch(command):
        return False
    words = command.split()
    return bool(words) and words[0] in READING_COMMANDS


def main(argv: list[str], boundary: "Boundary") -> int:
    """Answer one event. Returns the exit status."""
    if len(argv) != 1 or argv[0] not in HOSTS:
        sys.stderr.write(f"guard hook: name the host, one of {', '.join(HOSTS)}\n")
        return REFUSED
    event: dict[str, object] = json.loads(sys.stdin.buffer.read())
    name = str(event["hook_event_name"])
    if name != "PreToolUse":
        boundary.status = FAILED
    elif is_read(event.get("tool_name"), event.get("tool_input")):
        return 0
    if name not in EVENTS:
        return 0
    return int(import_module(f"guard.hooks.{EVENTS[name]}").answer(argv[0], event))


class Boundary:
    """Whatever is raised inside ends in a line on standard error and in `status`.

    Before a tool call that is 2: silence is never a yes. Of other events a failure stops nothing.
    """

    status = REFUSED

    def __enter__(self) -> "Boundary":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, _trace: object) -> bool:
        if kind is not None:
            text = f"guard hook: {kind.__name__}: {error}".replace("\n", " ")
            sys.stderr.write(f"{text}. Nothing was allowed; ask the person here.\n")
        return True


def run(argv: list[str]) -> int:
    """The exit status of one event."""
    with Boundary() as boundary:
        boundary.status = main(argv, boundary)
    return boundary.status


def _find_package() -> None:
    """Run by path, the folder of this file would hide names of the library: its parent comes in."""
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib is slow
    sys.path[:] = [os.path.dirname(here), *(path for path in sys.path if path != here)]  # noqa: PTH120


if __name__ == "__main__":
    if not __package__:
        _find_package()
    sys.exit(run(sys.argv[1:]))
