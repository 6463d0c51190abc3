"""What a command line is made of. Quotes are gone, expansions are named, nothing has run yet."""

from __future__ import annotations

from typing import Literal

import msgspec


class Variable(msgspec.Struct, frozen=True):
    """`$NAME` or `${NAME}`. Unquoted, its value is split into words."""

    name: str
    text: str
    quoted: bool = False


class Substitution(msgspec.Struct, frozen=True):
    """`$(...)`, backticks, `<(...)` or `>(...)`: commands that run before the word is known.

    `script` is their text: it is parsed when it runs.
    """

    script: str
    text: str
    quoted: bool = False


class Unresolved(msgspec.Struct, frozen=True):
    """Text that only a shell could work out: `${x:-y}`, `$((1+2))`; with the commands it runs."""

    text: str
    runs: tuple[str, ...] = ()


Piece = str | Variable | Substitution | Unresolved


class Template(msgspec.Struct, frozen=True):
    """A word that is not plain text."""

    pieces: tuple[Piece, ...]


Word = str | Template


class Redirect(msgspec.Struct, frozen=True):
    """One redirection, without its descriptor. A here-document has its body as target."""

    operator: str
    target: Word


class Assignment(msgspec.Struct, frozen=True):
    name: str
    value: Word


class Simple(msgspec.Struct, frozen=True):
    """One command: assignments before it, its words, its redirections.

    `globbed`: an unquoted pattern stands among its arguments.
    """

    assigns: tuple[Assignment, ...] = ()
    words: tuple[Word, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    globbed: bool = False


class Check(msgspec.Struct, frozen=True):
    """`[ ]`, `[[ ]]`, `(( ))`: only what runs inside matters."""

    runs: tuple[str, ...] = ()


class Pipe(msgspec.Struct, frozen=True):
    stages: tuple[Node, ...]


class Negated(msgspec.Struct, frozen=True):
    node: Node


class Chain(msgspec.Struct, frozen=True):
    """`a && b || c`, from the left."""

    first: Node
    rest: tuple[tuple[Literal["&&", "||"], Node], ...]


class Group(msgspec.Struct, frozen=True):
    """`( )` or `{ }` with its redirections; a subshell keeps its `exit` to itself."""

    body: Script
    redirects: tuple[Redirect, ...] = ()
    subshell: bool = False


class If(msgspec.Struct, frozen=True):
    """`arms` are (condition, body); the last body may be the `else`."""

    arms: tuple[tuple[Script, Script], ...]
    otherwise: Script | None = None


class While(msgspec.Struct, frozen=True):
    condition: Script
    body: Script
    until: bool = False


class For(msgspec.Struct, frozen=True):
    """`words` is `None` where the list is the script's own arguments."""

    variable: str
    words: tuple[Word, ...] | None
    body: Script


class Case(msgspec.Struct, frozen=True):
    subject: Word
    bodies: tuple[Script, ...]


class Function(msgspec.Struct, frozen=True):
    name: str
    body: Node


Node = Simple | Check | Pipe | Negated | Chain | Group | If | While | For | Case | Function


class Script(msgspec.Struct, frozen=True):
    """Statements in their order. `broken`: some of the text could not be parsed."""

    items: tuple[Node, ...] = ()
    broken: bool = False
