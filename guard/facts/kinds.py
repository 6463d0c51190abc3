"""Does a setting gate, and how? (labels guide F1, F10)

Asked in this order: what never gates, then permission, retry, limit, target, flag. The place
matters: a settings file is believed, code and logs only by their clearest names.
"""

import re
from functools import lru_cache

from guard.facts import vocabulary as words
from guard.facts.fact import Kind, Place, Setting
from guard.facts.normalise import normalise_key, normalise_value, unquote, words_of
from guard.facts.wordlist import word_set

_NUMBER = re.compile(r"[-+$€£<>=~ ]*\.?\d")
_NAME = re.compile(r"[\w.:/@%$*+{}?=&,~#\\-]{1,200}")
_EXPRESSION = re.compile(r"\$\{?\w|\bmath\.|[*+/]")
_LIMITLESS = frozenset({"none", "unlimited", "infinite", "infinity", "inf"})
_LIMIT_ENDINGS = ("secs", "seconds", "timeout", "limit", "retention")
_TEMPLATE = re.compile(r"\{\{[^{}]{0,80}\}\}")
_WORD = re.compile(r"[\w-]{1,40}")
_PLACEHOLDER = re.compile(
    r"%\w$|<[^>]*>$|\{[^}]*\}$|\.{3}|[*_|+~-]{2,}$|[_|+-]$|your[-_]", re.IGNORECASE
)
_ALL_WORDS = frozenset().union(
    words.RETRY,
    words.RETRY_LEAVES,
    words.PERMISSION,
    words.LIMIT,
    words.TARGET,
    words.TARGET_USERS,
    words.FLAG,
    words.ADDRESS_LEAVES,
    words.BARE_FLAGS,
    words.PERMISSION_FILES,
    word_set("statement args rules limits only except security name"),
)
_ALL_PHRASES = frozenset().union(
    words.RETRY_PHRASES, words.PERMISSION_PHRASES, words.LIMIT_PHRASES, words.FLAG_PHRASES
)
_SHORT_VALUES = words.MODE_WORDS | {"true", "false"}
_SWITCH = frozenset({"true", "false"})
_BELIEVED: frozenset[Place] = frozenset({"settings", "answer"})
_MIXED: frozenset[Place] = frozenset({"log", "prose", "answer"})
"""Places where measured values and addresses of no weight stand between settings."""
_CONNECTIONS = word_set(
    "db database datasource pg postgres mysql redis mongo dsn connection smtp mail"
)
_DOC_URL = re.compile(
    r"https?://[^/]*(?:docs?|help|support|schemastore|schemas?)\b|https?://\S+/docs?/"
)


class Name:
    """A dotted key, cut up once: words of the last name, words above it, and pairs of words."""

    __slots__ = ("above", "all", "key", "last", "leaf", "pairs", "parents", "parts")

    def __init__(self, key: str) -> None:
        self.key = normalise_key(key)
        self.parts = self.key.split(".")
        self.leaf = self.parts[-1]
        self.parents = frozenset(self.parts[:-1])
        self.last = words_of(self.leaf)
        self.above = frozenset(w for part in self.parts[:-1] for w in (part, *words_of(part)))
        self.all = frozenset(words_of(self.key))
        self.pairs = frozenset(
            f"{a}_{b}" for a, b in zip(self.last, self.last[1:], strict=False)
        ) | {self.leaf}


@lru_cache(maxsize=8192)
def _name(key: str) -> Name:
    return Name(key)


@lru_cache(maxsize=8192)
def _speaks(key: str) -> bool:
    name = _name(key)
    if name.pairs & _ALL_PHRASES or not _ALL_WORDS.isdisjoint(name.all | {name.leaf}):
        return True
    return bool(name.last) and (
        name.last[0].startswith(("max", "min")) or name.leaf.endswith(_LIMIT_ENDINGS)
    )


