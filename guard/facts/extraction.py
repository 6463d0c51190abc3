"""From a text to its gating facts: pick the reader, read within bounds, classify (guide F)."""

import re
from collections.abc import Callable

from msgspec import structs

from guard.facts.binding import Voice, binds
from guard.facts.code_syntax import read_code
from guard.facts.command_line import read_command
from guard.facts.comments import comment_phrases
from guard.facts.docker_syntax import read_dockerfile
from guard.facts.fact import Extraction, Fact, Findings, Phrase, Setting
from guard.facts.flat_syntax import read_flat, read_toml
from guard.facts.gate import speaks
from guard.facts.hcl_syntax import read_hcl
from guard.facts.json_syntax import read_fragment, read_json, read_loose
from guard.facts.kinds import kind_of, may_gate
from guard.facts.normalise import normalise_key, normalise_value
from guard.facts.prose import Prose
from guard.facts.sentences import clause
from guard.facts.syntax import Syntax, base_name, names_file, syntax_of
from guard.facts.vocabulary import RULE_KEYS
from guard.facts.yaml_syntax import read_yaml

MOST_CHARACTERS = 1_000_000
"""Characters of one text that are read; the rest is reported as unread."""
MOST_FACTS = 2_000
"""Facts of one text that are kept; the rest is reported as unread."""

_NUMBERED = re.compile(r"\s{0,6}\d{1,6}[→\t]")
_MADE = re.compile(r"(?:export\s+)?([A-Za-z_]\w*)(?:\s*[?:+]=\s*|\s+=\s+)(\S+)\s*$")
"""A variable of a makefile."""
_RULE_FILES = re.compile(
    r"(?:agents|claude|gemini|contributing|policy|policies|runbook|rules?|"
    r"guidelines?|security|conventions)\b|\.\w+rules$|.*\.mdc$|copilot-instructions"
)
_FENCE_TABLE: tuple[tuple[Syntax, str], ...] = (
    ("yaml", "yaml yml"),
    ("toml", "toml"),
    ("json", "json jsonc json5"),
    ("flat", "ini env dotenv properties conf"),
    ("hcl", "hcl terraform tf"),
    ("docker", "dockerfile"),
    ("hash code", "python py ruby"),
    ("slash code", "js ts javascript typescript java go rust"),
    ("script", "bash sh shell zsh"),
    ("command", "console"),
    ("quiet", "sql diff html css mermaid"),
)
_FENCES = {name: syntax for syntax, names in _FENCE_TABLE for name in names.split()}


def read(text: str, scope: str) -> Extraction:
    """The gating facts of a text, and what was not read for want of bounds."""
    unread: list[str] = []
    if len(text) > MOST_CHARACTERS:
        unread.append(f"characters after {MOST_CHARACTERS}")
        text = text[:MOST_CHARACTERS]
    text = _without_numbers(text)
    if not speaks(text, switches=names_file(scope)):
        return Extraction((), tuple(unread))
    found = _findings(text, scope)
    facts = _facts(found, scope)
    if len(facts) > MOST_FACTS:
        unread.append(f"facts after {MOST_FACTS}")
    return Extraction(tuple(facts[:MOST_FACTS]), tuple(unread))


def _without_numbers(text: str) -> str:
    """Line numbers that a reading tool put in front of each line are not the text."""
    if not _NUMBERED.match(text):
        return text
    lines = text.split("\n")
    numbered = [(_NUMBERED.match(line), line) for line in lines]
    written = sum(bool(line.strip()) for line in lines)
    if sum(match is not None for match, _ in numbered) * 10 < written * 8:
        return text
    return "\n".join(line[match.end() :] if match else line for match, line in numbered)


def _findings(text: str, scope: str) -> Findings:
    syntax = syntax_of(scope, text)
    reader = _READERS.get(syntax)
    if reader is not None:
        found = reader(text)
        if found is not None:
            return found if names_file(scope) else _as_answer(found)
    return _prose(text, scope)


