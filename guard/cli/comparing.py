"""Digests against the facts before them: lines `{"id", "facts", "before", "digest"}` to lines
`{"id", "got": {"status": {FACT: STATUS}, "added": [TEXT]}}`, in order."""

from __future__ import annotations

import argparse

from guard.cli import pipelines
from guard.digest import label_comparison


def arguments(parser: argparse.ArgumentParser) -> None:
    """FILE."""
    pipelines.add_file(parser)


def run(args: argparse.Namespace) -> int:
    """0, or the line that has another shape."""
    return pipelines.answer_lines(args.file, label_comparison)
