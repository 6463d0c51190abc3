"""What `manage.py check --deploy` asks beside Django's own questions."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import Error, Tags, register
from django.core.checks import Warning as Advice

LOCAL = {"127.0.0.1", "localhost", "::1"}


@register(Tags.security, deploy=True)
def settings_fit_a_server(**_: object) -> list[Error | Advice]:
    """Several processes need one given key; a queue that others reach needs a password."""
    found: list[Error | Advice] = []
    if not os.environ.get("SECRET_KEY"):
        found.append(Error("SECRET_KEY is not set: set it in the environment", id="dashboard.E001"))
    if "*" in settings.ALLOWED_HOSTS:
        found.append(Error("ALLOWED_HOSTS is *: name the hosts", id="dashboard.E002"))
    if not settings.GUARD_URL:
        found.append(
            Advice("GUARD_URL is not set: notifications carry no link", id="dashboard.W001")
        )
    queue = urlsplit(settings.REDIS_URL)
    if queue.hostname and queue.hostname not in LOCAL and not queue.password:
        found.append(Error("REDIS_URL has no password", id="dashboard.E003"))
    return found
