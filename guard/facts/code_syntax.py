"""Constants, class attributes, dict and object literals and call keywords in source code (F2, F5).

Read without a grammar: it must serve Python, TypeScript, Java, Go, Ruby and their kin, and pieces
of files. Only lines that can hold a setting are looked at (`gate.py`); what they stand in is found
by indentation. Strings that span lines (docstrings) are documentation and are passed over.
"""

import re
from collections.abc import Iterator

import msgspec

from guard.facts.braces import read_literal
from guard.facts.comments import comment_phrases, without_comment
from guard.facts.fact import Findings, Setting
from guard.facts.flat_syntax import line_starts, numbered
from guard.facts.gate import setting_lines

_MODIFIERS = (
    r"(?:(?:export|public|private|protected|internal|static|final|abstract|sealed|default|data|"
    r"pub|open|partial|async|override|suspend|readonly)\s+){0,5}"
)
_CLASS = re.compile(
    rf"\s*{_MODIFIERS}(?:class|interface|object|enum|struct|trait|record)\s+([A-Za-z_]\w*)|\s*type\s+([A-Za-z_]\w*)\s+struct\b"
)
_FUNCTION = re.compile(rf"\s*{_MODIFIERS}(?:def|func|function|fn|fun|sub)\b")
_OPENER = re.compile(
    r"(?:[^=:]*[\s\"'])?[\"']?([A-Za-z_$][\w.$-]*)[\"']?\s*(?::\s*[\w<>, |\[\]]{1,40})?\s*(?:=>|"
    r"[:=])\s*[\[{]\s*$"
)
_ASSIGN = re.compile(
    r"\s*((?:[A-Za-z_$@][\w$@.<>\[\]?,*&]*\s+){0,7})"
    r"([$@]?[A-Za-z_][\w.]*)\s*(?::\s*[\w.\[\]<>|, \"']{1,60}?)?\s*(?:=|:=)"
    r"(?![=>~])\s*(\S.*)$"
)
_MEMBER = re.compile(r"\s*[\"']?([A-Za-z_][\w.-]*)[\"']?\s*(?::|=>)\s*(\S.*?),?\s*$")
_DEFINE = re.compile(r"\s*#\s*define\s+([A-Za-z_]\w*)\s+(\S.*)$")
_KEYWORD = re.compile(
    r"(?<=[(,{\s])([A-Za-z_]\w*)\s?(?:=|:)\s?(-?\d[\w.]*|True|False|None|true|false|"
    r"null|nil|\"[^\"\n]{0,200}\"|'[^'\n]{0,200}')(?=\s*[,)}]|\s*$)"
)
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_LONG = re.compile(r'"""|\'\'\'')
_COMPARES = re.compile(
    r"^\s*(?:if|elif|while|return|assert|for|case|when|and|or|not|import|from|use|"
    r"using|package|raise|throw|else|try|print|echo|switch|match|yield|del|with|"
    r"require)\b"
)
_LITERAL = re.compile(
    r"-?\.?\d|[\"'`]|(?:true|false|none|null|nil|undefined)\b|[\[{(]", re.IGNORECASE
)
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+$")
_PRODUCT = re.compile(r"[A-Z_][\w.]*(?:\s*[*+/-]\s*[\w.]+)+")
_CALLED = re.compile(r"[A-Za-z_]\w*\s*\(|\b(?:self|this)\b")
LONGEST = 2000
"""Characters of a line of code that are read."""
FARTHEST = 400
"""Lines above a setting in which its class or literal is looked for."""
_MARKS = {"hash": ("#",), "slash": ("//", "/*"), "dash": ("--",)}


def read_code(text: str, family: str = "hash") -> Findings:
    """The settings of a source file; `family` says how its comments begin."""
    marks = _MARKS.get(family, ("#", "//"))
    blanked = _without_docstrings(text) if family == "hash" else _without_doc_comments(text)
    return Findings(_Code(blanked, marks).settings(), comment_phrases(blanked, marks, "code"))


def _without_docstrings(text: str) -> str:
    """Triple-quoted text blanked, lines kept; each quote is looked at once."""
    if '"""' not in text and "'''" not in text:
        return text
    parts, at = [], 0
    while opened := _LONG.search(text, at):
        end = text.find(opened[0], opened.end())
        end = len(text) if end < 0 else end + 3
        parts += [text[at : opened.start()], "\n" * text.count("\n", opened.start(), end)]
        at = end
    return "".join([*parts, text[at:]])


def _without_doc_comments(text: str) -> str:
    """`/** … */` is documentation."""
    parts, at = [], 0
    while (start := text.find("/**", at)) >= 0:
        end = text.find("*/", start + 3)
        end = len(text) if end < 0 else end + 2
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end
    return "".join([*parts, text[at:]])


class _Inside(msgspec.Struct):
    """What a line stands in."""

    parents: tuple[str, ...] = ()
    function: bool = False
    call: bool = False
    owner: int = 0


