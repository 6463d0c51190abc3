"""A rollback on paper: what it would give back, and what it would leave behind. Nothing is done."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

import msgspec

from guard.cli import sources
from guard.cli.visible import visible
from guard.events import MAIN
from guard.rollback import Moved, Plan, plan, sizes_of
from guard.rules.words import few
from guard.state import fold


def arguments(parser: argparse.ArgumentParser) -> None:
    """FILE, and what to undo."""
    sources.add_file(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", metavar="SEQ", type=sources.number, help="undo every edit after it")
    what.add_argument("--edits", metavar="ID", nargs="+", help="undo these edits")
    parser.add_argument("--branch", default=MAIN, help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """0, also for a rollback that would be unsound: nobody has made it."""
    journal = sources.opened(args.file)
    sizes = sizes_of(journal.numbered)
    drawn = plan(fold(journal), to=args.to, edits=args.edits, branch=args.branch, sizes=sizes)
    if args.json:
        sys.stdout.buffer.write(msgspec.json.encode(drawn) + b"\n")
    else:
        sys.stdout.writelines(f"{visible(line)}\n" for line in _lines(drawn))
    return 0


def _lines(drawn: Plan) -> Iterator[str]:
    yield f"rollback on {drawn.branch} after number {drawn.at}, on paper"
    yield ""
    yield f"undoes     {_list(drawn.edits)}"
    yield f"mode       {drawn.mode}"
    for place, step in enumerate(drawn.steps, 1):
        yield f"  {place}. {step.text}"
    yield f"restored   {_moved(drawn.restored)}"
    yield f"removed    {_moved(drawn.removed)}"
    yield f"lost       {_list(drawn.lost)}"
    yield f"voids      {_list(drawn.voided)}"
    yield ""
    yield f"soundness  {drawn.soundness}"
    if drawn.would_tell is not None:
        yield f"           {drawn.would_tell}"
    for name in ("blame", "residue", "watch"):
        yield f"{name:<9}  {_list(getattr(drawn, name))}"
    for owed in drawn.compensate:
        yield (
            f"  still to be {'accepted' if owed.let_through else 'compensated'}: {owed.effect}"
            + ("".join(f", {text}" for text in (owed.tool, owed.target, owed.state) if text))
        )


def _list(names: Sequence[str]) -> str:
    return few(names) or "nothing"


def _moved(moved: Moved) -> str:
    unsized = f", {moved.unsized} of unknown size" if moved.unsized else ""
    return f"{_list(moved.spans)} ({moved.tokens} tokens{unsized})"
