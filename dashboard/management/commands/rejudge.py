"""Judge runs again, for example after new rules. Derived rows are rebuilt; what changed is kept."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from rich.progress import Progress

from dashboard import jobs, working
from dashboard.models import Run


class Command(BaseCommand):
    help = "Judge all runs again, or those named."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("runs", nargs="*", metavar="RUN", help="ids such as r-1a2b3c4d")
        parser.add_argument("--later", action="store_true", help="leave the work to the workers")

    def handle(self, *_: object, **options: object) -> None:
        runs = Run.objects.order_by("pk")
        names = options["runs"]
        if names:
            runs = runs.filter(public_id__in=names)
            missing = set(names) - set(runs.values_list("public_id", flat=True))
            if missing:
                raise CommandError(f"no such run: {', '.join(sorted(missing))}")
        with Progress(disable=not self.stdout.isatty()) as progress:
            for run in progress.track(list(runs), description="judging"):
                self._rejudge(run, later=bool(options["later"]))
        self.stdout.write(f"{runs.count()} runs")

    def _rejudge(self, run: Run, *, later: bool) -> None:
        with transaction.atomic():
            job = jobs.enqueue(run, "rejudge", ring_bell=later)
        if not later:
            working.work_on(job.pk)
