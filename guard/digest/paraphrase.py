"""Other words for a setting: a reader may see it, nothing proves it (labels guide D6)."""

import re
from collections.abc import Sequence
from typing import Final

from guard.digest.outcome import Status, Verdict
from guard.digest.scopes import environment_inside, environments_in
from guard.digest.statements import Statement
from guard.digest.units import number_word, quantity, same_quantity
from guard.digest.values import plain_text
from guard.facts.fact import Fact
from guard.facts.normalise import words_of
from guard.facts.wordlist import word_set

_CLAUSE = re.compile(r"[,;()]\s|:\s(?!\d)|\.\s|\s[-–—]\s")
_MACHINES = re.compile(
    r"\b(?:database|db|host|server|machine|cluster|environment|system|bucket|account|namespace|"
    r"instance|queue|against|target\w*|runs? (?:on|in|against))\b",
    re.IGNORECASE,
)
_TOWARDS = re.compile(
    r"\b(?:to|on|in|against|at|for) (?:the )?(?:staging|production|prod|dev\w*|test|qa|sandbox)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[$€£]?[\w.%/@-]*\w%?")
_PAIR = re.compile(r"(?<=\w)/(?=\d)")
"""Between two values said together (`3s/60s`)."""
_VERSION = re.compile(
    r"\b(?:versions?|v\d|package|release|upgraded|python|node|pods? (?:were|are)|lines?|files?)\b",
    re.IGNORECASE,
)
_SECTIONS: Final = word_set("config settings http services spec jobs metadata app limits resources")
"""Names of sections that say nothing about a value."""
_PLAIN_WORDS: Final = word_set(
    "max min maximum minimum limit per default enabled mode the of in on value setting is"
)

SYNONYMS: Final = tuple(
    frozenset(line.split())
    for line in """
retry retries retrying retried repeat repeats repeated repetition attempt attempts tries try again
timeout timeouts deadline wait waits seconds times patience gives
reviewer reviewers review reviews approver approvers approval approvals signoff signatures signature
database db schema data
host server machine node
branch line trunk
env environment stage system
region location zone datacenter
namespace project cluster context
account user login
amount sum money payout payment spend budget dollars euro euros eur usd
currency euro euros eur dollar dollars usd
rows records entries lines
memory ram mem
cpu cpus cores
replicas pods instances copies
concurrency parallel workers threads jobs
rate speed frequency
interval period every
retention keep kept days
upload uploads file files size
commit revision sha base
port socket
bucket store storage
queue topic channel
""".strip().splitlines()
)
"""Words that stand for each other to a reader."""

