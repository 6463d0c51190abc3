"""One HTTP request to one part: the method decides, then the address and the body (1.4)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from guard.effects.globs import Glob, Globs, globs
from guard.effects.lexicon import act_of, words_of
from guard.effects.model import Domain, Part, read
from guard.effects.tables import table
from guard.effects.targets import reach_of_host

_COMMENT = re.compile(r"^\s*#[^\n]*\n", re.MULTILINE)
_MUTATION = re.compile(r"(?:^|[{}\s\"'])(mutation|subscription)\b")
_MOST_BODY = 20_000


@cache
def _globs(name: str) -> Globs:
    return globs(table("http")[name])


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(table("http")[name])


@cache
def _hosts() -> Sequence[tuple[Glob, Domain, str]]:
    return tuple((Glob(pattern), domain, why) for pattern, domain, why in table("http")["hosts"])


def request(method: str, url: str, body: str = "", *, summary: str = "") -> Part:
    """What a request does. `method` and `url` as written; a variable in them stays hidden."""
    method = method.upper()
    rule = f"http: {method}"
    if "$" in method:
        why = "the method is not on record; its text would make it known"
        return Part(True, "unknown", "network", "possible", why, rule, summary, url, opaque=True)
    if method in _words("reads"):
        return _looks(method, url, rule, summary)
    if method == "POST" and _is_query(url, body):
        return read("a POST that its protocol documents as a query", rule, "possible", summary)
    domain, why = domain_of(url)
    if is_loopback(url):
        why = f"{method} to this machine; what the service keeps would make it known"
        return Part(True, "unknown", "network", "proven", why, rule, summary, url)
    return Part(True, "irreversible", domain, "proven", f"{method}: {why}", rule, summary, url)


def _looks(method: str, url: str, rule: str, summary: str) -> Part:
    verb = verb_of_change(url) if method == "GET" else None
    if verb is None:
        return read(f"{method} only asks", rule, summary=summary)
    why = f"a GET whose address is a verb of change ({verb})"
    return Part(True, "unknown", "network", "possible", why, rule, summary, url)


def address(url: str) -> str:
    """Host and path without scheme and user."""
    return url.split("://", 1)[-1].rsplit("@", 1)[-1] if "://" in url else url


def domain_of(url: str) -> tuple[Domain, str]:
    """What a write to an address touches, and why."""
    where = address(url).lower()
    where = where if "/" in where else where + "/"
    for pattern, domain, why in _hosts():
        if pattern.matches(where):
            return domain, why
    return "network", "leaves the machine"


def is_loopback(url: str) -> bool:
    host = re.split(r"[/?#]", address(url), maxsplit=1)[0]
    return not host.startswith("/") and reach_of_host(host) == "local"


def verb_of_change(url: str) -> str | None:
    """The verb of change that the path or query of an address is, if it is one."""
    where = address(url).lower()
    if _globs("documents").fit(where.split("?", 1)[0]):
        return None
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
        query = parse_qsl(parts.query, keep_blank_values=True)
    except ValueError:
        return None
    for segment in parts.path.lower().split("/"):
        if segment.replace("_", "").replace("-", "").strip(":") in _words("change_verbs"):
            return segment
    for key, value in query:
        if key.lower() in _words("change_keys") and _changes(value):
            return f"{key}={value}"
    return None


def _changes(value: str) -> bool:
    words = words_of(value)
    return any(word in _words("change_verbs") for word in words) or act_of(words) == "write"


def _is_query(url: str, body: str) -> bool:
    if _globs("post_queries").fit(address(url)):
        return True
    text = graphql_of(body)
    if text is None and "graphql" in address(url).lower():
        text = body
    return text is not None and is_graphql_query(text)


def graphql_of(body: str) -> str | None:
    """The GraphQL text of a JSON body `{"query": ...}`."""
    if len(body) > _MOST_BODY or not body.lstrip().startswith("{"):
        return None
    try:
        decoded: Any = json.loads(body)
    except ValueError:
        return None
    text = decoded.get("query") if isinstance(decoded, Mapping) else None
    looks = isinstance(text, str) and re.match(
        r"\s*(query|mutation|subscription|fragment|\{)", text
    )
    return text if looks else None


def is_graphql_query(text: str) -> bool:
    """Whether a GraphQL text only asks: it starts as a query and names no mutation."""
    text = _COMMENT.sub("", text[:_MOST_BODY]).strip()
    if _MUTATION.search(text):
        return False
    return bool(re.match(r"(query\b|fragment\b|\{)", text))
