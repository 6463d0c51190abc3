"""What the commands on a journal have in common: FILE, and numbers of events."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from guard import journal
from guard.errors import JournalError
from guard.lines import Lines, parse


def add_file(parser: argparse.ArgumentParser) -> None:
    """The argument that every command on a journal has."""
    parser.add_argument("file", metavar="FILE", help="a session or journal; - is standard input")


def number(text: str) -> int:
    """A whole number from 0 in plain digits, for `argparse`."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0")
    return int(text)


def content(file: str) -> bytes | Path:
    """What FILE stands for. Raises `JournalError` when nothing is there."""
    if file == "-":
        return sys.stdin.buffer.read()
    path = Path(file)
    if not path.exists():
        raise JournalError("no such file")
    return path


def opened(file: str) -> journal.Journal:
    """The journal in FILE. Raises `JournalError` and `OSError`."""
    source = content(file)
    if isinstance(source, Path) and source.is_dir():
        return _foreign(source)
    lines = Lines.of_file(source) if isinstance(source, Path) else Lines.of_bytes(source)
    return journal.read(lines) if _is_native(lines) else _foreign(source)


def _is_native(lines: Lines) -> bool:
    """Whether the first line is that of a native journal, whatever its format says."""
    try:
        return parse(next(iter(lines), b"").removesuffix(b"\n")).get("kind") == "journal"
    except JournalError:
        return False


def _foreign(source: bytes | Path) -> journal.Journal:
    # Other formats bring grammars along, which a native journal need not wait for.
    from guard import adapters

    return adapters.open_any(source)
