"""Raw tool calls of a running agent, and what a digest lost: for hooks that know no classes.

A hook sends the call as its host gave it. What the call is, is said here (`guard.effects`), and
then it is judged as the effect it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from ninja.responses import Status
from pydantic import Field

from dashboard import facts, live
from dashboard.api import judging
from dashboard.api.auth import may_propose, run_of
from dashboard.api.idempotency import KEY_PARAMETER
from dashboard.api.problems import PROBLEMS, ApiProblem
from dashboard.api.schemas import EffectIn, HoldIn, Name, Strict, VerdictOut
from dashboard.gates.present import about_edit
from dashboard.live import Known
from dashboard.models import Run, Token
from dashboard.overrides import overrides_of
from guard import RULES_VERSION
from guard.adapters.emit_shown import value_hash
from guard.canonical import canonical
from guard.effects import Call, Judgement, classify
from guard.events import Out

router = Router(tags=["before it happens"])
MAIN = "main"
MOST_LOST = 200
SubAgent = Field(None, min_length=1, max_length=255, description="whose own window it is")


class CallIn(Strict):
    """A tool call that the host has not run yet. `id`: the host's own, `toolu_...`.

    `agent`: the sub-agent whose call it is. Its window is a branch of the run, begun with what the
    main window held at that moment; until its first line is here, it begins now.
    """

    id: str = Name
    tool: str = Name
    input: Any = None
    annotations: dict[str, Any] | None = Field(None, description="hints of an MCP server")
    agent: str | None = SubAgent
    hold: HoldIn | None = None


class CallOut(VerdictOut):
    """The verdict, and what the call was taken for. `body`: the hash that an approval binds."""

    write: bool
    class_: str = Field(alias="class")
    certainty: str
    domain: str
    why: str
    body: str


class DigestIn(Strict):
    """The digest as the host gave it to its hook; without it, the last one of the journal."""

    text: str | None = Field(None, max_length=1 << 20)
    agent: str | None = SubAgent


class LostOut(Schema):
    """A gating fact of the window that the digest does not carry any more, word for word."""

    status: str
    name: str
    verbatim: str
    source: str
    line: int | None
    why: str


class DigestOut(Schema):
    edit: str | None
    lost: list[LostOut]
    more: int


@router.post(
    "/runs/{run}/calls",
    auth=may_propose,
    response={200: CallOut, **PROBLEMS},
    summary="May this tool call run?",
    openapi_extra=KEY_PARAMETER,
    by_alias=True,
)
def call(request: HttpRequest, run: str, body: CallIn) -> Status:
    """Classify a raw tool call and judge it; a read is let through and leaves nothing."""
    team = overrides_of(request.auth.source_id)
    judged = classify(Call(body.tool, body.input, annotations=body.annotations), team)
    digest = value_hash(body.input)
    told = {"certainty": judged.certainty, "domain": judged.domain, "why": judged.why}
    told |= {"write": judged.write, "class": judged.reversibility, "body": digest}
    found = run_of(request.auth, run)
    if not judged.write:
        return Status(200, {**_a_read(), **told})
    branch = live.ask(found, lambda known: _branch(known, body.agent))
    answer = judging.effect(request, run, _effect(body, judged, digest, branch))
    return Status(200, {**answer.value, **told})


def _branch(known: Known, agent: str | None) -> str:
    """The branch of a sub-agent; the main one, from which it would fork now, while it has none."""
    return agent if agent in known.state.windows.branches else MAIN


def _a_read() -> dict[str, Any]:
    lists: dict[str, Any] = {"codes": [], "reasons": [], "edits": [], "gates": []}
    next_step = judging.NEXT["proceed"]
    return {
        "verdict": "proceed",
        "seq": None,
        "rules_version": RULES_VERSION,
        "next_step": next_step,
        **lists,
    }


def _effect(body: CallIn, judged: Judgement, digest: str, branch: str) -> EffectIn:
    """The call as a held effect."""
    payload = canonical(body.input).decode()
    if len(payload) > 1 << 20:
        raise ApiProblem(413, "too_large", "the input of the call is over 1 MiB")
    members: dict[str, Any] = {
        "id": body.id,
        "state": "held",
        "class": judged.reversibility,
        "inverse": judged.inverse,
        "write": True,
        "body": digest,
        "branch": branch,
        "tool": body.tool,
        "payload": payload,
        "hold": body.hold,
    }
    if judged.target:
        members["target"] = judged.target[:4096]
    if judged.summary:
        members["summary"] = judged.summary[:20000]
    return EffectIn(**members)


@router.post(
    "/runs/{run}/digests",
    auth=may_propose,
    response={200: DigestOut, **PROBLEMS},
    summary="What did this digest lose?",
)
def digest(request: HttpRequest, run: str, body: DigestIn) -> dict[str, Any]:
    """The facts that the window had before and the digest does not carry, each with its source."""
    token: Token = request.auth
    found = run_of(token, run)
    edit = live.ask(found, lambda known: _edit_of(known, body))
    rows = about_edit(found, edit).facts if edit else _by_window(found, body)
    lost = [fact for fact in rows if fact.can_be_pinned]
    shown = [_told(fact) for fact in lost[:MOST_LOST]]
    return {"edit": edit, "lost": shown, "more": len(lost) - len(shown)}


def _edit_of(known: Known, body: DigestIn) -> str | None:
    """The last edit of the window, when its digest holds this text."""
    found: str | None = None
    text, branch = body.text, _branch(known, body.agent)
    for edit in known.state.edits.firsts():
        out = edit.edit.out
        if edit.branch != branch or out is None:
            continue
        told = known.told.get((out.id, out.hash))
        said = told.text if told is not None and told.text is not None else ""
        if text is None or (said and text.strip() in said):
            found = edit.id
    return found


def _by_window(run: Run, body: DigestIn) -> Sequence[facts.Fact]:
    """The digest is not on record yet: what the window holds now is what it replaces."""
    text = body.text or ""
    return live.ask(run, lambda known: _compared(known, text, body.agent)) if text else []


def _compared(known: Known, text: str, agent: str | None) -> list[facts.Fact]:
    windows = known.state.windows
    taken = dict(windows.seen(_branch(known, agent)).spans)
    versions = {
        (span, version): dict(windows.versions.facts_of(span, version))
        for span, version in taken.items()
        if version is not None
    }
    return facts.compared(taken, versions, known.told, Out(id="digest", hash="digest"), text)


def _told(fact: facts.Fact) -> dict[str, Any]:
    return {
        "status": fact.status,
        "name": fact.name,
        "verbatim": fact.verbatim or f"{fact.key}: {fact.value}",
        "source": fact.scope.partition("#")[0],
        "line": fact.source_line,
        "why": fact.why,
    }
