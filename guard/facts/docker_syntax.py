"""Dockerfiles: ENV, ARG, USER, EXPOSE, HEALTHCHECK, flags of commands (labels guide F1, F2)."""

import re
from collections.abc import Iterator

from guard.facts.command_line import read_command
from guard.facts.comments import comment_phrases
from guard.facts.fact import Findings, Setting

_INSTRUCTION = re.compile(r"\s*([A-Za-z]+)\s+(.*)", re.DOTALL)
_PAIRS = re.compile(r"([A-Za-z_]\w*)=(\"(?:[^\"\\]|\\.)*\"|'[^']*'|\S*)")
_FIRST = re.compile(r"([A-Za-z_]\w*)\s+(\S.*)", re.DOTALL)
_COMMANDS = frozenset({"RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"})
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"")


def read_dockerfile(text: str) -> Findings:
    """Settings of the image; labels and the base image describe and give nothing."""
    found: list[Setting] = []
    for number, line in _logical_lines(text):
        match = _INSTRUCTION.match(line)
        if match and not line.lstrip().startswith("#"):
            found += _instruction(match[1].upper(), match[2].strip(), number)
    return Findings(found, comment_phrases(text, ("#",)))


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    held, start = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        start = start or number
        if line.rstrip().endswith("\\"):
            held += line.rstrip()[:-1] + " "
            continue
        yield start, held + line
        held, start = "", 0
    if held:
        yield start, held


def _instruction(word: str, rest: str, number: int) -> Iterator[Setting]:
    if word in {"ENV", "ARG"}:
        pairs = _PAIRS.findall(rest)
        first = _FIRST.fullmatch(rest)
        for name, value in pairs or ([(first[1], first[2])] if first and word == "ENV" else []):
            yield Setting((name,), value, number, entry=number)
    elif word == "USER":
        yield Setting(("user",), rest, number, entry=number)
    elif word == "EXPOSE":
        for entry, port in enumerate(rest.split()):
            yield Setting(("expose",), port, number, owner=number * 100 + entry, entry=entry)
    elif word in _COMMANDS:
        words = " ".join(_QUOTED.findall(rest)) if rest.startswith("[") else rest
        yield from read_command(words, number)
