"""Line-wise settings: TOML, INI, `.env`, properties, systemd, supervisor (guide F2, F3, F5)."""

import re

from guard.facts.braces import read_literal
from guard.facts.comments import comment_phrases, without_comment
from guard.facts.fact import Findings, Setting

_SECTION = re.compile(r"\s*\[{1,2}\s*([^\]\n]{1,200}?)\s*\]{1,2}\s*(?:[#;].*)?$")
_PAIR = re.compile(
    r"\s*(?:export\s+|set\s+|setx\s+)?([\"']?)([A-Za-z_][\w.\-/ ]{0,100}?)\1\s*([=:])\s*(.*)$"
)
_DIRECTIVE = re.compile(r"\s*([a-z_]{3,60})\s+([^;{}\n]{1,200});\s*(?:#.*)?$")
_TOML_PAIR = re.compile(
    r"\s*((?:[\"'][^\"'\n]{1,80}[\"']|[\w.-]+)"
    r"(?:\s*\.\s*(?:[\"'][^\"'\n]{1,80}[\"']|[\w-]+))*)\s*=\s*(.*)$"
)
_LONG_STRING = ('"""', "'''")


def read_flat(text: str, marks: tuple[str, ...] = ("#", ";", "!")) -> Findings:
    """INI, env and properties: sections are parents, the last of a repeated key wins."""
    found: list[Setting] = []
    section: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if not bare or bare.startswith(marks):
            continue
        if bare[0] == "[" and (head := _SECTION.match(bare)):
            section = _section(head[1])
        elif pair := _PAIR.match(line):
            value = _flat_value(pair[4])
            path = (*section, *pair[2].strip().split("."))
            found.append(Setting(path, value, number, entry=number))
        elif directive := _DIRECTIVE.match(line):
            found.append(Setting((*section, directive[1]), directive[2], number, entry=number))
    return Findings(found, comment_phrases(text, marks[:2]))


def _section(name: str) -> tuple[str, ...]:
    words = name.split()
    if len(words) == 2 and words[1][:1] == '"':
        return (words[0], words[1].strip('"'))
    return (name.strip("\"'"),)


def _flat_value(raw: str) -> str:
    value = raw.strip()
    if value[:1] in {'"', "'"}:
        end = value.find(value[0], 1)
        return value[: end + 1] if end > 0 else value
    return without_comment(value, ("#", ";")).strip() if value[:1] not in {"#", ";"} else ""


def read_toml(text: str) -> Findings:
    """TOML: tables, dotted keys, arrays and inline tables over several lines."""
    found: list[Setting] = []
    section: tuple[str, ...] = ()
    owner = 0
    starts = line_starts(text)
    skip_to = 0
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if closing:
            closing = "" if closing in line else closing
            continue
        if starts[number - 1] < skip_to:
            continue
        bare = line.strip()
        if bare[:1] == "[" and (head := _SECTION.match(bare)):
            section = tuple(part.strip().strip("\"'") for part in head[1].split("."))
            owner = number if bare.startswith("[[") else 0
        elif bare[:1] != "#" and (pair := _TOML_PAIR.match(line)):
            path = (*section, *(part.strip().strip("\"'") for part in pair[1].split(".")))
            closing = next(
                (q for q in _LONG_STRING if pair[2].startswith(q) and pair[2].count(q) == 1), ""
            )
            if pair[2][:1] in {"[", "{"}:
                start = starts[number - 1] + pair.start(2)
                inner, skip_to = read_literal(text, start, number, path)
                found += numbered(inner, number)
            elif not closing:
                found.append(
                    Setting(
                        path, without_comment(pair[2], ("#",)), number, owner=owner, entry=number
                    )
                )
    return Findings(found, comment_phrases(text, ("#",)))


def numbered(settings: list[Setting], number: int) -> list[Setting]:
    """Owners and entries of a literal, kept apart from those of other lines."""
    base = number * 100_000
    return [
        Setting(s.path, s.literal, s.line, s.place, base + s.owner, base + s.entry)
        for s in settings
    ]


def line_starts(text: str) -> list[int]:
    starts, at = [0], text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts
