"""A worker process beside the web processes. Needs REDIS_URL."""

from __future__ import annotations

from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dashboard import jobs
from dashboard.celery import app
from dashboard.sweeping import Sweeper


class Command(BaseCommand):
    help = "Judge what was received: a Celery worker, and the sweeper beside it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2)
        parser.add_argument("--pool", choices=["prefork", "threads", "solo"], default="prefork")

    def handle(self, *_: object, **options: object) -> None:
        if not settings.REDIS_URL:
            raise CommandError("REDIS_URL is not set: `manage.py serve` has its worker inside")
        jobs.free_leases_of_the_dead()
        Sweeper().start()
        app.worker_main(
            [
                "worker",
                f"--concurrency={options['concurrency']}",
                f"--pool={options['pool']}",
                "--loglevel=WARNING",
                "--without-gossip",
                "--without-mingle",
            ]
        )
