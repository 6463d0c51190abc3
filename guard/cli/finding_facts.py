"""Texts to gating facts: lines `{"id", "scope", "text"}` to lines
`{"id", "got": [{"key", "value", "kind"}]}`, in order."""

from __future__ import annotations

import argparse

from guard.cli import pipelines
from guard.facts import label_facts


def arguments(parser: argparse.ArgumentParser) -> None:
    """FILE."""
    pipelines.add_file(parser)


def run(args: argparse.Namespace) -> int:
    """0, or the line that has another shape."""
    return pipelines.answer_lines(args.file, label_facts)
