"""What stands around every page: counts, the reader's role, zone and theme."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from django.core.cache import cache
from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.urls import reverse
from msgspec import Struct

from dashboard import access
from dashboard.clock import now
from dashboard.models import FindingRow, Gate, Membership, Note
from guard import RULES_VERSION

COUNTS_FOR_S = 5
VERSION = "0.1"
THEMES = ("auto", "light", "dark")
NAV = (
    ("Team", "team"),
    ("Runs", "runs"),
    ("Gates", "gates"),
    ("Findings", "findings"),
    ("Cases", "cases"),
    ("Import", "import"),
    ("Rules", "rules"),
    ("Settings", "settings"),
    ("Audit log", "audit"),
)


class NavItem(Struct, frozen=True):
    name: str
    href: str
    here: bool
    count: int = 0
    look: str = ""


class Counts(Struct, frozen=True):
    """What waits, for this reader; at most five seconds old."""

    open_gates: int
    open_errors: int
    role: str


class Frame(Struct, frozen=True):
    """The frame of one page for one reader."""

    person: object
    role: str
    zone: str
    theme: str
    now: datetime
    path: str
    nav: list[NavItem]
    open_gates: int
    version: str
    rules_version: str


def zone_of(request: HttpRequest) -> ZoneInfo:
    """The reader's zone; UTC when none was chosen or the name is no zone."""
    name = request.COOKIES.get("zone", "UTC")
    return ZoneInfo(name) if name in _zones() else ZoneInfo("UTC")


@lru_cache(maxsize=1)
def _zones() -> set[str]:
    """All names of zones; asking walks a folder of files, which took 60 ms of each page."""
    return available_timezones()


def theme_of(request: HttpRequest) -> str:
    theme = request.COOKIES.get("theme", "auto")
    return theme if theme in THEMES else "auto"


def frame(request: HttpRequest, here: str = "") -> Frame:
    """The frame for this request; a stranger sees the bare one."""
    known = request.user.is_authenticated
    counts = _counts(request) if known else Counts(0, 0, "")
    return Frame(
        person=request.user if known else None,
        role=counts.role,
        zone=zone_of(request).key,
        theme=theme_of(request),
        now=now(),
        path=request.get_full_path(),
        nav=[_item(name, url, here, counts) for name, url in NAV] if known else [],
        open_gates=counts.open_gates,
        version=VERSION,
        rules_version=RULES_VERSION,
    )


def _item(name: str, url: str, here: str, counts: Counts) -> NavItem:
    count, look = {
        "gates": (counts.open_gates, "gate"),
        "findings": (counts.open_errors, "danger"),
    }.get(url, (0, ""))
    return NavItem(name, reverse(url), url == here, count, look)


def _counts(request: HttpRequest) -> Counts:
    key = f"frame:{request.user.pk}"
    known = cache.get(key)
    if known is None:
        known = (
            open_gates(request).count(),
            open_errors(request).count(),
            _role(request),
        )
        cache.set(key, known, COUNTS_FOR_S)
    return Counts(*known)


def open_gates(request: HttpRequest):  # type: ignore[no-untyped-def]
    """Gates that wait for a person, expired ones left out."""
    return access.gates_for(request.user).filter(state=Gate.State.PENDING, expires_at__gt=now())


def open_errors(request: HttpRequest):  # type: ignore[no-untyped-def]
    """Errors that nobody has noted."""
    noted = Note.objects.filter(
        run=OuterRef("run"), code=OuterRef("code"), subject=OuterRef("subject")
    )
    seen = access.sources_for(request.user)
    return FindingRow.objects.filter(severity="error", run__source__in=seen).exclude(Exists(noted))


def _role(request: HttpRequest) -> str:
    roles = Membership.objects.filter(user_id=request.user.pk).values_list("role", flat=True)
    order = ("admin", "lead", "investigator", "reviewer")
    found = set(roles)
    if "reviewer" in found:
        return "reviewer"
    return next((role for role in order if role in found), "")
