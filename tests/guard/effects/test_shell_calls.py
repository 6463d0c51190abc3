"""Command lines beyond the visible labels, labelled by the guide: `shell_calls.txt`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from guard.effects import Call, classify, label
from guard.effects.labels import parse_label

CASES = Path(__file__).with_name("shell_calls.txt")


def _cases() -> Iterator[tuple[str, str]]:
    for line in CASES.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            want, _, command = line.partition(" :: ")
            yield want, command.replace("\\n", "\n")


@pytest.mark.parametrize(("want", "command"), list(_cases()))
def test_a_command_line_is_judged_as_labelled(want: str, command: str) -> None:
    known = parse_label(want)
    assert label(classify(Call("Bash", {"command": command}))) == {
        "write": known.kind != "read",
        "class": known.reversibility,
        "domain": known.domain,
        "certainty": known.certainty,
    }
