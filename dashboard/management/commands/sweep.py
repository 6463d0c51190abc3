"""One turn of the sweeper, by hand or from cron."""

from __future__ import annotations

from django.core.management.base import BaseCommand

from dashboard import sweeping


class Command(BaseCommand):
    help = "Quarantine, expire, write the ledger's checkpoint, and ring for jobs that wait."

    def handle(self, *_: object, **__: object) -> None:
        self.stdout.write(f"{sweeping.sweep()} jobs rung for")