GLOSSES: Final = tuple(
    (re.compile(key), re.compile(value), re.compile(text, re.IGNORECASE))
    for key, value, text in (
        (
            r"retr|attempts|tries|backoff_limit",
            r"^[01]$|^none$",
            r"\b(?:never|no|not|without|nicht|kein\w*|sans|sin|nunca|jamais|"
            r"ne)\b[^.]{0,40}\b(?:retr\w+|repeat\w*|tries|again|restart\w*|attempts?|"
            r"wiederhol\w+|réessa\w+|reint\w+)\b"
            r"|\b(?:retr\w+|attempts?)\b[^.]{0,20}\b(?:off|disabled|forbidden|none)\b|"
            r"\b(?:one|single|first) (?:try|attempt|failure|error)\b|\bonly once\b|\bgives? "
            r"up (?:at once|immediately)",
        ),
        (
            r"restart",
            r"^(?:no|never|none|false|fail)$",
            r"\b(?:not|never|no)\b[^.]{0,30}\b(?:restart\w*|started again|come back)\b",
        ),
        (
            r"restart",
            r"^(?:always|on-failure|unless-stopped|true)$",
            r"\b(?:restarts?|restarted|started again|comes? back)\b",
        ),
        (
            r"dry_?run|simulat|noop|what_if",
            r"^true$",
            r"\b(?:nothing|no\w*) (?:is |are |was |will be |gets? )?(?:\w+ )?(?:executed|"
            r"for real|real|written|sent|changed)\b|\bfor real\b|\bsimulat\w+|\brehears\w+|"
            r"\bpretend\w*|\btrial\b|\bwithout executing\b|\bonly print(?:s|ed)\b|"
            r"\bwould (?:do|happen|change)\b",
        ),
        (
            r"read_?only",
            r"^(?:true|on|yes|1)$",
            r"\bread[- ]only\b|\b(?:no|never|not|nothing|without)\b[^.]{0,30}\b(?:writ\w+|changes?|"
            r"modif\w+)\b|\bonly (?:reads?|reading)\b|\breads? only\b|\bwrit\w+ (?:is|are) "
            r"(?:off|blocked|disabled|forbidden)\b",
        ),
        (r"read_?only", r"^false$", r"\bwrit\w+ (?:is|are) (?:on|allowed|possible|enabled)\b"),
        (
            r"approv|review|confirm|sign_?off",
            r"^true$|^[1-9]$|on-request|^always$",
            r"\b(?:approv\w+|confirm\w+|sign-?off|review\w*|ask\w*)\b[^.]{0,40}\b(?:needed|"
            r"required|must|first|before|wanted|necessary)\b|\b(?:must|needs?|has to|"
            r"required to)\b[^.]{0,30}\b(?:approv\w+|confirm\w+|sign\w*|review\w*)\b",
        ),
        (
            r"fail_?fast|abort_on|stop_on|exit_on",
            r"^true$|^1$",
            r"\b(?:stops?|aborts?|halts?|ends?|quits?|exits?|fails?)\b[^.]{0,30}\b(?:first|"
            r"any|at once|immediately|error|failure)\b",
        ),
        (
            r"continue_on_error|ignore_errors?|allow_failure|soft_fail",
            r"^false$",
            r"\b(?:errors?|failures?|failed|failing)\b[^.]{0,40}\b(?:stops?|aborts?|halts?|ends?|"
            r"fails?|breaks?|blocks?)\b|\b(?:stops?|aborts?|fails?)\b[^.]{0,30}\b(?:errors?|"
            r"failures?)\b",
        ),
        (
            r"live|enabled|publish|send|deploy",
            r"^false$",
            r"\b(?:off|disabled|not live|switched off|turned off|nothing is sent|not "
            r"enabled|inactive)\b",
        ),
        (r"sandbox", r"^true$", r"\b(?:test mode|no real|play money|sandboxed|isolated)\b"),
        (
            r"network|internet",
            r"^false$",
            r"\b(?:offline|no (?:network|internet)|without (?:network|internet)|network "
            r"(?:is )?(?:off|blocked|disabled))\b",
        ),
        (
            r"delete|destroy|drop",
            r"^false$",
            r"\b(?:not|no|never|nothing)\b[^.]{0,30}\b(?:delet\w+|remov\w+|destroy\w*|"
            r"drop\w*)\b|\bdelet\w+ (?:is|are) (?:off|blocked|disabled|forbidden)\b",
        ),
        (
            r"protect|prevent_destroy",
            r"^true$",
            r"\b(?:cannot|can't|not|never) be (?:deleted|destroyed|removed)\b|\bprotected\b",
        ),
        (
            r"mode",
            r"^(?:read-only|plan)$",
            r"\b(?:no|not|nothing|without)\b[^.]{0,30}\b(?:writ\w+|edits?|edited|changes?|"
            r"changed)\b|\bplanning only\b|\bonly plan\w*\b",
        ),
        (
            r"merge",
            r"^false$",
            r"\bmerg\w+ (?:is |are )?(?:done |made )?(?:by hand|manual\w*|off)\b|\bmanual "
            r"merges?\b|\bnot merged (?:automatically|by itself)\b",
        ),
        (r"private", r"^true$", r"\bnot (?:be )?publish\w*\b|\bnot public\b"),
    )
)
"""Key, value, and phrases that say the same to a reader."""


