"""What the workers do. Each task is one call; a message can at worst ask for a recomputation."""

from __future__ import annotations

from dashboard import notifications, sweeping, working
from dashboard.celery import DELIVER, JUDGE, SWEEP, app


@app.task(name=JUDGE)
def judge(job_id: int) -> bool:
    """Judge the run of a job; False when the job is not free."""
    return working.work_on(job_id)


@app.task(name=SWEEP)
def sweep() -> int:
    """Ring again for what a lost message or a dead worker left behind."""
    return sweeping.sweep()


@app.task(name=DELIVER)
def deliver() -> bool:
    """Send the notice that waits longest; False when none is free."""
    return notifications.deliver()
