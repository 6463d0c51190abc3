"""Web server and, without Redis, the worker: one process, ended by Ctrl-C."""

from __future__ import annotations

import os
import socket
from argparse import ArgumentParser

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from dashboard.embedded import Worker

DEFAULT_PORT = 8000
GRACE_S = 3


class Command(BaseCommand):
    help = "Serve the pages and the API on PORT, or on 8000, or on a free port."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, help="default: PORT from the environment")

    def handle(self, *_: object, **options: object) -> None:
        listening = listen(str(options["host"]), options["port"] or os.environ.get("PORT"))
        worker = None if settings.REDIS_URL else Worker()
        host, port = listening.getsockname()[:2]
        self.stdout.write(f"http://{host}:{port}", ending="\n")
        self.stdout.flush()
        serve(listening, worker)


def listen(host: str, port: object) -> socket.socket:
    """A bound socket: the port that was asked for, else the default one or any that is free."""
    wanted = [int(str(port))] if port else [DEFAULT_PORT, 0]
    for number in wanted:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
        except OSError as error:
            listening.close()
            if number == wanted[-1]:
                raise CommandError(f"port {number} of {host}: {error.strerror}") from error
        else:
            return listening
    raise CommandError("no port")


def serve(listening: socket.socket, worker: Worker | None) -> None:
    """Run until Ctrl-C or SIGTERM."""
    config = uvicorn.Config(
        "dashboard.asgi:application",
        log_level="warning",
        lifespan="off",
        timeout_graceful_shutdown=GRACE_S,
    )
    if worker is not None:
        worker.start()
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        return
    finally:
        if worker is not None:
            worker.stop()