def hinted(
    fact: Fact, digest: Sequence[Statement], bare: Sequence[Statement] = ()
) -> Verdict | None:
    """The statement that may mean the fact, as an unproven verdict; `bare` ones name its key."""
    for statement in bare:
        if _beside(fact, statement.text):
            return Verdict(
                "unproven", "key and value stand apart (D6)", statement.text[:200], statement.line
            )
    for statement in digest:
        why = _why(fact, statement)
        if why is not None:
            return Verdict("unproven", f"{why} (D6)", statement.text[:200], statement.line)
    return None


def _beside(fact: Fact, text: str) -> bool:
    """`develop is the branch`, `still in dry-run mode`."""
    if fact.value == "true":
        name = re.escape(fact.key.split(".")[-1]).replace("_", "[-_ ]")
        return bool(
            re.search(
                rf"\b(?:in|with|under|still)\b[^.;]{{0,20}}\b{name}[- ]mode\b", text, re.IGNORECASE
            )
        )
    return len(fact.value) > 2 and not quantity(fact.value) and _stands_alone(text, fact.value)


_SWITCHED = re.compile(
    r"\s+(?:is|are|was|stays?|remains?)\s+(?:still |now )?(not )?(enabled|on|active|"
    r"disabled|off|inactive)\b",
    re.IGNORECASE,
)


def stated_by_parent(fact: Fact, digest: Sequence[Statement]) -> Verdict | None:
    """`The guard is enabled` for `guard.enabled: true`."""
    parts = fact.key.split(".")
    if parts[-1] not in {"enabled", "disabled", "active"} or len(parts) < 2:
        return None
    parent = re.compile(r"(?<![\w-])" + re.escape(parts[-2]).replace("_", "[-_ ]"), re.IGNORECASE)
    for statement in digest:
        for match in parent.finditer(statement.text):
            said = _SWITCHED.match(statement.text, match.end())
            if said:
                on = (said[2].lower() in {"enabled", "on", "active"}) != bool(said[1])
                wanted = (fact.value == "true") != (parts[-1] == "disabled")
                status: Status = "unproven" if on == wanted else "altered"
                return Verdict(
                    status, "said of its parent (D3, D6)", statement.text[:200], statement.line
                )
    return None


def _why(fact: Fact, statement: Statement) -> str | None:
    leaf = fact.key.split(".")[-1]
    if _distinctive(fact.value) and _stands_alone(statement.text, fact.value):
        return "the value is there, its key is not"
    for key, value, text in GLOSSES:
        if key.search(leaf) and value.search(fact.value) and text.search(statement.text):
            return "other words with the same sense"
    if fact.kind == "target" and any(_named_for(fact, c) for c in _CLAUSE.split(statement.text)):
        return "the value is there, its key is replaced"
    if fact.kind == "permission" and _spoken_permission(fact, statement.text):
        return "the permission is told in words"
    if fact.kind == "target" and _same_environment(fact, statement):
        return "the environment is named, the target is not"
    return next(
        (
            why
            for clause in _CLAUSE.split(statement.text)
            if (why := _by_number(fact, leaf, clause))
        ),
        None,
    )


def _named_for(fact: Fact, clause: str) -> bool:
    """`Logged in as reader` for `db_user: reader`."""
    word = len(fact.value) > 3 and fact.value.isalpha()
    return word and _stands_alone(clause, fact.value) and _speaks_of(fact.key, clause)


def _distinctive(value: str) -> bool:
    """A value that cannot stand there by chance."""
    return (
        len(value) > 3
        and bool(re.search(r"[^\W\d_][\d_.\-/@:*()]|\d[^\W\d_]{2}", value))
        and not quantity(value)
    )


def _stands_alone(text: str, value: str) -> bool:
    whole, wanted = plain_text(text), plain_text(value)
    at = whole.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before, after = whole[at - 1 : at], whole[end : end + 2]
        if not re.match(r"[\w.-]", before) and not re.match(r"\w|[.-]\w|\.\.|…", after):
            return True
        at = whole.find(wanted, end)
    return False


