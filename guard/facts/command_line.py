"""Flags of command lines (labels guide F2, F5): `--x-y v`, `--x`, `--no-x`, `--set NAME=v`."""

import re
from collections.abc import Iterator

from guard.facts.fact import Setting
from guard.facts.wordlist import word_set

_PIECE = re.compile(
    r"(?:[^\s\"'#;|&\\]|\\.|\"(?:[^\"\\]|\\.)*\"|'[^']*'|(?<=\S)#)+|[;|&]+|#|\s+|.", re.DOTALL
)
_ASSIGN = re.compile(r"([A-Za-z_][\w.]*)=(.*)", re.DOTALL)
_PROMPT = re.compile(r"^\s*(?:[\w.@~:/-]{0,60}[$>%]|PS [^>\n]{0,80}>|\+)\s+(?=\S)")
_SETTERS = word_set(
    """
    --set --set-string --var --env --build-arg --param --parameter --define --config --option
    --property -e -v -D -P -o -p -var
    """
)
_SWITCHES = word_set(
    """
    dry-run force read-only readonly yes assume-yes auto-approve verbose quiet debug recursive all
    interactive non-interactive confirm no-confirm dangerously-skip-permissions skip-tests
    allow-dirty allow-empty atomic wait fail-fast failfast exit-on-error keep-going ignore-errors
    privileged sandbox verify insecure delete prune purge overwrite simulate check apply publish
    live private public single-transaction ignore-not-found once detach rm continue-on-error
    allow-destructive force-with-lease autostash ff-only signoff what-if enable disable
    """
)
LONGEST = 4000
"""Characters of one command that are read."""


def read_command(line: str, number: int) -> Iterator[Setting]:
    """The flags of one line; pipes and `;` part commands, each with its own last word."""
    if len(line) > LONGEST:
        return
    prompt = _PROMPT.match(line)
    pieces = _pieces(line[prompt.end() :] if prompt else line)
    owner = number * 1000
    start = 0
    for at, piece in enumerate([*pieces, ";"]):
        if piece[0] in ";|&":
            yield from _flags(pieces[start:at], number, owner)
            owner, start = owner + 1, at + 1


def _pieces(line: str) -> list[str]:
    pieces = []
    for match in _PIECE.finditer(line):
        if match[0] == "#":
            break
        if not match[0].isspace():
            pieces.append(match[0])
    return pieces


def _flags(pieces: list[str], number: int, owner: int) -> Iterator[Setting]:
    at, in_front = 0, True
    while at < len(pieces):
        piece = pieces[at]
        following = pieces[at + 1] if at + 1 < len(pieces) else None
        at += 1
        if in_front and (given := _ASSIGN.fullmatch(piece)):
            yield _setting(given[1], given[2], number, owner, at)
            continue
        in_front = in_front and piece in {"env", "export", "sudo"}
        if piece[0] != "-":
            continue
        name, sign, value = piece.partition("=")
        if sign and name.startswith("--"):
            yield from _given(name, value, number, owner, at)
        elif (
            following is not None
            and piece in _SETTERS
            and (given := _ASSIGN.fullmatch(_bare(following)))
        ):
            yield _setting(given[1], given[2], number, owner, at)
            at += 1
        elif glued := re.fullmatch(r"-[DPev]([A-Za-z_][\w.]*)=(.*)", piece):
            yield _setting(glued[1], glued[2], number, owner, at)
        elif piece.startswith("--") and len(piece) > 3:
            bare = (
                following is None
                or (following[0] == "-" and not following[1:2].isdigit())
                or name[2:] in _SWITCHES
                or name.startswith("--no-")
            )
            yield from _given(
                name, "true" if bare or following is None else following, number, owner, at
            )
            at += 0 if bare else 1


def _given(name: str, value: str, number: int, owner: int, at: int) -> Iterator[Setting]:
    if name in _SETTERS and (inner := _ASSIGN.fullmatch(_bare(value))):
        yield _setting(inner[1], inner[2], number, owner, at)
    else:
        yield _setting(name[2:], value, number, owner, at)


_REPEATABLE = re.compile(
    r"(?:exclude|include|allow|deny|only|skip|add|ignore|disallow|permit|scope)"
)


def _setting(name: str, value: str, number: int, owner: int, at: int) -> Setting:
    """Flags such as `--exclude` may be repeated; of all others the last wins."""
    own = owner * 1000 + at if _REPEATABLE.match(name) else owner
    return Setting(tuple(name.split(".")), value, number, "command", own, at)


def _bare(piece: str) -> str:
    return piece[1:-1] if len(piece) > 1 and piece[0] == piece[-1] and piece[0] in "\"'" else piece
