"""Which reader a text needs, by the name of its scope and by its content."""

import re
from functools import lru_cache
from typing import Final, Literal

from guard.facts.wordlist import word_set

Syntax = Literal[
    "yaml",
    "toml",
    "json",
    "flat",
    "hcl",
    "docker",
    "hash code",
    "slash code",
    "dash code",
    "command",
    "script",
    "prose",
    "quiet",
]

_TABLE: Final[tuple[tuple[Syntax, str], ...]] = (
    ("yaml", "yaml yml"),
    ("toml", "toml"),
    ("json", "json jsonc json5 ndjson jsonl webmanifest"),
    ("flat", "ini cfg conf env properties service timer socket desktop cnf editorconfig envrc"),
    ("hcl", "tf tfvars hcl nomad pkr tofu"),
    ("hash code", "py pyi rb ex exs pl pm r jl cr nim coffee"),
    ("slash code", "js jsx ts tsx mjs cjs java kt kts go rs c h cc cpp hpp cs swift scala"),
    ("slash code", "php dart groovy gradle m mm zig proto vue svelte"),
    ("dash code", "sql lua hs elm ada"),
    ("script", "sh bash zsh fish ps1 bat cmd"),
    ("prose", "md mdx txt rst adoc mdc text log out"),
    ("quiet", "lock svg css scss less html htm xml csv tsv xsd avsc graphql gql po pot map"),
    ("quiet", "snap sum ipynb pdf png jpg gif ico woff"),
)
_EXTENSIONS: Final = {name: syntax for syntax, names in _TABLE for name in names.split()}
_NAMED: Final[tuple[tuple[str, Syntax], ...]] = (
    (
        r"(?:changelog|changes|history|releases?|news|authors|licen[cs]e|contributors|"
        r"codeowners|sudoers|notice)(?:\.\w+)?$",
        "quiet",
    ),
    (r"(?:.*[.-])?schema\.\w+$|.*\.schema\.json$|(?:openapi|swagger)[\w.-]*\.\w+$", "quiet"),
    (
        r"(?:ruff|\.?rustfmt|clippy|biome|typos|taplo|stylua)\.(?:toml|jsonc?)$|"
        r"tsconfig[\w.-]*\.json$|jsconfig\.json$",
        "quiet",
    ),
    (
        r"\.(?:prettierrc|eslintrc|stylelintrc|editorconfig|pylintrc|flake8|"
        r"clang-format|babelrc|yamllint|markdownlint)[\w.]*$",
        "quiet",
    ),
    (
        r"(?:package-lock|composer-lock|deno-lock)\.json$|.*\.(?:min\.js|lock\.\w+)$|"
        r"go\.(?:sum|mod)$|requirements[\w.-]*\.txt$",
        "quiet",
    ),
    (r"(?:dockerfile|containerfile)(?:\..*)?$|.*\.dockerfile$", "docker"),
    (
        r"\.env(?:\..*)?$|.*\.env$|.*\.env\.\w+$|\.?(?:npmrc|yarnrc|curlrc|pgpass|"
        r"netrc)$|\.gitconfig$|config$",
        "flat",
    ),
    (r"makefile$|justfile$|procfile$", "script"),
    (
        r"(?:agents|claude|gemini|readme|contributing|security|runbook)(?:\.\w+)?$|"
        r"\.(?:cursor|windsurf|cline|roo)rules$|copilot-instructions",
        "prose",
    ),
)
_NAMES = tuple((re.compile(pattern), syntax) for pattern, syntax in _NAMED)
_COMMAND_SCOPES: Final = word_set(
    "shell sh bash zsh terminal command cli console powershell cmd user-shell"
)
_TALK_SCOPES: Final = word_set(
    "user system assistant human agent web email mail chat issue notice developer"
)

_YAML_LINE = re.compile(
    r"\s*(?:- )*[\w.\"'/ -]{1,80}:(?:\s.*)?$|\s*-\s.*$|\s*#.*$|---\s*$|\s*[\]}],?$|\s*<<: "
)
_FLAT_LINE = re.compile(
    r"\s*(?:export\s+)?[A-Za-z_][\w.\-]*\s*=(?!.*\s[\w.]+=)\s*.*$|\s*\[[^\]]{1,100}\]\s*$|\s*[#;].*$"
)
_SECTION_LINE = re.compile(r"^\s*\[[^\]\n]{1,100}\]\s*$", re.MULTILINE)
_HCL_OPEN = re.compile(
    r"^(?:resource|variable|provider|terraform|module|data|locals|output|job|"
    r"backend)\b[^\n]{0,200}\{\s*$",
    re.MULTILINE,
)
SNIFFED_LINES = 60
"""Lines looked at when the name of the scope says nothing."""


@lru_cache(maxsize=4096)
def base_name(scope: str) -> str:
    """The file name of a scope, lower case."""
    return re.split(r"[/\\]", scope.strip())[-1].lower()


def names_file(scope: str) -> bool:
    """Does the scope name a file?"""
    return "." in base_name(scope) or "/" in scope or "\\" in scope


def syntax_of(scope: str, text: str) -> Syntax:
    """The reader for a text."""
    name = base_name(scope)
    for pattern, syntax in _NAMES:
        if pattern.match(name):
            return syntax
    if name in _COMMAND_SCOPES and scope == scope.lower():
        return "command"
    if scope.lower() in _TALK_SCOPES:
        return "prose"
    extension = name.rsplit(".", 1)[-1] if "." in name else ""
    known = _EXTENSIONS.get(extension)
    if known is not None and not (known == "prose" and extension in {"txt", "text", "out"}):
        return known
    return _by_content(text)


def _by_content(text: str) -> Syntax:
    head = [line for line in text[:20_000].split("\n", SNIFFED_LINES) if line.strip()][
        :SNIFFED_LINES
    ]
    if not head:
        return "prose"
    first = head[0].strip()
    if (first[0] in "{[" and len(first) > 1) or first == "{":
        return "json"
    if first.startswith("FROM ") and len(head) > 1:
        return "docker"
    if _HCL_OPEN.search(text[:20_000]):
        return "hcl"
    if first.startswith("#!"):
        return "script"
    if all(_FLAT_LINE.match(line) for line in head) and any("=" in line for line in head):
        return "toml" if _SECTION_LINE.search(text[:20_000]) and '"' in text[:20_000] else "flat"
    if len(head) > 1 and all(_YAML_LINE.match(line) for line in head) and not _sentences(head):
        return "yaml"
    return "prose"


def _sentences(head: list[str]) -> bool:
    """Lines that are rather sentences with a colon, or a list of sentences."""
    told = sum(line.rstrip().endswith((".", "!", "?")) or line.count(" ") > 8 for line in head)
    keyed = sum(":" in line for line in head)
    return told * 3 > len(head) or keyed * 2 < len(head)
