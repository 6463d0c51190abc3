"""A setting in a digest: its mentions, their scopes, one status (guide D1, D3, D4, D7)."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

import msgspec

from guard.digest.keys import key_pattern, opposite_names, other_parent
from guard.digest.lists import listed_element
from guard.digest.outcome import Status, Verdict
from guard.digest.paraphrase import hinted, stated_by_parent
from guard.digest.permitted import permitted
from guard.digest.said import ANYWHERE, EVERYWHERE, Said, flag_of_command, said_after
from guard.digest.scopes import environment_of_fact, environments_in, files_in
from guard.digest.source import Source
from guard.digest.statements import Statement
from guard.digest.units import Likeness
from guard.digest.values import read_value
from guard.facts.fact import Fact
from guard.facts.syntax import base_name

_LEFT_OUT = re.compile(
    r"\b(?:without|drop\w*|remov\w*|omit\w*|lack\w*|skip\w*|minus|no|not|instead of|"
    r"ohne|sans|sin|sem)\W*$",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:earlier|previously|formerly|originally|initially|used to|at first|until "
    r"now|früher|ehemals|auparavant|antes era)\b|(?<![-_.\w])old(?![-_.\w])|"
    r"\b(?:was|were)\b[^.;\n]{1,60}\b(?:before(?= the\b|\s*[;,.]|$)|until\b)",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\b(?:lifted|removed|dropped|turned off|switched off|deleted|obsolete|no "
    r"longer (?:needed|applies|in force|set|valid|used)|gone|withdrawn|waived|unset|"
    r"deactivated|disabled|relaxed|cancelled|canceled|aufgehoben|entfernt|supprimé|"
    r"eliminad\w+|removid\w+)\b",
    re.IGNORECASE,
)
_RETOLD = re.compile(r"\bearlier summary\b", re.IGNORECASE)
_ATTRIBUTED = re.compile(
    r"(?:\b(?:in|of|from)\s+|^\W*)\S+\.\w+`?\s*(?:\b(?:has|sets?|uses?|says)\b|:|$)"
)
_ASIDE = re.compile(
    r"\b(?:unit tests?|tests?|fixtures?|mocks?|examples?|samples?|benchmarks?|"
    r"documentation|docs|readme)\b",
    re.IGNORECASE,
)
_PAST_COLUMN = re.compile(
    r"\b(?:before|old|previous(?:ly)?|was|from|former|original|vorher|alt|avant|antes|prima)\b",
    re.IGNORECASE,
)
_GROUP = re.compile(r"[\"'`*]*\s*(?:/|,|&|\+|\band\b|\bund\b|\by\b|\bet\b)\s*[\"'`*]*$")
_SHARED = re.compile(r"(?<![\w.])[a-z]+/$", re.IGNORECASE)
"""Two keys that share their last word: `connect/read timeout`."""
MOST_GROUPED = 8
"""Keys said together (`a/b: 1/2`)."""
WINDOW = 400
"""Characters before and behind a key that can belong to it."""
MOST_MENTIONS = 100
"""Mentions of one key that are read."""


class Mention(msgspec.Struct):
    """One place of the digest that says the key with a value."""

    statement: Statement
    found: str = ""
    literal: str = ""
    likeness: Likeness = "none"
    labels: frozenset[str] = frozenset()
    """Environments and files it speaks of; empty if it does not say."""
    past: bool = False
    gone: bool = False
    aside: bool = False
    foreign: bool = False
    """The key has another parent than the fact."""
    exact: bool = False
    """The key is said with the fact's own parent."""
    about: bool = False


