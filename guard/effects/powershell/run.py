"""What PowerShell text does: cmdlets by a table, other programs as on any command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec

from guard.effects.commands import Command, Machine, doubted, lifted
from guard.effects.globs import Globs, globs
from guard.effects.http import request
from guard.effects.labels import Label, parse_label
from guard.effects.model import Part, opaque, read
from guard.effects.places import file_part
from guard.effects.powershell.parse import MOST_CHARACTERS, Token, TooDeep, groups_in, tokens
from guard.effects.sql.parts import sql_parts
from guard.effects.tables import table
from guard.effects.targets import reach_of_host

_BRANCHES = frozenset({"if", "elseif", "else", "switch", "catch", "while", "until"})
_BLOCKS = frozenset({"try", "finally", "do", "begin", "process", "end", "parallel"})
_MOST_DEPTH = 12
_SHELL = Command("powershell", ())


class _Row(msgspec.Struct, frozen=True):
    names: Globs
    when: tuple[str, ...]
    label: Label
    why: str


@cache
def _rows() -> tuple[_Row, ...]:
    rows = table("powershell")["cmdlets"]
    return tuple(
        _Row(globs(names.split("|")), tuple(when.split()), parse_label(label), why)
        for names, when, label, why in rows
    )


class _Given(msgspec.Struct):
    """A cmdlet's words: parameters by lower-case name, the rest in order, blocks apart."""

    parameters: dict[str, str] = {}
    rest: list[str] = []
    blocks: list[str] = []

    def value(self, name: str) -> str | None:
        """A parameter by its full name; callers may shorten it."""
        for given, value in self.parameters.items():
            if len(given) > 1 and name.startswith(given.lstrip("-")):
                return value
        return None


def powershell_parts(text: str, machine: Machine) -> list[Part]:
    """What a PowerShell text does when it runs."""
    if len(text) > MOST_CHARACTERS:
        return [opaque("a PowerShell text too long to be judged in time", "powershell")]
    try:
        parts = _Session(machine).run(text, 0)
    except TooDeep:
        return [opaque("PowerShell nested too deeply to be judged in time", "powershell")]
    return parts or [read("only looks or prints", "powershell", summary=text[:120])]


