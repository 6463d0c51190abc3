"""Which database or host a call reaches, as far as its words show it (E7)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal
from urllib.parse import urlsplit

from guard.effects.commands import Command
from guard.effects.model import Certainty, Domain, Part, Reversibility
from guard.effects.options import Argv

Reach = Literal["remote", "local", "hidden"]
"""A named machine, this machine or a file, or not on record."""

_LIVE = frozenset({"prod", "production", "live", "staging", "prd"})
_LOOPBACK = re.compile(
    r"localhost|127(\.\d+){3}|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal", re.IGNORECASE
)
_WORDS = re.compile(r"[a-z]+", re.IGNORECASE)
_HOST_OPTIONS = ("-h", "--host", "--hostname", "-S", "--server")
_FILES = frozenset({"sqlite", "sqlite3", "file", "duckdb", "jdbc:sqlite"})


def names_live(text: str) -> bool:
    """Whether an environment that is in use is named: prod, production, live, staging."""
    return any(word.lower() in _LIVE for word in _WORDS.findall(text))


def reach_of_host(host: str) -> Reach:
    """Where a host name leads; a variable is hidden, a socket is local."""
    host = host.strip().strip("'\"")
    if not host or "$" in host:
        return "hidden"
    if host.startswith(("/", "@")):
        return "local"
    bare = host.rsplit("@", 1)[-1]
    bare = bare if bare.startswith(("[", "::")) else bare.split(":", 1)[0]
    return "local" if _LOOPBACK.fullmatch(bare) else "remote"


def reach_of_url(url: str) -> Reach:
    """Where a database URL leads."""
    url = url.removeprefix("jdbc:")
    scheme = url.split(":", 1)[0]
    if scheme.split("+", 1)[0] in _FILES:
        return "local"
    if url.startswith("$"):
        return "hidden"
    try:
        return reach_of_host(urlsplit(url).netloc.rsplit("@", 1)[-1])
    except ValueError:
        return "hidden"


def worst(reaches: Iterable[Reach]) -> Reach:
    found = set(reaches)
    return "remote" if "remote" in found else "local" if "local" in found else "hidden"


def _given(argv: Argv) -> Iterable[str]:
    """The texts that can name a target: values of options, `NAME=value` words, URLs."""
    for name, values in argv.options.items():
        yield from values
        yield name
    yield from (word for word in argv.positionals if "=" in word or "://" in word)


def reach_of(command: Command, argv: Argv) -> Reach:
    """Where a command's database lives: a URL, a live environment's name, or nothing shown."""
    texts = [*_given(argv), *command.env.values()]
    reaches: list[Reach] = [
        reach_of_url(text.split("=", 1)[1] if "=" in text.split("://", 1)[0] else text)
        for text in texts
        if "://" in text or text.startswith("jdbc:")
    ]
    reaches += [reach_of_host(host) for host in argv.values(*_HOST_OPTIONS)]
    if any(names_live(text) for text in texts):
        reaches.append("remote")
    return worst(reaches)


def class_of(reach: Reach) -> Reversibility:
    return "irreversible" if reach == "remote" else "unknown"


def database_part(
    command: Command, argv: Argv, why: str, rule: str, certainty: Certainty = "proven"
) -> Part:
    """A write to the database that a command's words and variables name."""
    return reached(reach_of(command, argv), why, rule, certainty, summary=command.text)


def reached(
    reach: Reach,
    why: str,
    rule: str,
    certainty: Certainty = "proven",
    *,
    domain: Domain = "database",
    summary: str = "",
    target: str | None = None,
) -> Part:
    """A write at a target of this reach."""
    where = {
        "remote": "the named target is remote",
        "local": "the target is this machine",
        "hidden": "the target is not on record; its host would make it known",
    }[reach]
    return Part(True, class_of(reach), domain, certainty, f"{why}; {where}", rule, summary, target)
