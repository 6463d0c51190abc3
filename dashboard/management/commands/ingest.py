"""Load session files: `manage.py ingest PATH...` (files, folders, globs), judged at once."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from dashboard import imports
from dashboard.imports import Taken
from dashboard.models import File, FindingRow, Job, LineRow, Run, SkipCount, Source, Verdict
from guard.adapters.base import SourceFile, found

MAX_LINES = 20


class Command(BaseCommand):
    help = "Store and judge session files. Exit status 1 when a file or a line was refused."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", metavar="PATH")
        parser.add_argument("--source", default="local", help="slug (default: local)")
        parser.add_argument("--owner", help="account of the agents' owner")
        parser.add_argument("--later", action="store_true", help="leave judging to the workers")

    def handle(self, *_: object, **options: object) -> None:
        files = [file for path in options["paths"] for file in found(str(path))]
        if not files:
            raise CommandError(f"no file there: {' '.join(options['paths'])}", returncode=2)
        taken = self._take(files, options)
        if all(file.answer == "refused" for file in taken):
            self._say(taken)
            raise CommandError("nothing that any adapter reads", returncode=2)
        if not options["later"]:
            self._judge(taken)
        self._say(taken)
        if _something_refused(taken):
            raise CommandError("something was refused; what and why stands above", returncode=1)

    def _take(self, files: list[SourceFile], options: dict[str, object]) -> list[Taken]:
        slug = str(options["source"])
        source, _ = Source.objects.get_or_create(slug=slug, defaults={"name": slug})
        owner = User.objects.filter(username=options["owner"]).first()
        if options["owner"] and owner is None:
            raise CommandError(f"no account {options['owner']}")
        with self._progress("received") as bar:
            task = bar.add_task("received", total=sum(_size(file) for file in files))
            step = lambda size: bar.advance(task, size)  # noqa: E731
            return list(imports.take(source, files, "manage.py ingest", owner, step))

    def _judge(self, taken: Iterable[Taken]) -> None:
        job_ids = sorted({file.job_id for file in taken if file.job_id is not None})
        with self._progress("judged") as bar:
            for job_id in bar.track(job_ids, description="judged"):
                imports.settle(job_id)

    def _progress(self, _what: str) -> Progress:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
        return Progress(
            *columns, TimeRemainingColumn(), disable=not self.stdout.isatty(), transient=True
        )

    def _say(self, taken: Iterable[Taken]) -> None:
        for file in taken:
            where = f" as {file.run}" if file.run else ""
            reason = f": {file.reason}" if file.reason else ""
            self.stdout.write(f"{file.file}: {file.answer}{where}{reason}")
        for public_id in sorted({file.run for file in taken if file.run}):
            for line in _outcome(Run.objects.get(public_id=public_id)):
                self.stdout.write(f"  {line}")


def _outcome(run: Run) -> Iterable[str]:
    """What became of the run's lines, and its verdict."""
    verdict = Verdict.objects.filter(run=run, current=True).first()
    job = Job.objects.filter(run=run).latest("pk")
    adapter = File.objects.filter(run=run, current=True).values_list("adapter", flat=True).first()
    read_as = adapter or "nothing yet"
    yield f"{run.public_id} read as {read_as}, job {job.state} {job.error}".rstrip()
    for skip in SkipCount.objects.filter(run=run).order_by("file", "name"):
        yield f"{skip.file}: {skip.count} x {skip.name}: kept, named, no event"
    lines = LineRow.objects.filter(run=run).exclude(answer="accepted-named-skip")
    for row in lines.order_by("file", "line")[:MAX_LINES]:
        yield f"{row.file}:{row.line}: {row.answer}: {row.reason}"
    if lines.count() > MAX_LINES:
        yield f"and {lines.count() - MAX_LINES} more lines, on the run's page"
    if verdict is not None:
        errors = FindingRow.objects.filter(run=run, severity="error").count()
        yield f"{verdict.events} events, {errors} errors; {verdict.worst}"


def _something_refused(taken: list[Taken]) -> bool:
    runs = {file.run for file in taken if file.run}
    return (
        any(file.answer == "refused" for file in taken)
        or LineRow.objects.filter(run__public_id__in=runs, answer="refused").exists()
    )


def _size(file: SourceFile) -> int:
    return len(file.origin) if isinstance(file.origin, bytes) else file.origin.stat().st_size
