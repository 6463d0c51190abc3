"""For agents that run somewhere else: record, ask, wait, act once, say what became of it.

Standard library only. Reads never wait; a write without an explicit yes raises `NotAllowed`, whose
text is one line that an agent can act on. What was recorded lies in a folder until the server has
it: nothing is lost while the server is away, and the order is kept. `gates.md`, `semantics.md` 9.

    client = Client("https://guard.example.org", token)
    client.open_run("run-7", agent="agent-1", ledger="complete")
    with Recorder(client, "run-7", Path("spool")) as recorder:
        recorder.append({"kind": "span", "id": "s1", "hash": sha256(text), "text": text})
        verdict = recorder.propose(edit)
        with recorder.hold(Planned("push-1", payload, tool="git.push")):
            push(payload)

`tests/guard/agent_loop.py` is a whole agent in 60 lines, run by the tests.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import ssl
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import quote, urlsplit

API, LONGEST_POLL_S = "/api/v1", 30
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
_LISTS = ("codes", "reasons", "gates")
BUSY = frozenset({429, 502, 503, 504})

Json = dict[str, Any]
Outcome = Literal["committed", "failed", "unknown"]


class NotAllowed(Exception):
    """Do not act. The text says why and what to do next, in one line."""


class ServerAway(NotAllowed):
    """No answer: what was asked is not decided, and what was sent may have to be sent again."""


class Refused(NotAllowed):
    """The server understood and refused. `code` is stable (`problem+json`); `told` is all of it."""

    def __init__(self, status: int, told: Json) -> None:
        self.status, self.told = status, told
        self.code = str(told.get("code", status))
        detail = str(told.get("detail") or told.get("title") or f"status {status}")
        super().__init__(f"{self.code}: {detail}")


def sha256(text: str) -> str:
    """The hash of a text as journals write it."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class Client:
    """One server, one token. Every call is one request; nothing is retried here."""

    def __init__(self, address: str, token: str, timeout_s: float = 10.0) -> None:
        self.timeout_s, self._parts = timeout_s, urlsplit(address)
        if self._parts.scheme not in {"http", "https"} or not self._parts.hostname:
            raise ValueError(f"address: {address!r} is no http or https address")
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str = "",
        timeout_s: float | None = None,
    ) -> Json:
        """The answer to one request. Raises `ServerAway` or `Refused`.

        `body`: bytes go as they are, anything else as JSON. `key`: the `Idempotency-Key`.
        """
        headers = dict(self._headers)
        if key:
            headers["Idempotency-Key"] = key
        raw = isinstance(body, bytes)
        data = body if raw or body is None else json.dumps(body).encode()
        headers["Content-Type"] = "application/octet-stream" if raw else "application/json"
        status, answer = self._request(method, path, data, headers, timeout_s or self.timeout_s)
        if status in BUSY or status >= 500:
            raise ServerAway(f"the server is busy or failed ({status}); try again later")
        told = _object(answer)
        if status >= 400:
            raise Refused(status, told)
        return told

    def _request(
        self, method: str, path: str, data: bytes | None, headers: Mapping[str, str], wait_s: float
    ) -> tuple[int, bytes]:
        connection = self._connection(wait_s)
        try:
            connection.request(method, self._parts.path.rstrip("/") + path, data, dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, HTTPException) as error:
            text = f"no answer from {self._parts.netloc} ({error or type(error).__name__})"
            raise ServerAway(text) from error
        finally:
            connection.close()

    def _connection(self, wait_s: float) -> HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return HTTPConnection(host, port, timeout=wait_s)
        return HTTPSConnection(host, port, timeout=wait_s, context=ssl.create_default_context())

    def open_run(self, name: str, **header: Any) -> Json:
        """Begin a live run, or find it again. `header`: `journal-format.md` 4.1, and `owner`."""
        return self.call("POST", f"{API}/runs", {"id": name, **header})

    def send_events(self, run: str, lines: bytes, key: str) -> Json:
        """Append native lines to a live run, all or none; `key` makes a retry the same batch."""
        return self.call("POST", f"{API}/runs/{_name(run)}/events", lines, key=key)

    def propose(self, run: str, proposal: Mapping[str, Any], *, key: str = "") -> Verdict:
        """May the window be edited like this? Fields of a `proposal` event, and `hold`."""
        return self._asked(run, "proposals", proposal, key)

    def effect(self, run: str, step: Mapping[str, Any], *, key: str = "") -> Verdict:
        """Record a step of an effect, and whether it may start."""
        return self._asked(run, "effects", step, key)

    def _asked(self, run: str, what: str, body: Mapping[str, Any], key: str) -> Verdict:
        path = f"{API}/runs/{_name(run)}/{what}"
        return Verdict.of(self.call("POST", path, dict(body), key=key))

    def follow(self, gate: str, wait_s: int = 0) -> Json:
        """The gate as it is, or after it was answered, or after `wait_s` (at most 60)."""
        late_s = self.timeout_s + wait_s
        return self.call("GET", f"{API}/gates/{_name(gate)}?wait={wait_s}", timeout_s=late_s)

    def answered(self, gate: str, until: float) -> Json:
        """The gate when it is no longer pending; `NotAllowed` at `until` (`time.monotonic`).

        A gate that was pinned is followed to the approved one in its place.
        """
        while True:
            left_s = until - time.monotonic()
            if left_s <= 0:
                raise NotAllowed(f"{gate}: nobody has answered in time; ask again later")
            told = self.follow(gate, max(1, min(LONGEST_POLL_S, int(left_s))))
            if told.get("replaced_by"):
                gate = str(told["replaced_by"])
            elif told.get("state") != "pending":
                return told

    def consume(self, gate: str, effect: str, digest: str | None, payload_sha256: str) -> None:
        """Use an approval for exactly these bytes. Returns only when the answer is `ok`."""
        body = {"effect": effect, "digest": digest, "payload_sha256": payload_sha256}
        path = f"{API}/gates/{_name(gate)}/consume"
        told = self.call("POST", path, body, key=f"{gate}/{effect}")
        if told.get("code") != "ok":
            raise NotAllowed(f"{gate}: {told.get('code')}: {told.get('next_step')}")

    def use(self, gates: list[Json], effect: str, payload_sha256: str, until: float) -> list[Json]:
        """Wait for every gate, then consume each: the gates as they were approved."""
        approved = [self.answered(str(gate["gate"]), until) for gate in gates]
        for told in approved:
            must_be_approved(told, effect, payload_sha256)
        for told in approved:
            self.consume(str(told["gate"]), effect, told.get("digest"), payload_sha256)
        return approved


