"""Make or revoke a machine's key from the shell."""

from __future__ import annotations

from argparse import ArgumentParser

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from dashboard import tokens
from dashboard.models import Scope, Source, Token


class Command(BaseCommand):
    help = "Make a token and print its secret, once; or revoke one by its first characters."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", help="slug; the source is made when there is none")
        parser.add_argument("--scope", choices=Scope.values, default=Scope.PROPOSE)
        parser.add_argument("--name", default="from the shell")
        parser.add_argument("--owner", help="account of the person whose agent uses it")
        parser.add_argument("--revoke", metavar="PREFIX", help="revoke instead of making one")

    def handle(self, *_: object, **options: str) -> None:
        source, _made = Source.objects.get_or_create(
            slug=options["source"], defaults={"name": options["source"]}
        )
        if options["revoke"]:
            self._revoke(source, options["revoke"])
            return
        owner = self._owner(options["owner"]) if options["owner"] else None
        _token, secret = tokens.issue(source, options["name"], options["scope"], owner)
        self.stdout.write(secret)

    def _owner(self, name: str) -> User:
        try:
            return User.objects.get(username=name)
        except User.DoesNotExist as error:
            raise CommandError(f"no account {name}") from error

    def _revoke(self, source: Source, prefix: str) -> None:
        found = Token.objects.filter(source=source, prefix__startswith=prefix, revoked_at=None)
        if found.count() != 1:
            raise CommandError(f"{found.count()} tokens begin with {prefix}")
        tokens.revoke(found.get())
        self.stdout.write(f"revoked {prefix}")