class _Session:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.functions: dict[str, str] = {}
        self.variables: dict[str, str] = {}

    def run(self, text: str, depth: int) -> list[Part]:
        if depth > _MOST_DEPTH:
            raise TooDeep
        return [
            part
            for statement in _split(tokens(text), {"end"})
            for part in self._statement(statement, depth)
        ]

    def _statement(self, statement: Sequence[Token], depth: int) -> list[Part]:
        parts: list[Part] = []
        maybe = False
        for chain in _chains(statement):
            found = self._pipeline(chain[1], depth)
            maybe = maybe or chain[0] == "or"
            parts.extend(doubted(found) if maybe else found)
        return parts

    def _pipeline(self, line: Sequence[Token], depth: int) -> list[Part]:
        if not line:
            return []
        word = line[0].text.lower() if line[0].kind == "word" else ""
        if word == "function" and len(line) > 2:
            self.functions[line[1].text.lower()] = line[-1].text
            return []
        if word in _BRANCHES | _BLOCKS or (
            word in {"foreach", "for"} and line[1:2] and line[1].kind == "group"
        ):
            return self._block(word, line, depth)
        if len(line) > 2 and line[1].kind == "equals" and line[0].text.startswith("$"):
            if len(line) == 3 and line[2].kind == "text":
                self.variables[line[0].text] = line[2].text
            return self._pipeline(line[2:], depth)
        stages = list(_split(line, {"pipe"}))
        return [part for stage in stages for part in self._stage(stage, depth)]

    def _block(self, word: str, line: Sequence[Token], depth: int) -> list[Part]:
        parts: list[Part] = []
        sure = word in _BLOCKS
        for at, token in enumerate(line):
            if token.kind == "word" and token.text.lower() in _BRANCHES | _BLOCKS | {
                "foreach",
                "for",
            }:
                sure = token.text.lower() in _BLOCKS
            elif token.kind == "group":
                parts.extend(self.run(token.text, depth + 1))
            elif token.kind == "block":
                inner = self.run(token.text, depth + 1)
                parts.extend(inner if sure else doubted(inner, "if it is reached"))
            elif at and line[at - 1].kind == "block":
                return parts + self._pipeline(line[at:], depth)
        return parts

    def _stage(self, stage: Sequence[Token], depth: int) -> list[Part]:
        parts = [part for token in stage for part in self._inside(token, depth)]
        parts += _redirected(stage)
        words = [token for token in stage if token.kind != "redirect"]
        called = words[:1] and (words[0].kind == "call" or words[0].text == ".")
        if called:
            words = words[1:]
        if not words:
            return parts
        first = words[0]
        if first.kind in {"text", "group"} and not called:
            return parts
        if first.kind == "block":
            return parts + (self.run(first.text, depth + 1) if called else [])
        if first.text.startswith(("$", "[", "@")) and not called:
            return parts + _members(words[0].text.lower())
        return parts + self._command(first.text, words[1:], depth)

    def _inside(self, token: Token, depth: int) -> list[Part]:
        if token.kind == "group":
            return self.run(token.text, depth + 1)
        if token.kind == "text" and token.dynamic:
            return [part for text in groups_in(token.text) for part in self.run(text, depth + 1)]
        return []

    def _command(self, name: str, words: Sequence[Token], depth: int) -> list[Part]:
        low = self.variables.get(name, name).lower()
        if low in self.functions:
            return self.run(self.functions.pop(low), depth + 1)
        cmdlet = table("powershell")["aliases"].get(low, low)
        if "-" not in cmdlet or "/" in cmdlet or "\\" in cmdlet or cmdlet.endswith(".exe"):
            return self._program(self.variables.get(name, name), words)
        given = _given(words)
        special = self._special(cmdlet, given, words, depth)
        return special if special is not None else [_by_table(cmdlet, given, words)]

    def _program(self, name: str, words: Sequence[Token]) -> list[Part]:
        texts = [self.variables.get(token.text, token.text) for token in words]
        return self.machine.run_words([name, *texts], _SHELL)

    def _special(
        self, cmdlet: str, given: _Given, words: Sequence[Token], depth: int
    ) -> list[Part] | None:
        """Cmdlets whose words are code or an address."""
        match cmdlet:
            case "invoke-webrequest" | "invoke-restmethod":
                return _web(given)
            case "invoke-expression":
                return self._expression(given, words, depth)
            case "foreach-object":
                parts = [part for text in given.blocks for part in self.run(text, depth + 1)]
                return doubted(parts, "for what flows in") or [read("nothing runs", cmdlet)]
            case (
                "where-object"
                | "sort-object"
                | "group-object"
                | "select-object"
                | "measure-command"
            ):
                parts = [part for text in given.blocks for part in self.run(text, depth + 1)]
                return parts or [read("only filters", cmdlet)]
            case "invoke-command" | "start-job" | "start-threadjob":
                return self._remote(cmdlet, given, depth)
            case "invoke-sqlcmd":
                return _sqlcmd(given)
            case "start-process":
                return self._started(given)
            case _:
                return None

    def _expression(self, given: _Given, words: Sequence[Token], depth: int) -> list[Part]:
        """`Invoke-Expression TEXT`: a text that is printed by something else is not on record."""
        text = given.value("command") or (given.rest[0] if given.rest else None)
        text = self.variables.get(text, text) if text else None
        printed = any(token.kind == "group" for token in words)
        if text is None or "$" in text or printed:
            return [opaque("runs a text that is not on record", "invoke-expression")]
        return self.run(text, depth + 1)

    def _started(self, given: _Given) -> list[Part]:
        """`Start-Process PROGRAM WORDS`."""
        named, words = given.value("filepath"), given.value("argumentlist")
        line = " ".join(text for text in (named, *given.rest, words) if text)
        found = self.machine.run_text(line.replace("\\", "/")) if line else []
        rule = "powershell: start-process"
        return [
            Part(True, "unknown", "process", "proven", "starts a program", rule, line),
            *found,
        ]

    def _remote(self, cmdlet: str, given: _Given, depth: int) -> list[Part]:
        blocks = given.blocks
        parts = [part for text in blocks for part in self.run(text, depth + 1)]
        there = given.value("computername") or given.value("hostname") or given.value("session")
        if there is None:
            return parts or [opaque("runs a script that is not on record", cmdlet)]
        if not blocks:
            return [opaque("runs a script on another machine", cmdlet, "network")]
        local = reach_of_host(there) == "local"
        return (parts if local else lifted(parts)) or [read("only looks there", cmdlet)]


