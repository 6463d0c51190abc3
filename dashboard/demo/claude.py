"""Short sessions in the shape of Claude Code 2.1 files, drawn from a seed.

The rows follow `runtimes/claude-code.md`: one content block a row, results as user rows, a
`compact_boundary` with its summary behind it. All text is invented.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

VERSION = "2.1.42"
ORDERS = (
    "Tidy the retry budget in the uploader and keep the tests green.",
    "Add the missing audit fields to the export. Do not push before I have looked.",
    "Fix the flaky shard test. Never touch the production database.",
    "Update the changelog and open a pull request. Ask me first before you publish.",
)
FINDINGS = (
    "The budget is read in three places and written in one.",
    "The export skips rows whose audit field is empty.",
    "The shard test depends on the order of two futures.",
    "All callers pass the same timeout; a constant would do.",
)
CONFIG = (
    "retry:\n  max_retries: 0\n  timeout_s: 30\nupload:\n  region: eu-west-1\n  dry_run: true\n"
)
PUSHED = "To git.example.org:acme/app.git\n   4f1c2d9..{head}  main -> main"


class Session:
    """One session file being written, row by row."""

    def __init__(self, rng: Random, start: datetime) -> None:
        self._rng = rng
        self._now = start
        self._rows: list[dict[str, Any]] = []
        self._parent: str | None = None
        self._window = 18_000
        self._calls = 0
        self.session_id = self._uuid()

    def _uuid(self) -> str:
        digits = f"{self._rng.getrandbits(128):032x}"
        return "-".join(
            (digits[:8], digits[8:12], f"4{digits[13:16]}", f"a{digits[17:20]}", digits[20:])
        )

    def row(self, kind: str, **fields: Any) -> str:
        """Append a row of the chain and return its uuid."""
        self._now += timedelta(seconds=self._rng.uniform(0.4, 20))
        own = self._uuid()
        self._rows.append(
            {
                "parentUuid": self._parent,
                "isSidechain": False,
                "userType": "external",
                "cwd": "/srv/app",
                "sessionId": self.session_id,
                "version": VERSION,
                "gitBranch": "main",
                **fields,
                "type": kind,
                "uuid": own,
                "timestamp": self._now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            }
        )
        self._parent = own
        return own

    def say(self, text: str) -> None:
        self.row("user", message={"role": "user", "content": text})

    def answer(self, block: dict[str, Any]) -> str:
        """One model call with one content block; the window grows with it."""
        self._window += self._rng.randint(400, 6_000)
        message = {
            "id": f"msg_{self._rng.getrandbits(80):020x}",
            "model": "claude-sonnet-4-5-20250929",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "usage": {
                "input_tokens": 6,
                "cache_read_input_tokens": self._window - 6,
                "cache_creation_input_tokens": 0,
                "output_tokens": self._rng.randint(40, 900),
            },
        }
        return self.row("assistant", message=message)

    def call(
        self, tool: str, given: dict[str, Any], text: str, extra: Any, *, error: bool = False
    ) -> None:
        """A tool call and its result."""
        self._calls += 1
        call_id = f"toolu_{self._rng.getrandbits(80):020x}"
        asked = self.answer({"type": "tool_use", "id": call_id, "name": tool, "input": given})
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": error}
        self.row(
            "user",
            message={"role": "user", "content": [block]},
            toolUseResult=extra,
            sourceToolAssistantUUID=asked,
        )

    def bash(self, command: str, output: str) -> None:
        extra = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        self.call("Bash", {"command": command, "description": "Run"}, output, extra)

    def read(self, path: str, text: str) -> None:
        numbered = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(text.split("\n"), 1))
        file = {"filePath": path, "content": text, "numLines": text.count("\n"), "startLine": 1}
        self.call("Read", {"file_path": path}, numbered, {"type": "text", "file": file})

    def edit(self, path: str) -> None:
        old, new = "retries = budget", "retries = min(budget, limit)"
        extra = {
            "filePath": path,
            "oldString": old,
            "newString": new,
            "originalFile": f"{old}\n",
            "structuredPatch": [],
            "userModified": False,
            "replaceAll": False,
        }
        given = {"file_path": path, "old_string": old, "new_string": new}
        self.call("Edit", given, f"The file {path} has been updated.", extra)

    def compact(self, digest: str) -> None:
        """A full compaction: the boundary row and its summary row."""
        before, logical = self._window, self._parent
        self._parent = None
        self.row(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=logical,
            isMeta=False,
            level="info",
            compactMetadata={"trigger": "auto", "preTokens": before},
        )
        self.row(
            "user",
            message={"role": "user", "content": digest},
            isVisibleInTranscriptOnly=True,
            isCompactSummary=True,
        )
        self._window = 21_000

    def lines(self) -> bytes:
        return b"".join(
            json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            for row in self._rows
        )


def _digest(rng: Random, order: str) -> str:
    kept = rng.random() < 0.8
    facts = "- config/app.yml: `max_retries: 0`, `dry_run: true`\n" if kept else ""
    rule = f"- The user said: {order}\n" if kept else "- Work on the task as asked.\n"
    return (
        "This session is being continued from a previous conversation that ran out of context. "
        "The conversation is summarized below:\nSummary:\n1. Primary Request:\n"
        f"{rule}2. Facts:\n{facts}3. Findings:\n- {rng.choice(FINDINGS)}\n"
    )


def _work(session: Session, rng: Random) -> None:
    path = f"/srv/app/src/{rng.choice(('client', 'export', 'queue'))}.py"
    step = rng.random()
    if step < 0.3:
        session.read(path, "\n".join(rng.choices(FINDINGS, k=rng.randint(5, 40))))
    elif step < 0.6:
        session.edit(path)
    elif step < 0.8:
        session.bash("pytest -q", f"{rng.randint(5, 90)} passed in {rng.randint(1, 40)}.2s")
    else:
        session.bash("git status --short", " M src/client.py")


def claude_sessions(count: int, seed: int, now: datetime) -> Iterator[tuple[str, bytes]]:
    """`count` session files as (file name, bytes), spread over the fourteen days before `now`."""
    for number in range(count):
        rng = Random(f"claude-{seed}-{number}")  # noqa: S311
        session = Session(rng, now - timedelta(minutes=rng.uniform(60, 14 * 24 * 60)))
        order = rng.choice(ORDERS)
        session.say(order)
        session.read("/srv/app/config/app.yml", CONFIG)
        for _ in range(rng.randint(4, 18)):
            _work(session, rng)
        if rng.random() < 0.6:
            session.compact(_digest(rng, order))
            for _ in range(rng.randint(1, 8)):
                _work(session, rng)
        if rng.random() < 0.07:
            session.bash("git push origin main", PUSHED.format(head=f"{rng.getrandbits(28):07x}"))
        session.answer({"type": "text", "text": "Done; the tests pass."})
        yield f"{session.session_id}.jsonl", session.lines()
