"""How fast a Claude Code session becomes a judged report: `python -m bench.claude_code [FILE...]`.

Without FILE, the sessions of the reference data beside the checkout, where they are.

Each FILE is read and judged three times in one process on one core; the best counts. `--profile`
prints where the time of the last file goes.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from guard import adapters
from guard.judge import judge
from guard.state import fold

RUNS = 3
SHARED = Path(__file__).parent.parent.parent / "shared"
MB = 1_000_000


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time, the best of three runs."""
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def report(path: Path) -> bytes:
    """The bytes of the report on a session file."""
    return judge(fold(adapters.open_any(path))).encode()


def measure(path: Path) -> str:
    """One line: size, rate to events, rate to report, and the seconds that the report took."""
    size = path.stat().st_size / MB
    read = timed(lambda: adapters.open_any(path))
    whole = timed(lambda: report(path))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{path.name:40} {size:8.1f} MB   to events {size / read:6.1f} MB/s   "
        f"to report {size / whole:6.1f} MB/s   {whole:6.2f} s   peak {peak:6.0f} MiB"
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    sessions = sorted((SHARED / "corpus" / "public" / "claude-code").glob("S??.jsonl"))
    if not asked.files and not sessions:
        sys.stdout.write("skipped: corpus not found\n")
    for path in asked.files or sessions:
        sys.stdout.write(measure(path) + "\n")
    if asked.profile:
        profile = cProfile.Profile()
        profile.runcall(lambda: report(asked.files[-1]))
        pstats.Stats(profile).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    main()
