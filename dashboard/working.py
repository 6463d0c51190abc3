"""What a worker does with a job, wherever it runs: judge the run, then let its gates follow."""

from __future__ import annotations

from dashboard import gates, ingest
from dashboard.models import Job


def work_on(job_id: int) -> bool:
    """False when the job is not free. Afterwards, approvals that a rollback ended are void."""
    if not ingest.judge_run(job_id):
        return False
    gates.follow(Job.objects.select_related("run").get(pk=job_id).run)
    return True
