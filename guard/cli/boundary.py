"""Between a command and the shell: arguments in, exit status out, one line when it fails.

A failure of our own must never look like a verdict, so everything that a command raises ends here.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import TracebackType
from typing import NoReturn, Self

from guard.cli.visible import visible
from guard.errors import GuardError, JournalError

REFUSED = 2


def run(name: str, module: str, words: Sequence[str]) -> int:
    """The exit status of one command."""
    with _Boundary(name) as boundary:
        command = import_module(f"guard.cli.{module}")
        parser = _OneLineParser(prog=f"guard {name}", description=command.__doc__)
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        command.arguments(parser)
        args = parser.parse_args(words)
        boundary.source = getattr(args, "file", name)
        boundary.status = command.run(args)
        sys.stdout.flush()
    return boundary.status


class _OneLineParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(REFUSED, f"{self.prog}: {visible(message)}\n")


class _Boundary:
    """Status 2 and one line for whatever is raised inside."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.status = REFUSED

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        if isinstance(error, BrokenPipeError):
            # The reader has left. Nothing more may be written, also not at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        else:
            sys.stderr.write(f"{visible(f'{self.source}{_reason(error)}')}\n")
        return True


def _reason(error: Exception) -> str:
    """What stands behind the name of the source: `:LINE: reason` or `: reason`."""
    match error:
        case JournalError(line=int(line)):
            return f":{line}: {error.reason}"
        case GuardError():
            return f": {error}"
        case OSError():
            return f": {error.strerror or error}"
        case _:
            return (
                f": failure of guard itself, nothing was decided: {type(error).__name__}: {error}"
            )
