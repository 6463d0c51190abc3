"""Everything at once on an empty machine: tables, sample data, web and worker (`make demo`)."""

from __future__ import annotations

import os

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from dashboard.demo import load
from dashboard.embedded import Worker
from dashboard.management.commands.serve import listen, serve


class Command(BaseCommand):
    help = "Serve the product with sample data on PORT, or on a free port. Ctrl-C ends it all."

    def handle(self, *_: object, **__: object) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        load.people()
        word = load.password()
        listening = listen("127.0.0.1", os.environ.get("PORT"))
        added = load.runs()
        load.gates()
        host, port = listening.getsockname()[:2]
        waiting = f"{added} sample runs are being judged; pages fill while you look.\n"
        self.stdout.write(
            f"{waiting if added else ''}"
            f"Open     http://{host}:{port}\n"
            f"Sign in  {load.REVIEWER} / {word}\n"
            "Stop     Ctrl-C"
        )
        self.stdout.flush()
        serve(listening, None if settings.REDIS_URL else Worker())
