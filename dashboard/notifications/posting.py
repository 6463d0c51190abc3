"""A POST to an address that a person typed: only to the public net, and to what was checked.

The name is resolved once; every address that it has must be public, and the connection goes to the
one that was checked, so a name that answers differently a moment later changes nothing. No
redirect is followed, no proxy of the environment is used, and all of it ends in time.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from typing import cast
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from msgspec import Struct

LIMIT_S = 10.0
"""For one POST, from the connection to the status line."""
NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Not global, though `ipaddress` of some Python versions says so.
INNER = [ipaddress.ip_network(net) for net in ("100.64.0.0/10", "64:ff9b:1::/48", "fec0::/10")]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressRefused(Exception):
    """The URL must not be called. The text says why, in words for the person who typed it."""


class NotDelivered(Exception):
    """The target did not take it; the text says what it did instead."""


class Place(Struct, frozen=True):
    """A checked URL: `pinned` is the address that the connection goes to."""

    parts: SplitResult
    host: str
    port: int
    pinned: str

    @property
    def path(self) -> str:
        query = f"?{self.parts.query}" if self.parts.query else ""
        return f"{self.parts.path or '/'}{query}"


def checked(url: str) -> Place:
    """The place of a URL. Raises `AddressRefused`; asks the name service once."""
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise AddressRefused("a URL holds no space, control or non-ASCII character")
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise AddressRefused(f"no URL: {error}") from error
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in {"http", "https"} or not host:
        raise AddressRefused("only http and https addresses with a host are called")
    if parts.username is not None or parts.password is not None:
        raise AddressRefused("a URL with a name or password in it is not called")
    return Place(parts, host, port, _pinned(host, port))


def _pinned(host: str, port: int) -> str:
    found = _resolved(host, port)
    if host.lower() not in {name.lower() for name in settings.NOTIFY_PRIVATE_HOSTS}:
        for address in found:
            if not is_public(ipaddress.ip_address(address)):
                raise AddressRefused(
                    f"{host} is not on the public net; NOTIFY_PRIVATE_HOSTS can allow it by name"
                )
    return found[0]


def _resolved(host: str, port: int) -> list[str]:
    """Every address of a name, as the system writes them: `0x7f.1` and `2130706433` too."""
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefused(f"{host} has no address: {error}") from error
    return [str(row[4][0]).partition("%")[0] for row in rows]


def is_public(address: Address) -> bool:
    """Whether an address, and one that is hidden inside it, is of the public net."""
    inner = _inside(address)
    if inner is not None:
        return is_public(inner)
    if address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return address.is_global and not any(address in net for net in INNER)


def _inside(address: Address) -> Address | None:
    """The IPv4 address that an IPv6 address carries: mapped, 6to4, Teredo or NAT64."""
    if address.version == 4:
        return None
    six = cast(ipaddress.IPv6Address, address)
    if six in NAT64:
        return ipaddress.IPv4Address(int(six) & 0xFFFFFFFF)
    return six.ipv4_mapped or six.sixtofour or (six.teredo[1] if six.teredo else None)


def post(place: Place, body: bytes, headers: Mapping[str, str]) -> int:
    """The status of one POST, 2xx. Raises `NotDelivered`; never follows, never reads the body."""
    connection = _Pinned(place)
    try:
        with _ended_in_time(connection):
            connection.request("POST", place.path, body, dict(headers))
            status = connection.getresponse().status
    except (OSError, HTTPException, ValueError) as error:
        raise NotDelivered(_why(error)) from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise NotDelivered(f"it answered {status}")
    return status


def _why(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "no answer in time"
    # Never the error's own text: it may hold the path of the URL, which may be a secret.
    return getattr(error, "strerror", None) or type(error).__name__


class _Pinned(HTTPConnection):
    """Connects to the checked address; the name is for the Host header and the certificate."""

    def __init__(self, place: Place) -> None:
        tls = place.parts.scheme == "https"
        self.default_port = 443 if tls else 80
        super().__init__(place.host, place.port, timeout=LIMIT_S)
        self._pinned = place.pinned
        self._tls = ssl.create_default_context() if tls else None
        self.late = False

    def connect(self) -> None:
        self.sock = socket.create_connection((self._pinned, self.port), LIMIT_S)
        if self._tls is not None:
            self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)

    def end(self) -> None:
        """Cut the connection off: a target may send one byte at a time for ever."""
        self.late = True
        if self.sock is not None:
            self.sock.shutdown(socket.SHUT_RDWR)


@contextmanager
def _ended_in_time(connection: _Pinned) -> Iterator[None]:
    timer = threading.Timer(LIMIT_S, connection.end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if connection.late:
            # What was cut off may look like the end of an answer.
            raise TimeoutError
