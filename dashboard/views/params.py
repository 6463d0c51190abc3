"""What addresses may say: read leniently, clamped, and never used as a name in a query."""

from __future__ import annotations

from typing import Literal, cast

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme
from msgspec import Struct

from dashboard.queries.drawn import Axis
from dashboard.queries.twin import SHOW, USUAL

GREATEST = 9_007_199_254_740_991


def whole(request: HttpRequest, name: str, default: int, most: int = GREATEST) -> int:
    """A whole number from 0 to `most`; anything else is the default."""
    text = request.GET.get(name, "").replace(",", "").strip()
    if not text.isascii() or not text.isdigit() or len(text) > 16:
        return default
    return min(int(text), most)


def choice(request: HttpRequest, name: str, allowed: tuple[str, ...], default: str = "") -> str:
    """One of the allowed words; anything else is the default."""
    value = request.GET.get(name, "")
    return value if value in allowed else default


def place_to_go(request: HttpRequest, default: str) -> str:
    """`next` of a form when it stays on this host, else the default."""
    wanted = request.POST.get("next", "") or request.GET.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if safe else default


class Shown(Struct, frozen=True):
    """Which part of a run is shown, on which axis, with which rows and which mark picked."""

    first: int
    last: int
    axis: Axis
    idle: bool
    show: tuple[str, ...]
    pick: str
    after: int

    @property
    def query(self) -> str:
        """The part of an address that carries the zoom."""
        idle = "&idle=1" if self.idle else ""
        return f"from={self.first}&to={self.last}&axis={self.axis}{idle}"


def shown(request: HttpRequest, total: int) -> Shown:
    """Read the zoom; a range that is none becomes the whole run."""
    most = max(total, 1)
    first = max(1, whole(request, "from", 1, most))
    last = whole(request, "to", most, most) or most
    if last <= first:
        first, last = 1, most
    kinds = tuple(kind for kind in SHOW if kind in request.GET.getlist("show")) or USUAL
    axis = cast("Literal['order', 'time']", choice(request, "axis", ("order", "time"), "order"))
    return Shown(
        first=first,
        last=last,
        axis=axis,
        idle=request.GET.get("idle") == "1",
        show=kinds,
        pick=request.GET.get("pick", "")[:64],
        after=whole(request, "after", 0),
    )
