"""`python -m bench [NAME...]`: each measurement in a process of its own, one after the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def main(wanted: list[str]) -> int:
    unknown = set(wanted) - set(NAMES)
    if unknown:
        sys.stderr.write(f"no measurement {', '.join(sorted(unknown))}; have {', '.join(NAMES)}\n")
        return 2
    status = 0
    for name in wanted or NAMES:
        sys.stdout.write(f"== {name}\n")
        sys.stdout.flush()
        status |= subprocess.run([sys.executable, "-m", f"bench.{name}"], check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
