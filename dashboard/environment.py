"""Reads the environment for `settings.py`; what cannot be used fails at start, and says why."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def flag(name: str) -> bool:
    """True for 1, true, yes, on; false for 0, false, no, off and when unset."""
    value = os.environ.get(name, "").strip().lower()
    if value in {"", "0", "false", "no", "off"}:
        return False
    if value in {"1", "true", "yes", "on"}:
        return True
    raise ImproperlyConfigured(f"{name}={value!r}: expected 1 or 0")


def number(name: str, default: int) -> int:
    """A whole number of at least 1."""
    value = os.environ.get(name, str(default))
    if not value.isascii() or not value.isdigit() or int(value) < 1:
        raise ImproperlyConfigured(f"{name}={value!r}: expected a whole number of at least 1")
    return int(value)


def choice(name: str, options: tuple[str, ...]) -> str:
    """One of the options; the first of them when unset."""
    value = os.environ.get(name, "").strip().lower() or options[0]
    if value not in options:
        raise ImproperlyConfigured(f"{name}={value!r}: expected {', '.join(options)}")
    return value


def words(name: str, default: str) -> list[str]:
    """A list that stands separated by commas."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def secret_key(data: Path) -> str:
    """`SECRET_KEY`, or one made at the first start and kept in the data folder (mode 0600)."""
    if given := os.environ.get("SECRET_KEY"):
        return given
    data.mkdir(parents=True, exist_ok=True)
    path = data / "secret_key"
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return path.read_text("ascii")
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(secrets.token_urlsafe(48))
    return path.read_text("ascii")


def database(url: str, data: Path) -> dict[str, object]:
    """Django's settings for a PostgreSQL URL, or for SQLite in the data folder when it is empty."""
    if not url:
        return _sqlite(data)
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise ImproperlyConfigured(f"DATABASE_URL: {parts.scheme!r} is not postgresql")
    name = unquote(parts.path.lstrip("/"))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "TEST": {"NAME": f"test_{name}_{os.getpid()}"},
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "connect_timeout": 5,
            "pool": {"min_size": 1, "max_size": 16, "timeout": 10},
            **dict(parse_qsl(parts.query)),
        },
    }


def mail(url: str) -> tuple[str, int, str, str, bool, bool]:
    """Host, port, name, password, TLS at once, TLS after a greeting; no host without a URL."""
    parts = urlsplit(url)
    if url and (parts.scheme not in {"smtp", "smtps"} or not parts.hostname):
        raise ImproperlyConfigured(f"EMAIL_URL: {parts.scheme!r} is not smtp or smtps")
    tls = parts.scheme == "smtps"
    # A name and password never cross the net in the clear.
    later = not tls and parts.username is not None
    name, password = unquote(parts.username or ""), unquote(parts.password or "")
    return parts.hostname or "", parts.port or (465 if tls else 587), name, password, tls, later


def _sqlite(data: Path) -> dict[str, object]:
    """WAL lets pages read while the worker writes; FULL keeps what was acknowledged."""
    data.mkdir(parents=True, exist_ok=True)
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": data / "guard.sqlite3",
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
        "TEST": {"NAME": data / f"test-{os.getpid()}.sqlite3"},
    }
