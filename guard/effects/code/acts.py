"""One call in code to its parts, by `tables/code.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

import msgspec

from guard.effects.commands import Command, Machine
from guard.effects.globs import Globs, globs
from guard.effects.http import request
from guard.effects.labels import parse_label
from guard.effects.model import Part, opaque, read
from guard.effects.options import Argv
from guard.effects.places import file_part
from guard.effects.sql.parts import sql_parts
from guard.effects.tables import table
from guard.effects.targets import database_part

_METHOD = re.compile(r"""method["']?\s*[:=]\s*["'](\w+)["']""", re.IGNORECASE)
_WRITE_MODES = frozenset("wax+>")
_FORCED = re.compile(
    r"ignore_errors\s*=\s*True|missing_ok\s*=\s*True|force\s*:\s*true|rm_rf|rm_r?f"
)
_NO_ARGV = Argv(())


class Site(msgspec.Struct, frozen=True):
    """One call: its dotted name, its literal text arguments in order, and all of them as written.

    `words`: a literal list of words as first argument (`subprocess.run(["git", "push"])`).
    """

    name: str
    args: Sequence[str] = ()
    words: Sequence[str] | None = None
    raw: str = ""
    computed: bool = False


class Act(msgspec.Struct, frozen=True):
    names: Globs
    does: str
    why: str


@cache
def acts(language: str) -> tuple[Act, ...]:
    rows = table("code")[language]["acts"]
    return tuple(Act(globs(names.split("|")), does, why) for names, does, why in rows)


@cache
def pure(language: str) -> frozenset[str]:
    return frozenset(table("code")[language]["pure"])


@lru_cache(maxsize=4096)
def act_for(language: str, name: str) -> Act | None:
    """The first row that fits a dotted name."""
    dotted = f".{name}"
    return next((a for a in acts(language) if a.names.fit(name) or a.names.fit(dotted)), None)


def parts_of_site(
    language: str, site: Site, act: Act, command: Command, machine: Machine
) -> list[Part]:
    """What a call does whose name a row knows."""
    rule = f"code: {language} {site.name}"
    word, _, rest = act.does.partition(" ")
    match word:
        case "open":
            return _open(site, rule, command)
        case "shell":
            return _shell(site, rule, command, machine)
        case "http":
            return [_http(site, rest)]
        case "url":
            return [_http(site, rest)] if any("://" in text for text in site.args) else []
        case "sql":
            return _sql(site, rule)
        case "code":
            return _code(language, site, rule, command, machine)
        case _:
            return [_labelled(site, act, rule, command)]


def _labelled(site: Site, act: Act, rule: str, command: Command) -> Part:
    label = parse_label(act.does)
    forced = "possible" if _FORCED.search(f"{site.name} {site.raw}") else label.certainty
    if label.kind == "read":
        return read(act.why, rule, summary=site.name)
    if label.kind == "file":
        paths = site.args[:1]
        return file_part(paths, act.why, rule, cwd=command.cwd, certainty=forced, summary=site.name)
    if label.kind == "db":
        return database_part(command, _NO_ARGV, act.why, rule)
    return Part(
        True,
        label.reversibility,
        label.domain,
        label.certainty,
        act.why,
        rule,
        site.name,
        opaque=label.opaque,
    )


def _open(site: Site, rule: str, command: Command) -> list[Part]:
    """A file opened by a mode: the second text, or for a path's own `open` any text of a mode."""
    modes = [text for text in site.args if 0 < len(text) <= 4 and set(text) <= set("rwaxbtU+<>")]
    named = re.search(r"mode\s*=\s*[\"']([rwaxbt+]+)", site.raw)
    mode = named[1] if named else modes[-1] if modes else "r"
    inline = any(text.lstrip().startswith((">", "+<", "+>")) for text in site.args)
    if not inline and not _WRITE_MODES & set(mode):
        return [read("opens a file to read", rule, summary=site.name)]
    paths = [text.lstrip("+> ") for text in site.args if text not in modes][:1]
    return [file_part(paths, "writes a file", rule, cwd=command.cwd, summary=site.name)]


def _shell(site: Site, rule: str, command: Command, machine: Machine) -> list[Part]:
    if site.words:
        return machine.run_words(site.words, command)
    if not site.args or site.computed:
        return [opaque("runs a command whose text is not on record", rule, summary=site.name)]
    if len(site.args) > 1 and site.name.rsplit(".", 1)[-1] not in {"exec", "execSync", "run"}:
        return machine.run_words(list(site.args), command)
    return machine.run_text(site.args[0])


def _http(site: Site, method: str) -> Part:
    named = _METHOD.search(site.raw)
    url = next((text for text in site.args if "://" in text or text.startswith("/")), "")
    verbs = [text for text in site.args if text.isupper() and text.isalpha() and len(text) < 8]
    if not method:
        method = named[1] if named else verbs[0] if verbs else "GET"
    if "urlopen" in site.name and re.search(r"\bdata\s*=", site.raw):
        method = "POST"
    body = next((text for text in site.args if text.lstrip().startswith("{")), "")
    return request(method, url or "$URL", body, summary=site.name)


def _sql(site: Site, rule: str) -> list[Part]:
    if not site.args:
        if site.name.rsplit(".", 1)[-1] == "query":
            return []
        return [opaque("SQL whose text is not on record", rule, "database", site.name)]
    return sql_parts(site.args[0], "postgres", "hidden", summary=site.name)


def _code(language: str, site: Site, rule: str, command: Command, machine: Machine) -> list[Part]:
    if site.name == "compile":
        return []
    if not site.args or site.computed:
        return [opaque("runs code whose text is not on record", rule, summary=site.name)]
    words = {"python": ["python", "-c"], "javascript": ["node", "-e"]}.get(language)
    return machine.run_words([*(words or []), site.args[0]], command) if words else []


def services(language: str) -> Mapping[str, Sequence[str]]:
    found: Mapping[str, Sequence[str]] = table("code")[language].get("services", {})
    return found
