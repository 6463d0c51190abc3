"""Around a compaction: hold it back while a write is under way, and put lost facts back after it.

A compaction that is never let through ends the session, so blocking has limits: never twice in a
row when the host needs the room, a few times for each session, never while the server is away.
"""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.parse import quote

from guard.client import API, Json, NotAllowed
from guard.hooks import transcript
from guard.hooks.session import Memory, agent_of, config, memory

REFUSED = 2
MOST_BLOCKS = 3
"""Blocked compactions for each session (reports of loops near the limit: 8 in 15 minutes)."""


def answer(host: str, event: dict[str, Any]) -> int:
    """0, or 2 for a compaction that has to wait."""
    match event["hook_event_name"]:
        case "PreCompact":
            return before(host, event)
        case "PostCompact":
            return after(host, event)
    return started(host, event) if event.get("source") == "compact" else 0


def before(host: str, event: dict[str, Any]) -> int:
    """Send the window as it is; hold the compaction back while a write has no outcome yet."""
    with memory(host, event) as held:
        held.compacting_from = transcript.size(transcript.windows(event)[-1])
        held.digest = None
    try:
        transcript.bring(config().client(), host, event)
    except NotAllowed as refused:
        sys.stderr.write(f"Journal Guard: not sent before the compaction: {refused}\n")
        return 0
    with memory(host, event) as held:
        if not _must_wait(held, str(event.get("trigger"))):
            held.last_blocked = False
            return 0
        held.blocks, held.last_blocked = held.blocks + 1, True
        calls = ", ".join(held.under_way[:3])
    text = f"a write is under way ({calls}): compact when its outcome is in the window."
    sys.stderr.write(f"Journal Guard: {text}\n")
    return REFUSED


def _must_wait(held: Memory, trigger: str) -> bool:
    twice = trigger != "manual" and held.last_blocked
    return bool(held.under_way) and held.blocks < MOST_BLOCKS and not twice


def after(host: str, event: dict[str, Any]) -> int:
    """Take the digest: from here on no write passes before it stands in the session file."""
    text = event.get("compact_summary")
    with memory(host, event) as held:
        held.digest = text if isinstance(text, str) and text else held.digest
        held.last_blocked, held.under_way = False, []
    return 0


def started(host: str, event: dict[str, Any]) -> int:
    """A session goes on after a compaction: the facts that its digest lost, as its context."""
    try:
        client = config().client()
        run = transcript.bring(client, host, event)
        with memory(host, event) as held:
            asked: Json = {"text": held.digest} if held.digest else {}
        if agent_of(event) is not None:
            asked["agent"] = agent_of(event)
        told = client.call("POST", f"{API}/runs/{quote(run, safe='')}/digests", asked)
    except NotAllowed as refused:
        text = f"Journal Guard could not check the summary ({refused}): read the rules and limits"
        json.dump(context(f"{text} again at their source before you write anything."), sys.stdout)
        return 0
    if told["lost"]:
        json.dump(context(restored(told["lost"], told["more"])), sys.stdout)
    return 0


def context(text: str) -> Json:
    """The answer that puts a text into the new window."""
    return {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}


def restored(lost: list[Json], more: int = 0) -> str:
    """Lost facts word for word, under the source of each; every fact once."""
    by_source: dict[str, dict[str, None]] = {}
    for fact in lost:
        line = f" ({fact['line']})" if fact.get("line") else ""
        by_source.setdefault(str(fact["source"]), {})[f"- {fact['verbatim']}{line}"] = None
    parts = ["Lost by the summary, in force (line):"]
    for source, facts in by_source.items():
        parts += [f"{source}:", *facts]
    if more:
        parts.append(f"and {more} more: read the sources again before you write")
    return "\n".join(parts)
