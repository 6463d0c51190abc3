"""`python -m guard`: the same as the `guard` command."""

from __future__ import annotations

import sys

from guard.cli import main

if __name__ == "__main__":
    sys.exit(main())
