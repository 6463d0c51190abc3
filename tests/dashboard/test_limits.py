"""What a request may bring: everything is counted before it is kept (`journal-format.md` 7)."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import tracemalloc
from typing import Any

import pytest
import zstandard

from dashboard import limits
from dashboard.limits import Capped, Rate, Refusal, body_of

BOMB = gzip.compress(bytes(300 << 20))


@pytest.mark.parametrize(
    ("body", "encoding", "unpacked"),
    [
        (b"abc", "", b"abc"),
        (b"abc", "identity", b"abc"),
        (gzip.compress(b"abc"), "gzip", b"abc"),
        (gzip.compress(b"abc"), " GZIP ", b"abc"),
        (gzip.compress(b"ab") + gzip.compress(b"c"), "gzip", b"abc"),
        (b"", "", b""),
        (b"x" * limits.MAX_PACKED_BYTES, "", b"x" * limits.MAX_PACKED_BYTES),
    ],
    ids=["plain", "identity", "gzip", "case", "two members", "empty", "exactly the limit"],
)
def test_a_body_within_the_limits_is_taken(body: bytes, encoding: str, unpacked: bytes) -> None:
    assert body_of(io.BytesIO(body), str(len(body)), encoding) == unpacked


@pytest.mark.parametrize(
    ("body", "encoding", "status", "code"),
    [
        (BOMB, "gzip", 413, "too_large"),
        (b"x" * (limits.MAX_PACKED_BYTES + 1), "", 413, "too_large"),
        (gzip.compress(gzip.compress(b"abc")), "gzip", 415, "packing"),
        (gzip.compress(b"abc"), "", 415, "packing"),
        (zstandard.ZstdCompressor().compress(b"abc"), "", 415, "packing"),
        (b"abc", "br", 415, "packing"),
        (b"abc", "zstd", 415, "packing"),
        (b"abc", "gzip, gzip", 415, "packing"),
        (b"abc", "gzip gzip", 415, "packing"),
        (b"abc", "gzip", 400, "gzip"),
        (gzip.compress(b"abc" * 999)[:-9], "gzip", 400, "gzip"),
        (gzip.compress(b"abc") + b"more", "gzip", 400, "gzip"),
        (gzip.compress(b"") * 20_000, "gzip", 413, "too_large"),
    ],
    ids=[
        "bomb",
        "too long",
        "two layers",
        "packed, not said",
        "zstd, not said",
        "brotli",
        "zstd",
        "said twice",
        "said twice without a comma",
        "no gzip at all",
        "cut off",
        "rubbish behind",
        "20,000 members",
    ],
)
def test_a_body_beyond_them_is_refused(body: bytes, encoding: str, status: int, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        body_of(io.BytesIO(body), str(len(body)), encoding)
    assert (refused.value.status, refused.value.code) == (status, code)


def test_a_bomb_takes_no_memory() -> None:
    tracemalloc.start()
    with pytest.raises(Refusal):
        body_of(io.BytesIO(BOMB), str(len(BOMB)), "gzip")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20


@pytest.mark.parametrize("declared", ["4", "2", "-1", "x", "9" * 30])
def test_a_body_that_is_not_as_long_as_declared_is_refused(declared: str) -> None:
    with pytest.raises(Refusal):
        body_of(io.BytesIO(b"abc"), declared, "")


def test_a_refusal_while_reading_reads_no_further() -> None:
    stream = io.BytesIO(b"x" * (3 * limits.MAX_PACKED_BYTES))
    with pytest.raises(Refusal):
        body_of(stream, None, "")
    assert stream.tell() <= limits.MAX_PACKED_BYTES + limits.PIECE_BYTES


def test_one_call_too_many_has_to_wait() -> None:
    rate = Rate(2)
    assert [rate.wait_s(1), rate.wait_s(1), rate.wait_s(2)] == [0, 0, 0]
    assert 0 < rate.wait_s(1) <= limits.RATE_WINDOW_S


async def _echo(scope: dict[str, Any], receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


async def _ask(pieces: list[bytes], headers: list[tuple[bytes, bytes]], stall: bool) -> Any:
    sent: list[dict[str, Any]] = []
    queue = list(pieces)

    async def receive() -> dict[str, Any]:
        if not queue:
            await asyncio.sleep(60 if stall else 0)
            return {"type": "http.disconnect"}
        body = queue.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(queue) or stall}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "path": "/api/v1/runs/r/chunks", "method": "POST", "headers": headers}
    await Capped(_echo, stall_s=0.05)(scope, receive, send)
    return sent[0]["status"], sent[1]["body"]


@pytest.mark.parametrize(
    ("pieces", "headers", "stall", "status"),
    [
        ([b"abc", b"de"], [], False, 200),
        ([b"x" * limits.API_BODY_BYTES, b"y"], [], False, 413),
        ([b"abc"], [(b"content-length", b"99999999999")], False, 413),
        ([b"abc"], [(b"content-length", b"x")], False, 413),
        ([b"abc"], [], True, 408),
    ],
    ids=["fits", "grows too large", "declared too large", "no number", "stalls"],
)
def test_the_server_is_guarded_before_a_view_is_reached(
    pieces: list[bytes], headers: list[tuple[bytes, bytes]], stall: bool, status: int
) -> None:
    answered, body = asyncio.run(_ask(pieces, headers, stall))
    assert answered == status
    if status != 200:
        assert json.loads(body)["status"] == status
