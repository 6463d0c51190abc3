"""Before a tool call: a write is judged, held, and let through by an explicit yes, or stopped."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from guard.client import API, Client, Json, NotAllowed, Refused, ServerAway, Verdict
from guard.hooks import transcript
from guard.hooks.session import agent_of, config, memory

REFUSED = 2
LOCAL_S = 20
NEXT: Mapping[type, str] = {
    ServerAway: "Try again when it answers, or ask the person here.",
    Refused: "Ask the person here to look at the hook's server and token.",
}
"""What to do next, where the reason itself does not say it."""
_WHOLE = 1e15
"""Below this, a number without a fraction is written without one (RFC 8785)."""


def answer(host: str, event: dict[str, Any]) -> int:
    """0: go on. 2: stopped; the reason, and what to do next, is one line on standard error."""
    try:
        pinned = _ask(host, event)
    except NotAllowed as refused:
        if _is_read_here(event):
            return 0
        text = " ".join(str(refused).split()).rstrip(".")
        advice = f"{NEXT.get(type(refused), '')} Do not work around it.".lstrip()
        sys.stderr.write(f"Journal Guard stopped this call: {text}. {advice}\n")
        return REFUSED
    if pinned:
        json.dump(_context("\n\n".join(pinned)), sys.stdout)
    return 0


def _context(text: str) -> Json:
    said = f"A reviewer approved this call and put facts back that the summary had lost:\n{text}"
    return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": said}}


def _ask(host: str, event: dict[str, Any]) -> tuple[str, ...]:
    """Returns when the call may run, with the texts a reviewer pinned. Raises `NotAllowed`."""
    settings = config()
    until = time.monotonic() + settings.wait_s
    client = settings.client()
    run = transcript.bring(client, host, event, settled=True)
    call, body = _name(event), body_hash(event.get("tool_input"))
    told = _call(client, run, call, event)
    if not told.get("write"):
        return ()
    verdict = Verdict.of(told)
    pinned: tuple[str, ...] = ()
    if not verdict.may:
        pinned = _approved(client, host, event, verdict, (call, body, until))
    elif told.get("body") != body:
        raise NotAllowed("the server judged another input than this one; try the call again")
    with memory(host, event) as held:
        held.under_way = [*{*held.under_way, call}]
    return pinned


def _call(client: Client, run: str, call: str, event: dict[str, Any]) -> Json:
    asked: Json = {
        "id": call,
        "tool": event.get("tool_name"),
        "input": event.get("tool_input"),
        "hold": {},
    }
    agent = agent_of(event)
    if agent is not None:
        asked["agent"] = agent
    key = hashlib.sha256(f"{run} {call} {body_hash(asked['input'])}".encode()).hexdigest()
    return client.call("POST", f"{API}/runs/{quote(run, safe='')}/calls", asked, key=key)


def _approved(
    client: Client,
    host: str,
    event: dict[str, Any],
    verdict: Verdict,
    bound: tuple[str, str, float],
) -> tuple[str, ...]:
    call, body, until = bound
    if verdict.verdict != "gate" or not verdict.gates:
        raise NotAllowed(str(verdict))
    answered = [client.answered(str(gate["gate"]), until) for gate in verdict.gates]
    # What was summarised while the call waited must be known before the yes is used.
    transcript.bring(client, host, event)
    used = client.use(answered, call, body, until)
    return tuple(str(gate["digest_text"]) for gate in used if gate.get("digest_text"))


def _name(event: dict[str, Any]) -> str:
    name = event.get("tool_use_id")
    if not isinstance(name, str) or not name:
        raise NotAllowed("the host named no call, so no answer could be bound to it; update it.")
    return name


def body_hash(given: Any) -> str:
    """The hash of the exact input, by the form that journals use (RFC 8785)."""
    text = json.dumps(_plain(given), ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return "sha256:" + hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        return int(value)
    return value


def _is_read_here(event: dict[str, Any]) -> bool:
    """Whether the call is a proven read, by the judge on this machine; without one it is not."""
    line = {"id": "call", "tool": event.get("tool_name"), "input": event.get("tool_input")}
    root = str(Path(__file__).parent.parent.parent)
    code = "import sys; from guard.cli import main; sys.exit(main(['effects', '-']))"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=json.dumps(line).encode() + b"\n",
            capture_output=True,
            cwd=root,
            timeout=LOCAL_S,
            check=False,
        )
        got = json.loads(done.stdout or b"{}").get("got", {})
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return got.get("write") is False and got.get("certainty") == "proven"