def may_gate(key: str, setting: Setting) -> bool:
    """A cheap first look: a name with a word of the vocabulary, or a value like a switch."""
    if _speaks(key):
        return True
    literal = setting.literal
    return setting.place == "settings" or literal.strip("\"'").lower() in _SHORT_VALUES


def kind_of(setting: Setting) -> Kind | None:
    """The kind of a setting, or None if it gates nothing."""
    name = _name(".".join(setting.path))
    value = normalise_value(setting.literal)
    if not name.last or not value or _PLACEHOLDER.match(value) or _never(name, setting.place):
        return None
    for ask in (_permission, _retry, _limit, _target, _flag):
        kind = ask(name, value, setting)
        if kind is not None:
            return kind
    return None


def _never(name: Name, place: Place) -> bool:
    """Secrets, descriptions, looks, measured values (F10)."""
    last = name.last[-1]
    if last in words.SECRET or name.last[:1] == ("secret",):
        return True
    if name.above & words.QUIET_PARENTS or name.pairs & words.QUIET_PHRASES:
        return True
    if words.COUNTERS & set(name.last):
        return True
    if place in _MIXED and set(name.last) <= words.MEASURED:
        return True
    return last in words.QUIET_LEAVES and not _kept_leaf(name, last)


def _kept_leaf(name: Name, last: str) -> bool:
    """A quiet last word that gates all the same: `on_error`, `allowed_paths`, `read_only_paths`."""
    if name.pairs & (words.RETRY_PHRASES | words.PERMISSION_PHRASES | words.FLAG_PHRASES):
        return True
    if last in {"errors", "error", "rows", "lines", "pages", "files", "total"} and (
        set(name.last) & words.STRONG_LIMIT
    ):
        return True
    if last == "time" and "max" in name.last:
        return True
    return bool(set(name.last[:-1]) & words.PERMISSION)


def _permission(name: Name, value: str, setting: Setting) -> Kind | None:
    own = set(name.last)
    if own & words.PERMISSION or name.pairs & words.PERMISSION_PHRASES:
        return None if _schema_like(name) else "permission"
    if (
        value.lower() in words.MODE_WORDS
        and name.leaf != "name"
        and not _retry(name, value, setting)
    ):
        return "permission"
    if name.parents & words.PERMISSION_FILES or _policy_statement(name):
        return "permission"
    if "security" in name.all and "group" in name.all:
        return "permission"
    if name.leaf == "args" and setting.place in _BELIEVED:
        return _gating_argument(value)
    return None


def _schema_like(name: Name) -> bool:
    """`inputs.x.required: true` and `requires` describe a form."""
    return name.leaf in {"required", "requires"} and bool(
        name.above & {"inputs", "parameters", "properties", "args", "fields"}
    )


def _policy_statement(name: Name) -> bool:
    """IAM statements and Kubernetes roles say permissions in neutral words."""
    if "statement" in name.above or name.parts[0] == "statement":
        return name.leaf in {"effect", "action", "resource", "principal", "not_action", "condition"}
    return "rules" in name.above and name.leaf in {"verbs", "resources", "resource_names"}


def _gating_argument(value: str) -> Kind | None:
    """An element of an argument list gates if the same flag on a command line would."""
    if not value.startswith("--"):
        return None
    flag, _, given = value[2:].partition("=")
    return kind_of(Setting((flag,), given or "true", 1, "command"))


def _retry(name: Name, _: str, setting: Setting) -> Kind | None:
    own = set(name.last)
    if own & words.RETRY or name.pairs & words.RETRY_PHRASES or name.leaf in words.RETRY_LEAVES:
        return "retry"
    if name.above & {"retry", "retries", "restart", "backoff"}:
        return "retry"
    if name.leaf in {"only", "except"} and setting.place in _BELIEVED and len(name.parts) > 1:
        return "retry"
    return None


