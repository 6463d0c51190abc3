"""Messages of an opencode session as its server gives them: the state now, not the history."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from guard.adapters.emit import Replay
from guard.adapters.opencode_events import EventLog
from guard.adapters.shapes import Members


def replay_messages(replay: Replay, log: EventLog, messages: Iterable[Any]) -> None:
    """One record for each message. A result cleared since then is cleared at its own time."""
    cleared: list[tuple[int, Members]] = []
    for message in messages:
        replay.rec.record()
        info = message.get("info") if isinstance(message, dict) else None
        parts = message.get("parts") if isinstance(message, dict) else None
        if not isinstance(info, dict) or not isinstance(parts, list):
            replay.rec.skip("no message")
            continue
        now = _number(info, "created")
        cleared = _clear(log, [each for each in cleared if each[0] <= now], cleared)
        log.take(
            str(info.get("id")), "message.updated", {"info": _without(info, "completed")}, None
        )
        for part in (part for part in parts if isinstance(part, dict)):
            state = part.get("state")
            whole = part
            if isinstance(state, dict) and _number(state, "compacted"):
                cleared.append((_number(state, "compacted"), part))
                whole = part | {"state": _without(state, "compacted")}
            log.take(str(part.get("id")), "message.part.updated", {"part": whole}, None)
        log.take(str(info.get("id")), "message.updated", {"info": info}, None)
    log.finish()
    _clear(log, cleared, cleared)


def _clear(
    log: EventLog, now: list[tuple[int, Members]], known: list[tuple[int, Members]]
) -> list[tuple[int, Members]]:
    """Clear what was due; what is left waits."""
    for time, part in sorted(now, key=lambda each: each[0]):
        log.take(
            f"{part.get('id')}/cleared", "message.part.updated", {"part": part, "time": time}, None
        )
    return [each for each in known if each not in now]


def _number(holder: Members, name: str) -> int:
    times = holder.get("time")
    value = times.get(name) if isinstance(times, dict) else None
    return value if isinstance(value, int) else 0


def _without(holder: Members, name: str) -> Members:
    times = holder.get("time")
    times = times if isinstance(times, dict) else {}
    return holder | {"time": {key: value for key, value in times.items() if key != name}}


def replay_session(replay: Replay, log: EventLog, info: Members) -> None:
    """A session alone: its version, and whether a revert is staged."""
    replay.rec.record()
    log.take(str(info.get("id")), "session.created", {"info": info}, None)
    replay.settle()
    if info.get("revert"):
        text = "a revert is staged; it changes the window when the next prompt commits it"
        replay.rec.note("status", "finding", text)