def must_be_approved(gate: Mapping[str, Any], effect: str, payload_sha256: str) -> None:
    """Raises `NotAllowed` unless a person approved this effect with this very payload."""
    name, reason = gate.get("gate"), gate.get("reason") or gate.get("why") or ""
    if gate.get("state") != "approved":
        said = f" by {gate['by']}: {reason}" if gate.get("by") else f" {reason}".rstrip()
        raise NotAllowed(f"{name} is {gate.get('state')}{said}. {gate.get('next_step', '')}")
    bound = {row["id"]: row["sha256"] for row in gate.get("effects", ())}
    if bound.get(effect) != payload_sha256:
        raise NotAllowed(f"{name} was approved for other bytes; ask about these")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`proceed` and `out_of_scope` mean: go ahead. All else: do not, or not yet."""

    verdict: str
    codes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    gates: tuple[Json, ...] = ()
    next_step: str = ""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        codes, reasons, gates = (tuple(told.get(name, ())) for name in _LISTS)
        return cls(str(told.get("verdict")), codes, reasons, gates, str(told.get("next_step", "")))

    @property
    def may(self) -> bool:
        """Whether the runtime may go on at once."""
        return self.verdict in {"proceed", "out_of_scope"}

    def __str__(self) -> str:
        why = "; ".join((*self.codes, *self.reasons))
        return f"{self.verdict}: {why}. {self.next_step}" if why else self.next_step


@dataclass(frozen=True, slots=True)
class Planned:
    """An effect before it happens. `payload`: the exact text that will be sent.

    What is not said about it is not believed: without `reversibility` its class is `unknown`.
    `body`: its hash, when somebody else has computed it; otherwise that of the payload.
    """

    id: str
    payload: str
    tool: str = ""
    target: str = ""
    summary: str = ""
    reversibility: Literal["reversible", "irreversible", "deferred", "unknown"] = "unknown"
    inverse: bool = False
    write: bool = True
    depends_on: tuple[str, ...] | None = None
    words: str = ""
    body: str = ""

    def step(self, state: str) -> Json:
        """The members of one step; key and body stand on every one (`journal-format.md` 4.6)."""
        members: Json = {
            "id": self.id,
            "state": state,
            "class": self.reversibility,
            "write": self.write,
            "inverse": self.inverse,
            "body": self.body or sha256(self.payload),
        }
        texts = {"tool": self.tool, "target": self.target, "summary": self.summary}
        members |= {name: text for name, text in texts.items() if text}
        if self.depends_on is not None:
            members["depends_on"] = list(self.depends_on)
        return members


@dataclass(slots=True)
class Permit:
    """Inside `hold`: the yes, and where to say what became of the effect.

    `pinned`: texts of the digests to which a reviewer put facts back; read them before you act.
    """

    effect: str
    pinned: tuple[str, ...] = ()
    outcome: Outcome | None = None
    partial: bool = False

    def failed(self, *, partial: bool = False) -> None:
        """It did not happen; `partial`: some of it may have."""
        self.outcome, self.partial = "failed", partial


class Recorder:
    """The journal of one live run, kept in `spool` until the server has it.

    One process at a time writes a spool: a second one gets `BlockingIOError`. Each `append` is one
    batch, one file, one `Idempotency-Key`: sent again after a crash, it is still one batch.
    """

    def __init__(self, client: Client, run: str, spool: Path) -> None:
        self.client, self.run, self._spool = client, run, spool
        spool.mkdir(parents=True, exist_ok=True)
        self._lock = (spool / "lock").open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._pause_s, self._not_before = FIRST_PAUSE_S, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._try()
        self._lock.close()

    def append(self, *events: Mapping[str, Any]) -> int:
        """Record events without `seq`, in this order; how many batches still wait to be sent.

        Raises `Refused` when the server finds a line that is no event; the batch lies in `refused`.
        """
        lines = b"".join(json.dumps(dict(event)).encode() + b"\n" for event in events)
        number = 1 + max((int(path.name[:12]) for path in self.waiting()), default=0)
        _write(self._spool / f"{number:012d}-{uuid.uuid4().hex}.ndjson", lines)
        if time.monotonic() >= self._not_before:
            self._try()
        return len(self.waiting())

    def waiting(self) -> list[Path]:
        """Batches that the server does not have yet, oldest first."""
        return sorted(self._spool.glob("*.ndjson"))

    def flush(self) -> None:
        """Send everything that waits, in order. Raises `ServerAway`; what is left stays."""
        for path in self.waiting():
            try:
                self.client.send_events(self.run, path.read_bytes(), path.stem)
            except Refused as refused:
                if refused.status == 422:
                    _set_aside(path, refused)
                raise
            path.unlink()
        self._pause_s, self._not_before = FIRST_PAUSE_S, 0.0

    def _try(self) -> None:
        try:
            self.flush()
        except ServerAway:
            self._not_before = time.monotonic() + self._pause_s
            self._pause_s = min(self._pause_s * 2, LONGEST_PAUSE_S)

    def propose(self, proposal: Mapping[str, Any]) -> Verdict:
        """May the window be edited like this? Everything recorded before is sent first."""
        self.flush()
        return self.client.propose(self.run, proposal)

    @contextmanager
    def hold(self, effect: Planned, wait_s: float = 3540.0) -> Iterator[Permit]:
        """The block runs with an explicit yes for this effect and payload, and only then.

        Raises `NotAllowed` otherwise. Afterwards its outcome is recorded: `committed`; what
        `permit.failed()` said; or `unknown` when the block raises, because it may have left.
        """
        permit = self._permit(effect, time.monotonic() + wait_s)
        with self.doing(effect, permit):
            yield permit

    @contextmanager
    def doing(self, effect: Planned, permit: Permit | None = None) -> Iterator[Permit]:
        """Record the start of an effect that may run, and in the end its outcome."""
        permit = permit or Permit(effect.id)
        self.append({"kind": "effect", **effect.step("started")})
        try:
            yield permit
        except BaseException:
            permit.outcome = permit.outcome or "unknown"
            raise
        finally:
            step = effect.step(permit.outcome or "committed")
            partial = {"partial": True} if permit.partial else {}
            self.append({"kind": "effect", **step, **partial})

    def _permit(self, effect: Planned, until: float) -> Permit:
        if not effect.write:
            return Permit(effect.id)
        self.flush()
        asked = {**effect.step("held"), "payload": effect.payload, "hold": {"words": effect.words}}
        verdict = self.client.effect(self.run, asked)
        if verdict.may:
            return Permit(effect.id)
        if verdict.verdict != "gate" or not verdict.gates:
            raise NotAllowed(str(verdict))
        body = str(asked["body"])
        approved = self.client.use(list(verdict.gates), effect.id, body, until)
        return Permit(effect.id, tuple(g["digest_text"] for g in approved if g.get("digest_text")))


def _name(text: str) -> str:
    return quote(text, safe="")


def _object(answer: bytes) -> Json:
    try:
        told = json.loads(answer or b"{}")
    except ValueError as error:
        raise ServerAway("the answer is no JSON: is this the address of the server?") from error
    return told if isinstance(told, dict) else {"items": told}


def _write(path: Path, data: bytes) -> None:
    """The file is there whole, or not at all, also after a power cut."""
    made = path.with_suffix(".part")
    with made.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    made.replace(path)


def _set_aside(path: Path, refused: Refused) -> None:
    """A refused batch must not keep the later ones from being sent; it is kept with its reason."""
    kept = path.parent / "refused" / path.name
    kept.parent.mkdir(exist_ok=True)
    kept.with_suffix(".reason").write_text(f"{refused}\n")
    path.replace(kept)
