"""One gate: what it is about, and the answer of a person. GET never decides."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, gates
from dashboard.clock import now
from dashboard.forms import DecideForm, RevokeForm
from dashboard.gates import GateRefused
from dashboard.models import Gate
from dashboard.queries.frames import Opened, opened
from dashboard.queries.gate import gate_page
from dashboard.views.page import show

PARTS = {"state": "gates/state.html"}
STATUS = {"self": 403, "forbidden": 403, "reauthenticate": 403, "reason_required": 422}
MOST_PAYLOADS = 20


@require_GET
def gate(request: HttpRequest, gid: str) -> HttpResponse:
    found = access.gate_for(request.user, gid)
    if request.headers.get("HX-Request") and request.GET.get("part") == "state":
        seen = request.GET.get("seen", found.state)
        return show(request, PARTS["state"], {"gate": found, "seen": seen}, parts=PARTS)
    return _page(request, found)


def _page(request: HttpRequest, found: Gate, *, status: int = 200, **more: Any) -> HttpResponse:
    pins = more.pop("pins", None)
    page = gate_page(found, request.user, now(), _views(request), pins)
    context = {"gate": found, "page": page, "run": found.run, **more}
    context["frame_base"] = reverse("gate", args=[found.public_id])
    return show(request, "gates/gate.html", context, here="gates", parts=PARTS, status=status)


def _views(request: HttpRequest) -> dict[str, Opened]:
    names = ["before", "after", *(f"payload{n}" for n in range(MOST_PAYLOADS))]
    return {name: opened(request.GET.get(name, "")) for name in names}


@require_POST
def decide(request: HttpRequest, gid: str) -> HttpResponse:
    """First click: the same page asks once more and repeats the hashes. Second: the answer."""
    found = access.gate_for(request.user, gid)
    form = DecideForm(request.POST)
    pins = request.POST.getlist("pins")
    if not form.is_valid():
        said = request.POST.get("reason", "")
        refused = GateRefused("reason_required")
        return _page(request, found, status=422, refused=refused, reason=said, pins=pins)
    asked = form.cleaned_data
    chosen = pins if asked["answer"] == "pin" else []
    if not asked["confirmed"]:
        return _page(request, found, asked=asked, reason=asked["reason"], pins=pins)
    try:
        answered = gates.decide(
            found,
            request.user,
            "rejected" if asked["answer"] == "reject" else "approved",
            asked["reason"],
            shown_hash=asked["shown_hash"],
            digest_hash=asked["digest_hash"],
            signed_in_at=access.signed_in_at(request),
            pins=chosen,
        )
    except GateRefused as refused:
        found = access.gate_for(request.user, gid)
        status = STATUS.get(refused.code, 409)
        return _page(
            request, found, status=status, refused=refused, reason=asked["reason"], pins=pins
        )
    messages.success(request, _told(answered))
    return redirect("gate", answered.public_id)


def _told(answered: Gate) -> str:
    if answered.state == Gate.State.PENDING:
        return f"Your approval of {answered.public_id} counts; another person is still needed."
    word = "Rejected" if answered.state == Gate.State.REJECTED else "Approved"
    return f"{word}: {answered.public_id}. The runtime is told."


@require_POST
def claim(request: HttpRequest, gid: str) -> HttpResponse:
    found = access.gate_for(request.user, gid)
    try:
        gates.claim(found, request.user)
    except GateRefused as refused:
        return _page(request, access.gate_for(request.user, gid), status=409, refused=refused)
    return redirect("gate", gid)


@require_POST
def release(request: HttpRequest, gid: str) -> HttpResponse:
    gates.release(access.gate_for(request.user, gid), request.user)
    return redirect("gate", gid)


@require_POST
def revoke(request: HttpRequest, gid: str) -> HttpResponse:
    """Take back an approval that was not used; a reason is required."""
    found = access.gate_for(request.user, gid)
    form = RevokeForm(request.POST)
    if not form.is_valid():
        return _page(request, found, status=422, refused=GateRefused("reason_required"))
    try:
        gates.revoke(found, request.user, form.cleaned_data["reason"])
    except GateRefused as refused:
        found = access.gate_for(request.user, gid)
        return _page(request, found, status=STATUS.get(refused.code, 409), refused=refused)
    messages.success(request, f"Revoked: {gid} lets nothing through any more.")
    return redirect(reverse("gate", args=[gid]))
