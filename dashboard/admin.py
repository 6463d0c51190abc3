"""Django's admin: people, roles and sources may be edited; what was received, computed or decided
can only be looked at. A gate is never answered here."""

from __future__ import annotations

from django.contrib import admin

from dashboard.models import (
    Decision,
    Entry,
    Gate,
    Job,
    Membership,
    Run,
    Source,
    Token,
    Verdict,
)


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):
    list_display = (
        "user",
        "source",
        "role",
    )
    list_filter = (
        "role",
        "source",
    )


@admin.register(Source)
class SourceAdmin(admin.ModelAdmin):
    list_display = (
        "slug",
        "name",
        "runtime",
        "team",
        "owner",
    )


class LookOnly(admin.ModelAdmin):
    """No adding, changing or deleting, whoever asks."""

    def has_add_permission(self, *_: object, **__: object) -> bool:
        return False

    def has_change_permission(self, *_: object, **__: object) -> bool:
        return False

    def has_delete_permission(self, *_: object, **__: object) -> bool:
        return False


@admin.register(Token)
class TokenAdmin(LookOnly):
    list_display = (
        "prefix",
        "name",
        "source",
        "scope",
        "created_by",
        "revoked_at",
    )
    exclude = ("digest",)


@admin.register(Run)
class RunAdmin(LookOnly):
    list_display = (
        "public_id",
        "external_id",
        "source",
        "last_received_at",
    )
    list_filter = ("source",)


@admin.register(Job)
class JobAdmin(LookOnly):
    list_display = (
        "id",
        "run",
        "state",
        "attempts",
        "reason",
        "created_at",
        "finished_at",
    )
    list_filter = ("state",)


@admin.register(Gate)
class GateAdmin(LookOnly):
    list_display = (
        "public_id",
        "run",
        "edit_id",
        "state",
        "created_at",
        "expires_at",
    )
    list_filter = ("state",)


@admin.register(Decision)
class DecisionAdmin(LookOnly):
    list_display = (
        "gate",
        "by",
        "answer",
        "decided_at",
    )


@admin.register(Verdict)
class VerdictAdmin(LookOnly):
    list_display = (
        "run",
        "at",
        "rules_version",
        "worst",
        "current",
        "judged_at",
    )
    exclude = ("report",)


@admin.register(Entry)
class EntryAdmin(LookOnly):
    list_display = (
        "seq",
        "kind",
        "run",
        "actor",
        "at",
    )
    list_filter = ("kind",)
