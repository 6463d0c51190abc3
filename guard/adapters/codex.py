"""OpenAI Codex CLI: rollouts (`~/.codex/sessions/**/rollout-*.jsonl[.zst]`) and live channels.

Seen: rollouts of 0.171.0 (2026-11) and 0.89.0 (2026-01); OpenTelemetry logs, hook payloads and
app-server traffic of 0.171.0. The SQLite projections beside the rollouts are derived: not read.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal

import zstandard

from guard.adapters.base import Adapter, Reading, Session, SourceFile
from guard.adapters.codex_items import items_of
from guard.adapters.codex_live import AppServer, DecisionLog, Hooks, log_time
from guard.adapters.codex_rollout import Rollout
from guard.adapters.emit import Replay
from guard.adapters.emit_rows import (
    Row,
    by_time,
    first_objects,
    parts_by,
    peek,
    rows,
    scan,
    short_name,
)
from guard.adapters.emit_times import from_ms, from_text
from guard.adapters.otlp_decode import attributes_of
from guard.adapters.shapes import Members
from guard.events import MAIN

Dialect = Literal["rollout", "log", "hooks", "app-server"]

_ZSTD = b"\x28\xb5\x2f\xfd"
_ANSWER = b">> "
_RECORDS = {"session_meta", "response_item", "event_msg", "turn_context", "compacted"}
_HOOK_MEMBERS = {"hook_event_name", "session_id", "transcript_path"}
_METHODS = ("item/", "thread/", "turn/", "serverRequest/")


class Unpacked(SourceFile, frozen=True):
    """A rollout that Codex packed when its thread went cold."""

    def open(self) -> BinaryIO:
        """The unpacked bytes, never all at once."""
        packed = super().open()
        reader = zstandard.ZstdDecompressor().stream_reader(packed, closefd=True)
        return io.BufferedReader(reader)


def _is_packed(head: bytes) -> bool:
    return head.startswith(_ZSTD)


def _unpacked_head(head: bytes) -> bytes:
    """What a cut-off head holds. Anything that is no zstd frame holds nothing."""
    if not _is_packed(head):
        return head
    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(head)
    except zstandard.ZstdError:
        return b""


def dialect_of(head: bytes) -> Dialect | None:
    """Which of the things that Codex writes begins like this."""
    found = first_objects(_unpacked_head(head).replace(b"\n" + _ANSWER, b"\n"), 5)
    for value in found:
        if str(value.get("type")) in _RECORDS and isinstance(value.get("payload"), dict):
            return "rollout"
        if value.keys() >= _HOOK_MEMBERS and _is_rollout_name(value.get("transcript_path")):
            return "hooks"
        if str(value.get("method")).startswith(_METHODS) and "params" in value:
            return "app-server"
        if str(attributes_of(value).get("event.name")).startswith("codex."):
            return "log"
    return None


def _is_rollout_name(path: Any) -> bool:
    """Hooks of Claude Code have the same shape; the transcript's name tells whose they are."""
    return isinstance(path, str) and path.rsplit("/", 1)[-1].startswith("rollout-")


def _thread(value: Members) -> str | None:
    """The thread that a record of any dialect belongs to."""
    payload, params = value.get("payload"), value.get("params")
    if value.get("type") == "session_meta" and isinstance(payload, dict):
        return str(payload.get("id"))
    if isinstance(params, dict) and "threadId" in params:
        return str(params["threadId"])
    if "hook_event_name" in value:
        return f"{value.get('session_id')}/hooks"
    said = attributes_of(value).get("conversation.id")
    return said if isinstance(said, str) else None


def _time(row: Row) -> str:
    value = row.value
    params = value.get("params")
    started = params.get("startedAtMs") if isinstance(params, dict) else None
    return (
        from_text(value.get("timestamp"))
        or from_ms(value.get("emittedAtMs") or started)
        or log_time(value)
    )


