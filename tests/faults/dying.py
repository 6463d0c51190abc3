"""`manage.py` for faults: a process of the product that kills itself where `DIE_AT` says.

before-commit: at the last statement of a receipt. after-commit: after its commit, before its
answer. poison: in the worker's child, when it judges the run of that name.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django
from django.core.management import execute_from_command_line
from django.db.backends.signals import connection_created

sys.path.insert(0, str(Path(__file__).parent.parent.parent))
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
POISON = "poison"


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _die_at_the_entry(connection: Any, **_: object) -> None:
    def watch(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        answer = execute(sql, *rest)
        if sql.startswith('UPDATE "dashboard_ledgerhead"'):
            die()
        return answer

    connection.execute_wrappers.append(watch)


def main() -> None:
    django.setup()
    from dashboard import ingest, jobs

    match os.environ["DIE_AT"]:
        case "before-commit":
            connection_created.connect(_die_at_the_entry, weak=False)
        case "after-commit":
            jobs.ring = die  # type: ignore[assignment]
        case "poison":
            judge = ingest.judge_snapshot

            def judge_or_die(shot: Any) -> None:
                from dashboard.models import Run

                if Run.objects.get(pk=shot.run_id).external_id == POISON:
                    die()
                judge(shot)

            ingest.judge_snapshot = judge_or_die
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
