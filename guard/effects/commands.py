"""One command as it runs: its name, its words, what flows into it, and the machine it runs on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from guard.effects.model import Part
from guard.effects.options import Argv


class Stdin(msgspec.Struct, frozen=True):
    """What is read from: nothing on record, known text, another command's output, a file."""

    sort: Literal["none", "text", "pipe", "file"] = "none"
    text: str = ""


NOTHING = Stdin()


class Command(msgspec.Struct, frozen=True):
    """A program's name and the words after it, quotes and known variables resolved.

    `env`: assignments in force for it. `globbed`: an unquoted pattern is among its words.
    `supplied`: another command gives it words that are not on record (`xargs`). `wraps`: how many
    wrappers stand around it (`sudo env nice ...`).
    """

    name: str
    words: Sequence[str]
    stdin: Stdin = NOTHING
    env: Mapping[str, str] = {}
    globbed: bool = False
    supplied: bool = False
    cwd: str = ""
    wraps: int = 0

    @property
    def text(self) -> str:
        """The command for people, on one line."""
        line = " ".join((self.name, *self.words)).split("\n", 1)[0]
        return line if len(line) <= 120 else line[:119] + "…"


class Machine(Protocol):
    """What a reader may do with text that turns out to be commands: run it on the same terms."""

    def run_text(self, text: str, stdin: Stdin = NOTHING, words: Sequence[str] = ()) -> list[Part]:
        """The parts of a command line run by a shell of its own; `words` are `$0`, `$1`, ..."""
        ...

    def run_here(self, text: str) -> list[Part]:
        """The parts of a command line run by this very shell (`eval`)."""
        ...

    def text_in(self, path: str) -> str | None:
        """The text that this very call wrote into a file before."""
        ...

    def run_words(
        self, words: Sequence[str], command: Command, *, supplied: bool = False
    ) -> list[Part]:
        """The parts of a command given as words, with the surroundings of `command`."""
        ...


class Running(msgspec.Struct, frozen=True):
    """What a reader gets: a command, its words by the program's grammar, and where it runs."""

    command: Command
    argv: Argv
    machine: Machine


def lifted(parts: Iterable[Part]) -> list[Part]:
    """Parts that run elsewhere: a write there is irreversible (E6), unknown content is not."""
    return [
        msgspec.structs.replace(part, reversibility="irreversible", lost="", files=())
        if part.write and not part.opaque
        else part
        for part in parts
    ]


def doubted(parts: Iterable[Part], why: str = "") -> list[Part]:
    """Parts whose writes hang on something that is not on record."""
    return [
        msgspec.structs.replace(
            part, certainty="possible", why=f"{part.why}; {why}" if why else part.why
        )
        if part.write and part.certainty == "proven"
        else part
        for part in parts
    ]
