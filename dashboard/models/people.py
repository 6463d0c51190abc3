"""Who may see, who may decide, and which machine may send."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Role(models.TextChoices):
    """What a person may do with the runs of a source; `access.MAY` says which role may what."""

    REVIEWER = "reviewer"
    INVESTIGATOR = "investigator"
    LEAD = "lead"
    ADMIN = "admin"


class Membership(models.Model):
    """A person's role for one source, or for all of them when `source` is empty."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    source = models.ForeignKey(
        "dashboard.Source",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="memberships",
    )
    role = models.CharField(max_length=16, choices=Role.choices)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["user", "source", "role"], name="membership_once"),
            models.UniqueConstraint(
                fields=["user", "role"],
                condition=models.Q(source=None),
                name="membership_everywhere_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} is {self.role} for {self.source or 'every source'}"


class Scope(models.TextChoices):
    """What a token may do. None of them can decide a gate."""

    INGEST = "ingest"
    PROPOSE = "propose"
    READ = "read"


class Token(models.Model):
    """A machine's key. Only the SHA-256 of the secret is stored; the secret is shown once."""

    source = models.ForeignKey("dashboard.Source", on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=80)
    scope = models.CharField(max_length=16, choices=Scope.choices)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="tokens",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.prefix}… {self.name} ({self.scope})"


class LoginFailure(models.Model):
    """One failed sign-in; `access.throttle` counts them by account and by address."""

    account = models.CharField(max_length=64, db_index=True)
    address = models.CharField(max_length=64, db_index=True)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"{self.address} at {self.at}"