class _Code:
    """Reads the lines that can hold a setting."""

    def __init__(self, text: str, marks: tuple[str, ...]) -> None:
        self.text = text
        self.marks = marks
        self.candidates = setting_lines(text)
        self.lines = text.split("\n") if self.candidates else []
        self.starts = line_starts(text) if self.candidates else []
        self.skip_to = 0
        self.found: list[Setting] = []

    def settings(self) -> list[Setting]:
        for index in self.candidates:
            line = self.lines[index]
            if self.starts[index] >= self.skip_to and len(line) <= LONGEST:
                self._line(index, line)
        return self.found

    def _line(self, index: int, raw: str) -> None:
        if raw.lstrip().startswith((*self.marks, "* ")) and not _DEFINE.match(raw):
            return
        line = without_comment(raw, self.marks).rstrip()
        if _FUNCTION.match(line):
            return
        if _COMPARES.match(line):
            if "(" in line:
                self._keywords(index + 1, line)
            return
        self._statement(index + 1, line, self._inside(index))

    def _inside(self, index: int) -> _Inside:
        """Walk up through the lines that are indented less."""
        inside, indent = _Inside(), _indent(self.lines[index])
        names: list[str] = []
        for above in range(index - 1, max(-1, index - FARTHEST), -1):
            line = self.lines[above]
            if indent == 0 or not line.strip():
                if indent == 0:
                    break
                continue
            depth = _indent(line)
            if depth >= indent or line.lstrip()[0] in "})]":
                continue
            if line.strip() == "{":
                continue
            indent = depth
            inside.owner = inside.owner or above + 1
            if self._opens_call(line):
                inside.call = True
                break
            names += self._named(line, inside)
        inside.parents = () if inside.function else tuple(reversed(names))
        return inside

    def _opens_call(self, line: str) -> bool:
        bare = without_comment(line, self.marks).rstrip()
        return bare.endswith(("(", "({", "([", ",")) and "(" in bare and not _FUNCTION.match(line)

    def _named(self, line: str, inside: _Inside) -> list[str]:
        """The name a line gives to what stands in it."""
        if _FUNCTION.match(line):
            inside.function = True
            return []
        named = _CLASS.match(line)
        if named:
            return [named[1] or named[2]]
        bare = without_comment(line, self.marks).rstrip()
        opened = _OPENER.match(bare) if bare.endswith(("{", "[")) else None
        return [opened[1]] if opened else []

    def _statement(self, number: int, line: str, inside: _Inside) -> None:
        if inside.call and not line.rstrip().endswith(("{", "[")):
            self._keywords(number, f"({line.strip()}")
            return
        defined = _DEFINE.match(line)
        assigned = None if defined else _ASSIGN.match(line)
        member = None if assigned or defined else _MEMBER.match(line)
        if defined:
            self._assigned(number, defined[1], defined[2], defined.start(2), inside)
        elif assigned:
            self._assigned(number, assigned[2].lstrip("$@"), assigned[3], assigned.start(3), inside)
        elif member and _LITERAL.match(member[2]):
            self._assigned(number, member[1], member[2], member.start(2), inside)
        elif "(" in line or ", " in line:
            self._keywords(number, line)

    def _assigned(self, number: int, name: str, value: str, column: int, inside: _Inside) -> None:
        path = (*inside.parents, *name.split("."))
        value = value.strip().rstrip(";,").strip()
        if value[:1] in {"{", "["} or (value[:1] == "(" and _LITERAL.match(value[1:].strip())):
            self._nested(number, path, column)
        elif not _LITERAL.match(value):
            self._expression(number, path, value)
        elif not (_CALLED.search(_STRING.sub("", value)) or _concatenated(value)):
            owner = number if inside.function else inside.owner
            self.found.append(Setting(path, value, number, "code", owner, number))

    def _expression(self, number: int, path: tuple[str, ...], value: str) -> None:
        """A call may carry keywords; a constant may be computed from another."""
        if "(" in value or "{" in value:
            self._keywords(number, f"({value}")
        if _CONSTANT.match(path[-1]) and _PRODUCT.fullmatch(value):
            self.found.append(Setting(path, value, number, "code", 0, number))

    def _nested(self, number: int, path: tuple[str, ...], column: int) -> None:
        start = self.starts[number - 1] + column
        inner, self.skip_to = read_literal(self.text, start, number, path)
        self.found += [
            Setting(s.path, s.literal, s.line, "code", s.owner, s.entry)
            for s in numbered(inner, number)
            if not _CALLED.search(_STRING.sub("", s.literal))
        ]

    def _keywords(self, number: int, line: str) -> None:
        for entry, (name, value) in enumerate(_call_keywords(line)):
            self.found.append(Setting((name,), value, number, "code", number, number * 100 + entry))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _concatenated(value: str) -> bool:
    """`"a" + b` is no literal."""
    return value[0] in "\"'`" and not _STRING.fullmatch(value) and "`" not in value


def _call_keywords(line: str) -> Iterator[tuple[str, str]]:
    """`f(max_retries=0, timeout=5.0)` and `f({ maxRetries: 0 })`: no parent (F2)."""
    strings = [match.span() for match in _STRING.finditer(line)]
    for match in _KEYWORD.finditer(line):
        if not any(start < match.start() < end for start, end in strings):
            yield match[1], match[2]