_PATTERN = re.compile(r"\w+\(([\w ./-]{3,60}?)[:*]*\)")
_DENIES = re.compile(
    r"\b(?:den(?:y|ied|ies)|block\w*|forbid\w*|forbidden|not allowed|prohibit\w*|refus\w*)\b",
    re.IGNORECASE,
)
_PERMITS = re.compile(r"\b(?:allow\w*|permit\w*|may be run|granted)\b", re.IGNORECASE)


def _spoken_permission(fact: Fact, text: str) -> bool:
    """`git push is denied` for `permissions.deny: Bash(git push:*)`."""
    inner = _PATTERN.fullmatch(fact.value)
    if not inner or inner[1].strip().casefold() not in text.casefold():
        return False
    denies = bool(re.search(r"den|block|forbid", fact.key))
    return bool((_DENIES if denies else _PERMITS).search(text))


def _same_environment(fact: Fact, statement: Statement) -> bool:
    """`the staging database` for `host: db-stg-2.example.net`."""
    env = environment_inside(fact.value)
    if env is None or env not in environments_in(statement.text):
        return False
    if _MACHINES.search(statement.text):
        return True
    kinds = {"env", "environment", "stage", "target", "context"}
    return bool(kinds & set(words_of(fact.key))) and bool(_TOWARDS.search(statement.text))


def _by_number(fact: Fact, leaf: str, clause: str) -> str | None:
    """The same number, in digits or words, next to a word for the key."""
    if _VERSION.search(clause):
        return None
    if fact.value in {"true", "false"}:
        return _by_switch(fact, leaf, clause)
    if not _speaks_of(fact.key, clause):
        return None
    if fact.value.upper() in {"EUR", "USD", "GBP"}:
        return "the currency is named in words"
    mine = quantity(fact.value)
    if mine is None:
        return None
    tokens = [t for token in _TOKEN.findall(clause) for t in _PAIR.split(token)]
    for place, token in enumerate(tokens):
        said = quantity(" ".join(tokens[place : place + 2]))
        if said is not None and same_quantity(mine, said, leaf) != "other":
            return "the value is there, its key is replaced"
        word = number_word([t.casefold() for t in tokens[place : place + 2]])
        if word is not None and word == mine.number and token.casefold() not in {"no", "null"}:
            return "the number is said in words"
    return "half a minute" if _half(mine.number, clause) else None


_SWITCHED_ON = re.compile(r"\b(?:live|on|enabled|active|yes|true)\b", re.IGNORECASE)
_SWITCHED_OFF = re.compile(r"\b(?:off|disabled|inactive|no|not|false)\b", re.IGNORECASE)


def _by_switch(fact: Fact, leaf: str, clause: str) -> str | None:
    """All words of the key in another order, with a word for on or off (`beta feature on`)."""
    said = {token.casefold() for token in _TOKEN.findall(clause)}
    own = set(words_of(leaf)) - {"enabled", "disabled", "is"}
    if len(own) < 2 or not all(any(_close(a, b) or a == b for b in said) for a in own):
        return None
    switch = _SWITCHED_OFF if fact.value == "false" else _SWITCHED_ON
    return "its words in another order" if switch.search(clause) else None


def _half(number: object, clause: str) -> bool:
    return str(number) == "30" and "half a minute" in clause.casefold()


def _speaks_of(key: str, clause: str) -> bool:
    """A word of the key, or one that readers take for it."""
    words = {token.casefold() for token in _TOKEN.findall(clause)}
    own = set(words_of(key.rsplit(".", maxsplit=1)[-1])) - _PLAIN_WORDS
    above = set(words_of(key)) - own - _PLAIN_WORDS - _SECTIONS
    if any(_close(a, b) for a in own | above for b in words):
        return True
    return any(group & own and group & words for group in SYNONYMS)


def _close(key: str, word: str) -> bool:
    """Equal up to an ending."""
    if len(key) <= 3:
        return False
    plural = key.endswith("y") and word == f"{key[:-1]}ies"
    return plural or word.startswith(key) or (key.startswith(word) and len(word) > 3)
