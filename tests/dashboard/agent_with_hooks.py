"""A scripted agent in the shape of Claude Code: it writes its session file and fires the hooks of
its settings, as `guard hook install` wrote them.

python agent_with_hooks.py FOLDER    pushes the clone `work` there; leaves `told.json`
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from dashboard.demo.claude import Session

CONFIG = "region: eu-west-1\nmax_retries: 0\ntimeout_s: 30\n"
DIGEST = (
    "This session is being continued from a previous conversation that ran out of context. "
    "The conversation is summarized below:\nSummary:\n- config/app.yml: region: eu-west-1\n"
    "- Next: push the branch.\n"
)
PUSH = {"command": "git push origin main", "description": "Push"}


class Agent:
    """One session; every step is written to the session file before its hook is fired."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session = Session(Random(str(folder)), datetime(2026, 11, 30, 9, 0, tzinfo=UTC))
        self.told: dict[str, Any] = {}
        settings = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "settings.json"
        self.hooks = json.loads(settings.read_bytes())["hooks"]

    @property
    def file(self) -> Path:
        return self.folder / f"{self.session.session_id}.jsonl"

    def fire(self, name: str, **more: Any) -> subprocess.CompletedProcess[str]:
        self.file.write_bytes(self.session.lines())
        event = {
            "session_id": self.session.session_id,
            "transcript_path": str(self.file),
            "cwd": "/srv/app",
            "hook_event_name": name,
            **more,
        }
        return subprocess.run(
            self.hooks[name][0]["hooks"][0]["command"],
            shell=True,
            input=json.dumps(event),
            capture_output=True,
            text=True,
            check=False,
        )

    def compact(self, digest: str) -> None:
        self.fire("PreCompact", trigger="auto", custom_instructions="")
        self.session.compact(digest)
        self.fire("PostCompact", trigger="auto", compact_summary=digest)
        back = self.fire("SessionStart", source="compact")
        self.told["context"] = back.stdout + back.stderr

    def push(self, call: str) -> None:
        """The irreversible act: it happens when the hook lets it through, and only then."""
        block = {"type": "tool_use", "id": call, "name": "Bash", "input": PUSH}
        asked = self.session.answer(block)
        named = {"tool_name": "Bash", "tool_input": PUSH, "tool_use_id": call}
        hook = self.fire("PreToolUse", **named)
        self.told |= {"status": hook.returncode, "stderr": hook.stderr, "stdout": hook.stdout}
        if hook.returncode != 0:
            return
        work = self.folder / "work"
        done = subprocess.run(
            PUSH["command"].split(), cwd=work, capture_output=True, text=True, check=True
        )
        result = {"type": "tool_result", "tool_use_id": call, "content": done.stderr}
        self.session.row(
            "user",
            message={"role": "user", "content": [result]},
            toolUseResult={"stdout": "", "stderr": done.stderr, "interrupted": False},
            sourceToolAssistantUUID=asked,
        )
        self.fire("PostToolUse", **named, tool_response=done.stderr)


def main(folder: str) -> None:
    agent = Agent(Path(folder))
    agent.session.say("Publish the uploader.")
    agent.session.read("/srv/app/config/app.yml", CONFIG)
    agent.compact(DIGEST)
    agent.push("toolu_push_1")
    (agent.folder / "told.json").write_text(json.dumps(agent.told))


if __name__ == "__main__":
    main(sys.argv[1])
