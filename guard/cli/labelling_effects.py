"""Tool calls to effects: lines `{"id", "tool", "input", "result"?, "annotations"?, "context"?}`
to lines `{"id", "got": {"write", "class", "domain", "certainty"}}`, in order."""

from __future__ import annotations

import argparse

from guard.cli import pipelines
from guard.effects import classify, label, read_ndjson


def arguments(parser: argparse.ArgumentParser) -> None:
    """FILE."""
    pipelines.add_file(parser)


def run(args: argparse.Namespace) -> int:
    """0, or the line that has another shape."""
    return pipelines.answer_lines(args.file, _answer)


def _answer(asked: dict[str, object]) -> dict[str, object]:
    return {"id": asked.get("id"), "got": label(classify(read_ndjson(asked)))}
