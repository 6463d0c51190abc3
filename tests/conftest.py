"""What the tests of the dashboard share: people, sources, journals, and the services they need."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.test import TransactionTestCase

from tests.triggers import triggers_off

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


# Strong hashes are for real passwords; here they would take most of the time.
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# What the product keeps beside the database is no matter of a developer's own data folder.
_DATA = tempfile.TemporaryDirectory(prefix="guard-tests-")
settings.GUARD_DATA = Path(_DATA.name)

_emptied = TransactionTestCase._fixture_teardown


def _teardown(self: TransactionTestCase) -> None:
    with triggers_off():
        _emptied(self)


TransactionTestCase._fixture_teardown = _teardown


def _missing(what: str) -> None:
    """A test that cannot run here says so; where it must run, that is a failure."""
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(f"{what} is required here")
    pytest.skip(f"skipped: {what} not found")


@pytest.fixture
def services() -> None:
    """PostgreSQL and Redis, named by the environment."""
    for name in ("DATABASE_URL", "REDIS_URL"):
        if not os.environ.get(name):
            _missing(name)


@pytest.fixture
def shared() -> Path:
    """The reference data beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip("skipped: corpus not found")
    return SHARED


@pytest.fixture
def source(db: None) -> object:
    """A source with its owner."""
    from django.contrib.auth.models import User

    from dashboard.models import Source

    owner = User.objects.create_user("owner", "owner@example.org", "a long password")
    return Source.objects.create(slug="lab", name="Lab", team="storage", owner=owner)


@pytest.fixture
def member(source: object) -> Callable[..., object]:
    """Makes a person with a role for the source (or for another one)."""
    from django.contrib.auth.models import User

    from dashboard.models import Membership

    def make(name: str, role: str = "reviewer", *, email: str = "", at: object = source) -> object:
        user = User.objects.create_user(name, email or f"{name}@example.org", "a long password")
        Membership.objects.create(user=user, source=at, role=role)
        return user

    return make


@pytest.fixture
def token(source: object) -> Callable[[str], str]:
    """Makes a token of the source and gives its secret."""
    from dashboard import tokens

    return lambda scope: tokens.issue(source, f"{scope} token", scope)[1]
