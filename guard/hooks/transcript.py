"""The session file of the host, sent to the server piece by piece before it is asked anything.

The file lags behind the session (`runtimes/claude-code.md` 1): after a compaction the hook waits
for the compaction to stand in it, for a moment; without it nothing can be judged.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from guard.client import API, Client, NotAllowed, Refused
from guard.hooks.session import Memory, agent_of, memory, session_of

PIECE_BYTES = 8 << 20
SETTLE_S = 3.0
MARKS = {"claude-code": b'"compact_boundary"', "codex": b'"compacted"'}
"""What stands in the session file when a compaction is written."""


def bring(client: Client, host: str, event: dict[str, Any], *, settled: bool = False) -> str:
    """Send what is new of the session, and of the sub-agent's own file when the event is of one.

    `settled`: wait for a compaction that began (`settle`). The run's name; raises `NotAllowed`.
    """
    for window in windows(event):
        with memory(host, window) as held:
            if settled:
                settle(host, window, held)
            if agent_of(window) is None or _path(window).is_file():
                _send_new(client, session_of(event), _path(window), held)
    return session_of(event)


def windows(event: dict[str, Any]) -> list[dict[str, Any]]:
    """The event as one of the main window, then as one of the sub-agent's, each with its file.

    The host names the main file also inside a sub-agent, whose own file lies in a folder beside it
    (2.1.x) or next to it (2.0.x).
    """
    agent, named = agent_of(event), _path(event)
    if agent is None:
        return [event]
    file = f"agent-{agent}.jsonl"
    main = named if named.name != file else _main_beside(named, session_of(event))
    told = str(event.get("agent_transcript_path") or "")
    places = (Path(told), main.with_suffix("") / "subagents" / file, main.with_name(file))
    own = next((path for path in places if path.is_file()), places[1])
    alone = {**event, "transcript_path": str(main), "agent_id": None}
    return [alone, {**event, "transcript_path": str(own)}]


def _main_beside(own: Path, session: str) -> Path:
    folder = own.parent
    return (
        folder.parent.with_suffix(".jsonl")
        if folder.name == "subagents"
        else (folder / f"{session}.jsonl")
    )


def _path(event: dict[str, Any]) -> Path:
    return Path(str(event.get("transcript_path") or ""))


def size(event: dict[str, Any]) -> int:
    """The size of the window's file, in bytes; 0 when it is not there."""
    return _path(event).stat().st_size if _path(event).is_file() else 0


def _send_new(client: Client, run: str, path: Path, memory: Memory) -> None:
    if not path.is_file():
        raise NotAllowed("the session file is not there; run the call yourself, or start anew")
    if path.stat().st_size < memory.sent_bytes:
        memory.sent_bytes = 0
    rewrite = memory.sent_bytes == 0
    while data := _lines(path, memory.sent_bytes):
        try:
            _send(client, run, path.name, memory.sent_bytes, data, rewrite)
        except Refused as refused:
            memory.sent_bytes = _resume(refused, memory.sent_bytes)
            rewrite = memory.sent_bytes == 0
            continue
        memory.sent_bytes += len(data)
        rewrite = False


def _send(
    client: Client, run: str, name: str, offset: int, data: bytes, rewrite: bool
) -> dict[str, Any]:
    again = "&rewrite=true" if rewrite else ""
    query = f"file={quote(name)}&offset={offset}{again}"
    return client.call("POST", f"{API}/runs/{quote(run, safe='')}/chunks?{query}", data)


def _resume(refused: Refused, sent_bytes: int) -> int:
    """Where to go on after the server had less, or other bytes. Raises what cannot be mended."""
    expected = refused.told.get("expected_offset")
    if refused.code == "missing_bytes" and isinstance(expected, int) and expected < sent_bytes:
        return expected
    if refused.code == "other_bytes" and sent_bytes > 0:
        return 0
    raise refused


def _lines(path: Path, offset: int) -> bytes:
    """The next whole lines; a line that is still being written waits for the next event."""
    with path.open("rb") as stream:
        stream.seek(offset)
        data = stream.read(PIECE_BYTES)
        while data and b"\n" not in data:
            more = stream.read(PIECE_BYTES)
            if not more:
                return b""
            data += more
    return data[: data.rfind(b"\n") + 1]


def settle(host: str, event: dict[str, Any], memory: Memory) -> None:
    """Wait until a compaction that began stands in the file. Raises `NotAllowed` when it does not.

    A compaction that the host gave up leaves nothing in the file either: without a digest from
    `PostCompact` nothing is waited for.
    """
    if memory.compacting_from is None:
        return
    end = time.monotonic() + SETTLE_S
    while not _stands(host, event, memory.compacting_from):
        if memory.digest is None:
            return
        if time.monotonic() > end:
            raise NotAllowed("the compaction is not in the session file yet; try again in a moment")
        time.sleep(0.05)
    memory.compacting_from = None


def _stands(host: str, event: dict[str, Any], offset: int) -> bool:
    if not _path(event).is_file():
        return False
    with _path(event).open("rb") as stream:
        stream.seek(offset)
        rest = stream.read()
    return MARKS[host] in rest[: rest.rfind(b"\n") + 1]
