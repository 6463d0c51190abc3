"""The queue. A message carries a job's id and nothing else; the job table is the truth."""

from __future__ import annotations

import logging
import os
from typing import Any

from celery import Celery
from kombu.exceptions import OperationalError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
log = logging.getLogger(__name__)

app = Celery("dashboard")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.imports = ("dashboard.tasks",)

JUDGE = "dashboard.judge"
SWEEP = "dashboard.sweep"
DELIVER = "dashboard.deliver"


def ring(job_id: int) -> bool:
    """Tell the workers that a job waits. False when the queue is down: the sweeper rings again."""
    try:
        app.send_task(JUDGE, args=[job_id])
    except OperationalError as error:
        log.warning("queue down, job %s waits for the sweeper: %s", job_id, error)
        return False
    return True


def depth() -> int | None:
    """Messages that wait in the queue; None when the queue is down."""
    try:
        with app.connection_for_read() as connection:
            return _messages(connection.default_channel)
    except OperationalError:
        return None


def _messages(channel: Any) -> int:
    try:
        return int(channel.queue_declare(app.conf.task_default_queue, passive=True).message_count)
    except channel.connection.client.channel_errors:
        # Nobody has sent or listened yet, so there is no queue.
        return 0