class Codex(Adapter):
    """One thread: its segment files in their order, and the live channels that name it."""

    name = "codex"
    runtime = "codex"

    def sniff(self, head: bytes, /) -> bool:
        """Its first objects are rollout lines, hook payloads, Codex log records or JSON-RPC."""
        return dialect_of(head) is not None

    def group(self, files: Sequence[SourceFile]) -> list[Session]:
        """By thread, with its sub-agents. A log of several conversations is cut into parts."""
        threads: dict[str, list[SourceFile]] = {}
        parents: dict[str, str] = {}
        for file in files:
            for thread, part in _by_thread(file):
                threads.setdefault(thread, []).append(part)
                parents |= _parent(thread, part)
        runs: dict[str, list[SourceFile]] = {}
        for thread, parts in threads.items():
            runs.setdefault(_root(thread, parents, threads), []).extend(parts)
        return [
            Session(tuple(sorted(parts, key=_place_in_thread)), self.name, thread)
            for thread, parts in runs.items()
        ]

    def read(self, files: Sequence[SourceFile]) -> Reading:
        """Segments one after the other; sub-agents and live channels stand at their times."""
        replay = Replay()
        opened = [_opened(file) for file in sorted(files, key=_place_in_thread)]
        dialects = [dialect_of(file.head()) for file in opened]
        threads = [next(_by_thread(file))[0] for file in opened]
        placed = not any(isinstance(file, Unpacked) for file in opened)
        agents = {thread: Rollout(replay, threads, placed=placed) for thread in threads}
        main = threads[0]
        log, hooks, server = DecisionLog(replay), Hooks(replay), AppServer(replay)
        live: dict[Dialect | None, Callable[[Members], None]] = {
            "log": log.take,
            "hooks": hooks.take,
            "app-server": server.take,
        }
        for row in rows(replay.rec, opened, _in_order(opened, dialects, threads)):
            thread = threads[row.file]
            if dialects[row.file] == "rollout":
                _enter(replay, thread, main)
                agents[thread].take(row)
            else:
                _enter(replay, main, main)
                taker = live.get(dialects[row.file], _not_of_codex(replay))
                taker(row.value)
        _say_what_it_proves(replay, set(dialects))
        return replay.rec.reading(
            journal=main,
            runtime=self.runtime,
            version=agents[main].version or log.version,
            attests="rollout" in dialects,
        )

    def beside(self, path: Path, /) -> list[Path]:
        """The other segments of a rollout: their names hold the id of the thread."""
        thread = next(_by_thread(SourceFile.of(path)))[0]
        found = (other for other in sorted(path.parent.iterdir()) if thread in other.name)
        return [other for other in found if other != path and other.is_file()]

    def text(self, record: bytes, item: int, /) -> str:
        """The words of a content item, or of the new window of a compaction, counted from 0."""
        value = peek(record)
        payload = value.get("payload") if isinstance(value, dict) else None
        if not isinstance(payload, dict):
            return ""
        history = payload.get("replacement_history")
        entries = history if isinstance(history, list) else [payload]
        found = [i for e in entries if isinstance(e, dict) for i in items_of(e, lambda: "-")]
        return found[item].text if item < len(found) else ""


def _opened(file: SourceFile) -> SourceFile:
    packed = _is_packed(file.head()[:4])
    return Unpacked(file.name, file.origin) if packed else file


def _by_thread(file: SourceFile) -> Iterator[tuple[str, SourceFile]]:
    """The file under its thread, or its lines under theirs."""
    opened = _opened(file)
    if dialect_of(file.head()) != "log":
        objects = first_objects(opened.head(), 200)
        thread = next((found for found in map(_thread, objects) if found), short_name(file))
        yield thread, file
        return
    yield from parts_by(opened, _thread)


def _place_in_thread(file: SourceFile) -> tuple[bool, bool, str, str]:
    """Rollouts first, the main thread before its sub-agents, in the order of their beginnings."""
    head = _opened(file).head()
    first = next(iter(first_objects(head, 1)), {})
    is_live = dialect_of(head) != "rollout"
    return is_live, bool(_spawner(first)), str(first.get("timestamp", "")), file.name


def _spawner(first: Members) -> str | None:
    """The thread whose agent started this one."""
    payload = first.get("payload")
    value: Any = payload.get("source") if isinstance(payload, dict) else None
    for name in ("subagent", "thread_spawn", "parent_thread_id"):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None


def _parent(thread: str, file: SourceFile) -> dict[str, str]:
    spawner = _spawner(next(iter(first_objects(_opened(file).head(), 1)), {}))
    return {} if spawner is None else {thread: spawner}


def _root(thread: str, parents: Mapping[str, str], here: Container[str]) -> str:
    seen = {thread}
    while parents.get(thread) in here and parents[thread] not in seen:
        thread = parents[thread]
        seen.add(thread)
    return thread


def _not_of_codex(replay: Replay) -> Callable[[Members], None]:
    """A file whose first lines were claimed once and are of no known kind any more."""
    return lambda _: replay.rec.skip("line of no known kind")


def _enter(replay: Replay, thread: str, main: str) -> None:
    """Go on in the window of a thread; a sub-agent's is forked at its first record."""
    branch = MAIN if thread == main else thread
    if not replay.has_branch(branch):
        replay.branch = MAIN
        replay.fork(branch)
    replay.branch = branch


def _in_order(
    files: Sequence[SourceFile], dialects: Sequence[Dialect | None], threads: Sequence[str]
) -> Iterator[Row]:
    chains: dict[str, list[int]] = {}
    for index, dialect in enumerate(dialects):
        key = threads[index] if dialect == "rollout" else f"{index}"
        chains.setdefault(key, []).append(index)
    return by_time([_chain(files, chain) for chain in chains.values()], _time)


def _chain(files: Sequence[SourceFile], indexes: Sequence[int]) -> Iterator[Row]:
    for index in indexes:
        yield from scan(files[index], index, prefix=_ANSWER)


def _say_what_it_proves(replay: Replay, dialects: set[Dialect | None]) -> None:
    note = replay.rec.note
    if "rollout" in dialects:
        note("soundness", "proves", "every call of this thread and, by its exit code, its outcome")
        note("status", "cannot prove", "what stood in files: Codex reverts the window only")
        note("retention", "cannot prove", "the real window: compare with the next token count")
    if "log" not in dialects and "app-server" not in dialects:
        note(
            "authorization",
            "cannot prove",
            "grants: neither a rollout nor a hook shows an accepted approval; a missing gate does "
            "not mean that nobody approved (the OpenTelemetry log of Codex has them)",
        )
        note("mode", "cannot prove", "the compaction threshold: only the OpenTelemetry log has it")
    if "rollout" not in dialects:
        note("closure", "cannot prove", "what an edit took: this channel shows that it happened")
        note(
            "soundness", "cannot prove", "that no call is missing: this channel does not attest it"
        )


CODEX = Codex()
