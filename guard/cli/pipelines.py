"""Lines of JSON in, lines of JSON out, in order: `{"id", ...}` to `{"id", "got"}`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from guard.errors import JournalError

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
Answer = Callable[[dict[str, object]], Mapping[str, object]]


def add_file(parser: argparse.ArgumentParser) -> None:
    """FILE, which may be left out here."""
    parser.add_argument(
        "file", metavar="FILE", nargs="?", default="-", help="lines of JSON; default: -"
    )


def answer_lines(file: str, answer: Answer) -> int:
    """Answer each line as it comes. Raises `JournalError` at the first one of another shape."""
    with sys.stdin.buffer if file == "-" else Path(file).open("rb") as lines:
        for number, line in enumerate(lines, 1):
            try:
                answered = answer(_asked(line))
            except ValueError as error:
                raise JournalError(str(error), number) from error
            text = _ENCODE(answered)
            # A lone surrogate of the input becomes its own JSON escape again.
            sys.stdout.buffer.write(text.encode(errors="backslashreplace") + b"\n")
    return 0


def _asked(line: bytes) -> dict[str, object]:
    return msgspec.convert(json.loads(line), dict[str, object])
