"""After a tool call: what became of it. The session file says it; it is sent on here."""

from __future__ import annotations

import sys
from typing import Any

from guard.client import NotAllowed
from guard.hooks import transcript
from guard.hooks.session import config, memory


def answer(host: str, event: dict[str, Any]) -> int:
    """Always 0: the call is over, and the session file keeps its outcome for the next time."""
    try:
        with memory(host, event) as held:
            ended = event.get("tool_use_id")
            held.under_way = [call for call in held.under_way if call != ended]
        transcript.bring(config().client(), host, event)
    except NotAllowed as refused:
        sys.stderr.write(f"Journal Guard: the outcome is sent with the next call: {refused}\n")
    return 0
