"""Every spelling of a key in a digest (labels guide D1)."""

import re
from functools import lru_cache

from guard.facts.fact import Fact
from guard.facts.normalise import normalise_key
from guard.facts.wordlist import word_set

_GENERIC = word_set(
    """
    max min on if when from to mode name default value enabled count size condition user allow
    deny action effect resource
    """
)


@lru_cache(maxsize=4096)
def key_pattern(key: str) -> re.Pattern[str]:
    """A pattern for every spelling of the last name (with its parent, if the name says little)."""
    parts = key.split(".")
    leaf = parts[-1]
    body = _spellings(leaf)
    if leaf in _GENERIC and len(parts) > 1:
        alone = body + r"(?=[\"'`]?\s*[:=])"
        body = rf"{_spellings(parts[-2])}[\s_.\-:{{>\"'`]{{0,4}}{body}|{alone}"
    return re.compile(
        rf"(?<![\w.\-])((?:--)?(?:[\w\-]+\.)*)({body})(?![\w\-]|\.\w)(?!\(\))", re.IGNORECASE
    )


def _spellings(name: str) -> str:
    """One name in any case and with any sign between its words."""
    parts = [word for word in re.split(r"[_\-]", name) if word]
    return r"[\s_.\-]?".join(_LONG_FORMS.get(word, re.escape(word)) for word in parts)


_LONG_FORMS = {
    "db": "(?:db|database)",
    "env": "(?:env|environment)",
    "max": "max(?:imum)?",
    "min": "min(?:imum)?",
    "repo": "repo(?:sitory)?",
    "ns": "(?:ns|namespace)",
    "dir": "dir(?:ectory)?",
}


def other_parent(fact: Fact, prefix: str) -> bool:
    """`smtp.max_retries` is not `http.max_retries`."""
    if not prefix:
        return False
    parents = fact.key.casefold().split(".")[:-1]
    named = normalise_key(prefix).casefold().split(".")
    if fact.key.split(".")[-1] in _GENERIC and parents and not _ends_alike(parents, named):
        parents = parents[:-1]
    return bool(parents) and not _ends_alike(parents, named)


def _ends_alike(one: list[str], other: list[str]) -> bool:
    shorter = min(len(one), len(other))
    return one[-shorter:] == other[-shorter:]


_NEGATING = ("no_", "skip_", "disable_", "without_")


def opposite_names(leaf: str) -> list[str]:
    """`verify` for `no_verify`; `no_verify`, `disable_verify` for `verify`."""
    for prefix in _NEGATING:
        if leaf.startswith(prefix):
            return [leaf.removeprefix(prefix)]
    return [f"no_{leaf}", f"disable_{leaf}"]
