"""HCL (Terraform, Nomad, Packer): `resource.type.name.attr` (labels guide F2)."""

import re

from guard.facts.braces import read_literal
from guard.facts.comments import comment_phrases, without_comment
from guard.facts.fact import Findings, Setting
from guard.facts.flat_syntax import line_starts, numbered

_BLOCK = re.compile(
    r"\s*([A-Za-z_][\w-]*)((?:\s+(?:\"[^\"\n]{0,120}\"|"
    r"[A-Za-z_][\w-]*))*)\s*\{\s*(\}?)\s*(?:[#/].*)?$"
)
_ONE_LINE = re.compile(
    r"\s*([A-Za-z_][\w-]*)"
    r"((?:\s+\"[^\"\n]{0,120}\")*)\s*\{\s*([\w-]+\s*=\s*[^{}\n]{1,200}?)\s*\}\s*$"
)
_ATTRIBUTE = re.compile(r"\s*\"?([A-Za-z_][\w.-]*)\"?\s*=(?!=)\s*(.*)$")
_LABEL = re.compile(r"\"([^\"\n]*)\"|([A-Za-z_][\w-]*)")
_HEREDOC = re.compile(r"<<-?\"?([A-Za-z_]\w*)")
_MARKS = ("#", "//", "/*")


def read_hcl(text: str) -> Findings:
    """Blocks and their labels are parents."""
    return Findings(_Hcl(text).settings(), comment_phrases(text, _MARKS))


class _Hcl:
    """Keeps the stack of open blocks, line by line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = line_starts(text)
        self.stack: list[tuple[tuple[str, ...], int]] = []
        self.found: list[Setting] = []
        self.skip_to = 0
        self.closing = ""

    def settings(self) -> list[Setting]:
        for number, line in enumerate(self.text.split("\n"), 1):
            bare = line.strip()
            if self.closing:
                self.closing = "" if bare == self.closing else self.closing
            elif self.starts[number - 1] >= self.skip_to and bare and not bare.startswith(_MARKS):
                self._line(number, line, bare)
        return self.found

    def _line(self, number: int, line: str, bare: str) -> None:
        if bare[0] == "}":
            if self.stack:
                self.stack.pop()
        elif one := _ONE_LINE.match(line):
            attribute = _ATTRIBUTE.match(one[3])
            if attribute:
                path = (*self._path(), one[1], *_labels(one[2]), attribute[1])
                self.found.append(
                    Setting(path, attribute[2].strip(), number, "settings", number, number)
                )
        elif block := _BLOCK.match(line):
            if not block[3]:
                self.stack.append(((*self._path(), block[1], *_labels(block[2])), number))
        elif attribute := _ATTRIBUTE.match(line):
            self._attribute(number, attribute)

    def _attribute(self, number: int, match: re.Match[str]) -> None:
        path = (*self._path(), match[1])
        if match[2][:1] in {"{", "["}:
            start = self.starts[number - 1] + match.start(2)
            inner, self.skip_to = read_literal(self.text, start, number, path)
            self.found += numbered(inner, number)
            return
        heredoc = _HEREDOC.match(match[2])
        if heredoc:
            self.closing = heredoc[1]
            return
        owner = self.stack[-1][1] if self.stack else 0
        value = without_comment(match[2], _MARKS)
        self.found.append(Setting(path, value, number, "settings", owner, number))

    def _path(self) -> tuple[str, ...]:
        return self.stack[-1][0] if self.stack else ()


def _labels(text: str) -> tuple[str, ...]:
    return tuple(quoted or bare for quoted, bare in _LABEL.findall(text))