def _members(text: str) -> list[Part]:
    """`[IO.File]::Delete(...)`, `$x.Kill()`: .NET calls by the table."""
    for names, label, why in table("powershell")["members"]:
        if globs(names.split("|")).fit(text):
            return [_labelled(parse_label(label), why, f"powershell: {text}", [], text)]
    return []


def _split(line: Iterator[Token] | Sequence[Token], kinds: set[str]) -> Iterator[list[Token]]:
    piece: list[Token] = []
    for token in line:
        if token.kind in kinds:
            if piece:
                yield piece
            piece = []
        else:
            piece.append(token)
    if piece:
        yield piece


def _chains(statement: Sequence[Token]) -> Iterator[tuple[str, list[Token]]]:
    sign: str = "and"
    piece: list[Token] = []
    for token in statement:
        if token.kind in {"and", "or"}:
            yield sign, piece
            sign, piece = token.kind, []
        else:
            piece.append(token)
    yield sign, piece


def _given(words: Sequence[Token]) -> _Given:
    given = _Given()
    waiting = ""
    for token in words:
        if token.kind == "block":
            given.blocks.append(token.text)
            waiting = ""
        elif token.kind == "word" and token.text.startswith("-") and not token.text[1:2].isdigit():
            name, _, value = token.text.lower().partition(":")
            given.parameters[name] = value
            waiting = "" if value else name
        elif waiting:
            given.parameters[waiting] = token.text
            waiting = ""
        elif token.text != ",":
            given.rest.append(token.text)
    return given


def _redirected(stage: Sequence[Token]) -> list[Part]:
    parts = []
    for at, token in enumerate(stage):
        if token.kind == "redirect" and "&" not in token.text and at + 1 < len(stage):
            path = stage[at + 1].text
            parts.append(file_part([path], "output is redirected into a file", "powershell: >"))
    return parts


def _holds(given: _Given, condition: str) -> bool:
    name = condition.lstrip("!").lstrip("-")
    found = any(
        len(one) > 1 and name.startswith(one[1:]) and value not in {"$false", "false"}
        for one, value in given.parameters.items()
    )
    return found is not condition.startswith("!")


def _by_table(cmdlet: str, given: _Given, words: Sequence[Token]) -> Part:
    summary = " ".join([cmdlet, *(token.text for token in words)])[:120]
    for row in _rows():
        if row.names.fit(cmdlet) and all(_holds(given, one) for one in row.when):
            paths = _paths(cmdlet, given)
            return _labelled(row.label, row.why, f"powershell: {cmdlet}", paths, summary)
    why = f"{cmdlet} is no cmdlet of the table; a row or a rule of the team would make it known"
    return opaque(why, "powershell: unknown", summary=summary)


def _paths(cmdlet: str, given: _Given) -> list[str]:
    named = [
        given.value(name)
        for name in ("path", "literalpath", "filepath", "destination", "destinationpath")
    ]
    known = [path for path in named if path]
    return known or (given.rest[-1:] if cmdlet.startswith(("copy", "move")) else given.rest[:1])


def _labelled(label: Label, why: str, rule: str, paths: Sequence[str], summary: str) -> Part:
    if label.kind == "read":
        return read(why, rule, label.certainty, summary)
    if label.kind == "file":
        return file_part(paths, why, rule, certainty=label.certainty, summary=summary)
    return Part(
        True,
        label.reversibility,
        label.domain,
        label.certainty,
        why,
        rule,
        summary,
        opaque=label.opaque,
    )


def _web(given: _Given) -> list[Part]:
    url = given.value("uri") or (given.rest[0] if given.rest else "$URL")
    sends = given.value("body") is not None or given.value("infile") is not None
    method = given.value("method") or given.value("custommethod") or "GET"
    parts = [request(method, url, given.value("body") or "", summary=f"{method} {url}")]
    saved = given.value("outfile")
    if saved:
        parts.append(file_part([saved], "writes what it gets into a file", "powershell: -OutFile"))
    if sends and method.upper() == "GET" and given.value("infile") is not None:
        parts.append(request("POST", url))
    return parts


def _sqlcmd(given: _Given) -> list[Part]:
    text = given.value("query") or (given.rest[0] if given.rest else None)
    reach = reach_of_host(given.value("serverinstance") or "")
    if text is None:
        return [opaque("the SQL stands in a file", "invoke-sqlcmd", "database")]
    return sql_parts(text, "tsql", reach)