def _limit(name: Name, value: str, setting: Setting) -> Kind | None:
    own = set(name.last) | ({name.parts[-2]} if _borrows(name) else set())
    strict = setting.place not in _BELIEVED
    known = words.STRONG_LIMIT if setting.place in {"log", "prose"} else words.LIMIT
    if not (own & known or name.pairs & words.LIMIT_PHRASES or _inherits_limit(name)):
        glued = name.last[0].startswith(("max", "min")) and len(name.last[0]) > 5
        glued = glued or name.last[-1].endswith(_LIMIT_ENDINGS)
        if not (glued and _NUMBER.match(value)) and not _borrowed_limit(name):
            return None
    if _NUMBER.match(value) or (value.lower() in _LIMITLESS and own & words.STRONG_LIMIT):
        return "limit"
    if own & words.STRONG_LIMIT and not strict and value.lower() not in _SWITCH:
        return "limit" if " " not in value or _EXPRESSION.search(value) else None
    return "limit" if _EXPRESSION.search(value) and own & words.STRONG_LIMIT else None


def _borrows(name: Name) -> bool:
    return name.leaf in words.NAMED_BY_PARENT and len(name.parts) > 1


def _borrowed_limit(name: Name) -> bool:
    return _borrows(name) and bool(set(words_of(name.parts[-2])) & words.LIMIT)


def _inherits_limit(name: Name) -> bool:
    return bool(name.above & {"limits", "limit", "quota", "quotas", "budget"})


def _target(name: Name, value: str, setting: Setting) -> Kind | None:
    if value.lower() in _SWITCH or value == "none" or not _names_a_place(value):
        return None
    last = name.last[-1]
    if last == "id":
        return "target" if set(name.last) & words.IDENTIFIED else None
    if (
        setting.place in _MIXED
        and last in words.WEAK_TARGET
        and name.leaf not in words.WEIGHTY_URLS
    ):
        return None
    if last in {"repo", "site"} and value.startswith("http"):
        return None
    if last in words.TARGET or _borrowed_target(name):
        return None if _DOC_URL.match(value) else "target"
    if last == "name" and set(name.last[:-1]) & words.TARGET:
        return "target"
    if last in words.TARGET_USERS:
        return _user_kind(name, setting)
    if last in words.ADDRESS_LEAVES and ("@" in value or name.all & {"mail", "smtp", "email"}):
        return "target"
    return _listed_target(name, last)


def _names_a_place(value: str) -> bool:
    return (
        bool(_NAME.fullmatch(_TEMPLATE.sub("x", value))) or value.startswith("${") or value == "[]"
    )


def _borrowed_target(name: Name) -> bool:
    if not _borrows(name):
        return False
    above = words_of(name.parts[-2])
    return bool(above) and above[-1] in words.TARGET and name.parts[-2] != "project"


def _listed_target(name: Name, last: str) -> Kind | None:
    """`base_branches`, `dynamodb_table`, `bootstrap.servers`: the plural or a word before it."""
    if last in {"names", "ids", "list"} and set(name.last[:-1]) & words.TARGET:
        return "target"
    return "target" if last in {"primary", "endpoint_url"} and "host" in name.all else None


def _user_kind(name: Name, setting: Setting) -> Kind | None:
    if name.above & {"author", "owner"}:
        return None
    connects = name.all & _CONNECTIONS or len(name.last) > 1
    return "permission" if setting.place == "settings" and not connects else "target"


def _flag(name: Name, value: str, setting: Setting) -> Kind | None:
    own = set(name.last)
    switch = value.lower() in _SWITCH
    if name.pairs & words.FLAG_PHRASES:
        return "flag"
    if own & words.FLAG:
        return "flag" if switch or _mode_like(name, value) else None
    if not switch:
        return None
    if name.leaf in words.BARE_FLAGS and setting.place in {"settings", "command"}:
        return "flag"
    return "flag" if setting.place == "settings" and unquote(setting.literal) is None else None


def _mode_like(name: Name, value: str) -> bool:
    """`stripe_mode: test`, `replica_mode: 1`: a short word or number as a mode."""
    plain = _WORD.fullmatch(value) is not None
    return plain and name.last[-1] in {"mode", "enabled", "live", "force", "sandbox"}
