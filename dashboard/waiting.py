"""The long poll of a gate: `GET /api/v1/gates/ID?wait=30` is held back until the gate moves.

Nothing is held while it waits but a coroutine: no thread and no database connection. One question
every 50 ms asks for all gates that are waited for; the answer itself is the ordinary view's. A
caller without a valid token does not wait.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs

from asgiref.sync import sync_to_async
from django.db import DatabaseError, connection

from dashboard import tokens
from dashboard.limits import Application, Message, Receive, Send
from dashboard.models import Gate

PATH = re.compile(r"/api/v1/gates/(g-[0-9a-z]+)")
EVERY_S = 0.05
LONGEST_S = 60.0


class LongPoll:
    """Holds a waiting GET back, then lets the application answer it."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._watch = Watch()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        name, wait_s = _asked(scope)
        if wait_s and await _off_thread(_may_wait, name, _bearer(scope)):
            await self._watch.until_moved(name, wait_s)
        await self._application(scope, receive, send)


class Watch:
    """Which gates are waited for, and the one task that looks at them."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._looking: asyncio.Task[None] | None = None

    async def until_moved(self, name: str, wait_s: float) -> None:
        """Return when the gate is no longer pending, or when the time is over."""
        moved = asyncio.Event()
        self._waiting.setdefault(name, set()).add(moved)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            await asyncio.wait_for(moved.wait(), wait_s)
        except TimeoutError:
            return
        finally:
            self._forget(name, moved)

    async def _look(self) -> None:
        while self._waiting:
            names = [*self._waiting]
            for name in {*names} - await _off_thread(_pending, names):
                for moved in self._waiting.get(name, ()):
                    moved.set()
            await asyncio.sleep(EVERY_S)

    def _forget(self, name: str, moved: asyncio.Event) -> None:
        left = self._waiting[name]
        left.discard(moved)
        if not left:
            del self._waiting[name]


async def _off_thread(call: Any, *args: object) -> Any:
    """Run a database call in the shared pool; the connection is given back before it returns."""
    return await sync_to_async(_released, thread_sensitive=False)(call, *args)


def _released(call: Any, *args: object) -> Any:
    try:
        return call(*args)
    finally:
        connection.close()


def _pending(names: Iterable[str]) -> set[str]:
    """Those that are still to be waited for; all of them when the database is away."""
    try:
        open_gates = Gate.objects.filter(public_id__in=names, state=Gate.State.PENDING)
        return set(open_gates.values_list("public_id", flat=True))
    except DatabaseError:
        return set(names)


def _may_wait(name: str, secret: str) -> bool:
    try:
        token = tokens.token_for(secret)
        return (
            token is not None
            and Gate.objects.filter(
                public_id=name, run__source=token.source, state=Gate.State.PENDING
            ).exists()
        )
    except DatabaseError:
        return False


def _asked(scope: Message) -> tuple[str, float]:
    """The gate and the seconds to wait; 0 when this is no waiting call."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return "", 0.0
    found = PATH.fullmatch(scope["path"])
    wait = parse_qs(scope["query_string"].decode("latin-1")).get("wait", ["0"])[-1]
    if found is None or not (wait.isascii() and wait.isdigit()) or len(wait) > 6:
        return "", 0.0
    return found[1], min(float(wait), LONGEST_S)


def _bearer(scope: Message) -> str:
    header = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    scheme, _, secret = header.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""