class Keyed:
    """All settings of one comparison, checked together: keys may be shared by several scopes."""

    def __init__(self, facts: Sequence[Fact], digest: Sequence[Statement], source: Source) -> None:
        self.facts = [fact for fact in facts if fact.kind != "rule"]
        self.source = source
        self.digest = digest
        self.patterns = {fact.key: key_pattern(fact.key) for fact in self.facts}
        self._known_files = {base_name(fact.scope) for fact in self.facts}
        self._naming: dict[str, list[Statement]] = {}
        self._found_spans: dict[str, list[tuple[int, int]]] = {}

    def check(self, fact: Fact) -> Verdict:
        """The status of one setting."""
        listed = listed_element(fact, self.facts, self.digest, self.patterns[fact.key])
        if listed is not None:
            return listed
        mentions, bare = self._mentions(fact)
        if mentions:
            return self._judge(fact, mentions)
        if (flipped := self._flipped(fact)) is not None:
            return flipped
        if (gone := permitted(fact, self.digest, self.source)) is not None:
            return gone
        for statement in bare:
            if _GONE.search(statement.text):
                return _said(
                    "altered", "spoken of as done or lifted (D7)", statement, statement.text
                )
        stated = stated_by_parent(fact, self.digest)
        if stated is not None:
            return stated
        if bare and bare[0].question:
            return _said("weakened", "only asked about (D7)", bare[0], bare[0].text)
        hint = hinted(fact, self.digest, bare)
        if hint is not None:
            return hint
        if bare:
            return _said(
                "dropped", "the key is there without its value (D4)", bare[0], bare[0].text
            )
        return Verdict("dropped", "neither the key nor a sentence about it (D4)")

    def _mentions(self, fact: Fact) -> tuple[list[Mention], list[Statement]]:
        """Mentions with a value, and statements that name the key without one."""
        valued: list[Mention] = []
        bare: list[Statement] = []
        for statement in self._statements_naming(fact.key):
            since = 0
            if statement.cells:
                valued += self._column(fact, statement)
            for match in self.patterns[fact.key].finditer(statement.text):
                found = list(self._read(fact, statement, match, since))
                since = match.end()
                valued += found
                if not found:
                    bare.append(statement)
                if len(valued) + len(bare) > MOST_MENTIONS:
                    return valued, bare
        return valued, bare

    def _statements_naming(self, key: str) -> list[Statement]:
        """Statements that name a key, and rows of tables: facts of one key share them."""
        if key not in self._naming:
            named = self.patterns[key].search
            self._naming[key] = [s for s in self.digest if s.cells or named(s.text)]
        return self._naming[key]

    def _read(
        self, fact: Fact, statement: Statement, match: re.Match[str], since: int
    ) -> Iterator[Mention]:
        named = match[1].strip(".-") or statement.parents
        foreign = other_parent(fact, named)
        if statement.cells:
            yield from _cells(fact, statement, foreign=foreign)
            return
        if _SHARED.search(statement.text[: match.start()][-WINDOW:]) and " " in match[2]:
            return
        rest = statement.text[match.end() : match.end() + WINDOW]
        before = statement.text[max(since, match.start() - WINDOW) : match.start()]
        around = statement.text[max(0, match.start() - WINDOW) : match.end() + WINDOW]
        position, size = self._place_in_group(statement.text, match)
        labels = self._labels(before, statement)
        base = Mention(
            statement,
            past=bool(_PAST.search(around)) and not _RETOLD.search(around),
            gone=statement.gone,
            aside=bool(_ASIDE.search(before)),
            foreign=foreign,
            exact=bool(named) and not foreign,
        )
        flag = flag_of_command(rest, fact) if match[1] == "--" else None
        if flag and flag.likeness == "same" and _LEFT_OUT.search(before):
            flag = Said(flag.literal, "other")
        for said in [flag] if flag else said_after(rest, fact, position, size):
            yield msgspec.structs.replace(
                base,
                found=_words_of(statement.text, match, said.literal),
                literal=said.literal,
                likeness=said.likeness,
                labels=said.scopes or frozenset(labels),
                about=said.about,
            )

    def _column(self, fact: Fact, statement: Statement) -> Iterator[Mention]:
        """A row under a heading that is the key: the first column is its scope."""
        row = statement.body.strip("`* ").casefold()
        files = {base_name(f.scope) for f in self.facts}
        named = {file for file in files if file.rsplit(".", 1)[0].casefold() == row}
        labels = frozenset(environments_in(row) | files_in(row) | named)
        for heading, cell in statement.cells:
            if self.patterns[fact.key].fullmatch(heading.strip("`* ")):
                read = read_value(cell.strip("`* "), fact.value, fact.key)
                if read.likeness != "none":
                    yield Mention(statement, cell, cell, read.likeness, labels)

    def _labels(self, before: str, statement: Statement) -> set[str]:
        if EVERYWHERE.search(before):
            return {ANYWHERE}
        here = environments_in(before) | self._files(before)
        return here or environments_in(f"{statement.section} {statement.label}")

    def _files(self, before: str) -> set[str]:
        """Files named before the key, if some fact of this comparison comes from one of them."""
        found = files_in(before)
        return found if found & self._known_files or _ATTRIBUTED.search(before.strip()) else set()

    def _place_in_group(self, text: str, match: re.Match[str]) -> tuple[int, int]:
        """`a/b: 1/2`, `a and b are both 1`: the place of the key among keys said together."""
        spans = self._spans(text)
        at = bisect_left(spans, match.span())
        if at >= len(spans) or spans[at] != match.span():
            return 0, 1
        first = last = at
        while first > max(0, at - MOST_GROUPED) and _GROUP.fullmatch(
            text[spans[first - 1][1] : spans[first][0]]
        ):
            first -= 1
        while last + 1 < min(len(spans), at + MOST_GROUPED) and _GROUP.fullmatch(
            text[spans[last][1] : spans[last + 1][0]]
        ):
            last += 1
        return at - first, last - first + 1

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Where any key of this comparison stands in a statement, in order."""
        if text not in self._found_spans:
            found = {m.span() for p in self.patterns.values() for m in p.finditer(text)}
            self._found_spans[text] = sorted(found)
        return self._found_spans[text]

    def _judge(self, fact: Fact, mentions: list[Mention]) -> Verdict:
        own = [m for m in mentions if not m.foreign]
        env = environment_of_fact(fact)
        mine = {env, base_name(fact.scope)} - {None}
        mine |= {ANYWHERE}
        right = [m for m in own if m.labels & mine or (m.exact and not m.labels)]
        open_ = [
            m
            for m in own
            if not m.labels or (not m.labels & mine and env is None and not _files_only(m))
        ]
        if right:
            return _together(right)
        if open_:
            return self._without_scope(fact, open_)
        return self._elsewhere(fact, mentions)

    def _without_scope(self, fact: Fact, mentions: list[Mention]) -> Verdict:
        """The digest names no scope: clear only if one fact has this key (D1, D4)."""
        rivals = [f for f in self._same_key(fact) if f.value != fact.value]
        if not rivals:
            return _together(mentions)
        said = mentions[0]
        if any(m.likeness == "same" for m in mentions):
            why = "several scopes have this key and the digest names none (D4)"
            return _said("unproven", why, said.statement, said.found)
        if any(_equals(rival, m) for rival in rivals for m in mentions):
            why = "the value there belongs to another scope (D4)"
            return _said("dropped", why, said.statement, said.found)
        return _together(mentions)

    def _same_key(self, fact: Fact) -> list[Fact]:
        leaf = fact.key.split(".")[-1]
        return [f for f in self.facts if f is not fact and f.key.split(".")[-1] == leaf]

    def _elsewhere(self, fact: Fact, mentions: list[Mention]) -> Verdict:
        """Only said of another scope: another fact, or ours attributed wrongly."""
        rivals = self._same_key(fact)
        for mention in mentions:
            taken = any(_equals(rival, mention) for rival in rivals)
            if mention.likeness == "same" and not taken:
                return _said(
                    "altered", "attributed to another scope (D3)", mention.statement, mention.found
                )
        first = mentions[0]
        return _said(
            "dropped", "the key is said of another scope only (D4)", first.statement, first.found
        )

    def _flipped(self, fact: Fact) -> Verdict | None:
        """`no_verify: true` against `verify: …`."""
        if fact.value not in {"true", "false"}:
            return None
        patterns = [key_pattern(name) for name in opposite_names(fact.key.split(".")[-1])]
        for statement in self.digest:
            for pattern in patterns:
                for match in pattern.finditer(statement.text):
                    rest = statement.text[match.end() :]
                    flag = flag_of_command(rest, fact) if match[1] == "--" else None
                    for said in [flag] if flag else said_after(rest, fact, 0, 1):
                        if said.likeness in {"same", "other"}:
                            return _opposed(statement, f"{match[0]} {said.literal}", said)
        return None


def _opposed(statement: Statement, found: str, said: Said) -> Verdict:
    """The opposite key with the same value is a reversal; with the opposite value a paraphrase."""
    status: Status = "altered" if said.likeness == "same" else "unproven"
    return _said(status, "said by the opposite key (D3, D6)", statement, found)


def _words_of(text: str, match: re.Match[str], literal: str) -> str:
    """The exact piece of the statement from the key to its value."""
    at = text.find(literal, match.end())
    near = 0 <= at < match.end() + WINDOW
    return text[match.start() : at + len(literal)] if near else match[0]


def _files_only(mention: Mention) -> bool:
    return all("." in label for label in mention.labels)


def _equals(rival: Fact, mention: Mention) -> bool:
    """Does the mention say the rival's value?"""
    return read_value(mention.literal, rival.value, rival.key).likeness == "same"


