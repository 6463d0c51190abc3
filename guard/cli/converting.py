"""Write the session in FILE as a native journal (`context-journal/1`) on standard output.

A native journal is checked and passed on as it is, less a torn last line.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from guard import adapters
from guard.adapters.base import SourceFile, found
from guard.adapters.native import NATIVE
from guard.cli import sources


def arguments(parser: argparse.ArgumentParser) -> None:
    """Only FILE."""
    sources.add_file(parser)


def run(args: argparse.Namespace) -> int:
    """Convert, or raise what the reader raises."""
    source = sources.content(args.file)
    files = [SourceFile("-", source)] if isinstance(source, bytes) else found(source)
    if all(adapters.sniff(file.head()) in {NATIVE, None} for file in files):
        lines = _checked(files)
    else:
        lines = adapters.reading(source).native()
    sys.stdout.buffer.writelines(lines)
    return 0


def _checked(files: list[SourceFile]) -> Iterator[bytes]:
    """The lines themselves: encoding the events anew would lose what no type of ours names."""
    torn = NATIVE.open(files).torn
    for file in files:
        for number, line in enumerate(file.lines(), 1):
            if torn is None or number < torn.line:
                yield line if line.endswith(b"\n") else line + b"\n"
