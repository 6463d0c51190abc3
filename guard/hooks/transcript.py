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
from guard.hooks.session import Memory, session_of

PIECE_BYTES = 8 << 20
SETTLE_S = 3.0
MARKS = {"claude-code": b'"compact_boundary"', "codex": b'"compacted"'}
"""What stands in the session file when a compaction is written."""


def send(client: Client, event: dict[str, Any], memory: Memory) -> str:
    """Send what is new of the session file; the run's name. Raises `NotAllowed`."""
    run = session_of(event)
    path = Path(str(event.get("transcript_path") or ""))
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
    return run


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
    path = Path(str(event.get("transcript_path") or ""))
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        stream.seek(offset)
        rest = stream.read()
    return MARKS[host] in rest[: rest.rfind(b"\n") + 1]
