"""Sources, machine keys and roles: set by administrators, each change an entry of the ledger."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import transaction

from dashboard import access, clock, ledger, tokens
from dashboard.models import Membership, RuleSwitch, Source, Token


def may_configure_all(by: User) -> bool:
    """Whether a person may make sources and give roles for all of them."""
    everywhere = Membership.objects.filter(user=by, source=None, role__in=access.MAY["configure"])
    return by.is_active and (by.is_superuser or everywhere.exists())


def _must(allowed: bool) -> None:
    if not allowed:
        raise PermissionDenied


@transaction.atomic
def add_source(by: User, *, slug: str, name: str, runtime: str, team: str) -> Source:
    _must(may_configure_all(by))
    source = Source.objects.create(slug=slug, name=name, runtime=runtime, team=team, owner=None)
    ledger.append("settings.source", by.get_username(), {"slug": slug, "name": name, "team": team})
    return source


@transaction.atomic
def issue_token(by: User, source: Source, name: str, scope: str) -> tuple[Token, str]:
    """A new key and its secret, which is shown once and kept nowhere."""
    _must(access.may(by, "configure", source))
    token, secret = tokens.issue(source, name, scope, by)
    body = {"source": source.slug, "token": token.prefix, "name": name, "scope": scope}
    ledger.append("settings.token", by.get_username(), body)
    return token, secret


@transaction.atomic
def revoke_token(by: User, token: Token) -> None:
    _must(access.may(by, "configure", token.source))
    tokens.revoke(token)
    body = {"source": token.source.slug, "token": token.prefix, "name": token.name}
    ledger.append("settings.token_revoked", by.get_username(), body)


@transaction.atomic
def give_role(by: User, person: User, source: Source | None, role: str) -> None:
    _must(access.may(by, "configure", source) if source else may_configure_all(by))
    Membership.objects.get_or_create(user=person, source=source, role=role)
    body = {"person": person.get_username(), "source": source and source.slug, "role": role}
    ledger.append("settings.role_given", by.get_username(), body)


@transaction.atomic
def take_role(by: User, membership: Membership) -> None:
    source = membership.source
    _must(access.may(by, "configure", source) if source else may_configure_all(by))
    body = {
        "person": membership.user.get_username(),
        "source": source and source.slug,
        "role": membership.role,
    }
    membership.delete()
    ledger.append("settings.role_taken", by.get_username(), body)


@transaction.atomic
def switch_rule(by: User, code: str, reason: str, *, off: bool) -> None:
    """Ask people about the findings of a rule, or not. Every verdict and report stays as it is."""
    _must(may_configure_all(by))
    new = {"off": off, "reason": reason, "by": by, "at": clock.now()}
    RuleSwitch.objects.update_or_create(code=code, defaults=new)
    body = {"code": code, "off": off, "reason": reason}
    ledger.append("settings.rule", by.get_username(), body)
