"""Which scope a piece of the digest speaks of: environments and files (labels guide D1, D3, D4)."""

import re
from typing import Final

from guard.facts.fact import Fact
from guard.facts.syntax import base_name

ENVIRONMENTS: Final = {
    "staging": "staging stage stg preprod pre-prod uat",
    "production": "production prod prd live produktion produktiv prods producción produção",
    "development": "development dev develop local entwicklung",
    "test": "testing qa testsystem",
    "sandbox": "sandbox",
    "canary": "canary preview",
}
"""Environments and the words for them."""

_ENV_OF: Final = {word: env for env, words in ENVIRONMENTS.items() for word in words.split()}
_WORD = re.compile(r"[A-Za-z][\w-]*")
_PART = re.compile(r"[a-z]+|\d+")
_FILE = re.compile(
    r"(?<![\w/])(?:[\w.-]+/)*(?:\.env(?:\.\w[\w-]*)*|[\w-]*\.?[\w-]*\.(?:ya?ml|toml|json|ini|cfg|"
    r"conf|env|properties|tf|tfvars|py|ts|js|go|rb|rs|java|sh|md|txt|service))\b"
)


def environment_of(word: str) -> str | None:
    """The environment a single word names."""
    return _ENV_OF.get(word.casefold())


def environments_in(text: str) -> set[str]:
    """Environments a text names as words of their own (`rates_stg` names none)."""
    found = {_ENV_OF.get(match[0].casefold().removesuffix("'s")) for match in _WORD.finditer(text)}
    return {env for env in found if env is not None}


def environment_inside(identifier: str) -> str | None:
    """The environment in a name: `rates_stg`, `db-prd.example.net`, `envs/prod/app.yaml`."""
    parts = _PART.findall(identifier.casefold())
    return next((_ENV_OF[part] for part in parts if part in _ENV_OF), None)


def files_in(text: str) -> set[str]:
    """Base names of the files a text names."""
    return {base_name(match[0]) for match in _FILE.finditer(text)}


def environment_of_fact(fact: Fact) -> str | None:
    """The environment a fact belongs to: by a parent of its key, or by the name of its file."""
    parents = fact.key.split(".")[:-1]
    for parent in parents:
        if (env := environment_of(parent)) is not None:
            return env
    if fact.scope in {"user", "system", "shell", "log", "tool_result"}:
        return None
    return environment_inside(fact.scope)
