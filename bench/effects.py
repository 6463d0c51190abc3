"""How many shell calls are judged in a second of one core.

`python -m bench.effects [FILE]`. FILE holds one command a line (what stands before ` :: ` is left
out); without it, the commands of the tests. Each is made different from all before it, so that no
kept judgement helps.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from guard.effects import Call, classify

COMMANDS = Path(__file__).parents[1] / "tests" / "guard" / "effects" / "shell_calls.txt"
CALLS = 20_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=COMMANDS)
    text = parser.parse_args().file.read_text()
    bare = (line.rpartition(" :: ")[2] for line in text.splitlines() if not line.startswith("#"))
    lines = [line.replace("\\n", "\n") for line in bare if line.strip()]
    told = [f"{lines[number % len(lines)]} n{number}" for number in range(CALLS)]
    for line in lines:
        classify(Call("Bash", {"command": line}))
    calls = [Call("Bash", {"command": line}) for line in told]
    start = time.process_time()
    for call in calls:
        classify(call)
    spent_s = time.process_time() - start
    size = sum(map(len, told)) / CALLS
    sys.stdout.write(f"{CALLS / spent_s:,.0f} calls a second, {size:.0f} characters each\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
