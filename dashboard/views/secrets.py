"""What was taken out of a run before it was stored, and the bytes as sent for who may see them."""

from __future__ import annotations

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET, require_POST

from dashboard import access, exports, ledger
from dashboard.models import Redaction
from dashboard.queries import redaction
from dashboard.views.page import show


@require_GET
def secrets(request: HttpRequest, rid: str) -> HttpResponse:
    found = access.run_for(request.user, rid)
    context = {
        "run": found,
        "kinds": sorted(redaction.secrets_in([found.pk]).items()),
        "pieces": redaction.pieces(found),
        "may_see_raw": access.may(request.user, "see raw", found.source),
    }
    return show(request, "run/secrets.html", context, here="runs")


@require_POST
@transaction.atomic
def raw(request: HttpRequest, rid: str, key: int) -> HttpResponse:
    """The bytes of a piece as they were sent, when they were kept. Each look is an entry."""
    found = access.run_for(request.user, rid)
    if not access.may(request.user, "see raw", found.source):
        raise Http404(f"no bytes of {rid} for this person")
    noted = get_object_or_404(
        Redaction.objects.select_related("chunk__file"),
        pk=key,
        chunk__file__run=found,
        raw__isnull=False,
    )
    told = {"receipt": str(noted.chunk.receipt), "sha256": noted.chunk.sha256}
    ledger.append("raw.seen", request.user.get_username(), told, found)
    name = exports.file_name(found.public_id, noted.chunk.file.name, str(noted.chunk.offset))
    return exports.attachment(bytes(noted.raw or b""), name, "application/octet-stream")