def _together(mentions: list[Mention]) -> Verdict:
    """One verdict from all mentions of the right scope (D3, D7, D9)."""
    present = [m for m in mentions if not m.gone] or mentions
    firm = [m for m in present if not m.aside] or present
    for mention in firm:
        if mention.gone:
            return _at(mention, "altered", "commented out or removed (D7)")
        if mention.likeness == "other" and (mention.statement.question or not mention.past):
            return _at(mention, "altered", "the key is there with another value (D3)")
    same = [m for m in firm if m.likeness == "same"]
    if any(m.about for m in same):
        return _at(same[0], "altered", "rounded or a range (D3)")
    now = [m for m in same if not m.past]
    if same and not now:
        return _at(same[0], "altered", "spoken of as past (D7)")
    if now:
        lifted = next((m for m in now if _GONE.search(_after(m))), None)
        if lifted is not None:
            return _at(lifted, "altered", "spoken of as done or lifted (D7)")
        if all(m.statement.question for m in now):
            return _at(now[0], "weakened", "only asked about (D7)")
        return _at(now[0], "kept", "same key and equal value (D1)")
    unsure = next((m for m in firm if m.likeness == "unproven"), None)
    if unsure is not None:
        return _at(unsure, "unproven", "only a reader can tell that this is the value (D6)")
    if all(m.past for m in firm):
        return _at(firm[0], "dropped", "only an earlier value is told (D4)")
    return _at(firm[0], "altered", "the key is there with another value (D3)")


def _after(mention: Mention) -> str:
    at = mention.statement.text.find(mention.found)
    return mention.statement.text[max(at, 0) + len(mention.found) :].split(";")[0].split(",")[0]


def _at(mention: Mention, status: Status, why: str) -> Verdict:
    return _said(status, why, mention.statement, mention.found)


def _said(status: Status, why: str, statement: Statement, found: str) -> Verdict:
    return msgspec.convert(
        {"status": status, "why": why, "found": found.strip()[:200], "line": statement.line},
        Verdict,
    )


def _cells(fact: Fact, statement: Statement, *, foreign: bool) -> Iterator[Mention]:
    """A row of a table: the heading of each column is its scope."""
    for heading, cell in statement.cells:
        read = read_value(cell.strip("`* "), fact.value, fact.key)
        if read.likeness != "none":
            labels = environments_in(heading) | files_in(heading)
            past = bool(_PAST_COLUMN.search(heading))
            yield Mention(
                statement, cell, cell, read.likeness, frozenset(labels), past, foreign=foreign
            )
            if not labels and not past:
                return
