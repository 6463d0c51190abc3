"""Files by hand: dropped on the page, stored first, judged by the worker, told back by line."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST
from msgspec import to_builtins

from dashboard import access, exports
from dashboard import imports as taking
from dashboard.models import Source
from dashboard.queries import imports as queries
from dashboard.views.page import show
from guard.adapters.base import SourceFile

PARTS = {"files": "imports/files.html"}
MOST_FILES = 200
KEPT = "import"


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    taken = request.session.get(KEPT, [])
    context: dict[str, Any] = {"imported": queries.imported(request.user, taken), "taken": taken}
    if not request.headers.get("HX-Request"):
        context |= {
            "sources": sources_for(request),
            "recent": [] if taken else queries.recent(request.user),
            "most_files": MOST_FILES,
        }
    return show(request, "imports/page.html", context, here="import", parts=PARTS)


def sources_for(request: HttpRequest) -> list[Source]:
    """Sources into which this person may import: those they work on or configure."""
    mine = access.sources_for(request.user, "note") | access.sources_for(request.user, "configure")
    return list(mine.distinct().order_by("slug"))


@require_POST
def take(request: HttpRequest) -> HttpResponse:
    """Store every file that somebody can read; what nobody can is refused with the reason."""
    source = next(
        (row for row in sources_for(request) if row.slug == request.POST.get("source")), None
    )
    files = request.FILES.getlist("files")
    if source is None:
        messages.error(request, "Nothing was stored: choose a source that you may import into.")
        return redirect("import")
    if not files or len(files) > MOST_FILES:
        messages.error(request, f"Nothing was stored: send 1 to {MOST_FILES} files at once.")
        return redirect("import")
    with _on_disk(files) as found:
        actor = request.user.get_username()
        taken = [to_builtins(row) for row in taking.take(source, found, actor, request.user)]
    request.session[KEPT] = taken
    return redirect("import")


@contextmanager
def _on_disk(files: list[UploadedFile]) -> Iterator[list[SourceFile]]:
    """Uploads as files under names of our own; the sent names are only shown."""
    with tempfile.TemporaryDirectory(prefix="guard-") as folder:
        out = []
        for number, file in enumerate(files):
            path = Path(folder) / str(number)
            with path.open("wb") as stream:
                shutil.copyfileobj(file, stream, 1 << 20)
            out.append(SourceFile(_shown_name(file.name or ""), path))
        yield out


def _shown_name(name: str) -> str:
    kept = "".join(char if char.isprintable() else "·" for char in name)
    return kept[-200:] or "unnamed"


@require_POST
def forget(request: HttpRequest) -> HttpResponse:
    """Clear the list of the latest import; what was stored stays stored."""
    request.session.pop(KEPT, None)
    return redirect("import")


HEAD = ("run", "file", "line", "answer", "count", "what", "means", "rule", "kept")


@require_GET
def lines(request: HttpRequest, kind: str) -> HttpResponse:
    """The lines that are no events, of the latest import."""
    found = queries.imported(request.user, request.session.get(KEPT, []))
    rows = (
        (
            row.run.public_id,
            row.file,
            row.line,
            row.sign.word,
            row.count,
            row.what,
            row.means,
            row.code,
            row.kept,
        )
        for row in found.outcomes
    )
    return exports.table(kind, "import-lines", HEAD, rows)