def _json(text: str) -> Findings | None:
    whole = text.lstrip().startswith(("{", "[", "/"))
    return read_json(text) or (read_loose(text) if whole else read_fragment(text))


def _as_answer(found: Findings) -> Findings:
    """Not a file: the answer of a tool, where measured values stand between settings."""
    answers = [
        structs.replace(s, place="answer") if s.place == "settings" else s for s in found.settings
    ]
    return Findings(answers, found.phrases)


def _prose(text: str, scope: str) -> Findings:
    reader = Prose(_voice(scope), settings=True, rules=scope != "assistant", fence=_fence)
    return reader.read(text)


def _voice(scope: str) -> Voice:
    if scope in {"user", "system", "human", "developer"}:
        return "people"
    return "rules" if _RULE_FILES.match(base_name(scope)) else "told"


def _fence(text: str, info: str, first_line: int) -> Findings:
    """A fenced block, read by its language; lines are those of the whole text."""
    language = info.split(maxsplit=1)[0].lower() if info.split() else ""
    syntax = _FENCES.get(language) or (syntax_of("", text) if not language else "quiet")
    reader = _READERS.get(syntax)
    found = (
        reader(text) if reader else Prose("told", settings=True, rules=True, fence=None).read(text)
    )
    return _shifted(found or Findings([], []), first_line - 1)


def _shifted(found: Findings, by: int) -> Findings:
    settings = [
        Setting(s.path, s.literal, s.line + by, s.place, hash((by, s.owner)), s.entry)
        for s in found.settings
    ]
    return Findings(settings, [Phrase(p.text, p.line + by) for p in found.phrases])


def _commands(text: str) -> Findings:
    settings: list[Setting] = []
    for number, line in enumerate(text.split("\n"), 1):
        made = _MADE.match(line) if "=" in line else None
        if made:
            settings.append(Setting((made[1],), made[2], number, "command", entry=number))
        elif "-" in line or "=" in line:
            settings += read_command(line, number)
    return Findings(settings, comment_phrases(text, ("#",)))


_READERS: dict[Syntax, Callable[[str], Findings | None]] = {
    "yaml": read_yaml,
    "toml": read_toml,
    "json": _json,
    "flat": read_flat,
    "hcl": read_hcl,
    "docker": read_dockerfile,
    "hash code": read_code,
    "slash code": lambda text: read_code(text, "slash"),
    "dash code": lambda text: Findings([], comment_phrases(text, ("--",))),
    "command": _commands,
    "script": _commands,
    "quiet": lambda _: Findings([], []),
}


def _facts(found: Findings, scope: str) -> list[Fact]:
    facts = [Fact(scope, "rule", p.text, "rule", p.line) for p in found.phrases]
    for setting in last_wins(found.settings):
        if _is_sentence(setting):
            text = clause(normalise_value(setting.literal))
            if binds(text, "rules"):
                facts.append(Fact(scope, "rule", text, "rule", setting.line))
            continue
        kind = kind_of(setting)
        if kind is not None:
            key = normalise_key(".".join(setting.path))
            facts.append(Fact(scope, key, normalise_value(setting.literal), kind, setting.line))
    return sorted(facts, key=lambda fact: fact.line)


def _is_sentence(setting: Setting) -> bool:
    """Strings under `rules`, `instructions` and the like are sentences that may bind."""
    if setting.place != "settings" or " " not in setting.literal:
        return False
    return any(normalise_key(name) in RULE_KEYS for name in setting.path[-2:])


def last_wins(settings: list[Setting]) -> list[Setting]:
    """Of one key in one mapping, file or command only the last assignment counts (F5)."""
    last: dict[tuple[int, str], int] = {}
    named = [(s.owner, ".".join(s.path), s) for s in settings]
    likely = [(owner, normalise_key(name), s) for owner, name, s in named if may_gate(name, s)]
    for owner, key, setting in likely:
        last[owner, key] = setting.entry
    return [s for owner, key, s in likely if last[owner, key] == s.entry]
