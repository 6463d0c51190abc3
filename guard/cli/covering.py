"""Say what the session in FILE can and cannot prove, verdict by verdict, and what was not read."""

from __future__ import annotations

import argparse
import json
import sys

import msgspec

from guard import adapters
from guard.adapters.base import Reading
from guard.adapters.coverage import sections
from guard.cli import sources
from guard.cli.visible import visible


def arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, and JSON for pipelines."""
    sources.add_file(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """0: a source that proves little is no error."""
    reading = adapters.reading(sources.content(args.file))
    if args.json:
        said = {
            "counts": msgspec.to_builtins(reading.counts),
            "skips": dict(sorted(reading.skips.items())),
            "errors": msgspec.to_builtins(reading.errors, builtin_types=(bytes,)),
            "notes": msgspec.to_builtins(reading.notes),
        }
        json.dump(said, sys.stdout, ensure_ascii=False, default=_text)
        sys.stdout.write("\n")
    else:
        sys.stdout.writelines(f"{visible(line)}\n" for line in _lines(reading))
    return 0


def _text(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _lines(reading: Reading) -> list[str]:
    counts = reading.counts
    lines = [
        f"{counts.records} records on {counts.lines} lines: {counts.used} read, "
        f"{counts.skipped} skipped by name, {counts.failed} failed, {counts.torn} torn",
    ]
    for section in sections(reading.notes):
        lines += [
            f"  {section.topic}: {note.says}: {note.text}" + _times(note.count)
            for note in section.notes
        ]
    lines += [f"  skipped: {kind}{_times(times)}" for kind, times in sorted(reading.skips.items())]
    lines += [f"  failed: {error}" for error in reading.errors]
    if reading.torn is not None:
        lines.append(f"  torn: {reading.torn}")
    return lines


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""
