"""Judge the journal of one run, in any format that an adapter claims.

Exit status: 0 judged; 1 judged, and at least one finding is an error; 2 not judged.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from shutil import copyfileobj

from guard.cli import readable, sources
from guard.journal import uncollected
from guard.judge import Report, judge
from guard.state import fold

_KEPT_BYTES = 16 << 20


def arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, the report as JSON, and the prefix that is judged."""
    sources.add_file(parser)
    parser.add_argument("--json", action="store_true", help="print guard-report/1")
    parser.add_argument(
        "--at", metavar="SEQ", type=sources.number, help="judge as if nothing came after it"
    )


def run(args: argparse.Namespace) -> int:
    """Print the report; 1 when something in it is an error."""
    with uncollected():
        report = judge(fold(sources.opened(args.file), args.at))
    if args.json:
        _print_whole(report)
    else:
        sys.stdout.writelines(f"{line}\n" for line in readable.lines(report))
    return report.status


def _print_whole(report: Report) -> None:
    """Print the bytes once all of them are made: a report that breaks off would be a verdict."""
    with tempfile.SpooledTemporaryFile(_KEPT_BYTES) as made:
        made.writelines(report.chunks())
        made.seek(0)
        copyfileobj(made, sys.stdout.buffer)
