"""What a Claude Code session does not show: commands of hooks, and drops of the window."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from guard.adapters.claude_code_rows import Row
from guard.adapters.claude_code_window import Thread
from guard.adapters.recorder import Recorder
from guard.effects import Call, classify

CALLBACK = "callback"
"""A hook of the product itself (diagnostics after an edit): no command of its own."""
_LEAST_DROP_TOKENS = 10_000
_LEAST_DROP_SHARE = 0.1
_SHOWN = 120
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


class Hooks:
    """Blind spots of the ledger (`mapping.md`, Ledger coverage) and unexplained window sizes."""

    def __init__(self, recorder: Recorder) -> None:
        self.rec = recorder
        self.drops: list[tuple[int, int, int]] = []

    def ran(self, command: str | None, name: str) -> None:
        """A hook ran. What it did beside is on no record, unless its command only reads."""
        if command == CALLBACK or (command is not None and _only_reads(command)):
            return
        if command:
            self.rec.blind(f"a hook ran `{command[:_SHOWN]}`")
        else:
            self.rec.blind(f"hook {name or 'without a name'} ran a command that is not on record")

    def system(self, row: Row, text: str) -> None:
        """`stop_hook_summary` lists commands; in 1.0.x a hook is a text without a subtype."""
        for hook in row.hook_infos or ():
            self.ran(hook.command, "Stop")
        if row.subtype is None and text.startswith("Running "):
            self.ran(None, _ANSI.sub("", text)[len("Running ") :].rstrip(".")[:_SHOWN])

    def attached(self, attachment: dict[str, Any]) -> None:
        """Hook attachments (2.1.110+) show what a hook said, seldom what it ran."""
        command = attachment.get("command")
        name = str(attachment.get("hookName") or "")
        self.ran(command if isinstance(command, str) else None, name)

    def size(self, thread: Thread, tokens: int) -> None:
        """The window at a call, against the call before. An edit in between has set it to 0."""
        before, thread.window_tokens = thread.window_tokens, tokens
        least = max(_LEAST_DROP_TOKENS, before * _LEAST_DROP_SHARE)
        if before - tokens > least:
            self.drops.append((self.rec.next, before, tokens))


@lru_cache(maxsize=256)
def _only_reads(command: str) -> bool:
    judged = classify(Call("Bash", {"command": command}))
    return not judged.write and judged.certainty == "proven"
