"""What judging costs, in units of `json.loads` on every line of the same file in the same run.

`python -m bench.judge [FILE] [--events N] [--hard SHARE]`. FILE is a native journal; without it,
one of N events is made: by the golden set's generator where that is beside the project, else by
our own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from bench._native import HARD, lines, run
from guard.decide import decide, decide_effect
from guard.events import Effect, Proposal
from guard.journal import read, read_file
from guard.judge import judge
from guard.state import State, fold

T = TypeVar("T")

GENERATOR = Path(__file__).parents[2] / "shared" / "golden" / "long.py"
SECONDS_FOR_HARD = 30


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of processor time, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def parse(path: Path) -> None:
    """The unit: `json.loads` on every line."""
    with path.open("rb") as stream:
        for line in stream:
            json.loads(line)


def made(folder: Path, events: int) -> Path:
    """A journal of so many events."""
    path = folder / f"{events}.ndjson"
    if GENERATOR.exists():
        command = [sys.executable, GENERATOR, str(events), "1", path]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    else:
        path.write_bytes(b"".join(lines(run(events))))
    return path


class Judged(NamedTuple):
    """One journal, judged."""

    whole_s: float
    """Seconds of read + fold + judge."""
    judging_s: float
    state: State


def judged(path: Path) -> Judged:
    """Judge a file; prints its line."""
    unit, _ = timed(lambda: parse(path))
    reading, journal = timed(lambda: read_file(path))
    folding, state = timed(lambda: fold(journal))
    judging, report = timed(lambda: judge(state))
    writing, size_bytes = timed(lambda: sum(map(len, report.chunks())))
    whole = reading + folding + judging
    parts = f"read {reading / unit:.2f} + fold {folding / unit:.2f} + judge {judging / unit:.2f}"
    say(f"{state.events:>8} events: {parts} = {whole / unit:.2f} x json.loads ({unit:.2f} s)")
    written = f"{size_bytes / 1e6:.1f} MB in {writing / unit:.2f} x json.loads"
    say(f"         their report: {written}, {size_bytes / max(writing, 1e-9) / 1e6:.0f} MB/s")
    return Judged(whole, judging, state)


def deciding(found: Judged) -> None:
    """A proposal and an effect on the state of the long journal, against the whole judge."""
    state = found.state
    spans = list(state.windows.seen("main").spans)[:5]
    proposal = Proposal(id="next", op="summarize", in_=spans, out=None)
    write = Effect(id="next", state="planned", reversibility="irreversible", body="b")
    for name, work in (
        ("decide", lambda: decide(state, proposal)),
        ("decide_effect", lambda: decide_effect(state, write)),
    ):
        work()
        took = min(timed(work)[0] for _ in range(5))
        say(f"{name}: {took * 1000:.1f} ms = {100 * took / found.judging_s:.2f} % of the judge")


def hard_sizes(share: float) -> None:
    """Each shape that invites slow judges, in seconds, its report included."""
    for name, (events, full) in HARD.items():
        size = max(1, int(full * share))
        journal = read(b"".join(lines(events(size))))
        took, _ = timed(lambda opened=journal: judge(fold(opened)).encode())
        mark = "" if took <= SECONDS_FOR_HARD else f"  MORE THAN {SECONDS_FOR_HARD} s"
        say(f"{size:>8} {name}: {took:.2f} s{mark}")


READ_AND_SAY_PEAK = """
import sys
from pathlib import Path
from bench._native import lines, run
from guard.journal import read

class Again:
    def __iter__(self):
        return lines(run(int(sys.argv[1]), int(sys.argv[2])))

journal = read(Again())
status = Path("/proc/self/status").read_text()
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
"""


def peak_mib(events: int, text_bytes: int) -> float:
    """Peak memory of reading a journal in a process of its own, its text streamed past."""
    command = [sys.executable, "-c", READ_AND_SAY_PEAK, str(events), str(text_bytes)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout) / 1024


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--hard", type=float, default=1.0, help="share of the hard sizes")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small = judged(made(Path(folder), asked.events // 10)).whole_s
        found = judged(asked.file or made(Path(folder), asked.events))
    say(f"10 x the events: {found.whole_s / small:.1f} x the time")
    say(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    deciding(found)
    short, long = peak_mib(20_000, 100), peak_mib(20_000, 4_000)
    say(f"40 x the text: {long / short:.2f} x the memory to read ({short:.0f}, {long:.0f} MiB)")
    hard_sizes(asked.hard)


if __name__ == "__main__":
    main()
