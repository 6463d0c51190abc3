"""What a target is sent: a link and ids, in the form of its kind, and signed.

The signature is a header, `Journal-Guard-Signature: t=SECONDS,v1=HEX`: HMAC-SHA256, keyed with the
target's secret, over the seconds since 1970, a full stop, and the body. Compute it over the bytes
as they came, compare in constant time, and refuse a time that is minutes old. A notice may come
more than once: `Journal-Guard-Notice` is its id.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

from django.conf import settings

from dashboard.models import NoticeRow, Target


def secret_of(target: Target) -> str:
    """The key that signs what goes to this target; derived, so that no table holds it."""
    text = f"notices:{target.salt}".encode()
    return hmac.new(settings.SECRET_KEY.encode(), text, hashlib.sha256).hexdigest()


def signature(secret: str, seconds: int, body: bytes) -> str:
    """The value of the signature header."""
    text = str(seconds).encode() + b"." + body
    return f"t={seconds},v1={hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()}"


def link(notice: NoticeRow) -> str:
    """The page of a notice; its start is `GUARD_URL` and nothing that a request said."""
    return f"{settings.GUARD_URL}{notice.path}"


def body(notice: NoticeRow, kind: str) -> bytes:
    """The JSON of a webhook, or what a Slack-style webhook takes."""
    if kind == Target.Kind.SLACK:
        return json.dumps({"text": f"{_escaped(notice.title)}\n<{link(notice)}>"}).encode()
    told: dict[str, Any] = {
        "id": notice.public_id,
        "event": notice.event,
        "at": notice.at.isoformat(),
        "source": notice.source.slug if notice.source else None,
        "title": notice.title,
        "link": link(notice),
        "ids": notice.ids,
    }
    return json.dumps(told).encode()


def headers(notice: NoticeRow, target: Target, seconds: int, data: bytes) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": "journal-guard",
        "Journal-Guard-Event": notice.event,
        "Journal-Guard-Notice": notice.public_id,
        "Journal-Guard-Signature": signature(secret_of(target), seconds, data),
    }


def letter(notice: NoticeRow) -> tuple[str, str]:
    """Subject and text of a mail."""
    ids = "".join(f"{name}: {value}\n" for name, value in notice.ids.items())
    return f"[Journal Guard] {notice.title}", f"{notice.title}\n\n{link(notice)}\n\n{ids}"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
