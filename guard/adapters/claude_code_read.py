"""One Claude Code session, row by row in file order, to the events of a journal.

The order is that of the file: timestamps run backwards in two files of three, and a row's parent
says what was in the window, not when it was written (`runtimes/claude-code.md` 3).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType

from guard.adapters import claude_code_beside as beside
from guard.adapters import claude_code_messages as messages
from guard.adapters.base import Place, Reading, SourceFile
from guard.adapters.claude_code_notes import conclude
from guard.adapters.claude_code_rows import Broken, Found, Odd, Row, records
from guard.adapters.claude_code_run import LOST, RUNTIME, AgentFile, Handler, Run
from guard.events import MAIN

_BLANK = b" \t\r\n"

HANDLERS: Mapping[str, Handler] = MappingProxyType(
    {
        "assistant": messages.assistant,
        "user": messages.user,
        "system": beside.system,
        "progress": beside.progress,
        "attachment": beside.attachment,
        "queue-operation": beside.queue_operation,
        "file-history-snapshot": beside.file_history_snapshot,
        "permission-mode": beside.permission_mode,
        "content-replacement": beside.content_replacement,
        "continued-in": beside.continued_in,
    }
)
"""What each type of row does. Every other type is a named skip."""


def read_session(
    files: Sequence[SourceFile], agents: list[AgentFile], *, alone: str | None
) -> Reading:
    """The main file, which is the first, and each sub-agent's file at the call that started it.

    `alone` = the sub-agent whose file the first one is: then its window is the main one.
    """
    run = Run(HANDLERS, agents, alone)
    run.thread(MAIN)
    _file(run, files, 0)
    run.due += run.waiting
    run.waiting = []
    _agents(run, files)
    conclude(run)
    session = run.session or PurePath(files[0].name).stem or files[0].name
    journal = session if alone is None else f"{session}/{alone}"
    return run.rec.reading(journal=journal, runtime=RUNTIME, version=run.first_version)


def _file(run: Run, files: Sequence[SourceFile], index: int) -> None:
    offset = 0
    for number, line in enumerate(files[index].lines(), 1):
        run.rec.line()
        mended, found = records(line)
        run.rec.mended += mended
        for one in found or [Found(0, len(line), Broken("empty"))]:
            run.rec.record()
            run.place = Place(index, number, offset + one.start, one.end - one.start)
            _record(run, files[index].name, line, one)
            _agents(run, files)
        offset += len(line)


def _agents(run: Run, files: Sequence[SourceFile]) -> None:
    """Read the files of sub-agents whose calls have just been seen."""
    while run.due:
        file = run.due.pop(0)
        before = run.agent, run.place
        run.agent = file.agent
        _file(run, files, file.index)
        run.agent, run.place = before


def _record(run: Run, name: str, line: bytes, found: Found) -> None:
    record = found.record
    if isinstance(record, Row):
        run.take(record)
    elif isinstance(record, Odd) and record.type and record.type not in HANDLERS:
        run.rec.skip(record.type)
    elif not line[found.start :].strip(_BLANK):
        run.rec.skip("empty line")
    elif isinstance(record, Broken) and not line.endswith(b"\n"):
        run.rec.tear(name, run.place.line, line[found.start :])
    else:
        rest = line[found.start :]
        nul = not rest.strip(b"\0" + _BLANK)
        reason = "a line of NUL bytes" if nul else record.reason
        run.rec.fail(name, run.place.line, reason, rest)
        run.rec.gap(f"line {run.place.line}: {reason}", LOST)
